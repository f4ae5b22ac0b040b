// RUN: sdy-opt %s -sdy-lift-inlined-meshes -verify-diagnostics

// A new op in this module is not visible in the nested one.
func.func private @outer()
module @inner {
  // expected-error@+1 {{'func.func' op arg 0 - unknown mesh: @mesh}}
  func.func @nested(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) {
    return
  }
}
