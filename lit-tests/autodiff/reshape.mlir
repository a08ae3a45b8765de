// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// CHECK-LABEL: func.func @reshape_grad
// CHECK-NEXT: %[[DX:.*]] = stablehlo.reshape %arg1 : (tensor<6xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: return %[[DX]]
func.func @reshape(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %y = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}
