// RUN: cnnc-opt %s --pass=simplify | FileCheck %s

// CHECK-LABEL: func.func @back_and_forth
// CHECK-NEXT: return %arg0
func.func @back_and_forth(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %a = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %b = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  %c = stablehlo.reshape %b : (tensor<2x3x4xf32>) -> tensor<24xf32>
  %d = stablehlo.reshape %c : (tensor<24xf32>) -> tensor<2x3x4xf32>
  %e = stablehlo.reverse %d, dims = [0, 2] : tensor<2x3x4xf32>
  %f = stablehlo.reverse %e, dims = [0, 2] : tensor<2x3x4xf32>
  return %f : tensor<2x3x4xf32>
}

// A transpose that moves dimensions of size 1 alone is a reshape.
// CHECK-LABEL: func.func @ones
// CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<1x3x1x4xf32>) -> tensor<3x4x1x1xf32>
// CHECK-NEXT: return %[[R]]
func.func @ones(%x: tensor<1x3x1x4xf32>) -> tensor<3x4x1x1xf32> {
  %a = stablehlo.transpose %x, dims = [1, 3, 0, 2] : (tensor<1x3x1x4xf32>) -> tensor<3x4x1x1xf32>
  %b = stablehlo.reverse %a, dims = [2, 3] : tensor<3x4x1x1xf32>
  return %b : tensor<3x4x1x1xf32>
}

// CHECK-LABEL: func.func @spread
// CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<3xf32>) -> tensor<5x2x3xf32>
// CHECK-NEXT: return %[[B]]
func.func @spread(%x: tensor<3xf32>) -> tensor<5x2x3xf32> {
  %a = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %b = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
  return %b : tensor<5x2x3xf32>
}

// CHECK-LABEL: func.func @moved
// CHECK-NEXT: stablehlo.transpose
// CHECK-NEXT: stablehlo.reverse
// CHECK-NEXT: stablehlo.reverse
// CHECK-NEXT: return
func.func @moved(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %a = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %b = stablehlo.reverse %a, dims = [0] : tensor<3x2xf32>
  %c = stablehlo.reverse %b, dims = [1] : tensor<3x2xf32>
  return %c : tensor<3x2xf32>
}
