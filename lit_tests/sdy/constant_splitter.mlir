// RUN: sdy-opt %s -sdy-constant-splitter 2>&1 | FileCheck %s

// Each use has its own copy, in the order of the uses.
// CHECK-LABEL: func.func @two_uses
func.func @two_uses(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[FOR_REVERSE:.*]] = sdy.constant dense<1.000000e+00> : tensor<8xf32>
  // CHECK-NEXT: %[[FOR_RETURN:.*]] = sdy.constant dense<1.000000e+00> : tensor<8xf32>
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %arg0, %[[FOR_REVERSE]]
  // CHECK-NEXT: return %[[FOR_RETURN]], %[[SUM]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// One use needs no copy.
// CHECK-LABEL: func.func @one_use
func.func @one_use(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[CONST:.*]] = sdy.constant
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %arg0, %[[CONST]]
  // CHECK-NEXT: return %[[SUM]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Nothing constant, nothing to do.
// CHECK-LABEL: func.func @no_constant
func.func @no_constant(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[NEGATED:.*]] = stablehlo.negate %arg0
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[NEGATED]], %[[NEGATED]]
  // CHECK-NEXT: return %[[SUM]]
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  %1 = stablehlo.add %0, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Two operands of one op are two uses.
// CHECK-LABEL: func.func @two_operands
func.func @two_operands() -> tensor<f32> {
  // CHECK-NEXT: %[[LHS:.*]] = sdy.constant
  // CHECK-NEXT: %[[RHS:.*]] = sdy.constant
  // CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot %[[LHS]], %[[RHS]]
  // CHECK-NEXT: return %[[DOT]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.dot %0, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// CHECK-LABEL: func.func @iota
func.func @iota() -> (tensor<8xi32>, tensor<8xi32>) {
  // CHECK-NEXT: %[[FIRST:.*]] = stablehlo.iota dim = 0
  // CHECK-NEXT: %[[SECOND:.*]] = stablehlo.iota dim = 0
  // CHECK-NEXT: return %[[FIRST]], %[[SECOND]]
  %0 = stablehlo.iota dim = 0 : tensor<8xi32>
  return %0, %0 : tensor<8xi32>, tensor<8xi32>
}

// An op that is a `sdy.constant` already.
// CHECK-LABEL: func.func @sdy_constant
func.func @sdy_constant() -> (tensor<8xi32>, tensor<8xi32>) {
  // CHECK-NEXT: %[[FIRST:.*]] = sdy.constant dense<1>
  // CHECK-NEXT: %[[SECOND:.*]] = sdy.constant dense<1>
  // CHECK-NEXT: return %[[FIRST]], %[[SECOND]]
  %0 = sdy.constant dense<1> : tensor<8xi32>
  return %0, %0 : tensor<8xi32>, tensor<8xi32>
}

// All attributes are kept.
// CHECK-LABEL: func.func @attributes
func.func @attributes() -> tensor<8xf32> {
  // CHECK-NEXT: sdy.constant {foo = 1 : i32, mhlo.frontend_attributes = {a = "b"}, sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}]>]>} dense<1.000000e+00> : tensor<8xf32>
  %0 = stablehlo.constant {foo = 1 : i32, mhlo.frontend_attributes = {a = "b"}, sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}]>]>} dense<1.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @complex
func.func @complex() -> (tensor<1xcomplex<f32>>, tensor<1xcomplex<f32>>) {
  // CHECK-NEXT: %[[FIRST:.*]] = sdy.constant {foo = "stablehlo.constant"} dense<(1.000000e+00,2.000000e+00)> : tensor<1xcomplex<f32>>
  // CHECK-NEXT: %[[SECOND:.*]] = sdy.constant {foo = "stablehlo.constant"} dense<(1.000000e+00,2.000000e+00)>
  // CHECK-NEXT: return %[[FIRST]], %[[SECOND]]
  %0 = stablehlo.constant {foo = "stablehlo.constant"} dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>
  return %0, %0 : tensor<1xcomplex<f32>>, tensor<1xcomplex<f32>>
}

// All that a constant is computed from is copied; each copy is before its original.
// CHECK-LABEL: func.func @sub_computation
func.func @sub_computation(%arg0: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK-NEXT: %[[CONST_1:.*]] = sdy.constant
  // CHECK-NEXT: %[[CONST_2:.*]] = sdy.constant
  // CHECK-NEXT: %[[SLICE_1:.*]] = stablehlo.slice %[[CONST_1]] [0:4]
  // CHECK-NEXT: %[[SLICE_2:.*]] = stablehlo.slice %[[CONST_2]] [0:4]
  // CHECK-NEXT: %[[BROADCAST_1:.*]] = stablehlo.broadcast_in_dim %[[SLICE_1]], dims = [1]
  // CHECK-NEXT: %[[BROADCAST_2:.*]] = stablehlo.broadcast_in_dim %[[SLICE_2]], dims = [1]
  // CHECK-NEXT: stablehlo.negate %arg0
  // CHECK-NEXT: %[[IOTA_1:.*]] = stablehlo.iota dim = 0
  // CHECK-NEXT: %[[IOTA_2:.*]] = stablehlo.iota dim = 0
  // CHECK-NEXT: %[[RESHAPE_1:.*]] = stablehlo.reshape %[[IOTA_1]]
  // CHECK-NEXT: %[[RESHAPE_2:.*]] = stablehlo.reshape %[[IOTA_2]]
  // CHECK-NEXT: %[[SUM_1:.*]] = stablehlo.add %[[BROADCAST_1]], %[[RESHAPE_1]]
  // CHECK-NEXT: %[[SUM_2:.*]] = stablehlo.add %[[BROADCAST_2]], %[[RESHAPE_2]]
  // CHECK-NEXT: return %[[SUM_1]], %[[SUM_2]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.slice %0 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %3 = stablehlo.negate %arg0 : tensor<2x4xf32>
  %4 = stablehlo.iota dim = 0 : tensor<8xf32>
  %5 = stablehlo.reshape %4 : (tensor<8xf32>) -> tensor<2x4xf32>
  %6 = stablehlo.add %2, %5 : tensor<2x4xf32>
  return %6, %6 : tensor<2x4xf32>, tensor<2x4xf32>
}

// Within one copy a value may have several uses.
// CHECK-LABEL: func.func @uses_inside
func.func @uses_inside(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[CONST_1:.*]] = sdy.constant
  // CHECK-NEXT: %[[CONST_2:.*]] = sdy.constant
  // CHECK-NEXT: %[[NEGATED_1:.*]] = stablehlo.negate %[[CONST_1]]
  // CHECK-NEXT: %[[NEGATED_2:.*]] = stablehlo.negate %[[CONST_2]]
  // CHECK-NEXT: %[[PRODUCT:.*]] = stablehlo.multiply %[[NEGATED_2]], %[[CONST_2]]
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %arg0, %[[NEGATED_1]]
  // CHECK-NEXT: return %[[SUM]], %[[PRODUCT]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = stablehlo.multiply %1, %0 : tensor<8xf32>
  %3 = stablehlo.add %arg0, %1 : tensor<8xf32>
  return %3, %2 : tensor<8xf32>, tensor<8xf32>
}

// Unused constants are erased, with all that only they use.
// CHECK-LABEL: func.func @unused
func.func @unused(%arg0: tensor<f32>) {
  // CHECK-NEXT: stablehlo.negate %arg0
  // CHECK-NEXT: return
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  %3 = stablehlo.negate %arg0 : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @scalars
func.func @scalars() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  // CHECK-NEXT: %[[CONST:.*]] = sdy.constant
  // CHECK-NEXT: %[[NEGATED:.*]] = stablehlo.negate %[[CONST]]
  // CHECK-NEXT: return %[[CONST]], %[[NEGATED]], %[[NEGATED]]
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.negate %0 : tensor<f32>
  return %0, %1, %1 : tensor<f32>, tensor<f32>, tensor<f32>
}

// The expansion of any scalar is copied, but not the scalar.
// CHECK-LABEL: func.func @expansion
func.func @expansion(%arg0: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[SCALAR:.*]] = stablehlo.negate %arg0
  // CHECK-NEXT: %[[FIRST:.*]] = stablehlo.broadcast_in_dim %[[SCALAR]], dims = []
  // CHECK-NEXT: %[[SECOND:.*]] = stablehlo.broadcast_in_dim %[[SCALAR]], dims = []
  // CHECK-NEXT: return %[[FIRST]], %[[SECOND]]
  %0 = stablehlo.negate %arg0 : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  return %1, %1 : tensor<8xf32>, tensor<8xf32>
}

// An op on an expansion is no constant, unless the scalar is one.
// CHECK-LABEL: func.func @use_of_expansion
func.func @use_of_expansion(%arg0: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[SCALAR:.*]] = sdy.constant
  // CHECK-NEXT: %[[EXPANDED:.*]] = stablehlo.broadcast_in_dim %arg0
  // CHECK-NEXT: %[[CONST_1:.*]] = stablehlo.broadcast_in_dim %[[SCALAR]]
  // CHECK-NEXT: %[[CONST_2:.*]] = stablehlo.broadcast_in_dim %[[SCALAR]]
  // CHECK-NEXT: %[[SHARED:.*]] = stablehlo.negate %[[EXPANDED]]
  // CHECK-NEXT: %[[NEGATED_1:.*]] = stablehlo.negate %[[CONST_1]]
  // CHECK-NEXT: %[[NEGATED_2:.*]] = stablehlo.negate %[[CONST_2]]
  // CHECK-NEXT: return %[[SHARED]], %[[SHARED]], %[[NEGATED_1]], %[[NEGATED_2]]
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %3 = stablehlo.negate %1 : tensor<8xf32>
  %4 = stablehlo.negate %2 : tensor<8xf32>
  return %3, %3, %4, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// No expansions: a broadcast of one element, a reshape, other ways to broadcast.
// CHECK-LABEL: func.func @no_expansion
func.func @no_expansion(%arg0: tensor<f32>, %arg1: tensor<1xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[BROADCAST:.*]] = stablehlo.broadcast_in_dim %arg1
  // CHECK-NEXT: %[[RESHAPE:.*]] = stablehlo.reshape %arg0
  // CHECK-NEXT: %[[OTHER:.*]] = stablehlo.broadcast %arg0
  // CHECK-NEXT: return %[[BROADCAST]], %[[BROADCAST]], %[[RESHAPE]], %[[RESHAPE]], %[[OTHER]], %[[OTHER]]
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<1xf32>) -> tensor<8xf32>
  %1 = stablehlo.reshape %arg0 : (tensor<f32>) -> tensor<1xf32>
  %2 = stablehlo.broadcast %arg0, sizes = [8] : (tensor<f32>) -> tensor<8xf32>
  return %0, %0, %1, %1, %2, %2 : tensor<8xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>, tensor<8xf32>, tensor<8xf32>
}

// Scalars are not copied, and neither is what they are computed from.
// CHECK-LABEL: func.func @scalar_within
func.func @scalar_within() -> (tensor<1xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[CONST_1:.*]] = sdy.constant
  // CHECK-NEXT: %[[CONST_2:.*]] = sdy.constant
  // CHECK-NEXT: %[[SLICE_1:.*]] = stablehlo.slice %[[CONST_1]]
  // CHECK-NEXT: %[[SLICE_2:.*]] = stablehlo.slice %[[CONST_2]]
  // CHECK-NEXT: %[[SCALAR:.*]] = stablehlo.reshape %[[SLICE_2]]
  // CHECK-NEXT: %[[BROADCAST_1:.*]] = stablehlo.broadcast_in_dim %[[SCALAR]]
  // CHECK-NEXT: %[[BROADCAST_2:.*]] = stablehlo.broadcast_in_dim %[[SCALAR]]
  // CHECK-NEXT: return %[[SLICE_1]], %[[BROADCAST_1]], %[[BROADCAST_2]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.slice %0 [0:1] : (tensor<8xf32>) -> tensor<1xf32>
  %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8xf32>
  return %1, %3, %3 : tensor<1xf32>, tensor<8xf32>, tensor<8xf32>
}

// Pure element-wise ops count, of other dialects too.
// CHECK-LABEL: func.func @element_wise
func.func @element_wise() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-COUNT-2: sdy.constant
  // CHECK-COUNT-2: stablehlo.compare
  // CHECK-COUNT-2: stablehlo.convert
  // CHECK-COUNT-2: stablehlo.select
  // CHECK-COUNT-2: stablehlo.clamp
  // CHECK-COUNT-2: chlo.sinh
  // CHECK-COUNT-2: mhlo.copy
  // CHECK-COUNT-2: math.absf
  // CHECK-COUNT-2: arith.mulf
  // CHECK-COUNT-2: sdy.propagation_barrier
  // CHECK-COUNT-2: sdy.reshard
  // CHECK-NEXT:    return
  %0 = stablehlo.constant dense<1> : tensor<8xi32>
  %1 = stablehlo.compare LT, %0, %0 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %2 = stablehlo.convert %0 : (tensor<8xi32>) -> tensor<8xf32>
  %3 = stablehlo.select %1, %2, %2 : tensor<8xi1>, tensor<8xf32>
  %4 = stablehlo.clamp %2, %3, %3 : tensor<8xf32>
  %5 = chlo.sinh %4 : tensor<8xf32> -> tensor<8xf32>
  %6 = mhlo.copy %5 : tensor<8xf32>
  %7 = math.absf %6 : tensor<8xf32>
  %8 = arith.mulf %7, %7 : tensor<8xf32>
  %9 = sdy.propagation_barrier %8 allowed_direction=NONE : tensor<8xf32>
  %10 = sdy.reshard %9 <mesh<["x"=2]>, [{"x"}]> : tensor<8xf32>
  return %10, %10 : tensor<8xf32>, tensor<8xf32>
}

// Other ops are uses: these move elements, have effects, or matter to shardings.
// CHECK-LABEL: func.func @no_constants
func.func @no_constants() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-COUNT-3: sdy.constant
  // CHECK:         %[[REVERSE:.*]] = stablehlo.reverse
  // CHECK-NEXT:    %[[CONSTRAINT:.*]] = sdy.sharding_constraint %[[REVERSE]]
  // CHECK-NEXT:    %[[BARRIER:.*]] = stablehlo.optimization_barrier %[[CONSTRAINT]]
  // CHECK-NEXT:    %[[CALL:.*]] = stablehlo.custom_call @f(%[[BARRIER]])
  // CHECK-NEXT:    %[[CONCAT:.*]] = stablehlo.concatenate %[[CALL]]
  // CHECK-NEXT:    %[[TRANSPOSE:.*]] = stablehlo.transpose %[[CONCAT]]
  // CHECK-NEXT:    %[[RNG:.*]] = stablehlo.rng
  // CHECK-NEXT:    %[[SUM:.*]] = stablehlo.add %[[RNG]], %[[TRANSPOSE]]
  // CHECK-NEXT:    return %[[SUM]], %[[SUM]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.constant dense<8> : tensor<1xi64>
  %2 = stablehlo.constant dense<1.0> : tensor<f32>
  %3 = stablehlo.reverse %0, dims = [0] : tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <mesh<["x"=2]>, [{"x"}]> : tensor<8xf32>
  %5 = stablehlo.optimization_barrier %4 : tensor<8xf32>
  %6 = stablehlo.custom_call @f(%5) : (tensor<8xf32>) -> tensor<8xf32>
  %7 = stablehlo.concatenate %6, dim = 0 : (tensor<8xf32>) -> tensor<8xf32>
  %8 = stablehlo.transpose %7, dims = [0] : (tensor<8xf32>) -> tensor<8xf32>
  %9 = stablehlo.rng %2, %2, %1, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
  %10 = stablehlo.add %9, %8 : tensor<8xf32>
  return %10, %10 : tensor<8xf32>, tensor<8xf32>
}

// A unary op is pure unless it makes a dynamic dimension static.
// CHECK-LABEL: func.func @dynamic_unary
func.func @dynamic_unary() -> (tensor<?xf32>, tensor<?xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2xf32>, tensor<2xf32>) {
  // CHECK-COUNT-4: sdy.constant
  // CHECK-COUNT-4: stablehlo.negate {{.*}} : (tensor<8xf32>) -> tensor<?xf32>
  // CHECK-NEXT:    %[[NEGATED_1:.*]] = stablehlo.negate {{.*}} : tensor<?xf32>
  // CHECK-NEXT:    %[[NEGATED_2:.*]] = stablehlo.negate {{.*}} : tensor<?xf32>
  // CHECK-NEXT:    %[[STATIC:.*]] = stablehlo.negate {{.*}} : (tensor<?xf32>) -> tensor<8xf32>
  // CHECK-NEXT:    %[[SLICE:.*]] = stablehlo.slice
  // CHECK-NEXT:    return %[[NEGATED_1]], %[[NEGATED_2]], %[[STATIC]], %[[STATIC]], %[[SLICE]], %[[SLICE]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.negate %0 : (tensor<8xf32>) -> tensor<?xf32>
  %2 = stablehlo.negate %1 : tensor<?xf32>
  %3 = stablehlo.negate %1 : (tensor<?xf32>) -> tensor<8xf32>
  %4 = stablehlo.slice %1 [0:2] : (tensor<?xf32>) -> tensor<2xf32>
  return %2, %2, %3, %3, %4, %4 : tensor<?xf32>, tensor<?xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2xf32>, tensor<2xf32>
}

// Ops on several operands, reshape and broadcast_in_dim are pure on static operands only.
// CHECK-LABEL: func.func @dynamic_operands
func.func @dynamic_operands() -> (tensor<?xf32>, tensor<?xf32>, tensor<8xf32>, tensor<8xf32>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK:      %[[SUM:.*]] = stablehlo.add {{.*}} : tensor<?xf32>
  // CHECK-NEXT: %[[RESHAPE:.*]] = stablehlo.reshape
  // CHECK-NEXT: %[[STATIC_1:.*]] = stablehlo.add {{.*}} : (tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  // CHECK-NEXT: %[[STATIC_2:.*]] = stablehlo.add {{.*}} : (tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  // CHECK-NEXT: return %[[SUM]], %[[SUM]], %[[RESHAPE]], %[[RESHAPE]], %[[STATIC_1]], %[[STATIC_2]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.negate %0 : (tensor<8xf32>) -> tensor<?xf32>
  %2 = stablehlo.add %1, %1 : tensor<?xf32>
  %3 = stablehlo.reshape %1 : (tensor<?xf32>) -> tensor<8xf32>
  %4 = stablehlo.add %0, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  return %2, %2, %3, %3, %4, %4 : tensor<?xf32>, tensor<?xf32>, tensor<8xf32>, tensor<8xf32>, tensor<?xf32>, tensor<?xf32>
}

// A bitcast is a constant if it keeps the shape.
// CHECK-LABEL: func.func @bitcast
func.func @bitcast() -> (tensor<8xi32>, tensor<8xi32>, tensor<8x2xi16>, tensor<8x2xi16>) {
  // CHECK-COUNT-3: sdy.constant
  // CHECK:         %[[SAME_1:.*]] = stablehlo.bitcast_convert
  // CHECK-NEXT:    %[[SAME_2:.*]] = stablehlo.bitcast_convert
  // CHECK-NEXT:    %[[SPLIT:.*]] = stablehlo.bitcast_convert
  // CHECK-NEXT:    return %[[SAME_1]], %[[SAME_2]], %[[SPLIT]], %[[SPLIT]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<8xf32>) -> tensor<8xi32>
  %2 = stablehlo.bitcast_convert %0 : (tensor<8xf32>) -> tensor<8x2xi16>
  return %1, %1, %2, %2 : tensor<8xi32>, tensor<8xi32>, tensor<8x2xi16>, tensor<8x2xi16>
}

// Tuples and tokens are neither constants nor scalars.
// CHECK-LABEL: func.func @tuple
func.func @tuple(%arg0: !stablehlo.token) -> (tuple<tensor<8xf32>, tensor<8xf32>>, !stablehlo.token) {
  // CHECK-NEXT: %[[FIRST:.*]] = sdy.constant
  // CHECK-NEXT: %[[SECOND:.*]] = sdy.constant
  // CHECK-NEXT: %[[TUPLE:.*]] = stablehlo.tuple %[[FIRST]], %[[SECOND]]
  // CHECK-NEXT: %[[TOKEN:.*]] = stablehlo.after_all %arg0, %arg0
  // CHECK-NEXT: return %[[TUPLE]], %[[TOKEN]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.tuple %0, %0 : tuple<tensor<8xf32>, tensor<8xf32>>
  %2 = stablehlo.after_all %arg0, %arg0 : !stablehlo.token
  return %1, %2 : tuple<tensor<8xf32>, tensor<8xf32>>, !stablehlo.token
}

// Uses in regions: an op comes before the ops in its regions.
// CHECK-LABEL: func.func @uses_in_regions
func.func @uses_in_regions(%arg0: tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[INIT:.*]] = sdy.constant
  // CHECK-NEXT: %[[IN_BODY:.*]] = sdy.constant
  // CHECK-NEXT: %[[NEXT:.*]] = sdy.constant
  // CHECK-NEXT: %[[RETURNED:.*]] = sdy.constant
  // CHECK-NEXT: %[[WHILE:.*]] = stablehlo.while(%{{.*}} = %[[INIT]])
  // CHECK:      do {
  // CHECK-NEXT:   %[[NEGATED:.*]] = stablehlo.negate %[[IN_BODY]]
  // CHECK-NEXT:   %[[INSIDE_1:.*]] = sdy.constant dense<2.000000e+00>
  // CHECK-NEXT:   %[[INSIDE_2:.*]] = sdy.constant dense<2.000000e+00>
  // CHECK-NEXT:   stablehlo.concatenate %[[NEGATED]], %[[INSIDE_1]], %[[INSIDE_2]]
  // CHECK-NEXT:   stablehlo.return %[[NEXT]]
  // CHECK:      return %[[WHILE]], %[[RETURNED]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.while(%iterArg = %0) : tensor<8xf32>
  cond {
    stablehlo.return %arg0 : tensor<i1>
  } do {
    %2 = stablehlo.negate %0 : tensor<8xf32>
    %3 = stablehlo.constant dense<2.0> : tensor<8xf32>
    %4 = stablehlo.concatenate %2, %3, %3, dim = 0 : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<24xf32>
    stablehlo.return %0 : tensor<8xf32>
  }
  return %1, %0 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @manual_computation
func.func @manual_computation() -> tensor<8xf32> {
  // CHECK-NEXT: %[[OUTER:.*]] = sdy.constant
  // CHECK-NEXT: sdy.manual_computation(%[[OUTER]])
  // CHECK-NEXT:   %[[INNER_1:.*]] = sdy.constant
  // CHECK-NEXT:   %[[INNER_2:.*]] = sdy.constant
  // CHECK-NEXT:   %[[SUM:.*]] = stablehlo.add %[[ARG:.*]], %[[INNER_1]]
  // CHECK-NEXT:   stablehlo.concatenate %[[SUM]], %[[INNER_2]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<mesh<["x"=2]>, [{"x"}]>] out_shardings=[<mesh<["x"=2]>, [{"x"}]>] manual_axes={"x"} (%arg0: tensor<4xf32>) {
    %2 = stablehlo.constant dense<1.0> : tensor<4xf32>
    %3 = stablehlo.add %arg0, %2 : tensor<4xf32>
    %4 = stablehlo.concatenate %3, %2, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    sdy.return %3 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Conversion of constants folds what MLIR can fold without new constants.
// CHECK-LABEL: func.func @folded
func.func @folded(%arg0: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK-NEXT: return %arg0
  %0 = stablehlo.constant dense<0> : tensor<8xi32>
  %1 = arith.addi %arg0, %0 : tensor<8xi32>
  return %1 : tensor<8xi32>
}
