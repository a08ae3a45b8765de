// RUN: cnnc-opt %s --pass=two-stage-sum | FileCheck %s

// CHECK-LABEL: func.func @bias
// CHECK: %[[EACH:.*]] = stablehlo.reduce(%arg0 init: %{{[^ ,)]+}}) applies stablehlo.add across dimensions = [1, 2] : (tensor<128x28x28x32xf32>, tensor<f32>) -> tensor<128x32xf32>
// CHECK: %[[DB:.*]] = stablehlo.reduce(%[[EACH]] init: %{{[^ ,)]+}}) applies stablehlo.add across dimensions = [0]
// CHECK: return %[[DB]]
func.func @bias(%dy: tensor<128x28x28x32xf32>) -> tensor<32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %db = stablehlo.reduce(%dy init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<128x28x28x32xf32>, tensor<f32>) -> tensor<32xf32>
  return %db : tensor<32xf32>
}

// Where the last dimension goes too there is nothing to stride through.
// CHECK-LABEL: func.func @total
// CHECK: stablehlo.reduce(%arg0
// CHECK-NOT: stablehlo.reduce
func.func @total(%dy: tensor<8x3x4xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%dy init: %zero) applies stablehlo.add across dimensions = [0, 2] : (tensor<8x3x4xf32>, tensor<f32>) -> tensor<3xf32>
  return %s : tensor<3xf32>
}
