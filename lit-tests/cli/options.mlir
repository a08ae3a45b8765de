// RUN: cnnc-opt --list-passes | FileCheck %s --check-prefix=LIST
// RUN: not cnnc-opt %s --pass=simplfy 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not cnnc-opt %s.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: rm -rf %t.mlir && cnnc-opt - --pass=simplify -o %t.mlir < %s && FileCheck %s < %t.mlir
// RUN: not cnnc-opt %s -o %t/no/such/folder.mlir 2>&1 | FileCheck %s --check-prefix=UNWRITABLE
// RUN: cnnc-opt %s --pass=drop-unused,simplify --print-after-all 2>&1 >%t.mlir | FileCheck %s --check-prefix=AFTER

// LIST: autodiff
// LIST: simplify
// LIST: tune
// LIST: pool-backward
// NEAR: no such pass; did you mean `simplify`?
// MISSING: options.mlir.missing
// UNWRITABLE: no/such/folder.mlir
// AFTER: after drop-unused
// AFTER: stablehlo.negate
// AFTER: after simplify
// AFTER-NOT: stablehlo.negate

// CHECK: func.func @f
// CHECK-NEXT: return %arg0
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = stablehlo.negate %x : tensor<3xf32>
  %b = stablehlo.negate %a : tensor<3xf32>
  return %b : tensor<3xf32>
}
