// RUN: cnnc-opt %s --pass=explicit-convolution | FileCheck %s

// CHECK-LABEL: func.func @reversed
// CHECK-NEXT: %[[R:.*]] = stablehlo.reverse %arg1, dims = [0, 1]
// CHECK-NEXT: stablehlo.convolution(%arg0, %[[R]])
// CHECK-NOT: reverse =
func.func @reversed(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]], reverse = [true, true]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x4x4x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}

// Negative padding, and a last column that no window reaches.
// CHECK-LABEL: func.func @cropped
// CHECK: %[[X:.*]] = stablehlo.slice %arg0 [0:1, 1:4, 0:3, 0:2]
// CHECK-NEXT: stablehlo.convolution(%[[X]], %arg1)
// CHECK-SAME: pad = {{\[}}[0, 0], [0, 0]]
func.func @cropped(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x2xf32>) -> tensor<1x1x1x2xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 2], pad = [[-1, 0], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x4x4x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1x1x1x2xf32>
  return %y : tensor<1x1x1x2xf32>
}

// CHECK-LABEL: func.func @batch_groups
// CHECK: stablehlo.transpose
// CHECK: stablehlo.convolution
// CHECK-SAME: batch_group_count = 1 : i64, feature_group_count = 2 : i64
func.func @batch_groups(%x: tensor<4x4x4x3xf32>, %w: tensor<3x3x3x2xf32>) -> tensor<2x2x2x2xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 2 : i64, feature_group_count = 1 : i64}
    : (tensor<4x4x4x3xf32>, tensor<3x3x3x2xf32>) -> tensor<2x2x2x2xf32>
  return %y : tensor<2x2x2x2xf32>
}

// CHECK-LABEL: func.func @explicit
// CHECK-NEXT: stablehlo.convolution(%arg0, %arg1)
func.func @explicit(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x2xf32>) -> tensor<1x4x4x2xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x4x4x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1x4x4x2xf32>
  return %y : tensor<1x4x4x2xf32>
}
