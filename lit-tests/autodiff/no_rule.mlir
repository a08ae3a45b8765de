// RUN: not cnnc-opt %s --grad="wrt:0;of=product" 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not cnnc-opt %s --grad="wrt:0;of=loop" 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: not cnnc-opt %s --grad="wrt:0;of=smallest" 2>&1 | FileCheck %s --check-prefix=MIN
// RUN: not cnnc-opt %s --grad="wrt:1;of=from" 2>&1 | FileCheck %s --check-prefix=INIT
// RUN: not cnnc-opt %s --grad="wrt:0;of=spread" 2>&1 | FileCheck %s --check-prefix=DILATED
// RUN: cnnc-opt %s --grad="wrt:1;of=product" | FileCheck %s --check-prefix=FINE

// The message names the operation and its line.
func.func @product(%x: tensor<3xf32>, %y: tensor<f32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  // PRODUCT: no_rule.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: autodiff: no derivative rule for `stablehlo.reduce` by multiply
  %a = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %z = stablehlo.add %a, %y : tensor<f32>
  return %z : tensor<f32>
}
// Where no derivative passes the operation, none is missed.
// FINE: func.func @product_grad

func.func @loop(%x: tensor<f32>) -> tensor<f32> {
  %most = stablehlo.constant dense<1.0e3> : tensor<f32>
  // LOOP: no_rule.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: autodiff: no derivative rule for `stablehlo.while`
  %y = stablehlo.while(%a = %x) : tensor<f32>
  cond {
    %c = stablehlo.compare LT, %a, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %b = stablehlo.add %a, %a : tensor<f32>
    stablehlo.return %b : tensor<f32>
  }
  return %y : tensor<f32>
}

func.func @smallest(%x: tensor<4xf32>) -> tensor<2xf32> {
  %most = stablehlo.constant dense<0x7F800000> : tensor<f32>
  // MIN: no_rule.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: autodiff: no derivative rule for `stablehlo.reduce_window` by minimum
  %y = "stablehlo.reduce_window"(%x, %most) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.minimum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @from(%x: tensor<2x3xf32>, %first: tensor<f32>) -> tensor<2xf32> {
  // INIT: no_rule.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: autodiff: no derivative rule for `stablehlo.reduce` with respect to its initial value
  %y = stablehlo.reduce(%x init: %first) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @spread(%x: tensor<5xf32>) -> tensor<3xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  // DILATED: no_rule.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: autodiff: no derivative rule for `stablehlo.reduce_window` by maximum with dilation
  %y = "stablehlo.reduce_window"(%x, %least) <{window_dimensions = array<i64: 2>, window_dilations = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<5xf32>, tensor<f32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
