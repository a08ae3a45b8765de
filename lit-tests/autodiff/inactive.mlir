// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// Nothing flows through a comparison, and a value that the argument does not
// reach costs nothing in the backward pass.
// CHECK-LABEL: func.func @masked_grad
// CHECK-NOT: exponential
// CHECK: %[[MASK:.*]] = stablehlo.compare LT, %arg0, %arg1
// CHECK: %[[DX:.*]] = stablehlo.select %[[MASK]], %arg2
// CHECK-NEXT: return %[[DX]]
func.func @masked(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %mask = stablehlo.compare LT, %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %e = stablehlo.exponential %y : tensor<3xf32>
  %z = stablehlo.select %mask, %x, %e : tensor<3xi1>, tensor<3xf32>
  return %z : tensor<3xf32>
}

// `cnnc.stop_gradient` makes a value a constant.
// CHECK-LABEL: func.func @stopped_grad
// CHECK-NEXT: return %arg2
func.func @stopped(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %e = stablehlo.exponential %x {cnnc.stop_gradient} : tensor<3xf32>
  %z = stablehlo.add %x, %e : tensor<3xf32>
  return %z : tensor<3xf32>
}

// An argument without influence has the gradient 0.
// CHECK-LABEL: func.func @unused_grad
// CHECK-NEXT: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-NEXT: return %[[ZERO]]
func.func @unused(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  return %y : tensor<3xf32>
}
