// RUN: sdy-opt %s -emit-bytecode -o %t.mlirbc
// RUN: sdy-opt %t.mlirbc | FileCheck %s
// RUN: sdy-opt -cse -split-input-file < %t.mlirbc | FileCheck %s
// RUN: sdy-opt %s --emit-bytecode | sdy-opt - | FileCheck %s
// RUN: sdy-opt %t.mlirbc -mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// RUN: sdy-opt %s -emit-bytecode -emit-bytecode-version=5 -o %t.old && sdy-opt %t.old | FileCheck %s
// RUN: not sdy-opt %s -emit-bytecode -emit-bytecode-version=99 -o %t.new 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: error: unsupported version requested 99, must be in range [0,
// VERSION-NOT: cannot write

// RUN: %python -c "d = open(r'%t.mlirbc', 'rb').read(); open(r'%t.cut', 'wb').write(d[:len(d) // 2])"
// RUN: not sdy-opt %t.cut 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: bytecode.mlir.tmp.cut:0:0: error:

// RUN: not sdy-opt %S/Inputs/split.mlir -split-input-file -emit-bytecode -o %t.several 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: sdy-opt: error: the input has 3 modules, and bytecode holds one; leave out -emit-bytecode

// CHECK: sdy.mesh @mesh = <["x"=2]>
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @f
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
// LOC: loc("{{.*}}bytecode.mlir":{{[0-9]+}}:1)
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}
