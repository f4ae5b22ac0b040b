// RUN: rm -rf %t && sdy-opt %s -sdy-save-module='module-dump-directory=%t/new file-name=first' -sdy-close-shardings -sdy-save-module='module-dump-directory=%t/new dump-index=7' | FileCheck %s --check-prefixes=CHECK,CLOSED
// RUN: FileCheck %s --check-prefixes=CHECK,OPEN < %t/new/00.first.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,CLOSED < %t/new/07.module.mlir
// RUN: not sdy-opt %s -sdy-save-module 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not sdy-opt %s -sdy-save-module='module-dump-directory=%s' 2>&1 | FileCheck %s --check-prefix=FILE

// MISSING: error: pass 'sdy-save-module': option 'module-dump-directory' must be given
// FILE: error: cannot write '{{.*}}save_module.mlir/00.module.mlir': {{.*}}; expected a directory that files can be written to

sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @main
// OPEN-SAME:     %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>})
// CLOSED-SAME:   %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) {
  return
}
