// RUN: cnnc-opt %s --pass=relu-mask | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00>
// CHECK-NEXT: %[[H:.*]] = stablehlo.maximum %arg0, %[[ZERO]]
// CHECK-NEXT: %[[MASK:.*]] = stablehlo.compare GT, %[[H]], %[[ZERO]]
// CHECK-NEXT: stablehlo.select %[[MASK]], %arg1, %[[ZERO]]
func.func @f(%a: tensor<8xf32>, %dy: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<8xf32>
  %h = stablehlo.maximum %a, %zero : tensor<8xf32>
  %mask = stablehlo.compare GT, %a, %zero : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %dx = stablehlo.select %mask, %dy, %zero : tensor<8xi1>, tensor<8xf32>
  return %h, %dx : tensor<8xf32>, tensor<8xf32>
}

// max(a, 0) >= 0 holds everywhere, a >= 0 does not.
// CHECK-LABEL: func.func @another_comparison
// CHECK: stablehlo.compare GE, %arg0
func.func @another_comparison(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi1>) {
  %zero = stablehlo.constant dense<0.0> : tensor<8xf32>
  %h = stablehlo.maximum %a, %zero : tensor<8xf32>
  %mask = stablehlo.compare GE, %a, %zero : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return %h, %mask : tensor<8xf32>, tensor<8xi1>
}
