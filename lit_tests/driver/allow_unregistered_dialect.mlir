// RUN: sdy-opt %s -allow-unregistered-dialect | FileCheck %s
// RUN: sdy-opt %s --allow_unregistered_dialect=true | FileCheck %s
// RUN: not sdy-opt %s 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not sdy-opt %s -allow-unregistered-dialect=0 2>&1 | FileCheck %s --check-prefix=REFUSED

// REFUSED: operation being parsed with an unregistered dialect

// CHECK: "no_such.op"() {a = #no_such.attr<1>} : () -> !no_such.type
%0 = "no_such.op"() {a = #no_such.attr<1>} : () -> !no_such.type
