// RUN: sdy-opt %s -split-input-file -async-schedule -async-verify | FileCheck %s

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

// Operations that a start depends on come first, users of its done last; the terminator stays.
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: stablehlo.tan
  // CHECK-NEXT: async_start
  // CHECK-NEXT: stablehlo.sine
  // CHECK-NEXT: stablehlo.cosine
  // CHECK-NEXT: async_done
  // CHECK-NEXT: stablehlo.negate
  // CHECK-NEXT: return
  %0 = stablehlo.sine %a : tensor<8xf32>
  %1 = stablehlo.tan %a : tensor<8xf32>
  %2 = "mhlo.async_start"(%1) {called_computation = @f, execution_thread = "main"} : (tensor<8xf32>) -> !bundle
  %3 = "mhlo.async_done"(%2) : (!bundle) -> tensor<8xf32>
  %4 = stablehlo.negate %3 : tensor<8xf32>
  %5 = stablehlo.cosine %0 : tensor<8xf32>
  return %4, %5 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.tan %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Blocks without chains keep their order, blocks in regions are scheduled on their own.
// CHECK-LABEL: func.func @regions
func.func @regions(%a: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  // CHECK-NEXT: stablehlo.tan
  // CHECK-NEXT: stablehlo.negate
  // CHECK-NEXT: stablehlo.if
  // CHECK-NEXT:   async_start
  // CHECK-NEXT:   stablehlo.cosine
  // CHECK-NEXT:   async_done
  // CHECK-NEXT:   stablehlo.add
  %0 = stablehlo.tan %a : tensor<8xf32>
  %1 = stablehlo.negate %a : tensor<8xf32>
  %2 = "stablehlo.if"(%p) ({
    %3 = stablehlo.cosine %0 : tensor<8xf32>
    %4 = "mhlo.async_start"(%1) {called_computation = @f, execution_thread = "main"} : (tensor<8xf32>) -> !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>
    %5 = "mhlo.async_done"(%4) : (!mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>) -> tensor<8xf32>
    %6 = stablehlo.add %3, %5 : tensor<8xf32>
    stablehlo.return %6 : tensor<8xf32>
  }, {
    stablehlo.return %a : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.tan %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

// A use in a region counts as one.
// CHECK-LABEL: func.func @used_in_region
func.func @used_in_region(%a: tensor<8xf32>, %p: tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: async_start
  // CHECK-NEXT: stablehlo.cosine
  // CHECK-NEXT: async_done
  // CHECK-NEXT: stablehlo.if
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "main"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  %2 = "stablehlo.if"(%p) ({
    stablehlo.return %1 : tensor<8xf32>
  }, {
    stablehlo.return %a : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  %3 = stablehlo.cosine %a : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.tan %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

// Side effects keep their order: of an operation, in a region, in a callee, in a chain.
// CHECK-LABEL: func.func @effects
func.func @effects(%a: tensor<8xf32>, %p: tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: @pure, execution_thread = "main"
  // CHECK-NEXT: custom_call @log
  // CHECK-NEXT: @effect, execution_thread = "host"
  // CHECK-NEXT: stablehlo.tan
  // CHECK-NEXT: async_done
  // CHECK-NEXT: stablehlo.if
  // CHECK-NEXT:   custom_call @log
  // CHECK:      call @logs
  // CHECK-NEXT: async_done
  // CHECK-NEXT: return
  stablehlo.custom_call @log(%a) {has_side_effect = true} : (tensor<8xf32>) -> ()
  %0 = "mhlo.async_start"(%a) {called_computation = @effect, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  %2 = "stablehlo.if"(%p) ({
    stablehlo.custom_call @log(%a) {has_side_effect = true} : (tensor<8xf32>) -> ()
    stablehlo.return %a : tensor<8xf32>
  }, {
    stablehlo.return %a : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  %3 = func.call @logs(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = "mhlo.async_start"(%a) {called_computation = @pure, execution_thread = "main"} : (tensor<8xf32>) -> !bundle
  %5 = "mhlo.async_done"(%4) : (!bundle) -> tensor<8xf32>
  %6 = stablehlo.tan %a : tensor<8xf32>
  return %5, %6 : tensor<8xf32>, tensor<8xf32>
}
func.func private @effect(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.custom_call @read(%a) {has_side_effect = true} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @pure(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.custom_call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @logs(%a: tensor<8xf32>) -> tensor<8xf32> {
  stablehlo.custom_call @log(%a) {has_side_effect = true} : (tensor<8xf32>) -> ()
  return %a : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

// An update in place does not pass earlier or later readers of the value.
// CHECK-LABEL: func.func @in_place
func.func @in_place(%table: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: @lookup, execution_thread
  // CHECK-NEXT: async_done
  // CHECK-NEXT: @update, execution_thread
  // CHECK-NEXT: stablehlo.tan
  // CHECK-NEXT: async_done
  // CHECK-NEXT: stablehlo.sine
  // CHECK-NEXT: return
  %0 = "mhlo.async_start"(%table) {called_computation = @lookup, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  %2 = "mhlo.async_start"(%table) {called_computation = @update, execution_thread = "main"} : (tensor<8xf32>) -> !bundle
  %3 = "mhlo.async_done"(%2) : (!bundle) -> tensor<8xf32>
  %4 = stablehlo.sine %table : tensor<8xf32>
  %5 = stablehlo.tan %1 : tensor<8xf32>
  return %3, %4, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func private @lookup(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.custom_call @lookup(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @update(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.custom_call @update(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
