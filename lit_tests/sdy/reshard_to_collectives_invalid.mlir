// RUN: sdy-opt %s -sdy-reshard-to-collectives -verify-diagnostics -split-input-file

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @single = <[], device_ids=[0]>

func.func @to_single_device(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'sdy.reshard' op no collective moves a tensor between a single device and all of a mesh: the operand has the sharding <@single, [{}]>}}
  %0 = sdy.reshard %arg0 <@single, []> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @single = <[], device_ids=[0]>

func.func @from_single_device(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@single, []>}) -> tensor<8xf32> {
  // expected-error@+1 {{'sdy.reshard' op no collective moves a tensor between a single device and all of a mesh: the operand has the sharding <@single, []>}}
  %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @same = <["x"=2]>

func.func @mesh_of_two_names(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  // expected-error@+1 {{'sdy.reshard' op the operand is on mesh @mesh, the result on @same, which is the same mesh: name one of them in both; -sdy-lift-inlined-meshes does it}}
  %0 = sdy.reshard %arg0 <@same, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @to_unreduced(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // expected-warning@+2 {{the reshard changes which axes are unreduced, and only its dimensions become collectives; run -sdy-insert-explicit-reshards before}}
  // expected-error@+1 {{'sdy.reshard' op axis 'x' divides the operand or is needed on the way, and is unreduced in the result; run -sdy-insert-explicit-reshards before}}
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"y"}], unreduced={"x"}> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @from_unreduced(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  // expected-warning@+1 {{the reshard changes which axes are unreduced, and only its dimensions become collectives; run -sdy-insert-explicit-reshards before}}
  %0 = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
