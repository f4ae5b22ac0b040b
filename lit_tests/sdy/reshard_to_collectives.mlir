// RUN: sdy-opt %s -sdy-reshard-to-collectives | FileCheck %s
// RUN: sdy-opt %s -sdy-reshard-to-collectives=keep-redundant-reshards=true | FileCheck %s --check-prefix=KEEP

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=4]>
sdy.mesh @other_order = <["x"=2, "y"=2, "z"=4], device_ids=[0, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]>
sdy.mesh @other_axes = <["x"=4, "y"=4]>
sdy.mesh @six = <["a"=6]>
sdy.mesh @sizes = <["a"=2, "b"=3, "c"=2, "d"=5]>

// CHECK-LABEL: func.func @gather(
func.func @gather(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {"z"}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.all_gather [{"y"}, {"z"}] %arg0 out_sharding=<@mesh, [{"x"}, {}]>
  // CHECK-NEXT: return %[[A]]
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A value without a sharding is not divided.
// CHECK-LABEL: func.func @slice(
func.func @slice(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.all_slice [{"x", "z"}, {"y"}] %arg0 out_sharding=<@mesh, [{"x", "z"}, {"y"}]>
  // CHECK-NEXT: return %[[A]]
  %0 = sdy.reshard %arg0 <@mesh, [{"x", "z", ?}p1, {"y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @exchange(
func.func @exchange(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y"}, {"x"}]>
  // CHECK-NEXT: return %[[A]]
  %0 = sdy.reshard %arg0 <@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @move(
func.func @move(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.all_to_all [{"y"}: 0->1] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]>
  // CHECK-NEXT: return %[[A]]
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// One all-to-all moves what is sliced before with what is there.
// CHECK-LABEL: func.func @slice_then_move(
func.func @slice_then_move(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.all_slice [{"y"}, {}] %arg0 out_sharding=<@mesh, [{"x", "y"}, {}]>
  // CHECK-NEXT: %[[B:.*]] = sdy.all_to_all [{"x", "y"}: 0->1] %[[A]] out_sharding=<@mesh, [{}, {"x", "y"}]>
  // CHECK-NEXT: return %[[B]]
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"x", "y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @parts_of_axes(
func.func @parts_of_axes(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.all_slice [{"z":(1)2}, {}] %arg0 out_sharding=<@mesh, [{"x", "z":(1)2}, {}]>
  // CHECK-NEXT: %[[B:.*]] = sdy.collective_permute %[[A]] out_sharding=<@mesh, [{"z"}, {}]>
  // CHECK-NEXT: return %[[B]]
  %0 = sdy.reshard %arg0 <@mesh, [{"z"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @order_of_devices(
func.func @order_of_devices(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.all_slice [{}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]>
  // CHECK-NEXT: %[[B:.*]] = sdy.collective_permute %[[A]] out_sharding=<@other_order, [{"x"}, {"y"}]>
  // CHECK-NEXT: return %[[B]]
  %0 = sdy.reshard %arg0 <@other_order, [{"x"}, {"y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Unreduced axes stay as they are, and so does the location; barriers hand on what they get.
// CHECK-LABEL: func.func @barrier(
func.func @barrier(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"z"}>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: sdy.propagation_barrier
  // CHECK-NEXT: %[[A:.*]] = sdy.all_slice [{"y"}, {}] %arg0 out_sharding=<@mesh, [{"x", "y"}, {}], unreduced={"z"}>
  // CHECK-NEXT: return %[[A]]
  %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x", "y"}, {}], unreduced={"z"}> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @redundant(
// KEEP-LABEL: func.func @redundant(
func.func @redundant(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: return %arg0, %arg1
  // KEEP-NEXT: %[[A:.*]] = sdy.reshard %arg1
  // KEEP-NEXT: return %arg0, %[[A]]
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.reshard %arg1 <@other_axes, [{}, {}]> : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @to_other_axes(
func.func @to_other_axes(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@other_axes, [{"x"}, {}]>
  // CHECK-NEXT: return %[[A]]
  %0 = sdy.reshard %arg0 <@other_axes, [{"x"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A third turn: no exchange of sizes 3 and 5 is possible before.
// CHECK-LABEL: func.func @three_turns(
func.func @three_turns(%arg0: tensor<6x8x4xf32> {sdy.sharding = #sdy.sharding<@sizes, [{"b", "a"}, {"c", "d"}, {}]>}) -> tensor<6x8x4xf32> {
  // CHECK:      %[[A:.*]] = sdy.all_to_all [{"d"}: 1->0] %{{.*}} out_sharding=<@sizes, [{"c", "d"}, {"a", "b"}, {}]>
  // CHECK-NEXT: %[[B:.*]] = sdy.collective_permute %[[A]] out_sharding=<@sizes, [{"d", "c"}, {"a", "b"}, {}]>
  // CHECK-NEXT: return %[[B]]
  %0 = sdy.reshard %arg0 <@sizes, [{"d", "c"}, {"a", "b"}, {}]> : tensor<6x8x4xf32>
  return %0 : tensor<6x8x4xf32>
}

// No mesh has both parts of the axis.
// CHECK-LABEL: func.func @parts_that_do_not_fit(
func.func @parts_that_do_not_fit(%arg0: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@six, [{"a":(1)2}, {}]>}) -> tensor<6x6xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.all_gather [{"a":(1)2}, {}] %arg0 out_sharding=<@six, [{}, {}]>
  // CHECK-NEXT: %[[B:.*]] = sdy.all_slice [{}, {"a":(1)3}] %[[A]] out_sharding=<@six, [{}, {"a":(1)3}]>
  // CHECK-NEXT: return %[[B]]
  %0 = sdy.reshard %arg0 <@six, [{}, {"a":(1)3}]> : tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}

// A barrier is passed by, but where nothing is divided.
// CHECK-LABEL: func.func @barriers(
func.func @barriers(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[B:.*]] = sdy.propagation_barrier %arg1
  // CHECK-NEXT: return %arg0, %[[B]]
  %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = sdy.propagation_barrier %arg1 allowed_direction=NONE : tensor<8xf32>
  %3 = sdy.reshard %2 <@mesh, [{}]> : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}
