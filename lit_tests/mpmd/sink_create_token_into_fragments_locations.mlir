// RUN: mpmd-opt %s -mpmd-sink-create-token-into-fragments -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// New tokens have the location of the fragment; all other locations stay.
// CHECK-LABEL: func.func @locations
func.func @locations(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // CHECK-NEXT: stablehlo.create_token : !stablehlo.token loc("outer")
  // CHECK-NEXT: mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%{{.*}}: tensor<8xf32> loc("a")) {
  // CHECK-NEXT:   stablehlo.create_token : !stablehlo.token loc("f")
  // CHECK-NEXT:   mpmd.return %{{.*}} : tensor<8xf32> loc("end")
  // CHECK-NEXT: } : (!mpmd.mesh_tensor<"m1", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>> loc("f")
  %0 = stablehlo.create_token : !stablehlo.token loc("outer")
  %1:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%0, %arg0)
      (%token: !stablehlo.token loc("token"), %a: tensor<8xf32> loc("a")) {
    mpmd.return %a, %token : tensor<8xf32>, !stablehlo.token loc("end")
  } : (!stablehlo.token, !v) -> (!v, !stablehlo.token) loc("f")
  return %1#0 : !v
}
