// RUN: cnnc-opt %s --grad=wrt:1,2 --pass=drop-unused,merge-equal | FileCheck %s

// CHECK-LABEL: func.func @select_grad
// CHECK-NEXT: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00>
// CHECK-NEXT: %[[DX:.*]] = stablehlo.select %arg0, %arg3, %[[ZERO]]
// CHECK-NEXT: %[[DY:.*]] = stablehlo.select %arg0, %[[ZERO]], %arg3
// CHECK-NEXT: return %[[DX]], %[[DY]]
func.func @select(%p: tensor<3xi1>, %x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %z = stablehlo.select %p, %x, %y : tensor<3xi1>, tensor<3xf32>
  return %z : tensor<3xf32>
}
