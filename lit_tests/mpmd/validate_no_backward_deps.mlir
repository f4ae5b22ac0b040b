// RUN: mpmd-opt %s -split-input-file -mpmd-validate-no-backward-deps -verify-diagnostics

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

// The warning is at the consumer.
func.func @backward(%arg0: !m2) -> !m1
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m2", origin=["a"]> @f(%arg0) : (!m2) -> !m2
  %1 = mpmd.transfer %0 : (!m2) -> !m1
  // expected-warning-re@+1 {{{{^}}Detected backward dependency but expected forward-only pipeline since there are no transpose fragments: fragment "f" mesh="m2" produces a value consumed by fragment "g" mesh="m1". In a forward-only pipeline, dependencies must go from earlier meshes to later meshes.{{$}}}}
  %2 = mpmd.fragment_call<mesh="m1", origin=["b"]> @g(%1) : (!m1) -> !m1
  return %2 : !m1
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @g(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>
!m3 = !mpmd.mesh_tensor<"m3", tensor<8xf32>>

// A chain of transfers is followed to its start, through any meshes.
func.func @through_transfers(%arg0: !m2) -> (!m1, !m2, !m3)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>, <"m3": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m2", origin=["a"]> @f(%arg0) : (!m2) -> !m2
  %1 = mpmd.transfer %0 : (!m2) -> !m3
  %2 = mpmd.transfer %1 : (!m3) -> !m1
  %3 = mpmd.transfer %2 : (!m1) -> !m2
  // expected-warning@+1 {{fragment "f" mesh="m2" produces a value consumed by fragment "f" mesh="m1"}}
  %4 = mpmd.fragment_call<mesh="m1", origin=["a"]> @f(%2) : (!m1) -> !m1
  %5 = mpmd.fragment_call<mesh="m2", origin=["a"]> @f(%3) : (!m2) -> !m2
  %6 = mpmd.fragment_call<mesh="m3", origin=["a"]> @f(%1) : (!m3) -> !m3
  return %4, %5, %6 : !m1, !m2, !m3
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

// A transfer from an argument or to a result is not a dependency between fragments.
func.func @ends_of_the_program(%arg0: !m2) -> (!m1, !m1)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  %0 = mpmd.transfer %arg0 : (!m2) -> !m1
  %1 = mpmd.fragment_call<mesh="m1", origin=["a"]> @f(%0) : (!m1) -> !m1
  %2 = mpmd.fragment_call<mesh="m2", origin=["a"]> @f(%arg0) : (!m2) -> !m2
  %3 = mpmd.transfer %2 : (!m2) -> !m1
  return %1, %3 : !m1, !m1
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"m9", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"m10", tensor<8xf32>>

// Numbers are compared as numbers: 9 is before 10.
func.func @numbers_forward(%arg0: !v) -> !w
    attributes {topology = #mpmd.topology<<"m9": <["x"=2]>>, <"m10": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m9", origin=["a"]> @f(%arg0) : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  %2 = mpmd.fragment_call<mesh="m10", origin=["b"]> @f(%1) : (!w) -> !w
  return %2 : !w
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"m10", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"m9", tensor<8xf32>>

func.func @numbers_backward(%arg0: !v) -> !w
    attributes {topology = #mpmd.topology<<"m10": <["x"=2]>>, <"m9": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m10", origin=["a"]> @f(%arg0) : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  // expected-warning@+1 {{fragment "f" mesh="m10" produces a value consumed by fragment "f" mesh="m9".}}
  %2 = mpmd.fragment_call<mesh="m9", origin=["b"]> @f(%1) : (!w) -> !w
  return %2 : !w
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"b1", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"a2", tensor<8xf32>>

func.func @names_before_numbers_do_not_count(%arg0: !v) -> !w
    attributes {topology = #mpmd.topology<<"b1": <["x"=2]>>, <"a2": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="b1", origin=["a"]> @f(%arg0) : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  %2 = mpmd.fragment_call<mesh="a2", origin=["b"]> @f(%1) : (!w) -> !w
  return %2 : !w
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"a2", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"b1", tensor<8xf32>>

func.func @names_before_numbers_do_not_help(%arg0: !v) -> !w
    attributes {topology = #mpmd.topology<<"a2": <["x"=2]>>, <"b1": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="a2", origin=["a"]> @f(%arg0) : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  // expected-warning@+1 {{fragment "f" mesh="a2" produces a value consumed by fragment "f" mesh="b1".}}
  %2 = mpmd.fragment_call<mesh="b1", origin=["b"]> @f(%1) : (!w) -> !w
  return %2 : !w
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"a2", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"a010", tensor<8xf32>>

func.func @leading_zeros_do_not_count(%arg0: !v) -> !w
    attributes {topology = #mpmd.topology<<"a2": <["x"=2]>>, <"a010": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="a2", origin=["a"]> @f(%arg0) : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  %2 = mpmd.fragment_call<mesh="a010", origin=["b"]> @f(%1) : (!w) -> !w
  return %2 : !w
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"10", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"9", tensor<8xf32>>

func.func @only_digits(%arg0: !v) -> !w
    attributes {topology = #mpmd.topology<<"10": <["x"=2]>>, <"9": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="10", origin=["a"]> @f(%arg0) : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  // expected-warning@+1 {{fragment "f" mesh="10" produces a value consumed by fragment "f" mesh="9".}}
  %2 = mpmd.fragment_call<mesh="9", origin=["b"]> @f(%1) : (!w) -> !w
  return %2 : !w
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"a1", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"b1", tensor<8xf32>>

// Of two meshes with equal numbers, neither is earlier.
func.func @equal_numbers(%arg0: !v) -> !w
    attributes {topology = #mpmd.topology<<"a1": <["x"=2]>>, <"b1": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="a1", origin=["a"]> @f(%arg0) : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  // expected-warning@+1 {{fragment "f" mesh="a1" produces a value consumed by fragment "f" mesh="b1".}}
  %2 = mpmd.fragment_call<mesh="b1", origin=["b"]> @f(%1) : (!w) -> !w
  return %2 : !w
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"b1", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"a1", tensor<8xf32>>

func.func @equal_numbers_again(%arg0: !v) -> !w
    attributes {topology = #mpmd.topology<<"b1": <["x"=2]>>, <"a1": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="b1", origin=["a"]> @f(%arg0) : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  // expected-warning@+1 {{fragment "f" mesh="b1" produces a value consumed by fragment "f" mesh="a1".}}
  %2 = mpmd.fragment_call<mesh="a1", origin=["b"]> @f(%1) : (!w) -> !w
  return %2 : !w
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"m10/cpu", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"m9/cpu", tensor<8xf32>>

// Not both of these names end in digits.
func.func @strings_forward(%arg0: !v) -> !w
    attributes {topology = #mpmd.topology<<"m10/cpu": <["x"=2]>>, <"m9/cpu": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m10/cpu", origin=["a"]> @f(%arg0) : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  %2 = mpmd.fragment_call<mesh="m9/cpu", origin=["b"]> @f(%1) : (!w) -> !w
  return %2 : !w
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"m9/cpu", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"m10/cpu", tensor<8xf32>>

func.func @strings_backward(%arg0: !v) -> !w
    attributes {topology = #mpmd.topology<<"m9/cpu": <["x"=2]>>, <"m10/cpu": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m9/cpu", origin=["a"]> @f(%arg0) : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  // expected-warning@+1 {{fragment "f" mesh="m9/cpu" produces a value consumed by fragment "f" mesh="m10/cpu".}}
  %2 = mpmd.fragment_call<mesh="m10/cpu", origin=["b"]> @f(%1) : (!w) -> !w
  return %2 : !w
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"a", tensor<8xf32>>

func.func @one_with_a_number(%arg0: !v) -> !w
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"a": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m1", origin=["a"]> @f(%arg0) : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  // expected-warning@+1 {{fragment "f" mesh="m1" produces a value consumed by fragment "f" mesh="a".}}
  %2 = mpmd.fragment_call<mesh="a", origin=["b"]> @f(%1) : (!w) -> !w
  return %2 : !w
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"a", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

func.func @one_with_a_number_forward(%arg0: !v) -> !w
    attributes {topology = #mpmd.topology<<"a": <["x"=2]>>, <"m1": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="a", origin=["a"]> @f(%arg0) : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  %2 = mpmd.fragment_call<mesh="m1", origin=["b"]> @f(%1) : (!w) -> !w
  return %2 : !w
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"z", tensor<8xf32>>

func.func @one_with_a_number_forward_again(%arg0: !v) -> !w
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"z": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m1", origin=["a"]> @f(%arg0) : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  %2 = mpmd.fragment_call<mesh="z", origin=["b"]> @f(%1) : (!w) -> !w
  return %2 : !w
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

// A program with a transposed fragment has to go back.
func.func @transposed(%arg0: !m2) -> !m1
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m2", origin=["a"]> @f(%arg0) : (!m2) -> !m2
  %1 = mpmd.transfer %0 : (!m2) -> !m1
  %2 = mpmd.fragment_call<mesh="m1", origin=["b"(1)]> @f(%1) : (!m1) -> !m1
  return %2 : !m1
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

func.func @transposed_in_part(%arg0: !m2) -> !m1
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m2", origin=["a"]> @f(%arg0) : (!m2) -> !m2
  %1 = mpmd.transfer %0 : (!m2) -> !m1
  %2 = mpmd.fragment_call<mesh="m1", origin=["b", "c"(2)]> @f(%1) : (!m1) -> !m1
  return %2 : !m1
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

// Each function is a program: transposed fragments of another function do not matter.
func.func @forward_only(%arg0: !m2) -> !m1
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m2", origin=["a"]> @f(%arg0) : (!m2) -> !m2
  %1 = mpmd.transfer %0 : (!m2) -> !m1
  // expected-warning@+1 {{fragment "f" mesh="m2" produces a value consumed by fragment "f" mesh="m1"}}
  %2 = mpmd.fragment_call<mesh="m1", origin=["a"]> @f(%1) : (!m1) -> !m1
  return %2 : !m1
}

func.func private @with_transpose(%arg0: !m2) -> !m2
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m2", origin=["a"(1)]> @f(%arg0) : (!m2) -> !m2
  return %0 : !m2
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

// Fragments are checked only after they are lowered to calls.
func.func @not_lowered(%arg0: !m2) -> !m1
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m2", origin=["a"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!m2) -> !m2
  %1 = mpmd.transfer %0 : (!m2) -> !m1
  %2 = mpmd.fragment<mesh="m1", origin=["b"]> (%1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!m1) -> !m1
  return %2 : !m1
}
