// RUN: cnnc-opt %s --grad=wrt:0,1 --pass=drop-unused | FileCheck %s

// CHECK-LABEL: func.func @subtract_grad
// CHECK-NEXT: %[[DY:.*]] = stablehlo.negate %arg2
// CHECK-NEXT: return %arg2, %[[DY]]
func.func @subtract(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %z = stablehlo.subtract %x, %y : tensor<3xf32>
  return %z : tensor<3xf32>
}
