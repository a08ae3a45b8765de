// RUN: cnnc-opt %s --grad=wrt:0,1 --pass=drop-unused | FileCheck %s

// CHECK-LABEL: func.func @multiply_grad
// CHECK-NEXT: %[[DX:.*]] = stablehlo.multiply %arg2, %arg1
// CHECK-NEXT: %[[DY:.*]] = stablehlo.multiply %arg2, %arg0
// CHECK-NEXT: return %[[DX]], %[[DY]]
func.func @multiply(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %z = stablehlo.multiply %x, %y : tensor<3xf32>
  return %z : tensor<3xf32>
}

// Both operands are one value: its two cotangents are added.
// CHECK-LABEL: func.func @square_grad
// CHECK-NEXT: %[[L:.*]] = stablehlo.multiply %arg2, %arg0
// CHECK-NEXT: %[[R:.*]] = stablehlo.multiply %arg2, %arg0
// CHECK-NEXT: %[[DX:.*]] = stablehlo.add %[[L]], %[[R]]
// CHECK: return %[[DX]],
func.func @square(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %z = stablehlo.multiply %x, %x : tensor<3xf32>
  return %z : tensor<3xf32>
}
