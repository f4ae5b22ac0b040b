// Lowered by JAX 0.10.2; written by generate.py.
module @jit_decoded attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {mhlo.layout_mode = "auto"}, %arg1: !mpmd.mesh_tensor<"m1", tensor<16x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {mhlo.layout_mode = "auto"}, %arg2: !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {mhlo.layout_mode = "auto"}, %arg3: !mpmd.mesh_tensor<"m1", tensor<16x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {mhlo.layout_mode = "auto"}, %arg4: !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>> {jax.buffer_donor = true}, %arg5: !mpmd.mesh_tensor<"m1", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{}, {}]>> {jax.result_info = "result[0]", mhlo.layout_mode = "auto"}, !mpmd.mesh_tensor<"m1", tensor<4xi32>, sharding=<@mesh, [{"data"}]>> {jax.result_info = "result[1]"}, !mpmd.mesh_tensor<"m2", tensor<3x4xi32>, sharding=<@mesh, [{}, {"data"}]>> {jax.result_info = "result[2]"}) attributes {topology = #mpmd.topology<<"m1" : <["data"=2, "model"=2]>>, <"m2" : <["data"=2, "model"=2]>>>} {
    %0 = mpmd.fragment<mesh="m1", origin=["begin", "recur"]> (%arg3, %arg4, %arg0, %arg1, %arg5) (%arg6: tensor<16x16xf32>, %arg7: tensor<4x16xf32>, %arg8: tensor<32x16xf32>, %arg9: tensor<16x16xf32>, %arg10: tensor<4xi32>) {
      %c = stablehlo.constant dense<0> : tensor<4xi32>
      %c_0 = stablehlo.constant dense<32> : tensor<4xi32>
      %12 = stablehlo.dot_general %arg7, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
      %13 = stablehlo.tanh %12 : tensor<4x16xf32>
      %14 = stablehlo.dot_general %13, %arg9, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
      %15 = stablehlo.compare LT, %arg10, %c, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %16 = stablehlo.add %arg10, %c_0 : tensor<4xi32>
      %17 = stablehlo.select %15, %16, %arg10 : tensor<4xi1>, tensor<4xi32>
      %18 = stablehlo.reshape %17 : (tensor<4xi32>) -> tensor<4x1xi32>
      %19 = "stablehlo.gather"(%arg8, %18) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<32x16xf32>, tensor<4x1xi32>) -> tensor<4x16xf32>
      %20 = stablehlo.add %14, %19 : tensor<4x16xf32>
      %21 = stablehlo.tanh %20 : tensor<4x16xf32>
      %22 = sdy.sharding_constraint %21 <@mesh, [{"data"}, {"model"}]> : tensor<4x16xf32>
      mpmd.return %22 : tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>
    %1 = mpmd.transfer %0 : (!mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>
    %2 = mpmd.fragment<mesh="m2", origin=["pick"]> (%arg2, %1) (%arg6: tensor<16x32xf32>, %arg7: tensor<4x16xf32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %12 = sdy.sharding_constraint %arg7 <@mesh, [{"data"}, {}]> : tensor<4x16xf32>
      %13 = stablehlo.dot_general %12, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x32xf32>) -> tensor<4x32xf32>
      %14 = stablehlo.iota dim = 0 : tensor<32xi32>
      %15 = stablehlo.broadcast_in_dim %14, dims = [1] : (tensor<32xi32>) -> tensor<4x32xi32>
      %16:2 = stablehlo.reduce(%13 init: %cst), (%15 init: %c) across dimensions = [1] : (tensor<4x32xf32>, tensor<4x32xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
       reducer(%arg8: tensor<f32>, %arg10: tensor<f32>) (%arg9: tensor<i32>, %arg11: tensor<i32>)  {
        %17 = stablehlo.compare GT, %arg8, %arg10, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %18 = stablehlo.compare NE, %arg8, %arg8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %19 = stablehlo.or %17, %18 : tensor<i1>
        %20 = stablehlo.compare EQ, %arg8, %arg10, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %21 = stablehlo.compare LT, %arg9, %arg11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %22 = stablehlo.and %20, %21 : tensor<i1>
        %23 = stablehlo.or %19, %22 : tensor<i1>
        %24 = stablehlo.select %19, %arg8, %arg10 : tensor<i1>, tensor<f32>
        %25 = stablehlo.select %23, %arg9, %arg11 : tensor<i1>, tensor<i32>
        stablehlo.return %24, %25 : tensor<f32>, tensor<i32>
      }
      mpmd.return %16#1 : tensor<4xi32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>
    %3 = mpmd.transfer %2 : (!mpmd.mesh_tensor<"m2", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>
    %4 = mpmd.fragment<mesh="m1", origin=["recur"]> (%arg0, %arg1, %0, %3) (%arg6: tensor<32x16xf32>, %arg7: tensor<16x16xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<4xi32>) {
      %c = stablehlo.constant dense<32> : tensor<4xi32>
      %c_0 = stablehlo.constant dense<0> : tensor<4xi32>
      %12 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
      %13 = stablehlo.compare LT, %arg9, %c_0, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %14 = stablehlo.add %arg9, %c : tensor<4xi32>
      %15 = stablehlo.select %13, %14, %arg9 : tensor<4xi1>, tensor<4xi32>
      %16 = stablehlo.reshape %15 : (tensor<4xi32>) -> tensor<4x1xi32>
      %17 = "stablehlo.gather"(%arg6, %16) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<32x16xf32>, tensor<4x1xi32>) -> tensor<4x16xf32>
      %18 = stablehlo.add %12, %17 : tensor<4x16xf32>
      %19 = stablehlo.tanh %18 : tensor<4x16xf32>
      %20 = sdy.sharding_constraint %19 <@mesh, [{"data"}, {"model"}]> : tensor<4x16xf32>
      mpmd.return %20 : tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>
    %5 = mpmd.transfer %4 : (!mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>
    %6 = mpmd.fragment<mesh="m2", origin=["pick"]> (%arg2, %5) (%arg6: tensor<16x32xf32>, %arg7: tensor<4x16xf32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %12 = sdy.sharding_constraint %arg7 <@mesh, [{"data"}, {}]> : tensor<4x16xf32>
      %13 = stablehlo.dot_general %12, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x32xf32>) -> tensor<4x32xf32>
      %14 = stablehlo.iota dim = 0 : tensor<32xi32>
      %15 = stablehlo.broadcast_in_dim %14, dims = [1] : (tensor<32xi32>) -> tensor<4x32xi32>
      %16:2 = stablehlo.reduce(%13 init: %cst), (%15 init: %c) across dimensions = [1] : (tensor<4x32xf32>, tensor<4x32xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
       reducer(%arg8: tensor<f32>, %arg10: tensor<f32>) (%arg9: tensor<i32>, %arg11: tensor<i32>)  {
        %17 = stablehlo.compare GT, %arg8, %arg10, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %18 = stablehlo.compare NE, %arg8, %arg8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %19 = stablehlo.or %17, %18 : tensor<i1>
        %20 = stablehlo.compare EQ, %arg8, %arg10, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %21 = stablehlo.compare LT, %arg9, %arg11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %22 = stablehlo.and %20, %21 : tensor<i1>
        %23 = stablehlo.or %19, %22 : tensor<i1>
        %24 = stablehlo.select %19, %arg8, %arg10 : tensor<i1>, tensor<f32>
        %25 = stablehlo.select %23, %arg9, %arg11 : tensor<i1>, tensor<i32>
        stablehlo.return %24, %25 : tensor<f32>, tensor<i32>
      }
      mpmd.return %16#1 : tensor<4xi32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>
    %7 = mpmd.transfer %6 : (!mpmd.mesh_tensor<"m2", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>
    %8:2 = mpmd.fragment<mesh="m1", origin=["recur"]> (%arg0, %arg1, %4, %7) (%arg6: tensor<32x16xf32>, %arg7: tensor<16x16xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<4xi32>) {
      %c = stablehlo.constant dense<32> : tensor<4xi32>
      %c_0 = stablehlo.constant dense<0> : tensor<4xi32>
      %12 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
      %13 = stablehlo.compare LT, %arg9, %c_0, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %14 = stablehlo.add %arg9, %c : tensor<4xi32>
      %15 = stablehlo.select %13, %14, %arg9 : tensor<4xi1>, tensor<4xi32>
      %16 = stablehlo.reshape %15 : (tensor<4xi32>) -> tensor<4x1xi32>
      %17 = "stablehlo.gather"(%arg6, %16) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<32x16xf32>, tensor<4x1xi32>) -> tensor<4x16xf32>
      %18 = stablehlo.add %12, %17 : tensor<4x16xf32>
      %19 = stablehlo.tanh %18 : tensor<4x16xf32>
      %20 = sdy.sharding_constraint %19 <@mesh, [{"data"}, {"model"}]> : tensor<4x16xf32>
      mpmd.return %20, %20 : tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{}, {}]>>)
    %9 = mpmd.transfer %8#0 : (!mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>
    %10 = mpmd.fragment<mesh="m2", origin=["pick"]> (%arg2, %9, %6, %2) (%arg6: tensor<16x32xf32>, %arg7: tensor<4x16xf32>, %arg8: tensor<4xi32>, %arg9: tensor<4xi32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %12 = sdy.sharding_constraint %arg7 <@mesh, [{"data"}, {}]> : tensor<4x16xf32>
      %13 = stablehlo.dot_general %12, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x32xf32>) -> tensor<4x32xf32>
      %14 = stablehlo.iota dim = 0 : tensor<32xi32>
      %15 = stablehlo.broadcast_in_dim %14, dims = [1] : (tensor<32xi32>) -> tensor<4x32xi32>
      %16:2 = stablehlo.reduce(%13 init: %cst), (%15 init: %c) across dimensions = [1] : (tensor<4x32xf32>, tensor<4x32xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
       reducer(%arg10: tensor<f32>, %arg12: tensor<f32>) (%arg11: tensor<i32>, %arg13: tensor<i32>)  {
        %21 = stablehlo.compare GT, %arg10, %arg12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %22 = stablehlo.compare NE, %arg10, %arg10, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %23 = stablehlo.or %21, %22 : tensor<i1>
        %24 = stablehlo.compare EQ, %arg10, %arg12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %25 = stablehlo.compare LT, %arg11, %arg13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %26 = stablehlo.and %24, %25 : tensor<i1>
        %27 = stablehlo.or %23, %26 : tensor<i1>
        %28 = stablehlo.select %23, %arg10, %arg12 : tensor<i1>, tensor<f32>
        %29 = stablehlo.select %27, %arg11, %arg13 : tensor<i1>, tensor<i32>
        stablehlo.return %28, %29 : tensor<f32>, tensor<i32>
      }
      %17 = stablehlo.reshape %arg9 : (tensor<4xi32>) -> tensor<1x4xi32>
      %18 = stablehlo.reshape %arg8 : (tensor<4xi32>) -> tensor<1x4xi32>
      %19 = stablehlo.reshape %16#1 : (tensor<4xi32>) -> tensor<1x4xi32>
      %20 = stablehlo.concatenate %17, %18, %19, dim = 0 : (tensor<1x4xi32>, tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<3x4xi32>
      mpmd.return %20 : tensor<3x4xi32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>, !mpmd.mesh_tensor<"m2", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>) -> !mpmd.mesh_tensor<"m2", tensor<3x4xi32>, sharding=<@mesh, [{}, {"data"}]>>
    %11 = mpmd.fragment<mesh="m1", origin=[]> (%arg5) {mpmd.inferred_by = ["uniquify"]} (%arg6: tensor<4xi32>) {
      mpmd.return %arg6 : tensor<4xi32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>
    return %8#1, %11, %10 : !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4xi32>, sharding=<@mesh, [{"data"}]>>, !mpmd.mesh_tensor<"m2", tensor<3x4xi32>, sharding=<@mesh, [{}, {"data"}]>>
  }
}
