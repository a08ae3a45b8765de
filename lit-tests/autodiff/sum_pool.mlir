// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// Windows of 3 at steps of 2 over 7 cells: 3 windows, which cover all. The
// cotangent spread by the stride has 5 cells; with 2 zeros on either side every
// cell sums the windows that cover it.
// CHECK-LABEL: func.func @sum_pool_grad
// CHECK: %[[SPREAD:.*]] = stablehlo.pad %arg1, %{{[^ ,)]+}}, low = [0, 2], high = [0, 2], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x9xf32>
// CHECK: %[[DX:.*]] = "stablehlo.reduce_window"(%[[SPREAD]],
// CHECK-SAME: window_dimensions = array<i64: 1, 3>
// CHECK-NOT: window_strides
// CHECK: stablehlo.add
// CHECK: return %[[DX]]
func.func @sum_pool(%x: tensor<2x7xf32>) -> tensor<2x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %zero) <{
    window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x7xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
