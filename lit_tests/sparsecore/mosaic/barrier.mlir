// RUN: %python %S/Inputs/tile_program.py %s 1 | FileCheck %s
!hbm = memref<8xf32, #tpu.memory_space<hbm>>

// The subcores of both cores run together, each with the number of its core; 2 of them meet at the barrier of a core.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME: memref<4xi64> {sparsecore.settings}
// CHECK-SAME: memref<8xi64> {sparsecore.status}
// CHECK: scf.parallel (%[[AGENT:.+]]) = (%c0) to (%c4) step (%c1) {
// CHECK: %[[DIVIDED:.+]] = arith.divui %{{.+}}, %c2 : index
// CHECK-NEXT: %[[INTEGER:.+]] = arith.index_cast %[[DIVIDED]] : index to i32
// CHECK-NEXT: %[[INDEX:.+]] = arith.index_cast %[[INTEGER]] : i32 to index
// CHECK-NEXT: %[[CORE:.+]] = arith.index_cast %[[INDEX]] : index to i64
// CHECK-NEXT: func.call @[[BARRIER:[a-z0-9_]+]](%[[CORE]], %c2_i64, %c0_i64) : (i64, i64, i64) -> ()
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: {sparsecore.axes = ["agent"],
// CHECK-SAME: sparsecore.together = array<i64: 0, 0, 1, 1>}
// CHECK: func.func private @[[BARRIER]](i64, i64, i64) attributes {sparsecore.runtime = "sc_barrier"}
func.func @kernel(%core: i32, %subcore: i32, %x: !hbm)
    attributes {iteration_bounds = array<i64: 2, 2>, scratch_operands = 0 : i64,
                tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %zero = arith.constant 0 : index
  tpu.barrier barrier_id(%zero)
  return
}
