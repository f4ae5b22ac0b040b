// RUN: sdy-opt %s -split-input-file -xla-sdy-round-trip-import-shardy-attrs -verify-diagnostics

// expected-error@+1 {{'xla.sdy.meshes' must be the text of a dictionary, found "{mesh = "}}
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = "}} {
}

// -----

// expected-error@+1 {{'xla.sdy.meshes': @mesh is not a mesh: "x"}}
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = \22x\22}"}} {
}

// -----

module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  // expected-error@+1 {{'xla.sdy.meshes' has another @mesh: #sdy.mesh<["x"=2]>}}
  sdy.mesh @mesh = <["x"=4]>
}

// -----

module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  // expected-error@+1 {{'func.func' op 'xla.sdy.sharding' of argument #1 cannot be read: bad #sdy.sharding: column 19: expected `[`, found `x`}}
  func.func @argument(%arg0: tensor<8xf32>, %arg1: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@m, x>"}}) {
    return
  }
}

// -----

module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  func.func @op(%arg0: tensor<8xf32>) {
    // expected-error@+1 {{'stablehlo.custom_call' op 'xla.sdy.sharding' cannot be read: bad #sdy.sharding_per_value: column 1: expected `#sdy.sharding_per_value`}}
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    return
  }
}

// -----

module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  func.func @no_text(%arg0: tensor<8xf32>) {
    // expected-error@+1 {{'xla.sdy.sharding_rule' must be a string, found 3 : i64}}
    %0 = stablehlo.abs %arg0 {mhlo.frontend_attributes = {xla.sdy.sharding_rule = 3}} : tensor<8xf32>
    return
  }
}

// -----

module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  func.func @result(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{xla.sdy.FuncResultSharding needs one operand, one result and one sharding}}
    %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%arg0, %arg0) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}]>]>"}} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  func.func @no_dictionary(%arg0: tensor<8xf32>) {
    // expected-error@+1 {{'stablehlo.abs' op 'mhlo.frontend_attributes' must be a dictionary, found "x"}}
    %0 = stablehlo.abs %arg0 {mhlo.frontend_attributes = "x"} : tensor<8xf32>
    return
  }
}
