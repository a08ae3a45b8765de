// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// dx = ct (1 - y^2).
// CHECK-LABEL: func.func @tanh_grad
// CHECK: %[[Y:.*]] = stablehlo.tanh %arg0
// CHECK: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00>
// CHECK-NEXT: %[[SQUARE:.*]] = stablehlo.multiply %[[Y]], %[[Y]]
// CHECK-NEXT: %[[SLOPE:.*]] = stablehlo.subtract %[[ONE]], %[[SQUARE]]
// CHECK-NEXT: %[[DX:.*]] = stablehlo.multiply %arg1, %[[SLOPE]]
// CHECK-NEXT: return %[[DX]]
func.func @tanh(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.tanh %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
