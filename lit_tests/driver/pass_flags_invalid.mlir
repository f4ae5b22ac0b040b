// RUN: not sdy-opt %s -cze 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not sdy-opt %s --symbol-dec 2>&1 | FileCheck %s --check-prefix=SYMBOL
// RUN: not sdy-opt %s --split-input-fil 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not sdy-opt %s -cse=a=1 2>&1 | FileCheck %s --check-prefix=NOOPTION
// RUN: not sdy-opt %s -canonicalize=max-iterations=x 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not sdy-opt %s -load-pass=%S/Inputs/passes.py -test-diagnose=severity=fatal 2>&1 | FileCheck %s --check-prefix=CHOICE
// RUN: not sdy-opt %s -load-pass=%S/Inputs/passes.py -test-diagnose=severty=error 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not sdy-opt %s -load-pass=%S/Inputs/passes.py -test-mark=x=1 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not sdy-opt %s -cse -pass-pipeline='builtin.module(cse)' 2>&1 | FileCheck %s --check-prefix=BOTH

// UNKNOWN: sdy-opt: error: Unknown command line argument '-cze'. Try '--help'. Did you mean '--cse'?
// SYMBOL: Unknown command line argument '--symbol-dec'. Try '--help'. Did you mean '--symbol-dce'?
// FLAG: Unknown command line argument '--split-input-fil'. Try '--help'. Did you mean '--split-input-file'?
// NOOPTION: sdy-opt: error: pass 'cse' has no options, found 'a'
// VALUE: sdy-opt: error: pass 'canonicalize': cannot read the options 'max-iterations=x'
// CHOICE: sdy-opt: error: pass 'test-diagnose': option 'severity' expects one of remark, warning, error, found 'fatal'
// NEAR: sdy-opt: error: pass 'test-diagnose' has no option 'severty'; did you mean 'severity'?
// NONE: sdy-opt: error: pass 'test-mark' has no options, found 'x'
// BOTH: sdy-opt: error: '-pass-pipeline' option can't be used with individual pass options
