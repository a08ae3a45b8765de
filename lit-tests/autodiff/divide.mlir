// RUN: cnnc-opt %s --grad=wrt:0,1 --pass=drop-unused | FileCheck %s

// z = x / y: dx = ct / y, dy = -(ct / y) z.
// CHECK-LABEL: func.func @divide_grad
// CHECK-NEXT: %[[Z:.*]] = stablehlo.divide %arg0, %arg1
// CHECK-NEXT: %[[DX:.*]] = stablehlo.divide %arg2, %arg1
// CHECK-NEXT: %[[P:.*]] = stablehlo.multiply %[[DX]], %[[Z]]
// CHECK-NEXT: %[[DY:.*]] = stablehlo.negate %[[P]]
// CHECK-NEXT: return %[[DX]], %[[DY]]
func.func @divide(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %z = stablehlo.divide %x, %y : tensor<3xf32>
  return %z : tensor<3xf32>
}
