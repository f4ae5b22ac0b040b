// RUN: %python %S/Inputs/tile_program.py %s 1 | FileCheck %s
!sem = memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>

// Counts of semaphores that the caller passes are i32. An agent's semaphore 1 begins with argument 0, and
// the largest count of semaphore 2 goes to argument 1.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME: memref<1xi32> {sparsecore.name = "array 0"}, %{{.+}}: memref<1xi32> {sparsecore.name = "array 1"}
// CHECK-DAG: %[[TWO:.+]] = arith.constant 2 : i64
// CHECK-DAG: %[[ONE:.+]] = arith.constant 1 : i64
// CHECK: func.call @sc_wait_0(%[[ONE]],
// CHECK: func.call @sc_signal_1(%[[TWO]],
// CHECK: sparsecore.passed_semaphores = array<i64: 1, 1, 0, -1, 2, 1, -1, 1>
func.func @kernel(%core: i32, %subcore: i32, %in: !sem, %out: !sem, %own: !sem)
    attributes {iteration_bounds = array<i64: 1, 2>, scratch_operands = 1 : i64,
                tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %two = arith.constant 2 : i32
  tpu.sem_wait %in, %two : !sem
  tpu.sem_signal %out, %two : !sem
  return
}
