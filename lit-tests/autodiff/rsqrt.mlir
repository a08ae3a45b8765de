// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// dx = -ct y^3 / 2.
// CHECK-LABEL: func.func @rsqrt_grad
// CHECK-NEXT: %[[Y:.*]] = stablehlo.rsqrt %arg0
// CHECK-NEXT: %[[SQUARE:.*]] = stablehlo.multiply %[[Y]], %[[Y]]
// CHECK-NEXT: %[[CUBE:.*]] = stablehlo.multiply %[[SQUARE]], %[[Y]]
// CHECK-NEXT: %[[HALF:.*]] = stablehlo.constant dense<-5.000000e-01>
// CHECK-NEXT: %[[SLOPE:.*]] = stablehlo.multiply %[[CUBE]], %[[HALF]]
// CHECK-NEXT: %[[DX:.*]] = stablehlo.multiply %arg1, %[[SLOPE]]
// CHECK-NEXT: return %[[DX]]
func.func @rsqrt(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.rsqrt %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
