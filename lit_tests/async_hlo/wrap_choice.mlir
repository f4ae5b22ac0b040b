// RUN: sdy-opt %s -async-wrap='custom-call-target=f,g' | FileCheck %s --check-prefixes=CHECK,TARGET
// RUN: sdy-opt %s -async-wrap='attribute=foo.mark' | FileCheck %s --check-prefixes=CHECK,MARK
// RUN: sdy-opt %s -async-wrap='attribute=_xla_compute_type=host' | FileCheck %s --check-prefixes=CHECK,HOST
// RUN: sdy-opt %s -async-wrap='attribute=_xla_compute_type' | FileCheck %s --check-prefixes=CHECK,TYPED
// RUN: sdy-opt %s -async-wrap='custom-call-target=f attribute=_xla_compute_type=host' | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: sdy-opt %s -async-wrap='ops=stablehlo.tan custom-call-target=f' | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: not sdy-opt %s -async-wrap 2>&1 | FileCheck %s --check-prefix=EMPTY

// EMPTY: error: pass 'async-wrap': nothing is chosen: expected 'ops', 'attribute' or 'custom-call-target'

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // TARGET-NEXT: async_start
  // TARGET-NEXT: async_done
  // MARK-NEXT:   custom_call @f
  // HOST-NEXT:   async_start
  // HOST-NEXT:   async_done
  // TYPED-NEXT:  async_start
  // TYPED-NEXT:  async_done
  // BOTH-NEXT:   async_start
  // BOTH-NEXT:   async_done
  // NONE-NEXT:   custom_call @f
  %0 = stablehlo.custom_call @f(%a) {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : (tensor<8xf32>) -> tensor<8xf32>
  // TARGET-NEXT: async_start
  // TARGET-NEXT: async_done
  // MARK-NEXT:   async_start
  // MARK-NEXT:   async_done
  // HOST-NEXT:   custom_call @g
  // TYPED-NEXT:  async_start
  // TYPED-NEXT:  async_done
  // BOTH-NEXT:   custom_call @g
  // NONE-NEXT:   custom_call @g
  %1 = stablehlo.custom_call @g(%0) {foo.mark, mhlo.frontend_attributes = {_xla_compute_type = "sparseoffload"}} : (tensor<8xf32>) -> tensor<8xf32>
  // TARGET-NEXT: stablehlo.tan
  // MARK-NEXT:   async_start
  // MARK-NEXT:   async_done
  // HOST-NEXT:   stablehlo.tan
  // TYPED-NEXT:  stablehlo.tan
  // BOTH-NEXT:   stablehlo.tan
  // NONE-NEXT:   stablehlo.tan
  %2 = stablehlo.tan %1 {foo.mark = 1 : i32} : tensor<8xf32>
  // CHECK-NEXT: custom_call @h
  %3 = stablehlo.custom_call @h(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
