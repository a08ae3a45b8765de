// RUN: cnnc-opt %s --pass=pool-forward | FileCheck %s

// CHECK-LABEL: func.func @max_pool
// CHECK-DAG: %[[A:.*]] = stablehlo.slice %arg0 [0:8, 0:27:2, 0:27:2, 0:32]
// CHECK-DAG: %[[B:.*]] = stablehlo.slice %arg0 [0:8, 0:27:2, 1:28:2, 0:32]
// CHECK-DAG: %[[C:.*]] = stablehlo.slice %arg0 [0:8, 1:28:2, 0:27:2, 0:32]
// CHECK-DAG: %[[D:.*]] = stablehlo.slice %arg0 [0:8, 1:28:2, 1:28:2, 0:32]
// CHECK: %[[TOP:.*]] = stablehlo.maximum %[[A]], %[[B]]
// CHECK-NEXT: %[[BOTTOM:.*]] = stablehlo.maximum %[[C]], %[[D]]
// CHECK-NEXT: %[[Y:.*]] = stablehlo.maximum %[[TOP]], %[[BOTTOM]]
// CHECK-NEXT: return %[[Y]]
func.func @max_pool(%x: tensor<8x28x28x32xf32>) -> tensor<8x14x14x32xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %least) <{
    window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<8x28x28x32xf32>, tensor<f32>) -> tensor<8x14x14x32xf32>
  return %y : tensor<8x14x14x32xf32>
}

// Padding is -inf.
// CHECK-LABEL: func.func @padded
// CHECK: %[[LEAST:.*]] = stablehlo.constant dense<0xFF800000>
// CHECK: stablehlo.pad %arg0, %[[LEAST]], low = [1], high = [1]
func.func @padded(%x: tensor<5xf32>) -> tensor<3xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %least) <{padding = dense<1> : tensor<1x2xi64>,
    window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<5xf32>, tensor<f32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// Windows of more than 16 cells stay, and so do sums.
// CHECK-LABEL: func.func @large
// CHECK: stablehlo.reduce_window
func.func @large(%x: tensor<34xf32>) -> tensor<2xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %least) <{
    window_dimensions = array<i64: 17>, window_strides = array<i64: 17>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<34xf32>, tensor<f32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @sum
// CHECK: stablehlo.reduce_window
func.func @sum(%x: tensor<6xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %zero) <{
    window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
