func.func private @f()

// -----

func.func private @f(i32)

// -----

#alias = "last"
module attributes {test.a = #alias} {}
