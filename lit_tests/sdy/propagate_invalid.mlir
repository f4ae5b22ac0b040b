// RUN: sdy-opt %s -split-input-file -verify-diagnostics -sdy-basic-propagate
// RUN: sdy-opt %s -split-input-file -verify-diagnostics -sdy-aggressive-propagate
// RUN: sdy-opt %s -split-input-file -verify-diagnostics -sdy-op-priority-propagate
// RUN: sdy-opt %s -split-input-file -verify-diagnostics -sdy-user-priority-propagate

func.func @dynamic(%arg0: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{Shardy propagation only supports ranked tensors with a static shape. type: 'tensor<?xf32>'}}
  %0 = stablehlo.abs %arg0 : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @unranked(%arg0: tensor<8xf32>) -> tensor<*xf32> {
  // expected-error@+1 {{Shardy propagation only supports ranked tensors with a static shape. type: 'tensor<*xf32>'}}
  %0 = builtin.unrealized_conversion_cast %arg0 : tensor<8xf32> to tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @tuple(%arg0: tensor<8xf32>) -> tuple<tensor<8xf32>> {
  // expected-error@+1 {{Shardy propagation doesn't support tuples: 'tuple<tensor<8xf32>>'}}
  %0 = stablehlo.tuple %arg0 : tuple<tensor<8xf32>>
  return %0 : tuple<tensor<8xf32>>
}

// -----

// expected-error@+1 {{'builtin.module' op propagation needs a function @main or a single function}}
module {
  func.func @one(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func @two(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}

// -----

// A nested module has meshes of its own.
module {
  module @nested {
    sdy.mesh @mesh = <["x"=2]>
    // expected-error@+1 {{'func.func' op is sharded on mesh @mesh, which the module does not have at its top; move its sdy.mesh there}}
    func.func @inner(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
      %0 = stablehlo.abs %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
  }
  func.func @main() {
    return
  }
}

// -----

// Shardings of a group that differ: each value gets an open constraint, and may have another sharding.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @group(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  // expected-warning@+1 {{The initial operand shardings on the sharding groups of groupID: 5 do not match. Inserting an open sharding constraint to all constrained values. This can be caused when shardings from different values are grouped (e.g. from jax.shard_alike) but have separate inconsistent sharding constraints on them.}}
  %0 = stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
  sdy.sharding_group %0 group_id=5 : tensor<8xf32>
  sdy.sharding_group %arg0 group_id=5 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
