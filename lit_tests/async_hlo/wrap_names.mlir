// RUN: sdy-opt %s -async-wrap='ops=dot' | FileCheck %s --check-prefix=DOT
// RUN: sdy-opt %s -async-wrap='ops=dot_general' | FileCheck %s --check-prefix=DOT
// RUN: sdy-opt %s -async-wrap='ops=custom-call' | FileCheck %s --check-prefix=CALL
// RUN: sdy-opt %s -async-wrap='ops=stablehlo.dott' 2>&1 | FileCheck %s --check-prefixes=MISS,NONE
// RUN: sdy-opt %s -async-wrap='ops=dott' 2>&1 | FileCheck %s --check-prefix=MISS-OPCODE
// RUN: sdy-opt %s -async-wrap='custom-call-target=lookap' 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: sdy-opt %s -async-wrap='attribute=kinds' 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// RUN: sdy-opt %s -async-wrap='ops=dot attribute=kind' 2>&1 | FileCheck %s --check-prefix=AT-ONCE

// MISS:        warning: async-wrap: no operation is called 'stablehlo.dott'; did you mean 'stablehlo.dot_general'?
// MISS-OPCODE: warning: async-wrap: no operation is called 'dott'; did you mean 'dot'?
// TARGET:      warning: async-wrap: no custom call has the target 'lookap'; did you mean 'lookup'?
// ATTRIBUTE:   warning: async-wrap: no operation has the attribute 'kinds'; did you mean 'kind'?
// AT-ONCE:     warning: async-wrap: no operation meets all criteria at once

// NONE-NOT: async_start
func.func @main(%p: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // DOT: async_start
  // DOT-NEXT: async_done
  // DOT-NEXT: custom_call
  // CALL: dot_general
  // CALL-NEXT: async_start
  %0 = stablehlo.dot_general %p, %p, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.custom_call @lookup(%0) {mhlo.frontend_attributes = {kind = "x"}} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
