// RUN: sdy-opt %s -split-input-file -sdy-manual-axes-cleanup 2>&1 | FileCheck %s

// Replicated axes and manual axes are in the order of the mesh.
// CHECK-LABEL: func.func @adds_missing_axes
// CHECK:         sdy.manual_computation(%arg0, %arg1)
// CHECK-SAME:      in_shardings=[<@mesh, [{"c", ?}p1], replicated={"a"}>, <@mesh, [{?}], replicated={"a", "b", "c"}>]
// CHECK-SAME:      out_shardings=[<@mesh, [{"d"}], replicated={"a", "c"}>]
// CHECK-SAME:      manual_axes={"a", "c"}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @adds_missing_axes(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1)
      in_shardings=[<@mesh, [{"c", ?}p1]>, <@mesh, [{?}], replicated={"b"}>]
      out_shardings=[<@mesh, [{"d"}]>]
      manual_axes={"c", "a"} (%arg2: tensor<4xf32>, %arg3: tensor<8xf32>) {
    sdy.return %arg3 : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @sorts_manual_axes
// CHECK:         in_shardings=[<@mesh, [{"b", "a"}]>] out_shardings=[<@mesh, [{"a"}], unreduced={"b"}>] manual_axes={"a", "b"}
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @sorts_manual_axes(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"b", "a"}]>] out_shardings=[<@mesh, [{"a"}], unreduced={"b"}>] manual_axes={"b", "a"} (%arg1: tensor<2xf32>) {
    %1 = stablehlo.concatenate %arg1, %arg1, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The missing parts of an axis are merged with its replicated parts.
// CHECK-LABEL: func.func @sub_axes
// CHECK:         in_shardings=[<@mesh, [{"a":(2)2}], replicated={"a":(1)2, "a":(4)2}>]
// CHECK-SAME:    out_shardings=[<@mesh, [{"a":(1)2}], replicated={"a":(2)4, "b"}>]
sdy.mesh @mesh = <["a"=8, "b"=2]>
func.func @sub_axes(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a":(2)2}], replicated={"a":(1)2}>] out_shardings=[<@mesh, [{"a":(1)2}], replicated={"a":(4)2, "b"}>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @size_one_axis
// CHECK:         in_shardings=[<@mesh, [{"a"}], replicated={"one"}>] out_shardings=[<@mesh, [{"a"}], replicated={"one"}>]
sdy.mesh @mesh = <["one"=1, "a"=2]>
func.func @size_one_axis(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a", "one"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A sharding that gets axes is bound to the first mesh that is not empty.
// CHECK-LABEL: func.func @binds_to_common_mesh
// CHECK:         in_shardings=[<@first, [{?}], replicated={"a"}>, <@first, [{"a"}]>, <@second, [{"a"}]>]
// CHECK-SAME:    out_shardings=[<@first, [{?}], replicated={"a"}>, <@empty, []>]
sdy.mesh @empty = <[]>
sdy.mesh @first = <["a"=2]>
sdy.mesh @second = <["a"=2]>
func.func @binds_to_common_mesh(%arg0: tensor<8xf32>, %arg1: !stablehlo.token) -> tensor<8xf32> {
  %0:2 = sdy.manual_computation(%arg0, %arg0, %arg0)
      in_shardings=[<@empty, [{?}]>, <@first, [{"a"}]>, <@second, [{"a"}]>]
      out_shardings=[<@second, [{?}]>, <@empty, []>]
      manual_axes={"a"} (%arg2: tensor<8xf32>, %arg3: tensor<4xf32>, %arg4: tensor<4xf32>) {
    %1 = stablehlo.create_token : !stablehlo.token
    sdy.return %arg2, %1 : tensor<8xf32>, !stablehlo.token
  } : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, !stablehlo.token)
  return %0#0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @inlined_mesh
// CHECK:         in_shardings=[<mesh<["a"=2]>, [{"a"}]>] out_shardings=[<mesh<["a"=2]>, [{}], replicated={"a"}>]
func.func @inlined_mesh(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<mesh<["a"=2]>, [{"a"}]>] out_shardings=[<mesh<["a"=2]>, [{}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    %1 = stablehlo.concatenate %arg1, %arg1, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A scalar has a shape, a token has none.
// CHECK-LABEL: func.func @skips_values_without_shape
// CHECK:         in_shardings=[<@mesh, []>, <@mesh, [], replicated={"a"}>] out_shardings=[<@mesh, []>]
sdy.mesh @mesh = <["a"=2]>
func.func @skips_values_without_shape(%arg0: !stablehlo.token, %arg1: tensor<f32>) -> !stablehlo.token {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, []>, <@mesh, []>] out_shardings=[<@mesh, []>] manual_axes={"a"} (%arg2: !stablehlo.token, %arg3: tensor<f32>) {
    sdy.return %arg2 : !stablehlo.token
  } : (!stablehlo.token, tensor<f32>) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// -----

// CHECK-LABEL: func.func @nested
// CHECK:         in_shardings=[<@mesh, [{}], replicated={"a"}>] out_shardings=[<@mesh, [{}], replicated={"a"}>] manual_axes={"a"}
// CHECK:           in_shardings=[<@mesh, [{}], replicated={"b"}>] out_shardings=[<@mesh, [{}], replicated={"b"}>] manual_axes={"b"}
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @nested(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    %1 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"b"} (%arg2: tensor<8xf32>) {
      sdy.return %arg2 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @complete
// CHECK:         in_shardings=[<@empty, [{?}]>, <@mesh, [{"b", "a"}]>] out_shardings=[<@mesh, [{?}], replicated={"a":(2)2}>] manual_axes={}
// CHECK:         in_shardings=[<@mesh, [{"a", "b"}]>] out_shardings=[<@mesh, [{?}], replicated={"a", "b"}>] manual_axes={"a"}
sdy.mesh @empty = <[]>
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @complete(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0, %arg0) in_shardings=[<@empty, [{?}]>, <@mesh, [{"b", "a"}]>] out_shardings=[<@mesh, [{?}], replicated={"a":(2)2}>] manual_axes={} (%arg1: tensor<8xf32>, %arg2: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a", "b"}]>] out_shardings=[<@mesh, [{?}], replicated={"a", "b"}>] manual_axes={"a"} (%arg1: tensor<2xf32>) {
    %2 = stablehlo.constant dense<0.0> : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Without inputs and outputs no mesh is known; that matters only if there is a body.
// CHECK-LABEL: func.func @nothing_in_nothing_out
// CHECK:         sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"b", "a"} () {
// CHECK-NEXT:      sdy.return
// CHECK:         sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
// CHECK-NEXT:      stablehlo.constant
func.func @nothing_in_nothing_out() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"b", "a"} () {
    sdy.return
  } : () -> ()
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    %0 = stablehlo.constant dense<0.0> : tensor<8xf32>
    sdy.return
  } : () -> ()
  return
}
