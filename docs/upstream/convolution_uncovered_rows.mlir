func.func @convolve(%x: tensor<1x6x6x1xf32>, %w: tensor<4x1x1x1xf32>) -> tensor<1x1x6x1xf32> {
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [3, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x1xf32>, tensor<4x1x1x1xf32>) -> tensor<1x1x6x1xf32>
  return %y : tensor<1x1x6x1xf32>
}
