// Warnings and remarks of passes are printed as MLIR's errors are: place, message, line.

// RUN: sdy-opt %s -load-pass=%S/Inputs/passes.py -test-diagnose -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: sdy-opt %s -load-pass=%S/Inputs/passes.py -test-diagnose='severity=warning prefix="it "' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: not sdy-opt %s -load-pass=%S/Inputs/passes.py -test-diagnose=severity=error > %t.out 2> %t && FileCheck %s --check-prefix=ERROR < %t
// RUN: not grep . %t.out

// REMARK: diagnostics.mlir:[[LINE:[0-9]+]]:3: remark: 'func.call' op calls @callee
// REMARK-NEXT: call @callee() : () -> ()
// REMARK-NEXT: ^
// WARNING: diagnostics.mlir:{{[0-9]+}}:3: warning: 'func.call' op it calls @callee
// ERROR: diagnostics.mlir:{{[0-9]+}}:3: error: 'func.call' op calls @callee
// ERROR-NEXT: call @callee() : () -> ()
// ERROR-NEXT: ^

// RUN: sdy-opt %s -load-pass=%S/Inputs/passes.py -test-diagnose -mlir-diagnostic-verbosity-level=warnings -o /dev/null > %t 2>&1 && not grep . %t
// RUN: sdy-opt %s -load-pass=%S/Inputs/passes.py -test-diagnose=severity=warning -mlir-diagnostic-verbosity-level=errors -o /dev/null > %t 2>&1 && not grep . %t

// MLIR's notes: the op as it is, and others.
// RUN: not sdy-opt %s -load-pass=%S/Inputs/passes.py -test-break 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: not sdy-opt %s -load-pass=%S/Inputs/passes.py -test-break -mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s --check-prefix=NONOTE
// RUN: not sdy-opt %s -load-pass=%S/Inputs/passes.py -test-break -mlir-disable-diagnostic-notes 2>&1 | FileCheck %s --check-prefix=NONOTE
// NOTE: error: block with no terminator
// NOTE: note: see current operation:
// NONOTE: error: block with no terminator
// NONOTE-NOT: note:

func.func private @callee()
func.func @caller() {
  call @callee() : () -> ()
  return
}
