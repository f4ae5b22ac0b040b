// RUN: %python %S/Inputs/tile_program.py %s 1 | FileCheck %s
!dma = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
!hbm = memref<8xf32, #tpu.memory_space<hbm>>
!vmem = memref<8xf32, #tpu.memory_space<vmem>>

// Nobody else can signal, so a wait for more than there is ends the program: report 4, a deadlock. What is left of the
// semaphore at the end is report 5. Both end with the number of the semaphore's buffer.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME: %[[STATUS:[a-z0-9]+]]: memref<8xi64> {sparsecore.status}
// CHECK-SAME: sparsecore.messages = ["ok", "4 -1 -1 {1} 0 1 32 {2} 2", "5 {1} -1 0 {2} {3} -1 2"]
// CHECK: scf.parallel
// CHECK: %[[SEMAPHORE:.+]] = memref.view {{.*}} to memref<2xi64, "spmem">
// CHECK-NEXT: memref.store %{{.+}}, %[[SEMAPHORE]][%c0]
// CHECK-NEXT: %[[LOADED:.+]] = memref.load %[[SEMAPHORE]][%c0]
// CHECK-NEXT: %[[COUNT:.+]] = arith.index_cast %[[LOADED]] : i64 to index
// CHECK-NEXT: %[[ENOUGH:.+]] = arith.cmpi sle, %c32, %[[COUNT]] : index
// CHECK-NEXT: scf.if %[[ENOUGH]] {
// CHECK-NEXT: } else {
// CHECK: func.call @sc_stop()
// CHECK-NEXT: }
// CHECK-NEXT: %[[LEFT:.+]] = arith.subi %[[COUNT]], %c32 : index
// CHECK-NEXT: %[[STORED:.+]] = arith.index_cast %[[LEFT]] : index to i64
// CHECK-NEXT: memref.store %[[STORED]], %[[SEMAPHORE]][%c0]
// CHECK: %[[ZERO:.+]] = arith.cmpi eq, %{{.+}}, %c0 : index
// CHECK-NEXT: scf.if %[[ZERO]] {
// CHECK-NEXT: } else {
// CHECK: func.call @sc_stop()
func.func @kernel(%core: i32, %subcore: i32, %x: !hbm, %v: !vmem, %s: !dma)
    attributes {iteration_bounds = array<i64: 2, 16>, scratch_operands = 2 : i64,
                tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  tpu.wait_dma2 semaphore(%s : !dma) src(%x : !hbm) dst(%v : !vmem)
  return
}
