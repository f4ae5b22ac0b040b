// RUN: %python %S/Inputs/tile_program.py %s 1 | FileCheck %s
// A kernel that prints is one of agents, so that its lines are in the order of runs. The text before
// the value is 11 bytes, "number: i32", in two integers.
// CHECK-LABEL: func.func @kernel
// CHECK-DAG: %[[LENGTH:.+]] = arith.constant 11 : i64
// CHECK-DAG: %[[FIRST:.+]] = arith.constant 2322294337631516014 : i64
// CHECK-DAG: %[[SECOND:.+]] = arith.constant 3289961 : i64
// CHECK: %[[WIDE:.+]] = arith.extsi %{{.+}} : i32 to i64
// CHECK-NEXT: %[[VALUES:.+]] = memref.alloc() : memref<1xi64, "spmem">
// CHECK-NEXT: memref.store %[[WIDE]], %[[VALUES]]
// CHECK: func.call @sc_log_0(%[[VALUES]], {{.*}}, %[[LENGTH]], %[[FIRST]], %[[SECOND]])
// CHECK: sparsecore.together = array<i64: 0, 0>
func.func @kernel(%core: i32, %subcore: i32, %x: memref<16xf32, #tpu.memory_space<hbm>>)
    attributes {iteration_bounds = array<i64: 1, 2>, scratch_operands = 0 : i64,
                tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  "tpu.log"(%subcore) <{tag = "number"}> : (i32) -> ()
  return
}
