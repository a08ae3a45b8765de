// RUN: cnnc-opt %s --pass=settled-reduction | FileCheck %s

// The sum and what keeps its shape are computed together, then spread.
// CHECK-LABEL: func.func @spread
// CHECK: %[[S:.*]] = stablehlo.reduce
// CHECK: %[[T:.*]] = stablehlo.add %[[S]], %[[S]]
// CHECK-NEXT: %[[B:.*]] = stablehlo.optimization_barrier %[[T]]
// CHECK-NEXT: stablehlo.broadcast_in_dim %[[B]]
func.func @spread(%x: tensor<3x4xf32>) -> tensor<3x5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %t = stablehlo.add %s, %s : tensor<3xf32>
  %y = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<3xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: func.func @turned
// CHECK: %[[D:.*]] = stablehlo.dot_general
// CHECK-NEXT: %[[B:.*]] = stablehlo.optimization_barrier %[[D]]
// CHECK-NEXT: stablehlo.transpose %[[B]]
func.func @turned(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<5x3xf32> {
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %y = stablehlo.transpose %d, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @kept
// CHECK-NOT: optimization_barrier
func.func @kept(%x: tensor<3xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %y = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
