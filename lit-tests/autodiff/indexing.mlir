// RUN: cnnc-opt %s --grad=wrt:0 --pass=drop-unused | FileCheck %s

// The cotangent of a box lies in zeros.
// CHECK-LABEL: func.func @box_grad(%arg0: tensor<4x5xf32>, %arg1: tensor<i32>, %arg2: tensor<2x5xf32>
// CHECK-DAG: %[[ZEROS:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<4x5xf32>
// CHECK-DAG: %[[C:.*]] = stablehlo.constant dense<0> : tensor<i32>
// CHECK: %[[DX:.*]] = stablehlo.dynamic_update_slice %[[ZEROS]], %arg2, %arg1, %[[C]]
// CHECK-NEXT: return %[[DX]]
func.func @box(%x: tensor<4x5xf32>, %i: tensor<i32>) -> tensor<2x5xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %c, sizes = [2, 5] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// A row collects the cotangents of those that took it; rows outside are moved
// inside, as the gather moves them.
// CHECK-LABEL: func.func @rows_grad
// CHECK: %[[I:.*]] = stablehlo.clamp %{{.*}}, %arg1, %{{.*}} : tensor<3xi32>
// CHECK: "stablehlo.scatter"(%{{.*}}, %[[I]], %arg2)
// CHECK: stablehlo.add
func.func @rows(%x: tensor<4x5xf32>, %i: tensor<3xi32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<4x5xf32>, tensor<3xi32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
