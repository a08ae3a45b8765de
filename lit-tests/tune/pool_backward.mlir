// RUN: cnnc-opt %s --pass=pool-backward | FileCheck %s

// Windows that tile the tensor: the index of each window's first maximum is
// spread over the window, and compared with the cells' own numbers.
// CHECK-LABEL: func.func @tiled
// CHECK-NOT: select_and_scatter
// CHECK-NOT: stablehlo.pad
// CHECK: %[[LAST:.*]] = stablehlo.constant dense<3> : tensor<8x14x14x32xi8>
// CHECK: %[[IS2:.*]] = stablehlo.compare EQ
// CHECK: %[[TWO:.*]] = stablehlo.constant dense<2>
// CHECK: %[[FROM2:.*]] = stablehlo.select %[[IS2]], %[[TWO]], %[[LAST]]
// CHECK: %[[IS1:.*]] = stablehlo.compare EQ
// CHECK: %[[ONE:.*]] = stablehlo.constant dense<1>
// CHECK: %[[FROM1:.*]] = stablehlo.select %[[IS1]], %[[ONE]], %[[FROM2]]
// CHECK: %[[IS0:.*]] = stablehlo.compare EQ
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0>
// CHECK: %[[INDEX:.*]] = stablehlo.select %[[IS0]], %[[ZERO]], %[[FROM1]]
// CHECK: %[[SPREAD:.*]] = stablehlo.broadcast_in_dim %[[INDEX]], dims = [0, 1, 3, 5] : (tensor<8x14x14x32xi8>) -> tensor<8x14x2x14x2x32xi8>
// CHECK: %[[HIT:.*]] = stablehlo.compare EQ, %[[SPREAD]]
// CHECK: %[[DY:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 3, 5]
// CHECK: %[[CHOSEN:.*]] = stablehlo.select %[[HIT]], %[[DY]]
// CHECK: %[[DX:.*]] = stablehlo.reshape %[[CHOSEN]] : (tensor<8x14x2x14x2x32xf32>) -> tensor<8x28x28x32xf32>
// CHECK-NEXT: return %[[DX]]
func.func @tiled(%x: tensor<8x28x28x32xf32>, %dy: tensor<8x14x14x32xf32>) -> tensor<8x28x28x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %dx = "stablehlo.select_and_scatter"(%x, %dy, %zero) <{
    window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<8x28x28x32xf32>, tensor<8x14x14x32xf32>, tensor<f32>) -> tensor<8x28x28x32xf32>
  return %dx : tensor<8x28x28x32xf32>
}

// Windows of 3 at steps of 2 with padding: the padding of the comparison is
// NaN, which equals no maximum; each cell scatters its share into the padded
// tensor, and the shares add.
// CHECK-LABEL: func.func @overlapping
// CHECK-NOT: select_and_scatter
// CHECK-DAG: %[[NAN:.*]] = stablehlo.constant dense<0x7FC00000>
// CHECK-DAG: stablehlo.pad %arg0, %[[NAN]], low = [1], high = [1], interior = [0]
// CHECK: %[[S0:.*]] = stablehlo.pad %{{[^ ,)]+}}, %{{[^ ,)]+}}, low = [0], high = [2], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
// CHECK: %[[S1:.*]] = stablehlo.pad %{{[^ ,)]+}}, %{{[^ ,)]+}}, low = [1], high = [1], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
// CHECK: %[[TWO:.*]] = stablehlo.add %[[S0]], %[[S1]]
// CHECK: %[[S2:.*]] = stablehlo.pad %{{[^ ,)]+}}, %{{[^ ,)]+}}, low = [2], high = [0], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
// CHECK: %[[ALL:.*]] = stablehlo.add %[[TWO]], %[[S2]]
// CHECK: %[[DX:.*]] = stablehlo.slice %[[ALL]] [1:6]
// CHECK: return %[[DX]]
func.func @overlapping(%x: tensor<5xf32>, %dy: tensor<3xf32>) -> tensor<5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %dx = "stablehlo.select_and_scatter"(%x, %dy, %zero) <{padding = dense<1> : tensor<1x2xi64>,
    window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<5xf32>, tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  return %dx : tensor<5xf32>
}

// Another initial value stays.
// CHECK-LABEL: func.func @from_one
// CHECK: stablehlo.select_and_scatter
func.func @from_one(%x: tensor<4xf32>, %dy: tensor<2xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %dx = "stablehlo.select_and_scatter"(%x, %dy, %one) <{
    window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %dx : tensor<4xf32>
}
