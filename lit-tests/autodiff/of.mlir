// RUN: cnnc-opt %s --grad="wrt:1;of=second" | FileCheck %s
// RUN: cnnc-opt %s --pass=autodiff | FileCheck %s --check-prefix=ALL
// RUN: not cnnc-opt %s --grad="wrt:0;of=third" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not cnnc-opt %s --grad="wrt:2;of=second" 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not cnnc-opt %s --grad="by:2" 2>&1 | FileCheck %s --check-prefix=USAGE

// The gradient of one function by one argument, or of all by all.
// CHECK-NOT: @first_grad
// CHECK: func.func @second_grad
// CHECK-SAME: -> tensor<2xf32>
// ALL: func.func @first_grad
// ALL: func.func @second_grad
// ALL-SAME: -> (tensor<2xf32>, tensor<2xf32>)
// NONE: the module has no function `@third`; it has @first, @second
// ARGUMENT: `@second` has no argument 2
// USAGE: expected `wrt:0,1` or `wrt:0,1;of=FUNCTION`, found `by:2`
func.func @first(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @second(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %z = stablehlo.multiply %x, %y : tensor<2xf32>
  return %z : tensor<2xf32>
}
