// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// The cotangents of a value that is used three times are added up; the loss is
// returned beside the gradient.
// CHECK-LABEL: func.func @fan_out_grad
// CHECK-SAME: (%arg0: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK: %[[E:.*]] = stablehlo.exponential %arg0
// CHECK: %[[P:.*]] = stablehlo.multiply %[[E]], %arg0
// CHECK: %[[L:.*]] = stablehlo.subtract %[[P]], %arg0
// CHECK: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[BY_L:.*]] = stablehlo.negate %[[ONE]]
// CHECK: %[[DE:.*]] = stablehlo.multiply %[[ONE]], %arg0
// CHECK: %[[BY_P:.*]] = stablehlo.multiply %[[ONE]], %[[E]]
// CHECK: %[[TWO:.*]] = stablehlo.add %[[BY_L]], %[[BY_P]]
// CHECK: %[[BY_E:.*]] = stablehlo.multiply %[[DE]], %[[E]]
// CHECK: %[[DX:.*]] = stablehlo.add %[[TWO]], %[[BY_E]]
// CHECK: return %[[L]], %[[DX]]
func.func @fan_out(%x: tensor<f32>) -> tensor<f32> {
  %e = stablehlo.exponential %x : tensor<f32>
  %p = stablehlo.multiply %e, %x : tensor<f32>
  %l = stablehlo.subtract %p, %x : tensor<f32>
  return %l : tensor<f32>
}
