func.func @reversed(%w: tensor<3x3x256x256xf32>) -> tensor<3x3x256x256xf32> {
  %r = stablehlo.reverse %w, dims = [0, 1] : tensor<3x3x256x256xf32>
  return %r : tensor<3x3x256x256xf32>
}
