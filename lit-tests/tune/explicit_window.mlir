// RUN: cnnc-opt %s --pass=explicit-window | FileCheck %s

// One window of 4 over 6 cells: the last two are cut off.
// CHECK-LABEL: func.func @spare
// CHECK: %[[X:.*]] = stablehlo.slice %arg0 [0:8, 0:4]
// CHECK-NEXT: stablehlo.reduce_window"(%[[X]]
func.func @spare(%x: tensor<8x6xf32>) -> tensor<8x1xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %zero) <{
    window_dimensions = array<i64: 1, 4>, window_strides = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x1xf32>
  return %y : tensor<8x1xf32>
}

// CHECK-LABEL: func.func @negative
// CHECK: %[[X:.*]] = stablehlo.slice %arg0 [0:8, 2:6]
// CHECK-NEXT: stablehlo.reduce_window"(%[[X]]
// CHECK-NOT: padding
func.func @negative(%x: tensor<8x6xf32>) -> tensor<8x2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0, 0], [-2, 0]]> : tensor<2x2xi64>,
    window_dimensions = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x2xf32>
  return %y : tensor<8x2xf32>
}

// CHECK-LABEL: func.func @covers_all
// CHECK: stablehlo.reduce_window"(%arg0
func.func @covers_all(%x: tensor<8x6xf32>) -> tensor<8x2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %zero) <{
    window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x2xf32>
  return %y : tensor<8x2xf32>
}
