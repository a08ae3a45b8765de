// RUN: cnnc-opt %s --split-input-file --pass=merge-equal | FileCheck %s

// Two modules may both have a function @f.
// CHECK: func.func @f(%arg0: tensor<3xf32>)
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
// CHECK: // -----
// -----
// CHECK: func.func @f(%arg0: tensor<4xf32>)
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
