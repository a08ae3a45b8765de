// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused,merge-equal | FileCheck %s

// The derivative of max(x, 0) is 1 where x > 0, else 0: at 0, too.
// CHECK-LABEL: func.func @relu_grad
// CHECK-NEXT: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00>
// CHECK-NEXT: %[[MASK:.*]] = stablehlo.compare GT, %arg0, %[[ZERO]]
// CHECK-NEXT: %[[DX:.*]] = stablehlo.select %[[MASK]], %arg1, %[[ZERO]]
// CHECK-NEXT: return %[[DX]]
func.func @relu(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf32>
  %y = stablehlo.maximum %x, %zero : tensor<3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @relu_from_the_right_grad
// CHECK: %[[MASK:.*]] = stablehlo.compare GT, %arg0
// CHECK-NEXT: stablehlo.select %[[MASK]], %arg1
func.func @relu_from_the_right(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf32>
  %y = stablehlo.maximum %zero, %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
