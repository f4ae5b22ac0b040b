// Shardings that are text in frontend attributes get a warning, unless a pass has imported them.
// RUN: sdy-opt %s -sdy-import-pipeline -o %t 2>&1 | FileCheck %s
// RUN: sdy-opt %s -cpp-sdy-lift-inlined-meshes -o %t 2>&1 | FileCheck %s
// RUN: mpmd-opt %s -mpmd-delay-inferred-fragments -o %t 2>&1 | FileCheck %s
// RUN: sdy-opt %s -sdy-import-pipeline -verify-diagnostics
// CHECK: frontend_attributes.mlir:{{[0-9]+}}:1: warning: the shardings of this module are text in 'mhlo.frontend_attributes' (xla.sdy.*), where no sdy pass sees them; -xla-sdy-round-trip-import-pipeline imports them

// RUN: sdy-opt %s -cse -o %t 2> %t.err && %python -c "assert not open(r'%t.err').read()"
// RUN: sdy-opt %s -xla-sdy-round-trip-import-pipeline -sdy-import-pipeline -o %t 2> %t.err && %python -c "assert not open(r'%t.err').read()"
// RUN: sdy-opt %s -xla-sdy-round-trip-import-pipeline -xla-sdy-round-trip-export-pipeline -o %t 2> %t.err && %python -c "assert not open(r'%t.err').read()"

// expected-warning@+1 {{the shardings of this module are text}}
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  func.func @main(%arg0: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}]>"}}) {
    return
  }
}
