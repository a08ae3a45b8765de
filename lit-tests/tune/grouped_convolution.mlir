// RUN: cnnc-opt %s --pass=grouped-convolution | FileCheck %s

// Two groups of two channels, four taps.
// CHECK-LABEL: func.func @by_tap
// CHECK-COUNT-4: stablehlo.dot_general {{.*}} batching_dims = [3] x [1], contracting_dims = [4] x [0]
// CHECK-NOT: stablehlo.convolution
func.func @by_tap(%x: tensor<1x4x4x4xf32>, %w: tensor<2x2x2x6xf32>) -> tensor<1x3x3x6xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
    : (tensor<1x4x4x4xf32>, tensor<2x2x2x6xf32>) -> tensor<1x3x3x6xf32>
  return %y : tensor<1x3x3x6xf32>
}

// A kernel of nine taps has two positions.
// CHECK-LABEL: func.func @by_position
// CHECK-COUNT-2: stablehlo.dot_general {{.*}} batching_dims = [3] x [3], contracting_dims = [1, 2, 4] x [0, 1, 2]
// CHECK-NOT: stablehlo.dot_general
// CHECK: stablehlo.concatenate
func.func @by_position(%x: tensor<1x3x4x4xf32>, %w: tensor<3x3x2x6xf32>) -> tensor<1x1x2x6xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
    : (tensor<1x3x4x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x1x2x6xf32>
  return %y : tensor<1x1x2x6xf32>
}

// CHECK-LABEL: func.func @depthwise
// CHECK-NEXT: stablehlo.convolution
func.func @depthwise(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x1x2xf32>) -> tensor<1x2x2x2xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
    : (tensor<1x4x4x2xf32>, tensor<3x3x1x2xf32>) -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}
