// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// dx = ct / (2 y).
// CHECK-LABEL: func.func @sqrt_grad
// CHECK-NEXT: %[[Y:.*]] = stablehlo.sqrt %arg0
// CHECK-NEXT: %[[TWICE:.*]] = stablehlo.add %[[Y]], %[[Y]]
// CHECK-NEXT: %[[DX:.*]] = stablehlo.divide %arg1, %[[TWICE]]
// CHECK-NEXT: return %[[DX]]
func.func @sqrt(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.sqrt %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
