// RUN: cnnc-opt %s --grad=wrt:0,1 --pass=drop-unused | FileCheck %s

// Two groups of 3 input and 2 output channels. Input: features are exchanged
// within each group. Kernel: groups of features are groups of the batch.
// CHECK-LABEL: func.func @grouped_grad
// CHECK-NEXT: %[[SPLIT:.*]] = stablehlo.reshape %arg1 : (tensor<4x3x3x3xf32>) -> tensor<2x2x3x3x3xf32>
// CHECK-NEXT: %[[MOVED:.*]] = stablehlo.transpose %[[SPLIT]], dims = [1, 0, 2, 3, 4]
// CHECK-NEXT: %[[MERGED:.*]] = stablehlo.reshape %[[MOVED]] : (tensor<2x2x3x3x3xf32>) -> tensor<2x6x3x3xf32>
// CHECK-NEXT: %[[WT:.*]] = stablehlo.transpose %[[MERGED]], dims = [1, 0, 2, 3] : (tensor<2x6x3x3xf32>) -> tensor<6x2x3x3xf32>
// CHECK-NEXT: %[[R:.*]] = stablehlo.reverse %[[WT]], dims = [2, 3]
// CHECK-NEXT: %[[DX:.*]] = stablehlo.convolution(%arg2, %[[R]])
// CHECK-SAME: batch_group_count = 1 : i64, feature_group_count = 2 : i64
// CHECK-NEXT: %[[DW:.*]] = stablehlo.convolution(%arg0, %arg2)
// CHECK-SAME: batch_group_count = 2 : i64, feature_group_count = 1 : i64
// CHECK-NEXT: return %[[DX]], %[[DW]]
func.func @grouped(%x: tensor<2x6x5x5xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
    : (tensor<2x6x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x3x3xf32>
  return %y : tensor<2x4x3x3xf32>
}

// Groups of the batch are groups of features in both gradients; the input
// gradient moves them back to the batch.
// CHECK-LABEL: func.func @batch_grouped_grad
// CHECK: %[[G:.*]] = stablehlo.convolution(%arg2, %{{[^ ,)]+}})
// CHECK-SAME: batch_group_count = 1 : i64, feature_group_count = 2 : i64
// CHECK-SAME: -> tensor<2x6x5x5xf32>
// CHECK-NEXT: %[[SPLIT:.*]] = stablehlo.reshape %[[G]] : (tensor<2x6x5x5xf32>) -> tensor<2x2x3x5x5xf32>
// CHECK-NEXT: %[[T:.*]] = stablehlo.transpose %[[SPLIT]], dims = [1, 0, 2, 3, 4]
// CHECK-NEXT: %[[DX:.*]] = stablehlo.reshape %[[T]] : (tensor<2x2x3x5x5xf32>) -> tensor<4x3x5x5xf32>
// CHECK-NEXT: %[[DW:.*]] = stablehlo.convolution(%arg0, %arg2)
// CHECK-SAME: batch_group_count = 1 : i64, feature_group_count = 2 : i64
// CHECK-NEXT: return %[[DX]], %[[DW]]
func.func @batch_grouped(%x: tensor<4x3x5x5xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 2 : i64, feature_group_count = 1 : i64}
    : (tensor<4x3x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x3x3xf32>
  return %y : tensor<2x4x3x3xf32>
}
