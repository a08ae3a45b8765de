// RUN: cnnc-opt %s --pass=aligned-slice | FileCheck %s

// A row of 68 is read in vectors of four; column 1 begins none.
// CHECK-LABEL: func.func @off
// CHECK-NEXT: %[[X:.*]] = stablehlo.optimization_barrier %arg0
// CHECK-NEXT: %[[S:.*]] = stablehlo.slice %[[X]] [0:64, 1:65]
// CHECK-NEXT: %[[Y:.*]] = stablehlo.optimization_barrier %[[S]]
// CHECK-NEXT: stablehlo.add %[[Y]], %[[Y]]
func.func @off(%x: tensor<64x68xf32>) -> tensor<64x64xf32> {
  %s = stablehlo.slice %x [0:64, 1:65] : (tensor<64x68xf32>) -> tensor<64x64xf32>
  %y = stablehlo.add %s, %s : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @on
// CHECK-NOT: optimization_barrier
func.func @on(%x: tensor<64x68xf32>) -> tensor<60x64xf32> {
  %s = stablehlo.slice %x [3:63, 4:68] : (tensor<64x68xf32>) -> tensor<60x64xf32>
  return %s : tensor<60x64xf32>
}

// CHECK-LABEL: func.func @cropped
// CHECK: stablehlo.pad {{.*}}, low = [0, 0], high = [0, 2], interior = [0, 0]
// CHECK: stablehlo.slice {{.*}} [0:4, 1:8]
func.func @cropped(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<4x7xf32> {
  %y = stablehlo.pad %x, %v, low = [0, -1], high = [0, 2], interior = [0, 0]
    : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x7xf32>
  return %y : tensor<4x7xf32>
}
