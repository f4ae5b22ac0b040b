// A wrong pipeline is an error before the input is looked at.

// RUN: not sdy-opt no_such_file.mlir -pass-pipeline=cse 2>&1 | FileCheck %s --check-prefix=WRAPPED
// RUN: not sdy-opt %s -pass-pipeline= 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not sdy-opt %s -pass-pipeline='func.func(cse)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: not sdy-opt %s -pass-pipeline='builtin.module(cse' 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not sdy-opt %s -pass-pipeline='builtin.module(cse,,cse)' 2>&1 | FileCheck %s --check-prefix=COMMAS
// RUN: not sdy-opt %s -pass-pipeline='builtin.module(cse))' 2>&1 | FileCheck %s --check-prefix=CLOSED
// RUN: not sdy-opt %s -pass-pipeline='builtin.module(func.func(symbol-dec))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not sdy-opt %s -load-pass=%S/Inputs/passes.py -pass-pipeline='builtin.module(func.func(test-break))' 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not sdy-opt %s -load-pass=%S/Inputs/passes.py -pass-pipeline='builtin.module(scf.for(test-mark))' 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: not sdy-opt %s -pass-pipeline='builtin.module(func.func(symbol-dce))' 2>&1 | FileCheck %s --check-prefix=SYMBOLS
// RUN: not sdy-opt %s -pass-pipeline='builtin.module(canonicalize{max-iterations=1)' 2>&1 | FileCheck %s --check-prefix=BRACE

// C++ would take its own pass of this name.
// RUN: not sdy-opt %s -pass-pipeline='builtin.module(inline{default-pipeline=sdy-basic-propagate})' 2>&1 | FileCheck %s --check-prefix=INNER

// WRAPPED: sdy-opt: error: pipeline 'cse': expected pass pipeline to be wrapped with the anchor operation type, e.g. 'builtin.module(cse)'
// EMPTY: expected pass pipeline to be wrapped with the anchor operation type, e.g. 'builtin.module(...)'
// ANCHOR: sdy-opt: error: can't run 'func.func' pass manager on 'builtin.module' op
// OPEN: sdy-opt: error: pipeline 'builtin.module(cse': expected ')' to close 'builtin.module(' at column 19, found the end
// COMMAS: expected the name of a pass or op at column 20, found ','
// CLOSED: expected ',' or the end of the pipeline at column 20, found ')'
// UNKNOWN: sdy-opt: error: unknown pass 'symbol-dec'; did you mean 'symbol-dce'?
// NESTED: can't run pass 'test-break', which is restricted to 'builtin.module', on 'func.func'; did you intend to nest it differently?
// LOOP: can't run pass 'test-mark', which is restricted to 'func.func', on 'scf.for'
// SYMBOLS: pass_pipeline_invalid.mlir:{{[0-9]+}}:1: error: 'func.func' op {{ *}}was scheduled to run under SymbolDCE
// BRACE: expected to close '{max-iterations=1)'
// INNER: pass 'inline': 'sdy-basic-propagate' cannot be named in its options: only MLIR's own passes can

func.func @f() {
  return
}
