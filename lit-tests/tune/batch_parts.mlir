// RUN: cnnc-opt %s --pass=batch-parts | FileCheck %s

// 16 MiB an image: four parts, each through both operations before the next.
// CHECK-LABEL: func.func @stage
// CHECK: %[[X0:.*]] = stablehlo.slice %arg0 [0:32, 0:32, 0:32, 0:32]
// CHECK: %[[Y0:.*]] = stablehlo.convolution(%[[X0]], %arg1){{.*}} -> tensor<32x32x32x32xf32>
// CHECK: %[[H0:.*]] = stablehlo.maximum %[[Y0]], %{{.*}} : tensor<32x32x32x32xf32>
// CHECK: %[[X1:.*]] = stablehlo.slice %arg0 [32:64, 0:32, 0:32, 0:32]
// CHECK: %[[Y1:.*]] = stablehlo.convolution(%[[X1]], %arg1)
// CHECK: %[[H1:.*]] = stablehlo.maximum %[[Y1]]
// CHECK: %[[H2:.*]] = stablehlo.maximum
// CHECK: %[[H3:.*]] = stablehlo.maximum
// CHECK: %[[H:.*]] = stablehlo.concatenate %[[H0]], %[[H1]], %[[H2]], %[[H3]], dim = 0
// CHECK: return %[[H]]
func.func @stage(%x: tensor<128x32x32x32xf32>, %w: tensor<3x3x32x32xf32>) -> tensor<128x32x32x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<128x32x32x32xf32>
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<128x32x32x32xf32>, tensor<3x3x32x32xf32>) -> tensor<128x32x32x32xf32>
  %h = stablehlo.maximum %y, %zero : tensor<128x32x32x32xf32>
  return %h : tensor<128x32x32x32xf32>
}

// What fits is left alone.
// CHECK-LABEL: func.func @small
// CHECK: stablehlo.convolution(%arg0, %arg1)
// CHECK-NOT: stablehlo.convolution
func.func @small(%x: tensor<16x32x32x32xf32>, %w: tensor<3x3x32x32xf32>) -> tensor<16x32x32x32xf32> {
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<16x32x32x32xf32>, tensor<3x3x32x32xf32>) -> tensor<16x32x32x32xf32>
  return %y : tensor<16x32x32x32xf32>
}
