// RUN: cnnc-opt %s --pass=simplify | FileCheck %s

// CHECK-LABEL: func.func @neutral
// CHECK-NEXT: return %arg0
func.func @neutral(%x: tensor<3xf32>) -> tensor<3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %zero = stablehlo.constant dense<-0.0> : tensor<3xf32>
  %a = stablehlo.multiply %one, %x : tensor<3xf32>
  %b = stablehlo.add %a, %zero : tensor<3xf32>
  %c = stablehlo.negate %b : tensor<3xf32>
  %d = stablehlo.negate %c : tensor<3xf32>
  return %d : tensor<3xf32>
}

// x + 0.0 is no identity: -0.0 + 0.0 is 0.0.
// CHECK-LABEL: func.func @positive_zero
// CHECK: stablehlo.add
func.func @positive_zero(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf32>
  %a = stablehlo.add %x, %zero : tensor<3xf32>
  return %a : tensor<3xf32>
}

// CHECK-LABEL: func.func @quotient
// CHECK-NEXT: %[[Q:.*]] = stablehlo.divide %arg0, %arg1
// CHECK-NEXT: return %[[Q]]
func.func @quotient(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %q = stablehlo.divide %one, %y : tensor<3xf32>
  %p = stablehlo.multiply %q, %x : tensor<3xf32>
  return %p : tensor<3xf32>
}

// A quotient of integers has lost its remainder.
// CHECK-LABEL: func.func @integers
// CHECK: stablehlo.divide
// CHECK: stablehlo.multiply
func.func @integers(%x: tensor<3xi32>, %y: tensor<3xi32>) -> tensor<3xi32> {
  %one = stablehlo.constant dense<1> : tensor<3xi32>
  %q = stablehlo.divide %one, %y : tensor<3xi32>
  %p = stablehlo.multiply %q, %x : tensor<3xi32>
  return %p : tensor<3xi32>
}
