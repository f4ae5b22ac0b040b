// expected-error {{is not emitted}}
func.func private @f()

// -----

func.func private @f()
func.func private @f()

// -----

// expected-warning@+1 {{custom op}}
func.func @f() { retun }

// -----

// expected-error-re@+1 {{custom {{(}}}}
// expected-error@+1 {{custom op
// expected-error@unknown {{nothing is}}
func.func private @callee()
func.func @caller() {
  func.call @callee() : () -> ()
  return
}
