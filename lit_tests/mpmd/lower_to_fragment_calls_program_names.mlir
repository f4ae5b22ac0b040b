// RUN: mpmd-opt %s -split-input-file -allow-unregistered-dialect -mpmd-lower-to-fragment-calls='naming=program' | FileCheck %s

// The most frequent origin, the first in dictionary order of several; dots stand for others.
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p0_f.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f", "g", "g"]> @p1_g....step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["g", "f"]> @p2_f....step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=[]> @p3_inferred.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["b", "B"]> @p4_B....step()
#t = #mpmd.topology<<"m": <["x"=2]>>, <"n": <["x"=2]>>>
module @jit_step {
func.func @main() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f", "g", "g"]> () () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["g", "f"]> () () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=[]> () () {
    "test.op"() {id = 3} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["b", "B"]> () () {
    "test.op"() {id = 4} : () -> ()
    mpmd.return
  } : () -> ()
  return
}
}

// -----

// The smallest and the largest counter of that origin, also with gaps.
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_7", "f_3", "f_4"]> @"p0_f_3:7.step"()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_3"]> @p1_f_3.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_3", "f"]> @p2_f_3.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["g", "f_03", "f_-1"]> @"p3_f_-1:3....step"()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_1a"]> @p4_f_1a.step()
#t = #mpmd.topology<<"m": <["x"=2]>>, <"n": <["x"=2]>>>
module @jit_step {
func.func @main() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f_7", "f_3", "f_4"]> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_3"]> () () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_3", "f"]> () () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["g", "f_03", "f_-1"]> () () {
    "test.op"() {id = 3} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_1a"]> () () {
    "test.op"() {id = 4} : () -> ()
    mpmd.return
  } : () -> ()
  return
}
}

// -----

// The phases of all origins of the fragment, if anything in the module is transposed.
// Counters are descending if all origins are transposed once.
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p0_f_fwd.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"(1)]> @p1_f_bwd.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"(2)]> @p2_f_transpose2.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"(1), "f", "f"(3)]> @p3_f_fwd_bwd_transpose3.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_1"(1), "f_2"(1)]> @"p4_f_2:1_bwd.step"()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_1"(1), "f_2"(1), "g"]> @"p5_f_1:2..._fwd_bwd.step"()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_1"(2), "f_2"(2)]> @"p6_f_1:2_transpose2.step"()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=[]> @p7_inferred.step()
#t = #mpmd.topology<<"m": <["x"=2]>>, <"n": <["x"=2]>>>
module @jit_step {
func.func @main() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"(1)]> () () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"(2)]> () () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"(1), "f", "f"(3)]> () () {
    "test.op"() {id = 3} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_1"(1), "f_2"(1)]> () () {
    "test.op"() {id = 4} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_1"(1), "f_2"(1), "g"]> () () {
    "test.op"() {id = 5} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_1"(2), "f_2"(2)]> () () {
    "test.op"() {id = 6} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=[]> () () {
    "test.op"() {id = 7} : () -> ()
    mpmd.return
  } : () -> ()
  return
}
}

// -----

// The stage replaces origins.
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p0_stage3_fwd.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"(1), "g"(1)]> @p1_stage0_bwd.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=[]> @p2_stage1.step()
#t = #mpmd.topology<<"m": <["x"=2]>>, <"n": <["x"=2]>>>
module @jit_step {
func.func @main() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"], stage=3> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"(1), "g"(1)], stage=0> () () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=[], stage=1> () () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  return
}
}

// -----

// A module without a name is called main; of several prefixes `jit_` only the first is removed.
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p0_f.main()
#t = #mpmd.topology<<"m": <["x"=2]>>, <"n": <["x"=2]>>>
func.func @main() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  return
}

// -----

// A name that is only the prefix.
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p0_f.()
#t = #mpmd.topology<<"m": <["x"=2]>>, <"n": <["x"=2]>>>
module @jit_ {
func.func @main() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  return
}
}

// -----

// A second prefix.
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p0_f.jit_f()
#t = #mpmd.topology<<"m": <["x"=2]>>, <"n": <["x"=2]>>>
module @jit_jit_f {
func.func @main() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  return
}
}

// -----

// A transposed fragment anywhere in the module. A number is appended if the name is taken.
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p0_f_fwd.main_1()
// CHECK-LABEL: func.func @other()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["g"(1)]> @p0_f_fwd.main_1()
#t = #mpmd.topology<<"m": <["x"=2]>>>
func.func @main() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    mpmd.return
  } : () -> ()
  return
}
func.func @other() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["g"(1)]> () () {
    mpmd.return
  } : () -> ()
  return
}
func.func private @p0_f_fwd.main()
