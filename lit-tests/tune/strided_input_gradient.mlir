// RUN: cnnc-opt %s --pass=strided-input-gradient | FileCheck %s

// Rows and columns 0, 2, .. are met by taps 0 and 2 at distance 2 of the
// padding: the cells of dy before and at their place. Rows 1, 3, .. by tap 1.
// CHECK-LABEL: func.func @three_by_three
// CHECK-NOT: stablehlo.convolution
// CHECK: %[[DY:.*]] = stablehlo.pad %arg0, %{{[^ ,)]+}}, low = [0, 1, 1, 0], high = [0, 0, 0, 0]
// CHECK: %[[W:.*]] = stablehlo.transpose %arg1, dims = [2, 0, 1, 3] : (tensor<3x3x6x5xf32>) -> tensor<6x3x3x5xf32>
// CHECK: stablehlo.dot_general
// CHECK-SAME: (tensor<50x6xf32>, tensor<6x45xf32>) -> tensor<50x45xf32>
// CHECK: %[[P:.*]] = stablehlo.reshape %{{[^ ,)]+}} : (tensor<50x45xf32>) -> tensor<2x5x5x45xf32>
// CHECK: stablehlo.slice %[[P]] [0:2, 0:4, 0:4, 0:5]
// CHECK: stablehlo.slice %[[P]] [0:2, 0:4, 1:5, 10:15]
// CHECK: stablehlo.slice %[[P]] [0:2, 1:5, 0:4, 30:35]
// CHECK: stablehlo.slice %[[P]] [0:2, 1:5, 1:5, 40:45]
// CHECK: stablehlo.slice %[[P]] [0:2, 0:4, 1:5, 5:10]
// CHECK: stablehlo.slice %[[P]] [0:2, 1:5, 1:5, 35:40]
// CHECK: stablehlo.slice %[[P]] [0:2, 1:5, 0:4, 15:20]
// CHECK: stablehlo.slice %[[P]] [0:2, 1:5, 1:5, 25:30]
// CHECK: stablehlo.slice %[[P]] [0:2, 1:5, 1:5, 20:25]
// CHECK: stablehlo.concatenate
// CHECK: stablehlo.transpose %{{[^ ,)]+}}, dims = [2, 3, 0, 4, 1, 5] : (tensor<2x2x2x4x4x5xf32>) -> tensor<2x4x2x4x2x5xf32>
// CHECK: return %{{[^ ,)]+}} : tensor<2x8x8x5xf32>
func.func @three_by_three(%dy: tensor<2x4x4x6xf32>, %w: tensor<3x3x6x5xf32>) -> tensor<2x8x8x5xf32> {
  %dx = stablehlo.convolution(%dy, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x4x4x6xf32>, tensor<3x3x6x5xf32>) -> tensor<2x8x8x5xf32>
  return %dx : tensor<2x8x8x5xf32>
}

// One tap meets one phase: a dot product, and cells padded apart.
// CHECK-LABEL: func.func @one_by_one
// CHECK-NOT: stablehlo.convolution
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.pad %{{[^ ,)]+}}, %{{[^ ,)]+}}, low = [0, 0, 0, 0], high = [0, 1, 1, 0], interior = [0, 1, 1, 0]
// CHECK-NOT: stablehlo.concatenate
// CHECK: return
func.func @one_by_one(%dy: tensor<2x4x4x6xf32>, %w: tensor<1x1x6x5xf32>) -> tensor<2x8x8x5xf32> {
  %dx = stablehlo.convolution(%dy, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [2, 2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x4x4x6xf32>, tensor<1x1x6x5xf32>) -> tensor<2x8x8x5xf32>
  return %dx : tensor<2x8x8x5xf32>
}
