// RUN: mpmd-opt %s -split-input-file -mpmd-mark-fragment-reserved-memory -verify-diagnostics

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

func.func public @other_op(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // expected-error@+1 {{Expected only TransferOp, FragmentOp, FragmentCallOp and ReturnOp in the function body.}}
  %0 = mpmd.call @callee(%arg0) : (!v) -> !v
  return %0 : !v
}
func.func private @callee(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  return %arg0 : !v
}

// -----

!d = !mpmd.mesh_tensor<"m", tensor<?xf32>>

// expected-error@+1 {{cannot compute the size of a value: tensor<?xf32> has a dynamic dimension, whose size is not known}}
func.func public @dynamic_shape(%arg0: !d) -> !d
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  return %arg0 : !d
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

func.func public @loop(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // expected-error@+1 {{Expected only TransferOp, FragmentOp, FragmentCallOp and ReturnOp in the function body.}}
  %0 = mpmd.for (%arg0) {iterations = 2 : ui32} (%i: !v, %index: tensor<ui32>) {
    mpmd.return %i : !v
  } : !v
  return %0 : !v
}

// -----

// expected-error@+1 {{cannot compute the size of a value: expected !mpmd.mesh_tensor, found tensor<8xf32>}}
func.func public @no_mesh_tensor(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  return %arg0 : tensor<8xf32>
}
