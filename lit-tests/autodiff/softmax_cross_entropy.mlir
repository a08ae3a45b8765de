// RUN: cnnc-opt %s --grad=wrt:0 --pass=simplify | FileCheck %s

// The mean of log(sum(e^z)) - z[label] over 4 rows, with the maximum held
// constant: its gradient comes out as (softmax - one_hot) / 4.
// CHECK-LABEL: func.func @loss_grad
// CHECK: %[[E:.*]] = stablehlo.exponential
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%[[E]] init: %{{[^ ,)]+}}) applies stablehlo.add across dimensions = [1]
// CHECK: %[[SUMS:.*]] = stablehlo.broadcast_in_dim %[[SUM]], dims = [0]
// CHECK: %[[SOFTMAX:.*]] = stablehlo.divide %[[E]], %[[SUMS]]
// CHECK: %[[ONE_HOT:.*]] = stablehlo.select %arg1,
// CHECK: %[[DIFFERENCE:.*]] = stablehlo.subtract %[[SOFTMAX]], %[[ONE_HOT]]
// CHECK: %[[N:.*]] = stablehlo.constant dense<4.000000e+00> : tensor<4x3xf32>
// CHECK: %[[DZ:.*]] = stablehlo.divide %[[DIFFERENCE]], %[[N]]
// CHECK: return %{{[^ ,)]+}}, %[[DZ]]
func.func @loss(%z: tensor<4x3xf32>, %is_label: tensor<4x3xi1>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<4x3xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %four = stablehlo.constant dense<4.0> : tensor<f32>
  %m = stablehlo.reduce(%z init: %least) applies stablehlo.maximum across dimensions = [1] {cnnc.stop_gradient} : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  %ms = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
  %s = stablehlo.subtract %z, %ms : tensor<4x3xf32>
  %e = stablehlo.exponential %s : tensor<4x3xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  %l = stablehlo.log %sum : tensor<4xf32>
  %c = stablehlo.select %is_label, %s, %zeros : tensor<4x3xi1>, tensor<4x3xf32>
  %chosen = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  %d = stablehlo.subtract %l, %chosen : tensor<4xf32>
  %total = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %mean = stablehlo.divide %total, %four : tensor<f32>
  return %mean : tensor<f32>
}
