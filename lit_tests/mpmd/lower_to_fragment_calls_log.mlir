// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls='verbose-logging=true' -o %t 2>&1 | FileCheck %s
// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls='verbose-logging=true naming=program' -o %t 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls 2>&1 | FileCheck %s --check-prefix=SILENT

// SILENT-NOT: will execute

// For each mesh of `main`, the functions that run on it.
// CHECK:      {{^}}Module jit_step on mesh m1 will execute the following XLA programs:{{$}}
// CHECK-NEXT: {{^.}}- f(2) from program with origins [f(TransposeCount=2)], stage id 3, call counter 4.{{$}}
// CHECK-NEXT: {{^.}}- f(2) from program with origins [g(bwd), h(fwd)].{{$}}
// CHECK-NEXT: {{^.}}- inferred from program with origins [].{{$}}
// CHECK-NEXT: {{^}}Module jit_step on mesh m2 will execute the following XLA programs:{{$}}
// PROGRAM:      {{^}}Module jit_step on mesh m1 will execute the following XLA programs:{{$}}
// PROGRAM-NEXT: {{^.}}- p0_stage3_transpose2.step from program with origins [f(TransposeCount=2)], stage id 3, call counter 4.{{$}}
// PROGRAM-NEXT: {{^.}}- p0_stage3_transpose2.step from program with origins [g(bwd), h(fwd)].{{$}}
// PROGRAM-NEXT: {{^.}}- p2_inferred.step from program with origins [].{{$}}
// PROGRAM-NEXT: {{^}}Module jit_step on mesh m2 will execute the following XLA programs:{{$}}
#t = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>
#other = #mpmd.topology<<"m1": <["x"=2]>>, <"m3": <["x"=2]>>>
!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
module @jit_step {
  func.func @before() attributes {topology = #other} {
    mpmd.fragment<mesh="m1", origin=["f"(2)], stage=3> () {call_counter = 4 : ui32} () {
      mpmd.return
    } : () -> ()
    mpmd.fragment<mesh="m3", origin=["f"(2)]> () () {
      mpmd.return
    } : () -> ()
    return
  }
  func.func @main() attributes {topology = #t} {
    mpmd.fragment<mesh="m1", origin=["g"(1), "h"]> () () {
      mpmd.return
    } : () -> ()
    %0 = mpmd.fragment<mesh="m1", origin=[]> () () {
      %1 = stablehlo.constant dense<1.0> : tensor<8xf32>
      mpmd.return %1 : tensor<8xf32>
    } : () -> !v
    return
  }
}

// -----

// Phases are left out if nothing is transposed.
// CHECK-NEXT: {{^}}Module main on mesh m will execute the following XLA programs:{{$}}
// CHECK-NEXT: {{^.}}- f.g from program with origins [f, g].{{$}}
// PROGRAM-NEXT: {{^}}Module main on mesh m will execute the following XLA programs:{{$}}
// PROGRAM-NEXT: {{^.}}- p0_f....main from program with origins [f, g].{{$}}
func.func @main() attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  mpmd.fragment<mesh="m", origin=["f", "g"]> () () {
    mpmd.return
  } : () -> ()
  return
}

// -----

// Nothing is printed without a function `main`, or if it has no topology.
// CHECK-NOT:   Module
// PROGRAM-NOT: Module
func.func @not_main() attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    mpmd.return
  } : () -> ()
  return
}

// -----

func.func @other() attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  mpmd.fragment<mesh="m", origin=["f"]> () () {
    mpmd.return
  } : () -> ()
  return
}
func.func private @main()
