// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// CHECK-LABEL: func.func @exponential_grad
// CHECK-NEXT: %[[Y:.*]] = stablehlo.exponential %arg0
// CHECK-NEXT: %[[DX:.*]] = stablehlo.multiply %arg1, %[[Y]]
// CHECK-NEXT: return %[[DX]]
func.func @exponential(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.exponential %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
