func.func @pools(%x: tensor<4x16x16x16xf32>) -> tensor<4x8x8x16xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %a = "stablehlo.reduce_window"(%x, %least) <{padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %m = stablehlo.maximum %l, %r : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<4x16x16x16xf32>, tensor<f32>) -> tensor<4x8x8x16xf32>
  %b = "stablehlo.reduce_window"(%a, %least) <{padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %m = stablehlo.maximum %l, %r : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<4x8x8x16xf32>, tensor<f32>) -> tensor<4x8x8x16xf32>
  return %b : tensor<4x8x8x16xf32>
}
