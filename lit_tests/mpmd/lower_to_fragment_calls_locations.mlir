// RUN: mpmd-opt %s -mpmd-lower-to-fragment-calls -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// Locations do not matter. A function has the location of its first fragment, a call that of its
// own fragment, and a new mesh that of the module.
// CHECK:       sdy.mesh @m = <["x"=2]> loc("the module")
// CHECK:       mpmd.fragment_call<mesh="m", origin=["f"]> @f(%arg0) : {{.*}} loc("first")
// CHECK-NEXT:  mpmd.fragment_call<mesh="m", origin=["g"]> @f(%arg0) : {{.*}} loc("second")
// CHECK:       func.func @f(%arg0: tensor<8xf32> loc("a")) -> tensor<8xf32>
// CHECK-NEXT:    sdy.manual_computation
// CHECK-NEXT:      sdy.return %arg1 : tensor<4xf32> loc("inner return")
// CHECK-NEXT:    } : (tensor<8xf32>) -> tensor<8xf32> loc("computation")
// CHECK-NEXT:    return %{{.*}} : tensor<8xf32> loc("return")
// CHECK-NEXT:  } loc("first")
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: !v) attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
    %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32> loc("a")) {
      %2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
        sdy.return %b : tensor<4xf32> loc("inner return")
      } : (tensor<8xf32>) -> tensor<8xf32> loc("computation")
      mpmd.return %2 : tensor<8xf32> loc("return")
    } : (!v) -> !v loc("first")
    %1 = mpmd.fragment<mesh="m", origin=["g"]> (%arg0) (%a: tensor<8xf32> loc("b")) {
      %2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
        sdy.return %b : tensor<4xf32> loc("other return")
      } : (tensor<8xf32>) -> tensor<8xf32> loc("other computation")
      mpmd.return %2 : tensor<8xf32>
    } : (!v) -> !v loc("second")
    return
  }
} loc("the module")
