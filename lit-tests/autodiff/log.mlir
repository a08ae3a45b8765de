// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// CHECK-LABEL: func.func @log_grad
// CHECK-NEXT: %[[DX:.*]] = stablehlo.divide %arg1, %arg0
// CHECK-NEXT: return %[[DX]]
func.func @log(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.log %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
