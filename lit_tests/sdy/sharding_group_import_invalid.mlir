// RUN: sdy-opt %s -split-input-file -sdy-sharding-group-import -verify-diagnostics

// The first error is the only one.
func.func @shapes_differ(%arg0: tensor<4x2xf32>, %arg1: tensor<2x4xf32>, %arg2: tensor<8xf32>) {
  sdy.sharding_group %arg0 group_id=3 : tensor<4x2xf32>
  // expected-error@+1 {{ShardingGroupOps values must have the same shape for groupId: 3}}
  sdy.sharding_group %arg1 group_id=3 : tensor<2x4xf32>
  sdy.sharding_group %arg2 group_id=3 : tensor<8xf32>
  return
}

// -----

func.func @dynamic_and_static(%arg0: tensor<4xf32>, %arg1: tensor<?xf32>) {
  sdy.sharding_group %arg0 group_id=0 : tensor<4xf32>
  // expected-error@+1 {{ShardingGroupOps values must have the same shape for groupId: 0}}
  sdy.sharding_group %arg1 group_id=0 : tensor<?xf32>
  return
}

// -----

// Ids are checked as they are written: groups that only become one may differ.
func.func @shapes_of_unified_groups(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=0 : tensor<4xf32>
  sdy.sharding_group %arg0 group_id=-7 : tensor<4xf32>
  sdy.sharding_group %arg1 group_id=0 : tensor<4xf32>
  return
}
func.func @other(%arg0: tensor<2xf32>) {
  // expected-error@+1 {{ShardingGroupOps values must have the same shape for groupId: -7}}
  sdy.sharding_group %arg0 group_id=-7 : tensor<2xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @into_manual_computation(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %arg0 group_id=1 : tensor<8xf32>
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}], replicated={"a"}>] out_shardings=[<@mesh, [{}], replicated={"a"}>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    // expected-error@+1 {{ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 1}}
    sdy.sharding_group %arg1 group_id=1 : tensor<8xf32>
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Shapes differ, too; that is checked later.
sdy.mesh @mesh = <["a"=2]>
func.func @out_of_manual_computation(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    sdy.sharding_group %arg1 group_id=1 : tensor<4xf32>
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 1}}
  sdy.sharding_group %0 group_id=1 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The innermost manual computation counts.
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @nested_manual_computation(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}], replicated={"a"}>] out_shardings=[<@mesh, [{}], replicated={"a"}>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    sdy.sharding_group %arg1 group_id=1 : tensor<8xf32>
    %1 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{}], replicated={"b"}>] out_shardings=[<@mesh, [{}], replicated={"b"}>] manual_axes={"b"} (%arg2: tensor<8xf32>) {
      // expected-error@+1 {{ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 1}}
      sdy.sharding_group %arg2 group_id=1 : tensor<8xf32>
      sdy.return %arg2 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
