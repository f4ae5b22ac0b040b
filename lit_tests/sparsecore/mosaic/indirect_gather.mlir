// RUN: %python %S/Inputs/tile_program.py %s 1 | FileCheck %s
!dma = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
!hbm = memref<1000x64xf32, #tpu.memory_space<hbm>>
!ids = memref<8xi32, #tpu.memory_space<vmem>>
!vmem = memref<8x64xf32, #tpu.memory_space<vmem>>

// The first rows are prefetched, then each is checked and copied: report 3 is an offset out of bounds.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<64000xf32> {sparsecore.name = "array 0"
// CHECK-SAME: %[[STATUS:[a-z0-9]+]]: memref<8xi64> {sparsecore.status}
// CHECK-SAME: sparsecore.messages = ["ok", "3 {1} 0 {2} {3} 1000"]
// CHECK: scf.parallel
// CHECK: %[[IDS:.+]] = memref.view {{.*}} to memref<8xi32, "spmem">
// CHECK: %[[ROWS:.+]] = memref.view {{.*}} to memref<512xf32, "spmem">
// CHECK: scf.for
// CHECK: memref.prefetch %[[X]]
// CHECK: scf.for %[[N:.+]] = %c0 to %c8 step %c1 {
// CHECK-NEXT: %[[ID:.+]] = memref.load %[[IDS]][%[[N]]]
// CHECK: memref.prefetch %[[X]]
// CHECK: %[[OFFSET:.+]] = arith.index_cast %[[ID]] : i32 to index
// CHECK-NEXT: %[[HOLDS:.+]] = arith.cmpi ult, %[[OFFSET]], %c1000 : index
// CHECK-NEXT: scf.if %[[HOLDS]] {
// CHECK-NEXT: } else {
// CHECK: memref.store %{{.+}}, %[[STATUS]][%c3]
// CHECK-NEXT: func.call @sc_stop()
// CHECK-NEXT: }
// CHECK-NEXT: %[[FROM:.+]] = arith.muli %[[OFFSET]], %c64 : index
// CHECK-NEXT: %[[TO:.+]] = arith.muli %[[N]], %c64 : index
// CHECK-NEXT: %[[ROW:.+]] = vector.load %[[X]][%[[FROM]]] : memref<64000xf32>, vector<64xf32>
// CHECK-NEXT: vector.store %[[ROW]], %[[ROWS]][%[[TO]]]
func.func @kernel(%core: i32, %subcore: i32, %x: !hbm, %out: !hbm, %i: !ids, %v: !vmem, %s: !dma)
    attributes {iteration_bounds = array<i64: 2, 16>, scratch_operands = 3 : i64,
                tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  tpu.enqueue_indirect_dma source(%x : !hbm) target(%v : !vmem) offsets(%i : !ids) semaphore(%s : !dma)
  tpu.wait_indirect_dma semaphore(%s : !dma) src(%x : !hbm) dst(%v : !vmem)
  return
}
