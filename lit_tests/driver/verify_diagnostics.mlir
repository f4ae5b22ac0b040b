// Every form of an expectation, for errors of MLIR and for diagnostics of passes in Python.

// RUN: sdy-opt %s -split-input-file -verify-diagnostics -load-pass=%S/Inputs/passes.py -test-diagnose
// RUN: sdy-opt %s -split-input-file --verify_diagnostics=all -load-pass=%S/Inputs/passes.py -test-diagnose
// RUN: sdy-opt %s -split-input-file -verify-diagnostics=only-expected -load-pass=%S/Inputs/passes.py -test-diagnose
// RUN: not sdy-opt %s -split-input-file -load-pass=%S/Inputs/passes.py -test-diagnose

func.func @same_line() { retun } // expected-error {{custom op 'retun' is unknown}}

// -----

// expected-error@+1 {{custom op 'retun' is unknown}}
func.func @next_line() { retun }

// -----

// expected-error@+2{{custom op}}

func.func @two_below() { retun }

// -----

func.func @line_above() { retun }
// expected-error@-1 {{'retun'}}

// -----

func.func @above() { retun }
// expected-error@above {{custom op}}

// -----

// expected-error@below {{custom op}}
func.func @below() { retun }

// -----

// Lines with expectations do not count as the line above or below.
func.func private @twice()
// expected-error@below {{redefinition of symbol named 'twice'}}
// expected-note@above {{see existing symbol definition here}}
func.func private @twice()

// -----

// A note with its error.
// expected-note@below {{see existing symbol definition here}}
func.func private @twice()
// expected-error@below {{redefinition of symbol named 'twice'}}
func.func private @twice()

// -----

// expected-error@unknown {{redefinition of symbol named 'nowhere'}}
// expected-note@unknown {{see existing symbol definition}}
func.func private @nowhere() loc(unknown)
func.func private @nowhere() loc("a name only")

// -----

// In a `-re`, what stands in double braces is a regular expression, the rest is plain text.
// expected-error-re@+1 {{custom op '{{[a-z]+}}' is unknown (tried {{.*}} as well)}}
func.func @regex() { retun }

// -----

func.func private @callee()
func.func @remarks() {
  // expected-remark@+1 {{'func.call' op calls @callee}}
  func.call @callee() : () -> ()
  func.call @callee() : () -> () // expected-remark {{calls @callee}}
  return
}

// -----

// Several expectations on one line.
func.func private @one()
func.func private @two()
func.func @several() {
  // expected-remark@+1 {{calls @one}} expected-remark-re@+1 {{calls @{{t..$}}}}
  func.call @one() : () -> () func.call @two() : () -> ()
  return
}
