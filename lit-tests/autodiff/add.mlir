// RUN: cnnc-opt %s --grad=wrt:0,1 --pass=drop-unused | FileCheck %s

// z = x + y: both operands take the cotangent as it is.
// CHECK-LABEL: func.func @add_grad
// CHECK-SAME: %[[CT:arg2]]: tensor<3xf32> {cnnc.name = "cotangent"}
// CHECK-NEXT: return %[[CT]], %[[CT]]
func.func @add(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %z = stablehlo.add %x, %y : tensor<3xf32>
  return %z : tensor<3xf32>
}
