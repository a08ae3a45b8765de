// RUN: cnnc-opt %s --pass=merge-equal | FileCheck %s --check-prefixes=CHECK,MERGE
// RUN: cnnc-opt %s --pass=drop-unused | FileCheck %s --check-prefixes=CHECK,DROP

// CHECK-LABEL: func.func @f
// MERGE: %[[E:.*]] = stablehlo.exponential %arg0
// MERGE-NEXT: stablehlo.log %arg0
// MERGE-NEXT: %[[S:.*]] = stablehlo.add %[[E]], %[[E]]
// DROP: stablehlo.exponential %arg0
// DROP-NEXT: stablehlo.exponential %arg0
// DROP-NEXT: stablehlo.add
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = stablehlo.exponential %x : tensor<3xf32>
  %b = stablehlo.exponential %x : tensor<3xf32>
  %unused = stablehlo.log %x : tensor<3xf32>
  %s = stablehlo.add %a, %b : tensor<3xf32>
  return %s : tensor<3xf32>
}

// Equal constants of unlike sign stay apart, and so do a stopped and a plain
// instruction.
// CHECK-LABEL: func.func @unlike
// MERGE-DAG: stablehlo.constant dense<0.000000e+00>
// MERGE-DAG: stablehlo.constant dense<-0.000000e+00>
// MERGE-COUNT-2: stablehlo.exponential
func.func @unlike(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %p = stablehlo.constant dense<0.0> : tensor<3xf32>
  %m = stablehlo.constant dense<-0.0> : tensor<3xf32>
  %a = stablehlo.exponential %x {cnnc.stop_gradient} : tensor<3xf32>
  %b = stablehlo.exponential %x : tensor<3xf32>
  return %p, %m, %a, %b : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
