// RUN: sdy-opt %s -split-input-file -async-verify -verify-diagnostics

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @two_users(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.async_start' op requires one consumer, found 2}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  %2 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @no_user(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.async_start' op requires one consumer, found 0}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  return %a : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @update_without_user(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  // expected-error@+1 {{'mhlo.async_update' op requires one consumer, found 0}}
  %1 = "mhlo.async_update"(%0) : (!bundle) -> !bundle
  return %a : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @leaves(%a: tensor<8xf32>) -> !bundle {
  // expected-error@+1 {{'mhlo.async_start' op requires its consumer to be an update or done}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  return %0 : !bundle
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @other_block(%a: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.async_start' op requires its consumer to be in the same block}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "stablehlo.if"(%p) ({
    %2 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }, {
    stablehlo.return %a : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @other_thread(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  // expected-error@+1 {{'mhlo.async_done' op expects execution_thread to be that of its start, "host", found "main"}}
  %1 = "mhlo.async_done"(%0) {execution_thread = "main"} : (!bundle) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @other_function(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  // expected-error@+1 {{'mhlo.async_done' op expects called_computation to be that of its start, @f, found @main}}
  %1 = "mhlo.async_done"(%0) {called_computation = @main} : (!bundle) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @two_operations(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.async_start' op requires @f to hold one operation, found 2}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  %1 = stablehlo.sine %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tuple<tensor<8xf32>, tensor<8xf32>>>

func.func @elements_in_another_order(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.async_start' op requires @f to return the results of 'stablehlo.custom_call'}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1:2 = "mhlo.async_done"(%0) : (!bundle) -> (tensor<8xf32>, tensor<8xf32>)
  return %1#0 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {execution_thread = "host"} {
  %0 = stablehlo.custom_call @g(%a) : (tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<8xf32>>
  %1 = stablehlo.get_tuple_element %0[1] {hlo.implied} : (tuple<tensor<8xf32>, tensor<8xf32>>) -> tensor<8xf32>
  %2 = stablehlo.get_tuple_element %0[0] {hlo.implied} : (tuple<tensor<8xf32>, tensor<8xf32>>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @other_result(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.async_start' op requires @f to return the results of 'stablehlo.sine'}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @no_body(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.async_start' op requires @f to have a body of one block, found 0}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @two_chains(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.async_start' op requires @f to be called by it alone, found 2 uses}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  // expected-error@+1 {{'mhlo.async_start' op requires @f to be called by it alone, found 2 uses}}
  %2 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %3 = "mhlo.async_done"(%2) : (!bundle) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @called(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.async_start' op requires @f to be called by it alone, found 2 uses}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  %2 = call @f(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @first_class(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.async_start' op cannot wrap 'stablehlo.collective_permute', which has opcodes of its own in HLO}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
