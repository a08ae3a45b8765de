// RUN: cnnc-opt %s --grad=wrt:0 --pass=simplify | FileCheck %s

// CHECK-LABEL: func.func @absolute_grad
// CHECK-NEXT: %[[S:.*]] = stablehlo.sign %arg0
// CHECK-NEXT: %[[D:.*]] = stablehlo.multiply %arg1, %[[S]]
// CHECK-NEXT: return %[[D]]
func.func @absolute(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.abs %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @wave_grad
// CHECK-NEXT: %[[C:.*]] = stablehlo.cosine %arg0
// CHECK-NEXT: %[[D:.*]] = stablehlo.multiply %arg1, %[[C]]
// CHECK-NEXT: return %[[D]]
func.func @wave(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.sine %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Nothing flows through what is constant between jumps.
// CHECK-LABEL: func.func @steps_grad
// CHECK-NEXT: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00>
// CHECK-NEXT: return %[[ZERO]]
func.func @steps(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.floor %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// The constant exponent is found behind its broadcast.
// CHECK-LABEL: func.func @square_grad
// CHECK-NEXT: %[[X2:.*]] = stablehlo.add %arg0, %arg0
// CHECK-NEXT: %[[D:.*]] = stablehlo.multiply %arg1, %[[X2]]
// CHECK-NEXT: return %[[D]]
func.func @square(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %y = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %0 = stablehlo.power %x, %y : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// The value moves strictly between the bounds.
// CHECK-LABEL: func.func @clamped_grad
// CHECK-DAG: %[[A:.*]] = stablehlo.compare GT, %arg0
// CHECK-DAG: %[[B:.*]] = stablehlo.compare LT, %arg0
// CHECK: %[[M:.*]] = stablehlo.and %[[A]], %[[B]]
// CHECK: %[[D:.*]] = stablehlo.select %[[M]], %arg1
// CHECK-NEXT: return %[[D]]
func.func @clamped(%x: tensor<3xf32>) -> tensor<3xf32> {
  %low = stablehlo.constant dense<0.0> : tensor<f32>
  %high = stablehlo.constant dense<6.0> : tensor<f32>
  %0 = stablehlo.clamp %low, %x, %high : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
