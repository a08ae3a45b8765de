// RUN: cnnc-opt %s > %t.pretty
// RUN: cnnc-opt %t.pretty | diff %t.pretty -
// RUN: cnnc-opt %s --emit=generic > %t.generic
// RUN: cnnc-opt %t.generic | diff %t.pretty -
// RUN: FileCheck %s < %t.pretty
// RUN: cnnc-opt %s --pass=simplify | FileCheck %s --check-prefix=SIMPLE

// Calls are replaced by what they call.
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @called
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: return
// SIMPLE-LABEL: func.func @called
// SIMPLE-NEXT: return %arg0
func.func @called(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @once(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = call @once(%0) : (tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
func.func private @once(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.negate %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// What a loop uses from around goes round with it.
// CHECK-LABEL: func.func @loop
// CHECK: %[[W:.*]]:3 = stablehlo.while(%[[I:.*]] = %arg0, %[[X:.*]] = %arg1, %[[N:.*]] = %arg2)
// CHECK: stablehlo.compare LT, %[[I]], %[[N]]
// CHECK: stablehlo.return %{{.*}}, %{{.*}}, %[[N]]
// CHECK: return %[[W]]#1
// Regions are simplified, too, and a result that nobody uses goes.
// SIMPLE-LABEL: func.func @loop
// SIMPLE: stablehlo.add %{{.*}}, %{{.*}} : tensor<i32>
// SIMPLE-NOT: stablehlo.reverse
// SIMPLE: return
func.func @loop(%i: tensor<i32>, %x: tensor<3xf32>, %n: tensor<i32>) -> tensor<3xf32> {
  %0:2 = stablehlo.while(%a = %i, %b = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %c = stablehlo.compare LT, %a, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %a, %one : tensor<i32>
    %r = stablehlo.reverse %b, dims = [0] : tensor<3xf32>
    %s = stablehlo.reverse %r, dims = [0] : tensor<3xf32>
    %t = stablehlo.add %s, %b : tensor<3xf32>
    stablehlo.return %next, %t : tensor<i32>, tensor<3xf32>
  }
  return %0#1 : tensor<3xf32>
}

// What branches use from around stays around.
// CHECK-LABEL: func.func @branch
// CHECK: %[[Y:.*]]:2 = "stablehlo.if"(%arg0)
// CHECK: stablehlo.add %arg1, %arg2
// CHECK: stablehlo.return %{{.*}}, %arg1
// CHECK: stablehlo.return %arg2, %arg1
// CHECK: return %[[Y]]#1, %[[Y]]#0
func.func @branch(%p: tensor<i1>, %x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0:2 = "stablehlo.if"(%p) ({
    %1 = stablehlo.add %x, %y : tensor<3xf32>
    stablehlo.return %1, %x : tensor<3xf32>, tensor<3xf32>
  }, {
    stablehlo.return %y, %x : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>)
  return %0#1, %0#0 : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @sorted
// CHECK: %[[S:.*]]:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}>
// CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}}, TOTALORDER
func.func @sorted(%x: tensor<4xf32>, %y: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}
