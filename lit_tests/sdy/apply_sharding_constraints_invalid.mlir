// RUN: sdy-opt %s -split-input-file -allow-unregistered-dialect -sdy-apply-sharding-constraints -verify-diagnostics

// A sharding rule needs sizes.
sdy.mesh @mesh = <["a"=2]>
func.func @dynamic_shape(%arg0: tensor<?xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op operand - expected a ranked tensor with a static shape. type: 'tensor<?xf32>'}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<?xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @unranked_result() {
  // expected-error@+1 {{'test.op' op result 1 - only ranked tensors can have a sharding. type: 'tensor<*xf32>'}}
  %0:2 = "test.op"() : () -> (tensor<8xf32>, tensor<*xf32>)
  %1 = sdy.sharding_constraint %0#0 <@mesh, [{"a"}]> : tensor<8xf32>
  return
}

// -----

// The argument of the second block has the number of a function argument of other rank.
sdy.mesh @mesh = <["a"=2]>
// expected-error@+1 {{'func.func' op arg 0 - sharding doesn't match tensor rank: 2 != 1}}
func.func @several_blocks(%arg0: tensor<8xf32>, %arg1: tensor<8x8xf32>) {
  cf.br ^bb1(%arg1 : tensor<8x8xf32>)
^bb1(%0: tensor<8x8xf32>):
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
  return
}
