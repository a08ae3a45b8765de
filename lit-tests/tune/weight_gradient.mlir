// RUN: cnnc-opt %s --pass=weight-gradient | FileCheck %s

// Stride 1, 2x2 kernel, no padding: the 8 x 8 pixels of a row-major image are
// one axis; dy is widened from 7 columns to 8, and of its 56 pixels the first
// 55 count. Each of four taps is one contiguous slice.
// CHECK-LABEL: func.func @stride_one
// CHECK-NOT: stablehlo.convolution
// CHECK: %[[WIDE:.*]] = stablehlo.pad %arg1, %{{[^ ,)]+}}, low = [0, 0, 0, 0], high = [0, 0, 1, 0]
// CHECK: %[[ROWS:.*]] = stablehlo.reshape %[[WIDE]] : (tensor<4x7x8x5xf32>) -> tensor<4x56x5xf32>
// CHECK: %[[DY:.*]] = stablehlo.slice %[[ROWS]] [0:4, 0:55, 0:5]
// CHECK: %[[FLAT:.*]] = stablehlo.reshape %arg0 : (tensor<4x8x8x3xf32>) -> tensor<4x64x3xf32>
// CHECK: %[[X:.*]] = stablehlo.transpose %[[FLAT]], dims = [0, 2, 1]
// CHECK: %[[T0:.*]] = stablehlo.slice %[[X]] [0:4, 0:3, 0:55]
// CHECK: %[[D0:.*]] = stablehlo.dot_general %[[T0]], %[[DY]], batching_dims = [0] x [0], contracting_dims = [2] x [1]
// CHECK-SAME: -> tensor<4x3x5xf32>
// CHECK: stablehlo.reduce(%[[D0]]
// CHECK: stablehlo.slice %[[X]] [0:4, 0:3, 1:56]
// CHECK: stablehlo.slice %[[X]] [0:4, 0:3, 8:63]
// CHECK: stablehlo.slice %[[X]] [0:4, 0:3, 9:64]
// CHECK: stablehlo.concatenate
// CHECK: return %{{[^ ,)]+}} : tensor<2x2x3x5xf32>
func.func @stride_one(%x: tensor<4x8x8x3xf32>, %dy: tensor<4x7x7x5xf32>) -> tensor<2x2x3x5xf32> {
  %dw = stablehlo.convolution(%x, %dy)
    dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<4x8x8x3xf32>, tensor<4x7x7x5xf32>) -> tensor<2x2x3x5xf32>
  return %dw : tensor<2x2x3x5xf32>
}

// One channel: the four taps become channels of one dot product.
// CHECK-LABEL: func.func @one_channel
// CHECK-NOT: stablehlo.convolution
// CHECK: %[[TAPS:.*]] = stablehlo.concatenate
// CHECK-SAME: -> tensor<4x7x7x4xf32>
// CHECK-NEXT: stablehlo.dot_general %[[TAPS]], %arg1, batching_dims = [0] x [0], contracting_dims = [1, 2] x [1, 2]
// CHECK-NOT: stablehlo.dot_general
func.func @one_channel(%x: tensor<4x8x8x1xf32>, %dy: tensor<4x7x7x5xf32>) -> tensor<2x2x1x5xf32> {
  %dw = stablehlo.convolution(%x, %dy)
    dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<4x8x8x1xf32>, tensor<4x7x7x5xf32>) -> tensor<2x2x1x5xf32>
  return %dw : tensor<2x2x1x5xf32>
}

// A forward stride of 2 (here a dilation of dy): strided slices.
// CHECK-LABEL: func.func @strided
// CHECK-NOT: stablehlo.convolution
// CHECK: stablehlo.slice %arg0 [0:4, 0:17:2, 0:17:2, 0:3]
// CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, batching_dims = [0, 3] x [0, 3], contracting_dims = [1, 2] x [1, 2]
// CHECK: stablehlo.slice %arg0 [0:4, 0:17:2, 1:18:2, 0:3]
// CHECK: stablehlo.slice %arg0 [0:4, 1:18:2, 0:17:2, 0:3]
// CHECK: stablehlo.slice %arg0 [0:4, 1:18:2, 1:18:2, 0:3]
func.func @strided(%x: tensor<4x18x18x3xf32>, %dy: tensor<4x9x9x5xf32>) -> tensor<2x2x3x5xf32> {
  %dw = stablehlo.convolution(%x, %dy)
    dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [2, 2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<4x18x18x3xf32>, tensor<4x9x9x5xf32>) -> tensor<2x2x3x5xf32>
  return %dw : tensor<2x2x3x5xf32>
}

// Few pixels: four taps of three channels by those of all examples, 4 x 16.
// CHECK-LABEL: func.func @few_pixels
// CHECK-NOT: stablehlo.convolution
// CHECK: stablehlo.slice %arg0 [0:4, 0:7:2, 0:7:2, 0:3]
// CHECK: stablehlo.transpose %{{[^ ,)]+}}, dims = [1, 0] : (tensor<64x3xf32>) -> tensor<3x64xf32>
// CHECK: stablehlo.slice %arg0 [0:4, 1:8:2, 1:8:2, 0:3]
// CHECK: stablehlo.concatenate
// CHECK-SAME: -> tensor<12x64xf32>
// CHECK: stablehlo.dot_general
// CHECK-SAME: (tensor<12x64xf32>, tensor<64x5xf32>) -> tensor<12x5xf32>
// CHECK-NOT: stablehlo.dot_general
func.func @few_pixels(%x: tensor<4x8x8x3xf32>, %dy: tensor<4x4x4x5xf32>) -> tensor<2x2x3x5xf32> {
  %dw = stablehlo.convolution(%x, %dy)
    dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [2, 2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<4x8x8x3xf32>, tensor<4x4x4x5xf32>) -> tensor<2x2x3x5xf32>
  return %dw : tensor<2x2x3x5xf32>
}

// A convolution whose batch stands before its features is none.
// CHECK-LABEL: func.func @forward
// CHECK: stablehlo.convolution
func.func @forward(%x: tensor<4x8x8x3xf32>, %w: tensor<3x3x3x5xf32>) -> tensor<4x6x6x5xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<4x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<4x6x6x5xf32>
  return %y : tensor<4x6x6x5xf32>
}

// One channel per group: each tap is a product and a sum, with the channels
// side by side; nothing is moved.
// CHECK-LABEL: func.func @depthwise
// CHECK-NOT: stablehlo.convolution
// CHECK-NOT: stablehlo.dot_general
// CHECK-NOT: stablehlo.transpose
// CHECK: %[[X0:.*]] = stablehlo.slice %arg0 [0:4, 0:7, 0:7, 0:3]
// CHECK: stablehlo.multiply
// CHECK: stablehlo.reduce({{.*}} across dimensions = [1, 2]
// CHECK: stablehlo.reduce({{.*}} across dimensions = [0]
// CHECK: stablehlo.slice %arg0 [0:4, 0:7, 1:8, 0:3]
// CHECK: stablehlo.slice %arg0 [0:4, 1:8, 0:7, 0:3]
// CHECK: stablehlo.slice %arg0 [0:4, 1:8, 1:8, 0:3]
// CHECK: stablehlo.concatenate
// CHECK: return %{{[^ ,)]+}} : tensor<2x2x1x3xf32>
func.func @depthwise(%x: tensor<4x8x8x3xf32>, %dy: tensor<4x7x7x3xf32>) -> tensor<2x2x1x3xf32> {
  %dw = stablehlo.convolution(%x, %dy)
    dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 3 : i64, feature_group_count = 1 : i64}
    : (tensor<4x8x8x3xf32>, tensor<4x7x7x3xf32>) -> tensor<2x2x1x3xf32>
  return %dw : tensor<2x2x1x3xf32>
}

// A forward pass, though its kernel is larger than its result.
// CHECK-LABEL: func.func @small_forward
// CHECK: stablehlo.convolution
// CHECK-NOT: stablehlo.dot_general
func.func @small_forward(%x: tensor<4x5x5x3xf32>, %w: tensor<4x4x3x2xf32>) -> tensor<4x2x2x2xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<4x5x5x3xf32>, tensor<4x4x3x2xf32>) -> tensor<4x2x2x2xf32>
  return %y : tensor<4x2x2x2xf32>
}
