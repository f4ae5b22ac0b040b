// RUN: sdy-opt %s -split-input-file -xla-sdy-round-trip-import-shardy-attrs | FileCheck %s

// CHECK-LABEL: module @all attributes {mhlo.frontend_attributes = {a = "b"}} {
// CHECK-NEXT:    sdy.mesh @max = <[], device_ids=[1]>
// CHECK-NEXT:    sdy.mesh @mesh = <["x"=4, "y"=2]>
module @all attributes {mhlo.frontend_attributes = {a = "b", xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=4, \22y\22=2]>, max = #sdy.mesh<[], device_ids=[1]>}"}} {
  // CHECK-LABEL: func.func private @declared(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
  func.func private @declared(tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}]>"}})

  // CHECK-LABEL: func.func @arguments(
  // CHECK-SAME:    %arg0: tensor<8xf32> {mhlo.frontend_attributes = {foo = "bar"}, sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1], replicated={"y"}>},
  // CHECK-SAME:    %arg1: tensor<8xf32>) -> tensor<8xf32> {
  func.func @arguments(
      %arg0: tensor<8xf32> {mhlo.frontend_attributes = {foo = "bar", xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}p1], replicated={\22y\22}>"}, mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dim_replicate}"},
      %arg1: tensor<8xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<8xf32> {mhlo.sharding = "{replicated}"}) {
    return %arg0 : tensor<8xf32>
  }

  // Quotes may be escaped, as in HLO.
  // CHECK-LABEL: func.func @escaped(
  // CHECK-SAME:    {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
  func.func @escaped(%arg0: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\\\22x\\\22}]>"}}) {
    return
  }

  // CHECK-LABEL: func.func @ops
  func.func @ops(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    // Shardings of these are imported, and all rules.
    // CHECK-NEXT: stablehlo.custom_call @Sharding(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
    // CHECK-NEXT: stablehlo.custom_call @xla_python_cpu_callback({{.*}}) {sdy.sharding = #sdy.sharding_per_value<[<@max, []>]>}
    // CHECK-NEXT: stablehlo.custom_call @xla_ffi_python_gpu_callback({{.*}}) {sdy.sharding = #sdy.sharding_per_value<[<@max, []>]>}
    // CHECK-NEXT: stablehlo.custom_call @foo({{.*}}) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>}
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>"}, mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.custom_call @xla_python_cpu_callback(%0) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@max, []>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = stablehlo.custom_call @xla_ffi_python_gpu_callback(%1) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@max, []>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    %3 = stablehlo.custom_call @foo(%2) {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>"}} : (tensor<8xf32>) -> tensor<8xf32>
    // Those of other ops are not: XLA copies them to ops that they do not describe.
    // CHECK-NEXT: stablehlo.abs %{{.*}} {mhlo.frontend_attributes = {k = "v"}} :
    // CHECK-NEXT: stablehlo.custom_call @Sharding(%{{.*}}) : (tensor<8xf32>) -> tensor<8xf32>
    %4 = stablehlo.abs %3 {mhlo.frontend_attributes = {k = "v", xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>"}, mhlo.sharding = "{replicated}"} : tensor<8xf32>
    %5 = stablehlo.custom_call @Sharding(%4) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
    return %5 : tensor<8xf32>
  }

  // The sharding of a result; its other users get an open constraint.
  // CHECK-LABEL: func.func @results
  // CHECK-SAME:    -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1], replicated={"y"}>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
  func.func @results(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: %[[OPEN:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{"x", ?}p1], replicated={"y"}>
    // CHECK-NEXT: %[[ABS:.*]] = stablehlo.abs %[[OPEN]]
    // CHECK-NEXT: return %[[ABS]], %[[OPEN]], %arg0
    %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%arg0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}p1], replicated={\22y\22}>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%arg0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22y\22}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = stablehlo.abs %0 : tensor<8xf32>
    return %2, %0, %1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// A mesh that is there already.
// CHECK-LABEL: module @same {
// CHECK-NEXT:    sdy.mesh @mesh = <["x"=2]>
// CHECK-NEXT:    func.func @f
module @same attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @f() {
    return
  }
}

// -----

// Without anything of sdy, the attributes of XLA stay.
// CHECK-LABEL: module @gspmd attributes {mhlo.frontend_attributes = {a = "b"}} {
// CHECK-NEXT:    func.func @f(%arg0: tensor<8xf32> {mhlo.sharding = "{replicated}"})
module @gspmd attributes {mhlo.frontend_attributes = {a = "b"}} {
  func.func @f(%arg0: tensor<8xf32> {mhlo.sharding = "{replicated}"}) {
    return
  }
}
