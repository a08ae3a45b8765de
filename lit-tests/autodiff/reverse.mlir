// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// CHECK-LABEL: func.func @reverse_grad
// CHECK-NEXT: %[[DX:.*]] = stablehlo.reverse %arg1, dims = [1]
// CHECK-NEXT: return %[[DX]]
func.func @reverse(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = stablehlo.reverse %x, dims = [1] : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
