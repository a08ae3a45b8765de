// RUN: cnnc-opt %s --grad=wrt:0,1 --pass=drop-unused | FileCheck %s

// The operand takes what stands on its cells (1, 3 and 5 of 8); the padding
// value takes the rest.
// CHECK-LABEL: func.func @pad_grad
// CHECK: %[[CROPPED:.*]] = stablehlo.pad %arg2, %{{[^ ,)]+}}, low = [-1], high = [-2], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<5xf32>
// CHECK-NEXT: %[[DX:.*]] = stablehlo.slice %[[CROPPED]] [0:5:2]
// CHECK: %[[ALL:.*]] = stablehlo.reduce(%arg2 init: %{{[^ ,)]+}}) applies stablehlo.add
// CHECK: %[[OWN:.*]] = stablehlo.reduce(%[[DX]] init: %{{[^ ,)]+}}) applies stablehlo.add
// CHECK: %[[DV:.*]] = stablehlo.subtract %[[ALL]], %[[OWN]]
// CHECK: return %[[DX]], %[[DV]]
func.func @pad(%x: tensor<3xf32>, %v: tensor<f32>) -> tensor<8xf32> {
  %y = stablehlo.pad %x, %v, low = [1], high = [2], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
