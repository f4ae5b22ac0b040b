// The pass of the tutorial.

// RUN: sdy-opt %s -load-pass=%S/../../examples/passes/count_constraints.py -count-constraints | FileCheck %s
// RUN: sdy-opt %s -load-pass=%S/../../examples/passes/count_constraints.py -count-constraints=axis=y | FileCheck %s --check-prefix=AXIS
// RUN: not sdy-opt %s -load-pass=%S/../../examples/passes/count_constraints.py -count-constraints=limit=1 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: sdy-opt %s -load-pass=%S/../../examples/passes/count_constraints.py -count-constraints='verbose axis=y' 2>&1 | FileCheck %s --check-prefix=VERBOSE

sdy.mesh @mesh = <["x"=2, "y"=2]>

// LIMIT: error: 'sdy.sharding_constraint' op exceeds the limit of 1 in @two
// LIMIT-NEXT: %1 = sdy.sharding_constraint
// VERBOSE: remark: 'sdy.sharding_constraint' op is number 1
// VERBOSE-NEXT: %1 = sdy.sharding_constraint

// CHECK: func.func @two({{.*}}) -> tensor<8xf32> attributes {example.constraints = 2 : i64}
// AXIS: func.func @two({{.*}}) -> tensor<8xf32> attributes {example.constraints = 1 : i64}
func.func @two(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x", "y"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK: func.func @none(%{{.*}}: tensor<8xf32>) {
func.func @none(%a: tensor<8xf32>) {
  return
}
