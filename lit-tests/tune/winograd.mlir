// RUN: cnnc-opt %s --pass=winograd | FileCheck %s

// 8 x 8 pixels are 2 x 2 tiles of 4 x 4, made from tiles of 6 x 6 that overlap:
// 36 slices, of 2 images of 4 tiles.
// CHECK-LABEL: func.func @forward
// CHECK-NOT: stablehlo.convolution
// CHECK: %[[PADDED:.*]] = stablehlo.pad %arg0, %{{[^ ,)]+}}, low = [0, 1, 1, 0], high = [0, 1, 1, 0]
// CHECK: stablehlo.slice %[[PADDED]] [0:2, 0:5:4, 0:5:4, 0:64]
// CHECK: stablehlo.slice %[[PADDED]] [0:2, 5:10:4, 5:10:4, 0:64]
// CHECK: %[[CELLS:.*]] = stablehlo.concatenate
// CHECK-SAME: -> tensor<36x512xf32>
// CHECK: %[[TILES:.*]] = stablehlo.dot_general %{{[^ ,)]+}}, %[[CELLS]], contracting_dims = [1] x [0]
// CHECK: %[[V:.*]] = stablehlo.reshape %[[TILES]] : (tensor<36x512xf32>) -> tensor<36x8x64xf32>
// CHECK: %[[TAPS:.*]] = stablehlo.reshape %arg1 : (tensor<3x3x64x96xf32>) -> tensor<9x6144xf32>
// CHECK: %[[SCALED:.*]] = stablehlo.dot_general %{{[^ ,)]+}}, %[[TAPS]], contracting_dims = [1] x [0]
// CHECK: %[[SCALE:.*]] = stablehlo.constant dense<5.760000e+02> : tensor<36x6144xf32>
// CHECK: %[[PLANES:.*]] = stablehlo.divide %[[SCALED]], %[[SCALE]]
// CHECK: %[[U:.*]] = stablehlo.reshape %[[PLANES]] : (tensor<36x6144xf32>) -> tensor<36x64x96xf32>
// CHECK: stablehlo.dot_general %[[V]], %[[U]], batching_dims = [0] x [0], contracting_dims = [2] x [1]
// CHECK: stablehlo.dot_general
// CHECK-SAME: (tensor<16x36xf32>, tensor<36x768xf32>) -> tensor<16x768xf32>
// CHECK: stablehlo.transpose %{{[^ ,)]+}}, dims = [2, 3, 0, 4, 1, 5] : (tensor<4x4x2x2x2x96xf32>) -> tensor<2x2x4x2x4x96xf32>
// CHECK: return %{{[^ ,)]+}} : tensor<2x8x8x96xf32>
func.func @forward(%x: tensor<2x8x8x64xf32>, %w: tensor<3x3x64x96xf32>) -> tensor<2x8x8x96xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x8x8x64xf32>, tensor<3x3x64x96xf32>) -> tensor<2x8x8x96xf32>
  return %y : tensor<2x8x8x96xf32>
}

// 7 x 7 pixels of dy are filled up to 2 x 2 tiles of 4 x 4; what is contracted
// is tiles.
// CHECK-LABEL: func.func @weight_gradient
// CHECK-NOT: stablehlo.convolution
// CHECK: %[[DY:.*]] = stablehlo.pad %arg1, %{{[^ ,)]+}}, low = [0, 0, 0, 0], high = [0, 1, 1, 0]
// CHECK: stablehlo.reshape %[[DY]] : (tensor<2x8x8x96xf32>) -> tensor<2x2x4x2x4x96xf32>
// CHECK: stablehlo.dot_general
// CHECK-SAME: (tensor<36x16xf32>, tensor<16x768xf32>) -> tensor<36x768xf32>
// CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, batching_dims = [0] x [0], contracting_dims = [1] x [1]
// CHECK-SAME: (tensor<36x8x64xf32>, tensor<36x8x96xf32>) -> tensor<36x64x96xf32>
// CHECK: stablehlo.dot_general
// CHECK-SAME: (tensor<9x36xf32>, tensor<36x6144xf32>) -> tensor<9x6144xf32>
// CHECK: stablehlo.divide
// CHECK: return %{{[^ ,)]+}} : tensor<3x3x64x96xf32>
func.func @weight_gradient(%x: tensor<2x7x7x64xf32>, %dy: tensor<2x7x7x96xf32>) -> tensor<3x3x64x96xf32> {
  %dw = stablehlo.convolution(%x, %dy)
    dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
    window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x7x7x64xf32>, tensor<2x7x7x96xf32>) -> tensor<3x3x64x96xf32>
  return %dw : tensor<3x3x64x96xf32>
}

// With fewer channels the transforms cost more than they save.
// CHECK-LABEL: func.func @narrow
// CHECK: stablehlo.convolution
func.func @narrow(%x: tensor<2x8x8x32xf32>, %w: tensor<3x3x32x64xf32>) -> tensor<2x8x8x64xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x8x8x32xf32>, tensor<3x3x32x64xf32>) -> tensor<2x8x8x64xf32>
  return %y : tensor<2x8x8x64xf32>
}

// 28 rows are seven bands of four, each made of six rows; the width stays: 7 x
// 30 pixels, shifted by the three columns of the kernel.
// CHECK-LABEL: func.func @rows_weight_gradient
// CHECK: stablehlo.pad %arg0, %{{[^ ,)]+}}, low = [0, 1, 1, 0], high = [0, 3, 1, 0]
// CHECK: stablehlo.pad %arg1, %{{[^ ,)]+}}, low = [0, 1, 1, 0], high = [0, 3, 1, 0]
// CHECK: %[[DY:.*]] = stablehlo.slice %{{[^ ,)]+}} [0:16, 1:209, 0:64]
// CHECK: %[[LEFT:.*]] = stablehlo.slice %[[V:.*]] [0:16, 0:208, 0:32]
// CHECK: stablehlo.dot_general %[[LEFT]], %[[DY]], batching_dims = [0] x [0], contracting_dims = [1] x [1]
// CHECK: stablehlo.slice %[[V]] [0:16, 1:209, 0:32]
// CHECK: stablehlo.slice %[[V]] [0:16, 2:210, 0:32]
// CHECK-COUNT-15: stablehlo.dot_general
// CHECK: stablehlo.divide
// CHECK: return %{{[^ ,)]+}} : tensor<3x3x32x64xf32>
func.func @rows_weight_gradient(%x: tensor<16x28x28x32xf32>, %dy: tensor<16x28x28x64xf32>) -> tensor<3x3x32x64xf32> {
  %dw = stablehlo.convolution(%x, %dy)
    dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
    window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<16x28x28x32xf32>, tensor<16x28x28x64xf32>) -> tensor<3x3x32x64xf32>
  return %dw : tensor<3x3x32x64xf32>
}
