// RUN: sdy-opt %s -split-input-file -sdy-propagate-sharding-from-func-to-call -verify-diagnostics

// A result that cannot have a sharding, beside one that has.
sdy.mesh @mesh = <["x"=2]>
func.func @unranked() {
  // expected-error@+1 {{'func.call' op result 0 - only ranked tensors can have a sharding. type: 'tensor<*xf32>'}}
  %0:2 = call @foo() : () -> (tensor<*xf32>, tensor<8xf32>)
  return
}
func.func private @foo() -> (tensor<*xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
