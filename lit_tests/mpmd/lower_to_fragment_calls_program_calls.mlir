// RUN: mpmd-opt %s -split-input-file -allow-unregistered-dialect -mpmd-lower-to-fragment-calls='naming=program' | FileCheck %s

// The range of calls that a function stands for, if they are consecutive.
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p0_f_calls2to4.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p0_f_calls2to4.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p0_f_calls2to4.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p1_f_calls4from3.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p1_f_calls4from3.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p2_f_call5.step()
#t = #mpmd.topology<<"m": <["x"=2]>>, <"n": <["x"=2]>>>
module @jit_step {
func.func @main() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"]> () {call_counter = 2 : ui32} () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"]> () {call_counter = 3 : ui32} () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"]> () {call_counter = 4 : ui32} () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"]> () {call_counter = 4 : ui32} () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"]> () {call_counter = 3 : ui32} () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"]> () {call_counter = 5 : ui32} () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  return
}
}

// -----

// Not consecutive: a gap, a turn, a repeated counter, a call without counter, several names.
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["gap"]> @p0_gap.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["gap"]> @p0_gap.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["turn"]> @p1_turn.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["turn"]> @p1_turn.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["turn"]> @p1_turn.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["repeated"]> @p2_repeated.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["repeated"]> @p2_repeated.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["none"]> @p3_none.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["none"]> @p3_none.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @p4_f.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["g"]> @p4_f.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["no_number"]> @p5_no_number.step()
#t = #mpmd.topology<<"m": <["x"=2]>>, <"n": <["x"=2]>>>
module @jit_step {
func.func @main() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["gap"]> () {call_counter = 2 : ui32} () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["gap"]> () {call_counter = 4 : ui32} () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["turn"]> () {call_counter = 1 : ui32} () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["turn"]> () {call_counter = 2 : ui32} () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["turn"]> () {call_counter = 1 : ui32} () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["repeated"]> () {call_counter = 1 : ui32} () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["repeated"]> () {call_counter = 1 : ui32} () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["none"]> () {call_counter = 1 : ui32} () {
    "test.op"() {id = 3} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["none"]> () () {
    "test.op"() {id = 3} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"]> () {call_counter = 1 : ui32} () {
    "test.op"() {id = 4} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["g"]> () {call_counter = 2 : ui32} () {
    "test.op"() {id = 4} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["no_number"]> () {call_counter = "1"} () {
    "test.op"() {id = 5} : () -> ()
    mpmd.return
  } : () -> ()
  return
}
}

// -----

// Without the name of the module, 200 characters are kept, and longer names are cut.
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]> @p0_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_call1.step()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]> @"p1_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa<...>.step"()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]> @"p2_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa<...>.step"()
#t = #mpmd.topology<<"m": <["x"=2]>>, <"n": <["x"=2]>>>
module @jit_step {
func.func @main() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]> () {call_counter = 1 : ui32} () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]> () {call_counter = 1 : ui32} () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]> () () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  return
}
}
