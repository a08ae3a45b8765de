// RUN: cnnc-opt %s --pass=layout | FileCheck %s

// The parameters of the manifest are stored as their users want them: the
// kernel HWIO, the rows of the dense weight in the order H, W, C. What is no
// parameter keeps its layout at the border.
// CHECK: module @tiny
// CHECK-SAME: name = "conv1.weight", shape = array<i64: 5, 3, 3, 3>
// CHECK-SAME: stored = {permutation = array<i64: 2, 3, 1, 0>, shape = array<i64: 3, 3, 3, 5>, view = array<i64: 5, 3, 3, 3>}
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %arg0: tensor<3x3x3x5xf32> {cnnc.name = "conv1.weight"}
// CHECK-SAME: %arg2: tensor<2x3x4x4xf32> {cnnc.name = "image"}
// CHECK: %[[NHWC:.*]] = stablehlo.transpose %arg2, dims = [0, 2, 3, 1]
// CHECK-NEXT: %[[Y:.*]] = stablehlo.convolution(%[[NHWC]], %arg0)
// CHECK-SAME: dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
// CHECK-SAME: -> tensor<2x4x4x5xf32>
// CHECK-NOT: stablehlo.transpose
// CHECK: %[[FLAT:.*]] = stablehlo.reshape %[[Y]] : (tensor<2x4x4x5xf32>) -> tensor<2x80xf32>
// CHECK-NEXT: stablehlo.dot_general
// CHECK-NEXT: return
module @tiny attributes {cnnc.manifest = {parameters = [
    {name = "conv1.weight", shape = array<i64: 5, 3, 3, 3>},
    {name = "dense1.weight", shape = array<i64: 80, 6>}]}} {
  func.func @forward(
      %w: tensor<5x3x3x3xf32> {cnnc.name = "conv1.weight"},
      %d: tensor<80x6xf32> {cnnc.name = "dense1.weight"},
      %x: tensor<2x3x4x4xf32> {cnnc.name = "image"}) -> tensor<2x6xf32> {
    %y = stablehlo.convolution(%x, %w)
      dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
      window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x3x4x4xf32>, tensor<5x3x3x3xf32>) -> tensor<2x5x4x4xf32>
    %f = stablehlo.reshape %y : (tensor<2x5x4x4xf32>) -> tensor<2x80xf32>
    %z = stablehlo.dot_general %f, %d, contracting_dims = [1] x [0] : (tensor<2x80xf32>, tensor<80x6xf32>) -> tensor<2x6xf32>
    return %z : tensor<2x6xf32>
  }
}
