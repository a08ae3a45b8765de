// RUN: cnnc-opt %s --grad=wrt:0,1 --pass=drop-unused | FileCheck %s

// CHECK-LABEL: func.func @concatenate_grad
// CHECK-NEXT: %[[DX:.*]] = stablehlo.slice %arg2 [0:2, 0:3]
// CHECK-NEXT: %[[DY:.*]] = stablehlo.slice %arg2 [0:2, 3:4]
// CHECK-NEXT: return %[[DX]], %[[DY]]
func.func @concatenate(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) -> tensor<2x4xf32> {
  %z = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}
