// RUN: sdy-opt %s -verify-roundtrip | FileCheck %s
// RUN: sdy-opt %s -split-input-file -verify-roundtrip -cse | FileCheck %s
// RUN: sdy-opt %s --verify_roundtrip -no-implicit-module | FileCheck %s

// CHECK: module @m
// CHECK: sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK: func.func @f(%{{.*}}: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}p0]>})
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}p0]>}) {
    return loc("a"("b":1:2))
  }
}
