// RUN: mpmd-opt %s -split-input-file -mpmd-validate-no-reshards -verify-diagnostics

!sharded = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"x"}, {?}]>>
!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>

sdy.mesh @mesh = <["x"=2]>

func.func @reshard(%arg0: !sharded loc("args[0]"("a.py":1:2))) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-warning-re@+1 {{{{^}}Detected reshard-only fragment 'identity'. This usually indicates an unexpected reshard. Operands: #sdy.sharding<@mesh, [{"x"}, {?}]> <4x8xf32> loc("args[0]"("a.py":1:2)). Results: Replicated <4x8xf32>{{$}}}}
  %0 = mpmd.fragment_call<mesh="m1", origin=[]> @identity(%arg0) : (!sharded) -> !v
  return %0 : !v
}

func.func @identity(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return %arg0 : tensor<4x8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// Arguments may be swapped, repeated and dropped; results have the locations of program results.
func.func @several(%arg0: !v loc("a"), %arg1: !v loc(fused["b", "c"]), %arg2: !v loc("d"))
    -> (!v {jax.result_info = "out[0]"}, !v {jax.result_info = 1 : i32}, !v, !v {jax.result_info = ""})
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-warning-re@+1 {{Operands: Replicated <8xf32> loc("a"), Replicated <8xf32> loc(fused["b", "c"]), Replicated <8xf32> loc("d"). Results: Replicated <8xf32> loc(""), Replicated <8xf32> loc("out[0]"), Replicated <8xf32>, Replicated <8xf32>{{$}}}}
  %0:4 = mpmd.fragment_call<mesh="m1", origin=[]> @swap(%arg0, %arg1, %arg2) : (!v, !v, !v) -> (!v, !v, !v, !v)
  return %0#1, %0#2, %0#2, %0#0 : !v, !v, !v, !v
}

func.func @swap(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return %arg1, %arg0, %arg1, %arg1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// The newest use comes first.
func.func @returned_twice(%arg0: !v loc("a"))
    -> (!v {jax.result_info = "r0"}, !v {jax.result_info = "r1"})
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-warning-re@+1 {{Results: Replicated <8xf32> loc("r1") loc("r0"){{$}}}}
  %0 = mpmd.fragment_call<mesh="m1", origin=[]> @identity(%arg0) : (!v) -> !v
  return %0, %0 : !v, !v
}

func.func @identity(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return %arg0 : tensor<8xf32>
}

// -----

!sharded = !mpmd.mesh_tensor<"m1", tensor<bf16>, sharding=<@mesh, [], replicated={"x"}>>
!v = !mpmd.mesh_tensor<"m1", tensor<bf16>>
!w = !mpmd.mesh_tensor<"m2", tensor<bf16>>

sdy.mesh @mesh = <["x"=2]>

// Every call is reported, also if a transfer uses its result.
func.func @scalar(%arg0: !sharded loc("a")) -> (!w {jax.result_info = "moved"}, !v)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  // expected-warning-re@+1 {{Operands: #sdy.sharding<@mesh, [], replicated={"x"}> <xbf16> loc("a"). Results: Replicated <xbf16>{{$}}}}
  %0 = mpmd.fragment_call<mesh="m1", origin=[]> @identity(%arg0) : (!sharded) -> !v
  // expected-warning-re@+1 {{Operands: Replicated <xbf16> loc("{{.*}}validate_no_reshards.mlir":{{[0-9]+}}:8). Results: Replicated <xbf16>{{$}}}}
  %1 = mpmd.fragment_call<mesh="m1", origin=[]> @identity(%0) : (!v) -> !v
  %2 = mpmd.transfer %1 : (!v) -> !w
  return %2, %0 : !w, !v
}

func.func @identity(%arg0: tensor<bf16>) -> tensor<bf16>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return %arg0 : tensor<bf16>
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// A function with other ops is not reported, even if it only returns an argument.
func.func @computes(%arg0: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  %0:2 = mpmd.fragment_call<mesh="m1", origin=[]> @in_part(%arg0) : (!v) -> (!v, !v)
  %1 = mpmd.fragment_call<mesh="m1", origin=[]> @unused_op(%0#0) : (!v) -> !v
  return %1, %0#1 : !v, !v
}

func.func @in_part(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %arg0, %0 : tensor<8xf32>, tensor<8xf32>
}

func.func @unused_op(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %arg0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// Only called functions are reported, and a fragment is not a call yet.
func.func @not_called(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m1", origin=[]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}

func.func @identity(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return %arg0 : tensor<8xf32>
}

func.func private @declaration(tensor<8xf32>) -> tensor<8xf32>

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

func.func @of_the_user(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-error-re@+1 {{{{^}}Internal error: reshard-only fragment 'identity' is not an inferred fragment{{$}}}}
  %0 = mpmd.fragment_call<mesh="m1", origin=["f"]> @identity(%arg0) : (!v) -> !v
  // expected-warning@+1 {{Detected reshard-only fragment 'identity'}}
  %1 = mpmd.fragment_call<mesh="m1", origin=[]> @identity(%0) : (!v) -> !v
  // expected-error@+1 {{Internal error: reshard-only fragment 'identity' is not an inferred fragment}}
  %2 = mpmd.fragment_call<mesh="m1", origin=["f", "g"(1)]> @identity(%1) : (!v) -> !v
  return %2 : !v
}

func.func @identity(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return %arg0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

func.func @not_utf8(%arg0: !v loc("a\FF")) -> (!v {jax.result_info = "r\FF"})
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-warning@+1 {{fragment 'f�'. This usually indicates an unexpected reshard. Operands: Replicated <8xf32> loc("a\FF"). Results: Replicated <8xf32> loc("r\FF")}}
  %0 = mpmd.fragment_call<mesh="m1", origin=[]> @"f\FF"(%arg0) : (!v) -> !v
  return %0 : !v
}

func.func @"f\FF"(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return %arg0 : tensor<8xf32>
}
