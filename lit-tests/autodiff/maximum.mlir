// RUN: cnnc-opt %s --grad=wrt:0,1 --pass=drop-unused,merge-equal | FileCheck %s

// The larger operand takes the cotangent; equal operands take half each.
// CHECK-LABEL: func.func @maximum_grad
// CHECK-DAG: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00>
// CHECK-DAG: %[[HALF:.*]] = stablehlo.constant dense<5.000000e-01>
// CHECK: %[[SHARE:.*]] = stablehlo.multiply %arg2, %[[HALF]]
// CHECK: %[[TIE:.*]] = stablehlo.compare EQ, %arg0, %arg1
// CHECK: %[[IF_TIE:.*]] = stablehlo.select %[[TIE]], %[[SHARE]], %[[ZERO]]
// CHECK: %[[WINS:.*]] = stablehlo.compare GT, %arg0, %arg1
// CHECK: %[[DX:.*]] = stablehlo.select %[[WINS]], %arg2, %[[IF_TIE]]
// CHECK: %[[WINS_Y:.*]] = stablehlo.compare GT, %arg1, %arg0
// CHECK: %[[DY:.*]] = stablehlo.select %[[WINS_Y]], %arg2
// CHECK: return %[[DX]], %[[DY]]
func.func @maximum(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %z = stablehlo.maximum %x, %y : tensor<3xf32>
  return %z : tensor<3xf32>
}
