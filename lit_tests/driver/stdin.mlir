func.func private @f()

// RUN: sdy-opt < %s | FileCheck %s
// RUN: sdy-opt - < %s | FileCheck %s
// RUN: cat %s | sdy-opt -cse - | FileCheck %s
// RUN: sdy-opt -mlir-print-debuginfo < %s | FileCheck %s --check-prefix=LOC

// CHECK: func.func private @f()
// LOC: func.func private @f() loc(#[[LOC:.*]])
// LOC: #[[LOC]] = loc("<stdin>":1:1)
