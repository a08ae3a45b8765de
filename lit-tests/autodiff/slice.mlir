// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// Of the columns 1, 3 and 5 of 7: one zero before, one between, one after.
// CHECK-LABEL: func.func @slice_grad
// CHECK: %[[DX:.*]] = stablehlo.pad %arg1, %{{[^ ,)]+}}, low = [0, 1], high = [1, 1], interior = [0, 1] : (tensor<1x3xf32>, tensor<f32>) -> tensor<2x7xf32>
// CHECK-NEXT: return %[[DX]]
func.func @slice(%x: tensor<2x7xf32>) -> tensor<1x3xf32> {
  %y = stablehlo.slice %x [0:1, 1:7:2] : (tensor<2x7xf32>) -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}
