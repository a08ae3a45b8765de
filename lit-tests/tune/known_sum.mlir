// RUN: cnnc-opt %s --pass=known-sum --pass=simplify | FileCheck %s

// The third sum of a batch norm's backward pass: deviations sum to zero.
// CHECK-LABEL: func.func @norm
// CHECK: %[[SY:.*]] = stablehlo.reduce(%arg1 init: %{{[^ ,)]+}}) applies stablehlo.add across dimensions = [0, 1, 2]
// CHECK-NOT: reduce
// CHECK: %[[SX:.*]] = stablehlo.multiply %[[SY]], %arg2
// CHECK: return %[[SY]], %[[SX]]
func.func @norm(%x: tensor<8x4x4x3xf32>, %dy: tensor<8x4x4x3xf32>, %u: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<128.0> : tensor<3xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x3xf32>, tensor<f32>) -> tensor<3xf32>
  %mean = stablehlo.divide %s, %count : tensor<3xf32>
  %m = stablehlo.broadcast_in_dim %mean, dims = [3] : (tensor<3xf32>) -> tensor<8x4x4x3xf32>
  %d = stablehlo.subtract %x, %m : tensor<8x4x4x3xf32>
  %sy = stablehlo.reduce(%dy init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x3xf32>, tensor<f32>) -> tensor<3xf32>
  %ub = stablehlo.broadcast_in_dim %u, dims = [3] : (tensor<3xf32>) -> tensor<8x4x4x3xf32>
  %vb = stablehlo.broadcast_in_dim %v, dims = [3] : (tensor<3xf32>) -> tensor<8x4x4x3xf32>
  %1 = stablehlo.multiply %dy, %ub : tensor<8x4x4x3xf32>
  %2 = stablehlo.multiply %vb, %d : tensor<8x4x4x3xf32>
  %dx = stablehlo.add %1, %2 : tensor<8x4x4x3xf32>
  %sx = stablehlo.reduce(%dx init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %sy, %sx : tensor<3xf32>, tensor<3xf32>
}

// Deviations from the means over the images alone do not sum to zero.
// CHECK-LABEL: func.func @other
// CHECK-COUNT-2: stablehlo.reduce
func.func @other(%x: tensor<8x4x3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<4.0> : tensor<8x3xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x4x3xf32>, tensor<f32>) -> tensor<8x3xf32>
  %mean = stablehlo.divide %s, %count : tensor<8x3xf32>
  %m = stablehlo.broadcast_in_dim %mean, dims = [0, 2] : (tensor<8x3xf32>) -> tensor<8x4x3xf32>
  %d = stablehlo.subtract %x, %m : tensor<8x4x3xf32>
  %sx = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %sx : tensor<3xf32>
}
