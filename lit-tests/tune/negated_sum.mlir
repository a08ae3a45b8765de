// RUN: cnnc-opt %s --pass=negated-sum | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-NOT: stablehlo.negate %arg0
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%arg0 init: %{{[^ ,)]+}}) applies stablehlo.add across dimensions = [1, 2]
// CHECK-NEXT: %[[S:.*]] = stablehlo.negate %[[SUM]]
// CHECK-NEXT: return %[[S]]
func.func @f(%dy: tensor<4x36x16xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.negate %dy : tensor<4x36x16xf32>
  %s = stablehlo.reduce(%n init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x36x16xf32>, tensor<f32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// The largest of the negated is not the largest, negated.
// CHECK-LABEL: func.func @largest
// CHECK: %[[N:.*]] = stablehlo.negate %arg0
// CHECK: stablehlo.reduce(%[[N]] init
func.func @largest(%x: tensor<4x36xf32>) -> tensor<4xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.negate %x : tensor<4x36xf32>
  %s = stablehlo.reduce(%n init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<4x36xf32>, tensor<f32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
