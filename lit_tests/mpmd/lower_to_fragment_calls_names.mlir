// RUN: mpmd-opt %s -split-input-file -allow-unregistered-dialect -mpmd-lower-to-fragment-calls | FileCheck %s

// All origins in order, joined by dots.
// CHECK-LABEL: func.func @joined()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f", "g", "f"]> @f.g.f()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=[]> @inferred()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f", "f"]> @f.f()
#t = #mpmd.topology<<"m": <["x"=2]>>>
func.func @joined() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f", "g", "f"]> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=[]> () () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f", "f"]> () () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  return
}

// -----

// A transpose count above zero follows the head.
// CHECK-LABEL: func.func @transposed()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"(1), "g", "h"(2)]> @"f(1).g.h(2)"()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_3"(1)]> @"f(1)_3"()
#t = #mpmd.topology<<"m": <["x"=2]>>>
func.func @transposed() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"(1), "g", "h"(2)]> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_3"(1)]> () () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  return
}

// -----

// Consecutive counters of neighbours with one head are joined to a range, in either direction.
// CHECK-LABEL: func.func @ranges()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_1", "f_2", "f_3"]> @"f_1:3"()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_3"(1), "f_2"(1), "f_1"(1)]> @"f(1)_1:3"()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_2", "f_3", "f_1"]> @"f_1:3_1"()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_9", "f_10"]> @"f_9:10"()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["a_b_1", "a_b_2"]> @"a_b_1:2"()
#t = #mpmd.topology<<"m": <["x"=2]>>>
func.func @ranges() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f_1", "f_2", "f_3"]> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_3"(1), "f_2"(1), "f_1"(1)]> () () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_2", "f_3", "f_1"]> () () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_9", "f_10"]> () () {
    "test.op"() {id = 3} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["a_b_1", "a_b_2"]> () () {
    "test.op"() {id = 4} : () -> ()
    mpmd.return
  } : () -> ()
  return
}

// -----

// No range: a gap, a repeated counter, another head, an origin without counter in between.
// CHECK-LABEL: func.func @no_ranges()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_1", "f_3"]> @f_1.f_3()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_1", "f_1"]> @f_1.f_1()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_1", "g_2"]> @f_1.g_2()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_1", "f", "f_2"]> @f_1.f.f_2()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_1", "f_2"(1)]> @"f_1.f(1)_2"()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_1", "f_2", "f_4", "f_5"]> @"f_1:2.f_4:5"()
#t = #mpmd.topology<<"m": <["x"=2]>>>
func.func @no_ranges() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f_1", "f_3"]> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_1", "f_1"]> () () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_1", "g_2"]> () () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_1", "f", "f_2"]> () () {
    "test.op"() {id = 3} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_1", "f_2"(1)]> () () {
    "test.op"() {id = 4} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_1", "f_2", "f_4", "f_5"]> () () {
    "test.op"() {id = 5} : () -> ()
    mpmd.return
  } : () -> ()
  return
}

// -----

// Not a counter: other characters, leading zeros, a sign, nothing.
// CHECK-LABEL: func.func @no_counters()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_1a", "f_2a"]> @f_1a.f_2a()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_01", "f_02"]> @f_01.f_02()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_-1", "f_-2"]> @"f_-1.f_-2"()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_", "f_"]> @f_.f_()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["1", "2"]> @"1.2"()
#t = #mpmd.topology<<"m": <["x"=2]>>>
func.func @no_counters() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f_1a", "f_2a"]> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_01", "f_02"]> () () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_-1", "f_-2"]> () () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_", "f_"]> () () {
    "test.op"() {id = 3} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["1", "2"]> () () {
    "test.op"() {id = 4} : () -> ()
    mpmd.return
  } : () -> ()
  return
}

// -----

// Of several functions with one name, all but the first get a number.
// CHECK-LABEL: func.func @numbered()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @f()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @f_1()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["g"]> @g()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @f_2()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=[]> @inferred()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=[]> @inferred_1()
#t = #mpmd.topology<<"m": <["x"=2]>>>
func.func @numbered() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["g"]> () () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    "test.op"() {id = 3} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=[]> () () {
    "test.op"() {id = 4} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=[]> () () {
    "test.op"() {id = 5} : () -> ()
    mpmd.return
  } : () -> ()
  return
}

// -----

// Names of other symbols are skipped.
// CHECK-LABEL: func.func @taken()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @f_2()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @f_4()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["taken"]> @taken_1()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f_2"]> @f_2_1()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["mesh"]> @mesh_1()
#t = #mpmd.topology<<"m": <["x"=2]>>>
func.func @taken() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    "test.op"() {id = 0} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    "test.op"() {id = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["taken"]> () () {
    "test.op"() {id = 2} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f_2"]> () () {
    "test.op"() {id = 3} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["mesh"]> () () {
    "test.op"() {id = 4} : () -> ()
    mpmd.return
  } : () -> ()
  return
}
func.func private @f()
func.func private @f_1()
func.func private @f_3()
sdy.mesh @mesh = <["x"=2]>


// -----

// A function is named after the first fragment that calls it.
// CHECK-LABEL: func.func @first()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["g"]> @g()
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @g()
#t = #mpmd.topology<<"m": <["x"=2]>>>
func.func @first() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["g"]> () () {
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    mpmd.return
  } : () -> ()
  return
}
