func.func @f(%x: tensor<4x36x16xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.negate %x : tensor<4x36x16xf32>
  %s = stablehlo.reduce(%n init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x36x16xf32>, tensor<f32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
