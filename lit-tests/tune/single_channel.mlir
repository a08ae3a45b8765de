// RUN: cnnc-opt %s --pass=single-channel | FileCheck %s

// Four taps of a 2x2 kernel: four products, added up.
// CHECK-LABEL: func.func @one_channel
// CHECK-NOT: stablehlo.convolution
// CHECK: %[[X:.*]] = stablehlo.slice %arg0 [0:8, 0:27, 0:27, 0:1]
// CHECK: %[[W:.*]] = stablehlo.slice %arg1 [0:1, 0:1, 0:1, 0:32]
// CHECK: stablehlo.multiply
// CHECK: stablehlo.slice %arg0 [0:8, 0:27, 1:28, 0:1]
// CHECK: stablehlo.slice %arg1 [0:1, 1:2, 0:1, 0:32]
// CHECK: stablehlo.multiply
// CHECK: stablehlo.add
// CHECK: stablehlo.slice %arg0 [0:8, 1:28, 0:27, 0:1]
// CHECK: stablehlo.slice %arg1 [1:2, 0:1, 0:1, 0:32]
// CHECK: stablehlo.multiply
// CHECK: stablehlo.add
// CHECK: stablehlo.slice %arg0 [0:8, 1:28, 1:28, 0:1]
// CHECK: stablehlo.slice %arg1 [1:2, 1:2, 0:1, 0:32]
// CHECK: stablehlo.multiply
// CHECK: %[[Y:.*]] = stablehlo.add
// CHECK-NEXT: return %[[Y]]
func.func @one_channel(%x: tensor<8x28x28x1xf32>, %w: tensor<2x2x1x32xf32>) -> tensor<8x27x27x32xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<8x28x28x1xf32>, tensor<2x2x1x32xf32>) -> tensor<8x27x27x32xf32>
  return %y : tensor<8x27x27x32xf32>
}

// CHECK-LABEL: func.func @two_channels
// CHECK: stablehlo.convolution
func.func @two_channels(%x: tensor<8x28x28x2xf32>, %w: tensor<2x2x2x32xf32>) -> tensor<8x27x27x32xf32> {
  %y = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<8x28x28x2xf32>, tensor<2x2x2x32xf32>) -> tensor<8x27x27x32xf32>
  return %y : tensor<8x27x27x32xf32>
}
