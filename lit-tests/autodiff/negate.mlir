// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// CHECK-LABEL: func.func @negate_grad
// CHECK-NEXT: %[[DX:.*]] = stablehlo.negate %arg1
// CHECK-NEXT: return %[[DX]]
func.func @negate(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.negate %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
