// RUN: %python %S/Inputs/tile_program.py %s 1 | FileCheck %s
!dma = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
!hbm = memref<8x16xf32, #tpu.memory_space<hbm>>

// All subcores have one buffer: on the runtime's side of transfers it is memory as any other.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<128xf32> {sparsecore.name = "array 0"}
// CHECK: scf.parallel
// CHECK: %[[ALL:.+]] = memref.alloc() {sparsecore.shared = "device"} : memref<512xi8, "spmem">
// CHECK: %[[H:.+]] = memref.view %[[ALL]]
// CHECK: func.call @sc_dma_0(%[[X]], %[[H]],
// CHECK: sparsecore.together = array<i64: 0, 1>
func.func @kernel(%core: i32, %subcore: i32, %x: !hbm, %out: !hbm, %h: !hbm, %s: !dma)
    attributes {iteration_bounds = array<i64: 2, 1>, scratch_operands = 2 : i64,
                tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  tpu.enqueue_dma source(%x : !hbm) target(%h : !hbm) target_semaphore(%s : !dma)
  tpu.wait_dma2 semaphore(%s : !dma) src(%x : !hbm) dst(%h : !hbm)
  return
}
