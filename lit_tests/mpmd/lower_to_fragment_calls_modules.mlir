// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls | FileCheck %s

// Nothing to do: a module without fragments, but with calls.
// CHECK:       module {
// CHECK-NEXT:    func.func @nothing() attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} {
// CHECK-NEXT:      mpmd.fragment_call<mesh="m", origin=["f"]> @f() : () -> ()
// CHECK-NEXT:      return
// CHECK-NEXT:    }
// CHECK-NEXT:    func.func @f() attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
// CHECK-NEXT:      return
// CHECK-NEXT:    }
// CHECK-NEXT:  }
func.func @nothing() attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  mpmd.fragment_call<mesh="m", origin=["f"]> @f() : () -> ()
  return
}
func.func @f() attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return
}

// -----

// Fragments of all functions of the module share, also those of private ones.
// CHECK-LABEL: func.func @main
// CHECK:         mpmd.fragment_call<mesh="m", origin=["f"]> @f(
// CHECK-LABEL: func.func private @callee
// CHECK:         mpmd.fragment_call<mesh="m", origin=["g"]> @f(
// CHECK:       func.func @f(
// CHECK-NOT:   func.func
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
#t = #mpmd.topology<<"m": <["x"=2]>>>
func.func @main(%arg0: !v) -> (!v, !v) attributes {topology = #t} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.call @callee(%0) : (!v) -> !v
  return %0, %1 : !v, !v
}
func.func private @callee(%arg0: !v) -> !v attributes {topology = #t} {
  %0 = mpmd.fragment<mesh="m", origin=["g"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}

// -----

// One name may be different meshes in different functions.
// CHECK-LABEL: func.func @two
// CHECK:         mpmd.fragment_call<mesh="m", origin=["f"]> @f()
// CHECK-LABEL: func.func @four
// CHECK:         mpmd.fragment_call<mesh="m", origin=["f"]> @f_1()
// CHECK:       func.func @f() attributes {mesh_shape = #sdy.mesh<["x"=2]>}
// CHECK:       func.func @f_1() attributes {mesh_shape = #sdy.mesh<["x"=4]>}
func.func @two() attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    mpmd.return
  } : () -> ()
  return
}
func.func @four() attributes {topology = #mpmd.topology<<"m": <["x"=4]>>>} {
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    mpmd.return
  } : () -> ()
  return
}

// -----

// A nested module has functions of its own, since a call cannot refer to others.
// CHECK:       func.func @outer
// CHECK:         mpmd.fragment_call<mesh="m", origin=["f"]> @f()
// CHECK:       module @nested {
// CHECK:         func.func @inner
// CHECK:           mpmd.fragment_call<mesh="m", origin=["f"]> @f()
// CHECK:         func.func @f()
// CHECK:       }
// CHECK:       func.func @f()
func.func @outer() attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    mpmd.return
  } : () -> ()
  return
}
module @nested {
  func.func @inner() attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
    mpmd.fragment<mesh="m", origin=["f"]> () () {
      mpmd.return
    } : () -> ()
    return
  }
}
