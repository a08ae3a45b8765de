// RUN: cnnc-opt %s --pass=merged-index | FileCheck %s

// CHECK-LABEL: func.func @kernel
// CHECK: %[[FLAT:.*]] = stablehlo.reshape %arg0 : (tensor<3x3x256x384xf32>) -> tensor<9x256x384xf32>
// CHECK: %[[BACK:.*]] = stablehlo.reverse %[[FLAT]], dims = [0]
// CHECK: %[[KEPT:.*]] = stablehlo.optimization_barrier %[[BACK]]
// CHECK: stablehlo.reshape %[[KEPT]] : (tensor<9x256x384xf32>) -> tensor<3x3x256x384xf32>
func.func @kernel(%w: tensor<3x3x256x384xf32>) -> tensor<3x3x256x384xf32> {
  %r = stablehlo.reverse %w, dims = [0, 1] : tensor<3x3x256x384xf32>
  return %r : tensor<3x3x256x384xf32>
}

// CHECK-LABEL: func.func @numbers
// CHECK: stablehlo.transpose %{{.*}}, dims = [2, 1, 0] : (tensor<384x256x9xi32>) -> tensor<9x256x384xi32>
func.func @numbers() -> tensor<3x3x256x384xi32> {
  %i = stablehlo.iota dim = 0 : tensor<884736xi32>
  %s = stablehlo.reshape %i : (tensor<884736xi32>) -> tensor<384x256x3x3xi32>
  %t = stablehlo.transpose %s, dims = [2, 3, 1, 0] : (tensor<384x256x3x3xi32>) -> tensor<3x3x256x384xi32>
  return %t : tensor<3x3x256x384xi32>
}
