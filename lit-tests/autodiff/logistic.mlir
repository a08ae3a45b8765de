// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// dx = ct y (1 - y).
// CHECK-LABEL: func.func @logistic_grad
// CHECK: %[[Y:.*]] = stablehlo.logistic %arg0
// CHECK: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00>
// CHECK-NEXT: %[[REST:.*]] = stablehlo.subtract %[[ONE]], %[[Y]]
// CHECK-NEXT: %[[SLOPE:.*]] = stablehlo.multiply %[[Y]], %[[REST]]
// CHECK-NEXT: %[[DX:.*]] = stablehlo.multiply %arg1, %[[SLOPE]]
// CHECK-NEXT: return %[[DX]]
func.func @logistic(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.logistic %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
