// RUN: cnnc-opt %s > %t.pretty
// RUN: cnnc-opt %t.pretty | diff %t.pretty -
// RUN: cnnc-opt %s --emit=generic > %t.generic
// RUN: cnnc-opt %t.generic | diff %t.pretty -
// RUN: cnnc-opt %t.generic --emit=generic | FileCheck %s --check-prefix=GENERIC
// RUN: FileCheck %s < %t.pretty

// Every operation, with no attribute at its default.
// CHECK: module @everything attributes {cnnc.note = "kept"}
// CHECK: func.func @elementwise(%arg0: tensor<2x3xf32> {cnnc.name = "x"}, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32> {cnnc.name = "y"}
// GENERIC: {{^"builtin.module"\(\) <{.*sym_name = "everything"}>}}
module @everything attributes {cnnc.note = "kept"} {
  func.func @elementwise(%x: tensor<2x3xf32> {cnnc.name = "x"}, %y: tensor<2x3xf32>) -> (tensor<2x3xf32> {cnnc.name = "y"}, tensor<2x3xf64>, tensor<2x3xi1>) {
    // CHECK-NEXT: stablehlo.abs %arg0
    %0 = stablehlo.abs %x : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.cosine
    %1 = stablehlo.cosine %0 : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.exponential
    %2 = stablehlo.exponential %1 : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.log
    %3 = stablehlo.log %2 : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.negate
    %4 = stablehlo.negate %3 : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.rsqrt
    %5 = stablehlo.rsqrt %4 : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.sqrt
    %6 = stablehlo.sqrt %5 : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.tanh
    %7 = stablehlo.tanh %6 : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.logistic
    %8 = stablehlo.logistic %7 : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.add %{{[0-9]+}}, %arg1
    %9 = stablehlo.add %8, %y : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.divide
    %10 = stablehlo.divide %9, %y : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.maximum
    %11 = stablehlo.maximum %10, %y : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.minimum
    %12 = stablehlo.minimum %11, %y : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.multiply %{{[0-9]+}}, %arg1 {cnnc.stop_gradient}
    %13 = stablehlo.multiply %12, %y {cnnc.stop_gradient} : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.subtract
    %14 = stablehlo.subtract %13, %y : tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.compare LE, %{{[0-9]+}}, %arg1
    %15 = stablehlo.compare LE, %14, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    // CHECK-NEXT: stablehlo.select
    %16 = stablehlo.select %15, %14, %y : tensor<2x3xi1>, tensor<2x3xf32>
    // CHECK-NEXT: stablehlo.convert %{{[0-9]+}} : (tensor<2x3xf32>) -> tensor<2x3xf64>
    %17 = stablehlo.convert %16 : (tensor<2x3xf32>) -> tensor<2x3xf64>
    // CHECK-NEXT: stablehlo.not
    %18 = stablehlo.not %15 : tensor<2x3xi1>
    return %16, %17, %18 : tensor<2x3xf32>, tensor<2x3xf64>, tensor<2x3xi1>
  }

  // CHECK-LABEL: func.func @integers
  func.func @integers(%x: tensor<4xui32>) -> tensor<4xui32> {
    // CHECK-NEXT: stablehlo.constant dense<[0, 1, 2147483648, 4294967295]> : tensor<4xui32>
    %c = stablehlo.constant dense<[0, 1, 2147483648, 4294967295]> : tensor<4xui32>
    // CHECK-NEXT: stablehlo.and
    %0 = stablehlo.and %x, %c : tensor<4xui32>
    // CHECK-NEXT: stablehlo.or
    %1 = stablehlo.or %0, %c : tensor<4xui32>
    // CHECK-NEXT: stablehlo.xor
    %2 = stablehlo.xor %1, %c : tensor<4xui32>
    // CHECK-NEXT: stablehlo.shift_left
    %3 = stablehlo.shift_left %2, %c : tensor<4xui32>
    // CHECK-NEXT: stablehlo.shift_right_logical
    %4 = stablehlo.shift_right_logical %3, %c : tensor<4xui32>
    // CHECK-NEXT: stablehlo.iota dim = 0 : tensor<4xui32>
    %5 = stablehlo.iota dim = 0 : tensor<4xui32>
    %6 = stablehlo.add %4, %5 : tensor<4xui32>
    return %6 : tensor<4xui32>
  }

  // CHECK-LABEL: func.func @constants
  func.func @constants() -> (tensor<4xf32>, tensor<f32>, tensor<2xi1>, tensor<i8>, tensor<ui64>, tensor<2x2xf64>, tensor<0xf32>) {
    // CHECK-NEXT: dense<[0x7F800000, 0xFF800000, 0x7FC00000, -0.000000e+00]> : tensor<4xf32>
    %0 = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, -0.0]> : tensor<4xf32>
    // CHECK-NEXT: dense<1.401300e-45> : tensor<f32>
    %1 = stablehlo.constant dense<1.0e-45> : tensor<f32>
    // CHECK-NEXT: dense<[true, false]> : tensor<2xi1>
    %2 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    // CHECK-NEXT: dense<-128> : tensor<i8>
    %3 = stablehlo.constant dense<-128> : tensor<i8>
    // CHECK-NEXT: dense<18446744073709551615> : tensor<ui64>
    %4 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    // CHECK-NEXT: dense<{{\[\[}}1.000000e-01, 2.000000e+00], [3.000000e+00, 4.000000e+300{{\]\]}}> : tensor<2x2xf64>
    %5 = stablehlo.constant dense<[[0.1, 2.0], [3.0, 4.0e300]]> : tensor<2x2xf64>
    // CHECK-NEXT: dense<> : tensor<0xf32>
    %6 = stablehlo.constant dense<> : tensor<0xf32>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<f32>, tensor<2xi1>, tensor<i8>, tensor<ui64>, tensor<2x2xf64>, tensor<0xf32>
  }

  // CHECK-LABEL: func.func @movement
  func.func @movement(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<4x5x1xf32> {
    // CHECK-NEXT: stablehlo.broadcast_in_dim %arg0, dims = [2, 0] : (tensor<2x3xf32>) -> tensor<3x4x2xf32>
    %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x3xf32>) -> tensor<3x4x2xf32>
    // CHECK-NEXT: stablehlo.transpose %{{[0-9]+}}, dims = [1, 2, 0]
    %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
    // CHECK-NEXT: stablehlo.reverse %{{[0-9]+}}, dims = [0, 2]
    %2 = stablehlo.reverse %1, dims = [0, 2] : tensor<4x2x3xf32>
    // CHECK-NEXT: stablehlo.slice %{{[0-9]+}} [0:4, 1:2, 0:3:2]
    %3 = stablehlo.slice %2 [0:4, 1:2, 0:3:2] : (tensor<4x2x3xf32>) -> tensor<4x1x2xf32>
    // CHECK-NEXT: stablehlo.pad %{{[0-9]+}}, %arg1, low = [0, 1, -1], high = [0, 0, 1], interior = [0, 0, 2]
    %4 = stablehlo.pad %3, %v, low = [0, 1, -1], high = [0, 0, 1], interior = [0, 0, 2] : (tensor<4x1x2xf32>, tensor<f32>) -> tensor<4x2x4xf32>
    // CHECK-NEXT: stablehlo.reshape
    %5 = stablehlo.reshape %4 : (tensor<4x2x4xf32>) -> tensor<4x8x1xf32>
    // CHECK-NEXT: stablehlo.slice
    %6 = stablehlo.slice %5 [0:4, 0:2, 0:1] : (tensor<4x8x1xf32>) -> tensor<4x2x1xf32>
    %7 = stablehlo.slice %5 [0:4, 0:3, 0:1] : (tensor<4x8x1xf32>) -> tensor<4x3x1xf32>
    // CHECK: stablehlo.concatenate %{{[0-9]+}}, %{{[0-9]+}}, dim = 1
    %8 = stablehlo.concatenate %6, %7, dim = 1 : (tensor<4x2x1xf32>, tensor<4x3x1xf32>) -> tensor<4x5x1xf32>
    return %8 : tensor<4x5x1xf32>
  }

  // CHECK-LABEL: func.func @contraction
  func.func @contraction(%a: tensor<4x2x5xf32>, %b: tensor<5x4x6xf32>, %x: tensor<4x9x3x8xf32>, %w: tensor<2x2x3x4xf32>) -> (tensor<4x2x6xf32>, tensor<4x2x5x9xf32>) {
    // CHECK-NEXT: stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [1], contracting_dims = [2] x [0]
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [2] x [0] : (tensor<4x2x5xf32>, tensor<5x4x6xf32>) -> tensor<4x2x6xf32>
    // CHECK-NEXT: stablehlo.convolution(%arg2, %arg3) dim_numbers = [f, 0, b, 1]x[i, 0, 1, o]->[f, 1, 0, b]
    // CHECK-SAME: window = {stride = [2, 1], pad = {{\[}}[1, 2], [0, -1]], lhs_dilate = [1, 2], rhs_dilate = [3, 4], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
    %1 = stablehlo.convolution(%x, %w) dim_numbers = [f, 0, b, 1]x[i, 0, 1, o]->[f, 1, 0, b],
      window = {stride = [2, 1], pad = [[1, 2], [0, -1]], lhs_dilate = [1, 2], rhs_dilate = [3, 4], reverse = [true, false]}
      {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
      : (tensor<4x9x3x8xf32>, tensor<2x2x3x4xf32>) -> tensor<4x6x5x3xf32>
    %2 = stablehlo.slice %1 [0:4, 0:2, 0:5, 0:3] : (tensor<4x6x5x3xf32>) -> tensor<4x2x5x3xf32>
    %3 = stablehlo.concatenate %2, %2, %2, dim = 3 : (tensor<4x2x5x3xf32>, tensor<4x2x5x3xf32>, tensor<4x2x5x3xf32>) -> tensor<4x2x5x9xf32>
    return %0, %3 : tensor<4x2x6xf32>, tensor<4x2x5x9xf32>
  }

  // CHECK-LABEL: func.func @reductions
  func.func @reductions(%x: tensor<4x6xf32>, %i: tensor<f32>) -> (tensor<6xf32>, tensor<4xf32>, tensor<f32>) {
    // CHECK-NEXT: stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0]
    %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
    // CHECK-NEXT: applies stablehlo.maximum across dimensions = [1]
    %1 = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    // CHECK-NEXT: applies stablehlo.minimum across dimensions = [0, 1]
    %2 = stablehlo.reduce(%x init: %i) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    return %0, %1, %2 : tensor<6xf32>, tensor<4xf32>, tensor<f32>
  }

  // CHECK-LABEL: func.func @windows
  func.func @windows(%x: tensor<4x6xf32>, %s: tensor<2x4xf32>, %i: tensor<f32>) -> (tensor<3x2xf32>, tensor<4x6xf32>) {
    // CHECK-NEXT: "stablehlo.reduce_window"(%arg0, %arg2) <{base_dilations = array<i64: 2, 1>, padding = dense<{{\[\[}}1, 0], [0, 2{{\]\]}}> : tensor<2x2xi64>, window_dilations = array<i64: 1, 3>, window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 3>}>
    %0 = "stablehlo.reduce_window"(%x, %i) <{base_dilations = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>,
      window_dilations = array<i64: 1, 3>, window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 3>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.minimum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x2xf32>
    // CHECK: "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{padding = dense<{{\[\[}}0, 0], [1, 0{{\]\]}}> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 2>}>
    %1 = "stablehlo.select_and_scatter"(%x, %s, %i) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>,
      window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<4x6xf32>
    return %0, %1 : tensor<3x2xf32>, tensor<4x6xf32>
  }
}
