// RUN: sdy-opt %s -split-input-file -verify-diagnostics -sdy-remove-sub-axes-in-input-output-shardings | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=4]>

// Open dimensions end before their first sub-axis; priorities and closed dimensions stay.
// CHECK-LABEL: func.func @main
// CHECK-SAME: [{"x", ?}p1, {"y":(2)2}]>})
// CHECK-SAME: [{?}, {"y":(2)2, "x"}]>})
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2, ?}p1, {"y":(2)2}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}, {"y":(2)2, "x"}]>}) {
  return %arg0 : tensor<8x8xf32>
}

// Other functions stay as they are.
// CHECK-LABEL: func.func private @callee
// CHECK-SAME: [{"y":(1)2, ?}]>})
func.func private @callee(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}]>}) {
  return
}

// -----

// The only function is the main one.
sdy.mesh @mesh = <["x"=4]>
// CHECK-LABEL: func.func @only
// CHECK-SAME: [{?}]>})
func.func @only(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}]>}) {
  return
}

// -----

// expected-error@+1 {{'builtin.module' op has 2 functions, but none is named @main}}
module {
  func.func @f() {
    return
  }
  func.func @g() {
    return
  }
}
