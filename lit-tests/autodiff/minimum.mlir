// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// CHECK-LABEL: func.func @minimum_grad
// CHECK: %[[TIE:.*]] = stablehlo.compare EQ, %arg0, %arg1
// CHECK: %[[IF_TIE:.*]] = stablehlo.select %[[TIE]]
// CHECK: %[[WINS:.*]] = stablehlo.compare LT, %arg0, %arg1
// CHECK: %[[DX:.*]] = stablehlo.select %[[WINS]], %arg2, %[[IF_TIE]]
// CHECK: return %[[DX]]
func.func @minimum(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %z = stablehlo.minimum %x, %y : tensor<3xf32>
  return %z : tensor<3xf32>
}

// Against a constant, as in relu6: 1 strictly below it, else 0.
// CHECK-LABEL: func.func @at_most_six_grad
// CHECK-DAG: %[[SIX:.*]] = stablehlo.constant dense<6.000000e+00>
// CHECK-DAG: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00>
// CHECK: %[[BELOW:.*]] = stablehlo.compare LT, %arg0, %[[SIX]]
// CHECK-NEXT: %[[DX:.*]] = stablehlo.select %[[BELOW]], %arg1, %[[ZERO]]
// CHECK-NEXT: return %[[DX]]
func.func @at_most_six(%x: tensor<3xf32>) -> tensor<3xf32> {
  %six = stablehlo.constant dense<6.0> : tensor<3xf32>
  %z = stablehlo.minimum %x, %six : tensor<3xf32>
  return %z : tensor<3xf32>
}
