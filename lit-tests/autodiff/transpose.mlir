// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// The inverse permutation.
// CHECK-LABEL: func.func @transpose_grad
// CHECK-NEXT: %[[DX:.*]] = stablehlo.transpose %arg1, dims = [2, 0, 1] : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[DX]]
func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %y = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  return %y : tensor<3x4x2xf32>
}
