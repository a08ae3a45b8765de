// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// The first maximal cell of each window takes the cotangent, and overlapping
// windows add: select_and_scatter with GE and add. It serves every window.
// CHECK-LABEL: func.func @max_pool_grad
// CHECK-NOT: reduce_window
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[DX:.*]] = "stablehlo.select_and_scatter"(%arg0, %arg1, %[[ZERO]])
// CHECK-SAME: padding = dense<{{\[}}[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>
// CHECK-SAME: window_dimensions = array<i64: 1, 1, 3, 3>
// CHECK-SAME: window_strides = array<i64: 1, 1, 2, 2>
// CHECK: stablehlo.compare GE
// CHECK: stablehlo.add
// CHECK: return %[[DX]]
func.func @max_pool(%x: tensor<2x3x5x5xf32>) -> tensor<2x3x3x3xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %least) <{
    padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>,
    window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x3x3xf32>
  return %y : tensor<2x3x3x3xf32>
}
