// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// CHECK-LABEL: func.func @sum_grad
// CHECK-NEXT: %[[DX:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: return %[[DX]]
func.func @sum(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// The cells that equal the maximum share the cotangent evenly.
// CHECK-LABEL: func.func @max_grad
// CHECK: %[[Y:.*]] = stablehlo.reduce(%arg0 init: %{{[^ ,)]+}}) applies stablehlo.maximum across dimensions = [1]
// CHECK: %[[SPREAD:.*]] = stablehlo.broadcast_in_dim %[[Y]], dims = [0]
// CHECK: %[[LARGEST:.*]] = stablehlo.compare EQ, %arg0, %[[SPREAD]]
// CHECK: %[[ONES:.*]] = stablehlo.select %[[LARGEST]]
// CHECK: %[[COUNT:.*]] = stablehlo.reduce(%[[ONES]] init: %{{[^ ,)]+}}) applies stablehlo.add across dimensions = [1]
// CHECK: %[[SHARE:.*]] = stablehlo.divide %arg1, %[[COUNT]]
// CHECK: %[[SHARES:.*]] = stablehlo.broadcast_in_dim %[[SHARE]], dims = [0]
// CHECK: %[[DX:.*]] = stablehlo.select %[[LARGEST]], %[[SHARES]]
// CHECK: return %[[DX]]
func.func @max(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %y = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
