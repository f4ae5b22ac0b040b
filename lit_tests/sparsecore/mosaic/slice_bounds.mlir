// RUN: %python %S/Inputs/tile_program.py %s 1 | FileCheck %s
!dma = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
!hbm = memref<40xf32, #tpu.memory_space<hbm>>
!part = memref<8xf32, #tpu.memory_space<hbm>>
!vmem = memref<8xf32, #tpu.memory_space<vmem>>

// One comparison without a sign finds starts that are too large or negative. Report 1 is a slice out of bounds, at
// place 0: the line of the slice, not of the transfer.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<40xf32> {sparsecore.name = "array 0"
// CHECK-SAME: %[[STATUS:[a-z0-9]+]]: memref<8xi64> {sparsecore.status}
// CHECK-SAME: sparsecore.locations = ["-:[[# @LINE + 17]]", "-:[[# @LINE + 18]]"]
// CHECK-SAME: sparsecore.messages = ["ok", "1 {1} 0 0 0 1 {2} {3} 40"]
// CHECK: scf.parallel (%[[CORE:.+]], %[[SUBCORE:.+]]) =
// CHECK-NEXT: %[[FIRST:.+]] = arith.muli %[[CORE]], %c16 : index
// CHECK-NEXT: %[[AGENT:.+]] = arith.addi %[[FIRST]], %[[SUBCORE]] : index
// CHECK: %[[START:.+]] = arith.index_cast %{{.+}} : i32 to index
// CHECK: %[[HOLDS:.+]] = arith.cmpi ule, %[[START]], %c32 : index
// CHECK: scf.if %[[HOLDS]] {
// CHECK-NEXT: } else {
// CHECK: %[[WHO:.+]] = arith.index_cast %[[AGENT]] : index to i64
// CHECK-NEXT: memref.store %[[WHO]], %[[STATUS]][%c1]
// CHECK: func.call @sc_stop()
// CHECK-NEXT: }
// CHECK-NEXT: vector.load %[[X]][%[[START]]] : memref<40xf32>, vector<8xf32>
func.func @kernel(%core: i32, %subcore: i32, %x: !hbm, %v: !vmem, %s: !dma)
    attributes {iteration_bounds = array<i64: 2, 16>, scratch_operands = 2 : i64,
                tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %part = tpu.memref_slice %x[%subcore] : !hbm -> !part
  tpu.enqueue_dma source(%part : !part) target(%v : !vmem) target_semaphore(%s : !dma)
  tpu.wait_dma2 semaphore(%s : !dma) src(%part : !part) dst(%v : !vmem)
  return
}
