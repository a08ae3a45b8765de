// RUN: cnnc-opt %s --grad=wrt:0,1 --pass=drop-unused | FileCheck %s

// [n, in] by [in, out]: dx = ct w^T, dw = x^T ct, neither with a transpose.
// CHECK-LABEL: func.func @dense_grad
// CHECK-NEXT: %[[DX:.*]] = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [1] : (tensor<8x3xf32>, tensor<5x3xf32>) -> tensor<8x5xf32>
// CHECK-NEXT: %[[DW:.*]] = stablehlo.dot_general %arg0, %arg2, contracting_dims = [0] x [0] : (tensor<8x5xf32>, tensor<8x3xf32>) -> tensor<5x3xf32>
// CHECK-NEXT: return %[[DX]], %[[DW]]
func.func @dense(%x: tensor<8x5xf32>, %w: tensor<5x3xf32>) -> tensor<8x3xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x5xf32>, tensor<5x3xf32>) -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}

// Batching dimensions stay batching.
// CHECK-LABEL: func.func @batched_grad
// CHECK-NEXT: %[[DX:.*]] = stablehlo.dot_general %arg2, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x2x6xf32>, tensor<4x6x5xf32>) -> tensor<4x2x5xf32>
// CHECK-NEXT: %[[DY:.*]] = stablehlo.dot_general %arg2, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x2x6xf32>, tensor<4x2x5xf32>) -> tensor<4x6x5xf32>
// CHECK-NEXT: return %[[DX]], %[[DY]]
func.func @batched(%x: tensor<4x2x5xf32>, %y: tensor<4x6x5xf32>) -> tensor<4x2x6xf32> {
  %z = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x2x5xf32>, tensor<4x6x5xf32>) -> tensor<4x2x6xf32>
  return %z : tensor<4x2x6xf32>
}
