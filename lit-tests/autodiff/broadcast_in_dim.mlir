// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// A sum over the dimensions that were added.
// CHECK-LABEL: func.func @bias_grad
// CHECK: %[[DX:.*]] = stablehlo.reduce(%arg1 init: %{{[^ ,)]+}}) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<2x5x3x3xf32>, tensor<f32>) -> tensor<5xf32>
// CHECK-NEXT: return %[[DX]]
func.func @bias(%x: tensor<5xf32>) -> tensor<2x5x3x3xf32> {
  %y = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<5xf32>) -> tensor<2x5x3x3xf32>
  return %y : tensor<2x5x3x3xf32>
}

// A stretched dimension is summed as well, and comes back as 1; the order of
// the others is the operand's.
// CHECK-LABEL: func.func @stretched_grad
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%arg1 init: %{{[^ ,)]+}}) applies stablehlo.add across dimensions = [1] : (tensor<2x5x3xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[TURNED:.*]] = stablehlo.transpose %[[SUM]], dims = [1, 0]
// CHECK-NEXT: %[[DX:.*]] = stablehlo.reshape %[[TURNED]] : (tensor<3x2xf32>) -> tensor<3x1x2xf32>
// CHECK-NEXT: return %[[DX]]
func.func @stretched(%x: tensor<3x1x2xf32>) -> tensor<2x5x3xf32> {
  %y = stablehlo.broadcast_in_dim %x, dims = [2, 1, 0] : (tensor<3x1x2xf32>) -> tensor<2x5x3xf32>
  return %y : tensor<2x5x3xf32>
}
