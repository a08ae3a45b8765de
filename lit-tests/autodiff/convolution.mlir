// RUN: cnnc-opt %s --grad=wrt:0,1 --pass=drop-unused | FileCheck %s

// 5x6 images, 3x2 kernel, stride 2 x 1, padding 1 above and 1 to the left.
// The output is 2 x 6; spread by the stride it is 3 x 6.
//
// Input: the kernel with its features exchanged and reversed, over the
// cotangent spread by the stride. Low padding k - 1 - pad: 2 - 1 and 1 - 1;
// high padding so that 5 x 6 cells come out: 5 + 3 - 1 - 3 - 1 = 3 and
// 6 + 2 - 1 - 6 - 0 = 1.
// CHECK-LABEL: func.func @convolution_grad
// CHECK-NEXT: %[[WT:.*]] = stablehlo.transpose %arg1, dims = [1, 0, 2, 3] : (tensor<4x3x3x2xf32>) -> tensor<3x4x3x2xf32>
// CHECK-NEXT: %[[WR:.*]] = stablehlo.reverse %[[WT]], dims = [2, 3]
// CHECK-NEXT: %[[DX:.*]] = stablehlo.convolution(%arg2, %[[WR]])
// CHECK-SAME: dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]
// CHECK-SAME: window = {stride = [1, 1], pad = {{\[}}[1, 3], [0, 1]], lhs_dilate = [2, 1]}
// CHECK-SAME: -> tensor<2x3x5x6xf32>
//
// Kernel: batch and features change roles, the cotangent is the kernel,
// dilated by the stride. Low padding is the forward one; high padding so that
// 3 x 2 taps come out: 3 + 3 - 1 - 5 - 1 = -1 and 2 + 6 - 1 - 6 - 1 = 0. The
// last row of the image, which no window reaches, is cropped.
// CHECK-NEXT: %[[DW:.*]] = stablehlo.convolution(%arg0, %arg2)
// CHECK-SAME: dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]
// CHECK-SAME: window = {stride = [1, 1], pad = {{\[}}[1, -1], [1, 0]], rhs_dilate = [2, 1]}
// CHECK-SAME: -> tensor<4x3x3x2xf32>
// CHECK-NEXT: return %[[DX]], %[[DW]]
func.func @convolution(%x: tensor<2x3x5x6xf32>, %w: tensor<4x3x3x2xf32>) -> tensor<2x4x2x6xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {stride = [2, 1], pad = [[1, 0], [1, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x3x5x6xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x2x6xf32>
  return %y : tensor<2x4x2x6xf32>
}
