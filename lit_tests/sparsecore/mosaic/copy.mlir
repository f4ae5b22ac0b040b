// RUN: %python %S/Inputs/tile_program.py %s 1 | FileCheck %s
!dma = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
!hbm = memref<4x100xf32, #tpu.memory_space<hbm>>
!vmem = memref<4x100xf32, #tpu.memory_space<vmem>>

// Rows are adjacent on both sides: 400 elements are 6 vectors of 64 and one of 16. The wait
// takes what the transfer has just counted: nothing is left of it.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<400xf32> {sparsecore.name = "array 0"
// CHECK-SAME: memref<8xi64> {sparsecore.status}
// CHECK-SAME: sparsecore.messages = ["ok"]
// CHECK: scf.parallel
// CHECK: %[[VMEM:.+]] = memref.view {{.*}} to memref<400xf32, "spmem">
// CHECK-NEXT: scf.for %[[I:.+]] = %{{.+}} to %c384 step %c64 {
// CHECK-NEXT: %[[LONG:.+]] = vector.load %[[X]][%[[I]]] : memref<400xf32>, vector<64xf32>
// CHECK-NEXT: vector.store %[[LONG]], %[[VMEM]][%[[I]]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[REST:.+]] = vector.load %[[X]][%c384] : memref<400xf32>, vector<16xf32>
// CHECK-NEXT: vector.store %[[REST]], %[[VMEM]][%c384]
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: {sparsecore.axes = ["core", "subcore"]}
func.func @kernel(%core: i32, %subcore: i32, %x: !hbm, %out: !hbm, %v: !vmem, %s: !dma)
    attributes {iteration_bounds = array<i64: 2, 16>, scratch_operands = 2 : i64,
                tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  tpu.enqueue_dma source(%x : !hbm) target(%v : !vmem) target_semaphore(%s : !dma)
  tpu.wait_dma2 semaphore(%s : !dma) src(%x : !hbm) dst(%v : !vmem)
  return
}
