// MLIR by its ending or by flag: passes, printing and the analysis take it as they take HLO text.
// RUN: hlo-opt %s | FileCheck %s
// RUN: hlo-opt --import-mlir < %s | FileCheck %s
// RUN: sdy-opt %s -emit-bytecode | hlo-opt | FileCheck %s
// RUN: hlo-opt %s --async-wrap='custom-call-target=lookup execution-thread=sparsecore' | FileCheck %s --check-prefix=WRAPPED
// RUN: sdy-opt %s -async-wrap='custom-call-target=lookup execution-thread=sparsecore' | hlo-opt --import-mlir --verify-roundtrip | FileCheck %s --check-prefix=WRAPPED
// RUN: hlo-opt %s --async-wrap=ops=sine --print-async-aliasing | FileCheck %s --check-prefix=ALIASING
// RUN: not hlo-opt %s --import-mlir=false 2>&1 | FileCheck %s --check-prefix=TEXT

// TEXT: hlo_opt_import_mlir.mlir:{{.*}}: error:
// TEXT: note: this is not HLO text: it looks like MLIR text; hlo-opt reads it with --import-mlir

// ALIASING: chain %{{.*}} -> %{{.*}}: sine

// CHECK: HloModule step
module @step {
  // CHECK: ENTRY %main (Arg_0: s32[8], Arg_1: f32[8]) -> (f32[8], f32[8]) {
  // WRAPPED: ENTRY %main
  func.func @main(%ids: tensor<8xi32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK: %[[ROWS:.*]] = f32[8] custom-call(%Arg_0), custom_call_target="lookup"
    // WRAPPED: %[[START:.*]] = ((s32[8]), f32[8]) custom-call-start(%Arg_0), async_execution_thread="sparsecore", custom_call_target="lookup"
    // WRAPPED-NEXT: %[[ROWS:.*]] = f32[8] custom-call-done(%[[START]])
    %0 = stablehlo.custom_call @lookup(%ids) : (tensor<8xi32>) -> tensor<8xf32>
    // CHECK-NEXT: %[[SINE:.*]] = f32[8] sine(%Arg_1)
    // WRAPPED-NEXT: %[[SINE:.*]] = f32[8] sine(%Arg_1)
    %1 = stablehlo.sine %x : tensor<8xf32>
    // CHECK-NEXT: ROOT %{{.*}} = (f32[8], f32[8]) tuple(%[[ROWS]], %[[SINE]])
    // WRAPPED-NEXT: ROOT %{{.*}} = (f32[8], f32[8]) tuple(%[[ROWS]], %[[SINE]])
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}
