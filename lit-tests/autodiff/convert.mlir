// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// CHECK-LABEL: func.func @widen_grad
// CHECK-NEXT: %[[DX:.*]] = stablehlo.convert %arg1 : (tensor<3xf64>) -> tensor<3xf32>
// CHECK-NEXT: return %[[DX]]
func.func @widen(%x: tensor<3xf32>) -> tensor<3xf64> {
  %y = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

// No derivative flows through integers.
// CHECK-LABEL: func.func @round_grad
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-NEXT: return %[[ZERO]]
func.func @round(%x: tensor<3xf32>) -> tensor<3xf32> {
  %i = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xi32>
  %y = stablehlo.convert %i : (tensor<3xi32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
