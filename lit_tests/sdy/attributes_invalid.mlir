// RUN: sdy-opt %s -sdy-sharding-constraint-to-reshard -sdy-export-named-computations -verify-diagnostics -split-input-file

// The bindings have no class for dense complex numbers but in arrays.
sdy.mesh @mesh = <["x"=2]>
func.func @constraint(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'sdy.sharding_constraint' op attribute 'foo' holds dense complex numbers, which the Python bindings of MLIR cannot copy to another op: remove it, or put it into an array}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> {foo = dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'sdy.named_computation' op attribute 'foo' holds dense complex numbers, which the Python bindings of MLIR cannot copy to another op: remove it, or put it into an array}}
  %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } {foo = dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @in_array(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> {foo = [dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
