// Portable artifacts (VHLO) are read as StableHLO: as bytecode and as text, from files and stdin.
// RUN: %python %S/Inputs/to_vhlo.py %s %t.vhlo
// RUN: sdy-opt %t.vhlo | FileCheck %s
// RUN: sdy-opt < %t.vhlo | FileCheck %s
// RUN: mpmd-opt %t.vhlo | FileCheck %s
// RUN: sdy-opt %t.vhlo --emit-bytecode | sdy-opt - | FileCheck %s
// RUN: sdy-opt %t.vhlo -sdy-import-pipeline | FileCheck %s --check-prefix=IMPORTED
// RUN: sdy-opt %S/Inputs/vhlo.mlir | FileCheck %s --check-prefix=TEXT

// A pipeline that begins with a pass on VHLO gets VHLO.
// RUN: sdy-opt %S/Inputs/vhlo.mlir -vhlo-to-version='target=1.0.0' | FileCheck %s --check-prefix=VHLO
// RUN: sdy-opt %S/Inputs/vhlo.mlir -pass-pipeline='builtin.module(vhlo-to-version{target=1.0.0})' | FileCheck %s --check-prefix=VHLO
// RUN: sdy-opt %S/Inputs/vhlo.mlir -vhlo-legalize-to-stablehlo -cse | FileCheck %s --check-prefix=TEXT
// VHLO: vhlo.func_v1 @text
// RUN: sdy-opt %S/Inputs/vhlo.mlir -no-implicit-module | FileCheck %s --check-prefix=TEXT

// Newer and unknown versions are errors, as is what is corrupt or of an unknown op.
// RUN: %python -c "d = open(r'%t.vhlo', 'rb').read(); open(r'%t.new', 'wb').write(d.replace(b'StableHLO_v1.', b'StableHLO_v99.'))"
// RUN: not sdy-opt %t.new -sdy-import-pipeline 2>&1 | FileCheck %s --check-prefix=NEW
// NEW: portable_artifact.mlir.tmp.new:0:0: error: the portable artifact is of StableHLO '99.{{[0-9.]+}}', and the StableHLO inside jaxlib reads 0.9.0 to {{[0-9.]+}}; a newer jaxlib reads it, or export it for an older version
// RUN: %python -c "d = open(r'%t.vhlo', 'rb').read(); open(r'%t.cut', 'wb').write(d[:len(d) // 2])"
// RUN: not sdy-opt %t.cut 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: portable_artifact.mlir.tmp.cut:0:0: error:
// CUT: note: in bytecode version {{[0-9]+}} produced by: StableHLO_v
// RUN: %python -c "d = open(r'%t.vhlo', 'rb').read(); open(r'%t.op', 'wb').write(d.replace(b'abs_v1', b'abs_v9'))"
// RUN: not sdy-opt %t.op 2>&1 | FileCheck %s --check-prefix=OP
// OP: error: unregistered operation 'vhlo.abs_v9'

// What holds an artifact and is none.
// RUN: %python -c "d = open(r'%t.vhlo', 'rb').read(); open(r'%t.flat', 'wb').write(bytes(8) + d)"
// RUN: not sdy-opt %t.flat 2>&1 | FileCheck %s --check-prefix=FLAT
// FLAT: portable_artifact.mlir.tmp.flat:0:0: error: the input is not a module, but holds one: it looks like what `exported.serialize()` of jax.export returns; write `exported.mlir_module_serialized` to the file instead

// CHECK: sdy.mesh @mesh = <["x"=2]>
// IMPORTED: sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh =
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @main
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
// TEXT-LABEL: func.func @text
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  // CHECK: stablehlo.constant
  // IMPORTED: sdy.constant
  // TEXT: stablehlo.abs
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.abs %arg0 : tensor<8xf32>
  // CHECK: sdy.sharding_constraint
  %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
  %3 = stablehlo.add %0, %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
