// RUN: cnnc-opt %s --grad=wrt:0,1 --pass=drop-unused | FileCheck %s

// Kernel dilation 2 x 3: the taps of a 2x2 kernel lie 2 and 3 apart, so it
// covers 3 x 4 cells and 4 x 4 come out of 6 x 7. The input gradient keeps the
// dilation; the weight gradient steps by it.
// CHECK-LABEL: func.func @dilated_grad
// CHECK: stablehlo.convolution(%arg2, %{{[^ ,)]+}})
// CHECK-SAME: window = {stride = [1, 1], pad = {{\[}}[2, 2], [3, 3]], rhs_dilate = [2, 3]}
// CHECK: stablehlo.convolution(%arg0, %arg2)
// CHECK-SAME: window = {stride = [2, 3], pad = {{\[}}[0, 0], [0, 0]]}
func.func @dilated(%x: tensor<1x1x6x7xf32>, %w: tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [2, 3]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x6x7xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32>
  return %y : tensor<1x1x4x4xf32>
}

// Input dilation: the input gradient steps by it; the weight gradient keeps it.
// CHECK-LABEL: func.func @spread_grad
// CHECK: stablehlo.convolution(%arg2, %{{[^ ,)]+}})
// CHECK-SAME: window = {stride = [2, 2]
// CHECK: stablehlo.convolution(%arg0, %arg2)
// CHECK-SAME: lhs_dilate = [2, 2]
func.func @spread(%x: tensor<1x1x3x3xf32>, %w: tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [2, 2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32>
  return %y : tensor<1x1x4x4xf32>
}

// A reversed kernel: reversed once more for the input, which is not at all;
// the weight gradient is reversed.
// CHECK-LABEL: func.func @reversed_grad
// CHECK-NEXT: %[[WT:.*]] = stablehlo.transpose %arg1, dims = [1, 0, 2, 3]
// CHECK-NEXT: %[[DX:.*]] = stablehlo.convolution(%arg2, %[[WT]])
// CHECK: %[[DW:.*]] = stablehlo.convolution(%arg0, %arg2)
// CHECK: stablehlo.reverse %[[DW]], dims = [2, 3]
func.func @reversed(%x: tensor<1x1x3x3xf32>, %w: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]], reverse = [true, true]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %y : tensor<1x1x2x2xf32>
}
