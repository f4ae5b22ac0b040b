// Lowered by JAX 0.10.2; written by generate.py.
module @jit_loss_of attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg2: tensor<8x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}, %arg3: tensor<8x32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}, %arg4: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg5: tensor<8x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}, %arg6: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<8x32x16xf32> {jax.result_info = "result[1][0]['down']"}, tensor<16x8xf32> {jax.result_info = "result[1][0]['router']"}, tensor<8x16x32xf32> {jax.result_info = "result[1][0]['up']"}, tensor<8x32x16xf32> {jax.result_info = "result[1][1]['down']"}, tensor<16x8xf32> {jax.result_info = "result[1][1]['router']"}, tensor<8x16x32xf32> {jax.result_info = "result[1][1]['up']"}) {
    %0:9 = sdy.manual_computation(%arg1, %arg2, %arg0, %arg6) in_shardings=[<@mesh, [{?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}]>] out_shardings=[<@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>] manual_axes={"data"} (%arg7: tensor<16x8xf32>, %arg8: tensor<2x16x32xf32>, %arg9: tensor<2x32x16xf32>, %arg10: tensor<16x16xf32>) {
      %16 = stablehlo.dot_general %arg10, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x16xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
      %17 = sdy.sharding_constraint %16 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %18 = stablehlo.reduce(%17 init: %cst_4) applies stablehlo.maximum across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
      %19 = sdy.sharding_constraint %18 <@mesh, [{?}]> : tensor<16xf32>
      %20 = stablehlo.reshape %19 : (tensor<16xf32>) -> tensor<16x1xf32>
      %21 = sdy.sharding_constraint %20 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
      %23 = sdy.sharding_constraint %22 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %24 = stablehlo.compare EQ, %17, %23, FLOAT : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xi1>
      %25 = stablehlo.convert %24 : (tensor<16x8xi1>) -> tensor<16x8xf32>
      %26 = sdy.sharding_constraint %25 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %27 = stablehlo.reduce(%26 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
      %28 = sdy.sharding_constraint %27 <@mesh, [{?}]> : tensor<16xf32>
      %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %29 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %30 = sdy.sharding_constraint %29 <@mesh, [{?}]> : tensor<16xf32>
      %31 = stablehlo.maximum %30, %19 : tensor<16xf32>
      %32 = sdy.sharding_constraint %31 <@mesh, [{?}]> : tensor<16xf32>
      %33 = stablehlo.compare EQ, %19, %32, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
      %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %34 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %35 = sdy.sharding_constraint %34 <@mesh, [{?}]> : tensor<16xf32>
      %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %37 = sdy.sharding_constraint %36 <@mesh, [{?}]> : tensor<16xf32>
      %38 = stablehlo.select %33, %35, %37 : tensor<16xi1>, tensor<16xf32>
      %39 = sdy.sharding_constraint %38 <@mesh, [{?}]> : tensor<16xf32>
      %40 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %41 = sdy.sharding_constraint %40 <@mesh, [{?}]> : tensor<16xf32>
      %42 = stablehlo.compare EQ, %41, %32, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
      %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %44 = sdy.sharding_constraint %43 <@mesh, [{?}]> : tensor<16xf32>
      %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %45 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %46 = sdy.sharding_constraint %45 <@mesh, [{?}]> : tensor<16xf32>
      %47 = stablehlo.select %42, %44, %46 : tensor<16xi1>, tensor<16xf32>
      %48 = sdy.sharding_constraint %47 <@mesh, [{?}]> : tensor<16xf32>
      %49 = stablehlo.divide %39, %48 : tensor<16xf32>
      %50 = sdy.sharding_constraint %49 <@mesh, [{?}]> : tensor<16xf32>
      %51 = stablehlo.broadcast_in_dim %32, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
      %52 = sdy.sharding_constraint %51 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
      %54 = sdy.sharding_constraint %53 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %55 = stablehlo.subtract %17, %54 : tensor<16x8xf32>
      %56 = sdy.sharding_constraint %55 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %57 = stablehlo.exponential %56 : tensor<16x8xf32>
      %58 = sdy.sharding_constraint %57 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %59 = stablehlo.reduce(%58 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
      %60 = sdy.sharding_constraint %59 <@mesh, [{?}]> : tensor<16xf32>
      %61 = stablehlo.broadcast_in_dim %60, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
      %62 = sdy.sharding_constraint %61 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
      %64 = sdy.sharding_constraint %63 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %65 = stablehlo.divide %58, %64 : tensor<16x8xf32>
      %66 = sdy.sharding_constraint %65 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %67 = stablehlo.multiply %62, %62 : tensor<16x1xf32>
      %68 = sdy.sharding_constraint %67 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %69 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
      %70 = sdy.sharding_constraint %69 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %71 = stablehlo.divide %70, %68 : tensor<16x1xf32>
      %72 = sdy.sharding_constraint %71 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %73 = sdy.sharding_constraint %72 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %74 = func.call @argmax(%66) : (tensor<16x8xf32>) -> tensor<16xi32>
      %75 = func.call @_one_hot(%74) : (tensor<16xi32>) -> tensor<16x8xf32>
      %76 = func.call @cumsum(%75) : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %77 = stablehlo.multiply %76, %75 : tensor<16x8xf32>
      %78 = sdy.sharding_constraint %77 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %79 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
      %80 = sdy.sharding_constraint %79 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %81 = stablehlo.subtract %78, %80 : tensor<16x8xf32>
      %82 = sdy.sharding_constraint %81 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %83 = stablehlo.convert %82 : (tensor<16x8xf32>) -> tensor<16x8xi32>
      %84 = sdy.sharding_constraint %83 <@mesh, [{?}, {?}]> : tensor<16x8xi32>
      %85 = func.call @_one_hot_1(%84) : (tensor<16x8xi32>) -> tensor<16x8x8xf32>
      %86 = stablehlo.broadcast_in_dim %75, dims = [0, 1] : (tensor<16x8xf32>) -> tensor<16x8x1xf32>
      %87 = sdy.sharding_constraint %86 <@mesh, [{?}, {?}, {?}]> : tensor<16x8x1xf32>
      %88 = stablehlo.broadcast_in_dim %87, dims = [0, 1, 2] : (tensor<16x8x1xf32>) -> tensor<16x8x8xf32>
      %89 = sdy.sharding_constraint %88 <@mesh, [{?}, {?}, {?}]> : tensor<16x8x8xf32>
      %90 = stablehlo.multiply %85, %89 : tensor<16x8x8xf32>
      %91 = sdy.sharding_constraint %90 <@mesh, [{?}, {?}, {?}]> : tensor<16x8x8xf32>
      %92 = stablehlo.dot_general %91, %arg10, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8x8xf32>, tensor<16x16xf32>) -> tensor<8x8x16xf32>
      %93 = sdy.sharding_constraint %92 <@mesh, [{?}, {?}, {?}]> : tensor<8x8x16xf32>
      %94 = "stablehlo.all_to_all"(%93) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x8x16xf32>) -> tensor<2x32x16xf32>
      %95 = sdy.manual_computation(%arg8, %arg9, %94) in_shardings=[<@mesh, [{?}, {?}, {"model", ?}]>, <@mesh, [{?}, {"model", ?}, {?}]>, <@mesh, [{?}, {?}, {?}]>] out_shardings=[<@mesh, [{?}, {?}, {?}]>] manual_axes={"model"} (%arg11: tensor<2x16x16xf32>, %arg12: tensor<2x16x16xf32>, %arg13: tensor<2x32x16xf32>) {
        %109 = stablehlo.dot_general %arg13, %arg11, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x16xf32>, tensor<2x16x16xf32>) -> tensor<2x32x16xf32>
        %110 = func.call @silu(%109) : (tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
        %111 = stablehlo.dot_general %110, %arg12, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x16xf32>, tensor<2x16x16xf32>) -> tensor<2x32x16xf32>
        %112 = "stablehlo.all_reduce"(%111) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
          %113 = stablehlo.add %arg14, %arg15 : tensor<f32>
          stablehlo.return %113 : tensor<f32>
        }) : (tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
        sdy.return %112 : tensor<2x32x16xf32>
      } : (tensor<2x16x32xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
      %96 = "stablehlo.all_to_all"(%95) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<2x32x16xf32>) -> tensor<8x8x16xf32>
      %97 = stablehlo.multiply %66, %75 : tensor<16x8xf32>
      %98 = sdy.sharding_constraint %97 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %99 = stablehlo.reduce(%98 init: %cst_14) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
      %100 = sdy.sharding_constraint %99 <@mesh, [{?}]> : tensor<16xf32>
      %101 = stablehlo.broadcast_in_dim %100, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
      %102 = sdy.sharding_constraint %101 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %103 = stablehlo.dot_general %91, %96, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<16x8x8xf32>, tensor<8x8x16xf32>) -> tensor<16x16xf32>
      %104 = sdy.sharding_constraint %103 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %105 = stablehlo.broadcast_in_dim %102, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x16xf32>
      %106 = sdy.sharding_constraint %105 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %107 = stablehlo.multiply %104, %106 : tensor<16x16xf32>
      %108 = sdy.sharding_constraint %107 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      sdy.return %58, %62, %73, %94, %75, %91, %102, %104, %108 : tensor<16x8xf32>, tensor<16x1xf32>, tensor<16x1xf32>, tensor<2x32x16xf32>, tensor<16x8xf32>, tensor<16x8x8xf32>, tensor<16x1xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    } : (tensor<16x8xf32>, tensor<8x16x32xf32>, tensor<8x32x16xf32>, tensor<64x16xf32>) -> (tensor<64x8xf32>, tensor<64x1xf32>, tensor<64x1xf32>, tensor<8x32x16xf32>, tensor<64x8xf32>, tensor<64x8x8xf32>, tensor<64x1xf32>, tensor<64x16xf32>, tensor<64x16xf32>)
    %1 = stablehlo.add %arg6, %0#8 : tensor<64x16xf32>
    %2:10 = sdy.manual_computation(%arg4, %arg5, %arg3, %1) in_shardings=[<@mesh, [{?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}]>] out_shardings=[<@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>] manual_axes={"data"} (%arg7: tensor<16x8xf32>, %arg8: tensor<2x16x32xf32>, %arg9: tensor<2x32x16xf32>, %arg10: tensor<16x16xf32>) {
      %16 = stablehlo.dot_general %arg10, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x16xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
      %17 = sdy.sharding_constraint %16 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %18 = stablehlo.reduce(%17 init: %cst_4) applies stablehlo.maximum across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
      %19 = sdy.sharding_constraint %18 <@mesh, [{?}]> : tensor<16xf32>
      %20 = stablehlo.reshape %19 : (tensor<16xf32>) -> tensor<16x1xf32>
      %21 = sdy.sharding_constraint %20 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
      %23 = sdy.sharding_constraint %22 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %24 = stablehlo.compare EQ, %17, %23, FLOAT : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xi1>
      %25 = stablehlo.convert %24 : (tensor<16x8xi1>) -> tensor<16x8xf32>
      %26 = sdy.sharding_constraint %25 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %27 = stablehlo.reduce(%26 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
      %28 = sdy.sharding_constraint %27 <@mesh, [{?}]> : tensor<16xf32>
      %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %29 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %30 = sdy.sharding_constraint %29 <@mesh, [{?}]> : tensor<16xf32>
      %31 = stablehlo.maximum %30, %19 : tensor<16xf32>
      %32 = sdy.sharding_constraint %31 <@mesh, [{?}]> : tensor<16xf32>
      %33 = stablehlo.compare EQ, %19, %32, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
      %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %34 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %35 = sdy.sharding_constraint %34 <@mesh, [{?}]> : tensor<16xf32>
      %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %37 = sdy.sharding_constraint %36 <@mesh, [{?}]> : tensor<16xf32>
      %38 = stablehlo.select %33, %35, %37 : tensor<16xi1>, tensor<16xf32>
      %39 = sdy.sharding_constraint %38 <@mesh, [{?}]> : tensor<16xf32>
      %40 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %41 = sdy.sharding_constraint %40 <@mesh, [{?}]> : tensor<16xf32>
      %42 = stablehlo.compare EQ, %41, %32, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
      %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %44 = sdy.sharding_constraint %43 <@mesh, [{?}]> : tensor<16xf32>
      %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %45 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %46 = sdy.sharding_constraint %45 <@mesh, [{?}]> : tensor<16xf32>
      %47 = stablehlo.select %42, %44, %46 : tensor<16xi1>, tensor<16xf32>
      %48 = sdy.sharding_constraint %47 <@mesh, [{?}]> : tensor<16xf32>
      %49 = stablehlo.divide %39, %48 : tensor<16xf32>
      %50 = sdy.sharding_constraint %49 <@mesh, [{?}]> : tensor<16xf32>
      %51 = stablehlo.broadcast_in_dim %32, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
      %52 = sdy.sharding_constraint %51 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
      %54 = sdy.sharding_constraint %53 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %55 = stablehlo.subtract %17, %54 : tensor<16x8xf32>
      %56 = sdy.sharding_constraint %55 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %57 = stablehlo.exponential %56 : tensor<16x8xf32>
      %58 = sdy.sharding_constraint %57 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %59 = stablehlo.reduce(%58 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
      %60 = sdy.sharding_constraint %59 <@mesh, [{?}]> : tensor<16xf32>
      %61 = stablehlo.broadcast_in_dim %60, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
      %62 = sdy.sharding_constraint %61 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
      %64 = sdy.sharding_constraint %63 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %65 = stablehlo.divide %58, %64 : tensor<16x8xf32>
      %66 = sdy.sharding_constraint %65 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %67 = stablehlo.multiply %62, %62 : tensor<16x1xf32>
      %68 = sdy.sharding_constraint %67 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %69 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
      %70 = sdy.sharding_constraint %69 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %71 = stablehlo.divide %70, %68 : tensor<16x1xf32>
      %72 = sdy.sharding_constraint %71 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %73 = sdy.sharding_constraint %72 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %74 = func.call @argmax(%66) : (tensor<16x8xf32>) -> tensor<16xi32>
      %75 = func.call @_one_hot(%74) : (tensor<16xi32>) -> tensor<16x8xf32>
      %76 = func.call @cumsum(%75) : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %77 = stablehlo.multiply %76, %75 : tensor<16x8xf32>
      %78 = sdy.sharding_constraint %77 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %79 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
      %80 = sdy.sharding_constraint %79 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %81 = stablehlo.subtract %78, %80 : tensor<16x8xf32>
      %82 = sdy.sharding_constraint %81 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %83 = stablehlo.convert %82 : (tensor<16x8xf32>) -> tensor<16x8xi32>
      %84 = sdy.sharding_constraint %83 <@mesh, [{?}, {?}]> : tensor<16x8xi32>
      %85 = func.call @_one_hot_1(%84) : (tensor<16x8xi32>) -> tensor<16x8x8xf32>
      %86 = stablehlo.broadcast_in_dim %75, dims = [0, 1] : (tensor<16x8xf32>) -> tensor<16x8x1xf32>
      %87 = sdy.sharding_constraint %86 <@mesh, [{?}, {?}, {?}]> : tensor<16x8x1xf32>
      %88 = stablehlo.broadcast_in_dim %87, dims = [0, 1, 2] : (tensor<16x8x1xf32>) -> tensor<16x8x8xf32>
      %89 = sdy.sharding_constraint %88 <@mesh, [{?}, {?}, {?}]> : tensor<16x8x8xf32>
      %90 = stablehlo.multiply %85, %89 : tensor<16x8x8xf32>
      %91 = sdy.sharding_constraint %90 <@mesh, [{?}, {?}, {?}]> : tensor<16x8x8xf32>
      %92 = stablehlo.dot_general %91, %arg10, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8x8xf32>, tensor<16x16xf32>) -> tensor<8x8x16xf32>
      %93 = sdy.sharding_constraint %92 <@mesh, [{?}, {?}, {?}]> : tensor<8x8x16xf32>
      %94 = "stablehlo.all_to_all"(%93) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x8x16xf32>) -> tensor<2x32x16xf32>
      %95 = sdy.manual_computation(%arg8, %arg9, %94) in_shardings=[<@mesh, [{?}, {?}, {"model", ?}]>, <@mesh, [{?}, {"model", ?}, {?}]>, <@mesh, [{?}, {?}, {?}]>] out_shardings=[<@mesh, [{?}, {?}, {?}]>] manual_axes={"model"} (%arg11: tensor<2x16x16xf32>, %arg12: tensor<2x16x16xf32>, %arg13: tensor<2x32x16xf32>) {
        %109 = stablehlo.dot_general %arg13, %arg11, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x16xf32>, tensor<2x16x16xf32>) -> tensor<2x32x16xf32>
        %110 = func.call @silu(%109) : (tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
        %111 = stablehlo.dot_general %110, %arg12, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x16xf32>, tensor<2x16x16xf32>) -> tensor<2x32x16xf32>
        %112 = "stablehlo.all_reduce"(%111) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
          %113 = stablehlo.add %arg14, %arg15 : tensor<f32>
          stablehlo.return %113 : tensor<f32>
        }) : (tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
        sdy.return %112 : tensor<2x32x16xf32>
      } : (tensor<2x16x32xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
      %96 = "stablehlo.all_to_all"(%95) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<2x32x16xf32>) -> tensor<8x8x16xf32>
      %97 = stablehlo.multiply %66, %75 : tensor<16x8xf32>
      %98 = sdy.sharding_constraint %97 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %99 = stablehlo.reduce(%98 init: %cst_14) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
      %100 = sdy.sharding_constraint %99 <@mesh, [{?}]> : tensor<16xf32>
      %101 = stablehlo.broadcast_in_dim %100, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
      %102 = sdy.sharding_constraint %101 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %103 = stablehlo.dot_general %91, %96, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<16x8x8xf32>, tensor<8x8x16xf32>) -> tensor<16x16xf32>
      %104 = sdy.sharding_constraint %103 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %105 = stablehlo.broadcast_in_dim %102, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x16xf32>
      %106 = sdy.sharding_constraint %105 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %107 = stablehlo.multiply %104, %106 : tensor<16x16xf32>
      %108 = sdy.sharding_constraint %107 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      sdy.return %arg7, %58, %62, %73, %91, %94, %75, %102, %104, %108 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x1xf32>, tensor<16x1xf32>, tensor<16x8x8xf32>, tensor<2x32x16xf32>, tensor<16x8xf32>, tensor<16x1xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    } : (tensor<16x8xf32>, tensor<8x16x32xf32>, tensor<8x32x16xf32>, tensor<64x16xf32>) -> (tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x8x8xf32>, tensor<8x32x16xf32>, tensor<64x8xf32>, tensor<64x1xf32>, tensor<64x16xf32>, tensor<64x16xf32>)
    %3 = stablehlo.add %1, %2#9 : tensor<64x16xf32>
    %4 = stablehlo.subtract %3, %arg6 : tensor<64x16xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<64x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %7 = stablehlo.multiply %6, %4 : tensor<64x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %9 = stablehlo.divide %8, %cst_1 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %10 = stablehlo.divide %cst_2, %cst_3 : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %12 = stablehlo.multiply %11, %7 : tensor<64x16xf32>
    %13:4 = sdy.manual_computation(%12, %2#0, %1, %2#1, %2#2, %2#3, %2#4, %arg5, %arg3, %2#5, %2#6, %2#7, %2#8) in_shardings=[<@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>] out_shardings=[<@mesh, [{?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}]>] manual_axes={"data"} (%arg7: tensor<16x16xf32>, %arg8: tensor<16x8xf32>, %arg9: tensor<16x16xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<16x1xf32>, %arg12: tensor<16x1xf32>, %arg13: tensor<16x8x8xf32>, %arg14: tensor<2x16x32xf32>, %arg15: tensor<2x32x16xf32>, %arg16: tensor<2x32x16xf32>, %arg17: tensor<16x8xf32>, %arg18: tensor<16x1xf32>, %arg19: tensor<16x16xf32>) {
      %16 = stablehlo.multiply %arg19, %arg7 : tensor<16x16xf32>
      %17 = sdy.sharding_constraint %16 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %18 = stablehlo.reduce(%17 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
      %19 = sdy.sharding_constraint %18 <@mesh, [{?}]> : tensor<16xf32>
      %20 = stablehlo.reshape %19 : (tensor<16xf32>) -> tensor<16x1xf32>
      %21 = sdy.sharding_constraint %20 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %22 = stablehlo.broadcast_in_dim %arg18, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x16xf32>
      %23 = sdy.sharding_constraint %22 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %24 = stablehlo.multiply %arg7, %23 : tensor<16x16xf32>
      %25 = sdy.sharding_constraint %24 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %26 = stablehlo.dot_general %25, %arg13, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x16xf32>, tensor<16x8x8xf32>) -> tensor<16x8x8xf32>
      %27 = sdy.sharding_constraint %26 <@mesh, [{?}, {?}, {?}]> : tensor<16x8x8xf32>
      %28 = stablehlo.transpose %27, dims = [1, 2, 0] : (tensor<16x8x8xf32>) -> tensor<8x8x16xf32>
      %29 = sdy.sharding_constraint %28 <@mesh, [{?}, {?}, {?}]> : tensor<8x8x16xf32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %30 = stablehlo.reduce(%21 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<16x1xf32>, tensor<f32>) -> tensor<16xf32>
      %31 = sdy.sharding_constraint %30 <@mesh, [{?}]> : tensor<16xf32>
      %32 = stablehlo.broadcast_in_dim %31, dims = [0] : (tensor<16xf32>) -> tensor<16x8xf32>
      %33 = sdy.sharding_constraint %32 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %34 = stablehlo.multiply %33, %arg17 : tensor<16x8xf32>
      %35 = sdy.sharding_constraint %34 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %36 = "stablehlo.all_to_all"(%29) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x8x16xf32>) -> tensor<2x32x16xf32>
      %37:3 = sdy.manual_computation(%36, %arg14, %arg15, %arg16) in_shardings=[<@mesh, [{?}, {?}, {?}]>, <@mesh, [{?}, {?}, {"model", ?}]>, <@mesh, [{?}, {"model", ?}, {?}]>, <@mesh, [{?}, {?}, {?}]>] out_shardings=[<@mesh, [{?}, {?}, {"model", ?}]>, <@mesh, [{?}, {"model", ?}, {?}]>, <@mesh, [{?}, {?}, {?}]>] manual_axes={"model"} (%arg20: tensor<2x32x16xf32>, %arg21: tensor<2x16x16xf32>, %arg22: tensor<2x16x16xf32>, %arg23: tensor<2x32x16xf32>) {
        %76:4 = stablehlo.optimization_barrier %arg21, %arg22, %arg23, %arg20 : tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>
        %77 = stablehlo.dot_general %76#2, %76#0, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x16xf32>, tensor<2x16x16xf32>) -> tensor<2x32x16xf32>
        %78:3 = func.call @silu_2(%77) : (tensor<2x32x16xf32>) -> (tensor<2x32x16xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>)
        %79 = stablehlo.dot_general %76#3, %78#0, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x16xf32>, tensor<2x32x16xf32>) -> tensor<2x16x16xf32>
        %80 = stablehlo.transpose %79, dims = [0, 2, 1] : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
        %81 = stablehlo.dot_general %76#3, %76#1, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x32x16xf32>, tensor<2x16x16xf32>) -> tensor<2x32x16xf32>
        %82 = func.call @silu_3(%78#1, %77, %78#2, %81) : (tensor<2x32x16xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
        %83 = stablehlo.dot_general %82, %76#2, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x16xf32>, tensor<2x32x16xf32>) -> tensor<2x16x16xf32>
        %84 = stablehlo.transpose %83, dims = [0, 2, 1] : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
        %85 = stablehlo.dot_general %82, %76#0, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x32x16xf32>, tensor<2x16x16xf32>) -> tensor<2x32x16xf32>
        %86 = "stablehlo.all_reduce"(%85) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg24: tensor<f32>, %arg25: tensor<f32>):
          %87 = stablehlo.add %arg24, %arg25 : tensor<f32>
          stablehlo.return %87 : tensor<f32>
        }) : (tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
        sdy.return %84, %80, %86 : tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x32x16xf32>
      } : (tensor<2x32x16xf32>, tensor<2x16x32xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>) -> (tensor<2x16x32xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>)
      %38 = "stablehlo.all_to_all"(%37#2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<2x32x16xf32>) -> tensor<8x8x16xf32>
      %39 = stablehlo.dot_general %38, %arg13, contracting_dims = [0, 1] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<16x8x8xf32>) -> tensor<16x16xf32>
      %40 = sdy.sharding_constraint %39 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %41 = stablehlo.transpose %40, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %42 = sdy.sharding_constraint %41 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %43 = stablehlo.broadcast_in_dim %arg12, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
      %44 = sdy.sharding_constraint %43 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %45 = stablehlo.multiply %35, %44 : tensor<16x8xf32>
      %46 = sdy.sharding_constraint %45 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %47 = stablehlo.multiply %46, %arg10 : tensor<16x8xf32>
      %48 = sdy.sharding_constraint %47 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %49 = stablehlo.reduce(%48 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
      %50 = sdy.sharding_constraint %49 <@mesh, [{?}]> : tensor<16xf32>
      %51 = stablehlo.reshape %50 : (tensor<16xf32>) -> tensor<16x1xf32>
      %52 = sdy.sharding_constraint %51 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %53 = stablehlo.negate %52 : tensor<16x1xf32>
      %54 = sdy.sharding_constraint %53 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %55 = stablehlo.broadcast_in_dim %arg11, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
      %56 = sdy.sharding_constraint %55 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %57 = stablehlo.divide %35, %56 : tensor<16x8xf32>
      %58 = sdy.sharding_constraint %57 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %59 = stablehlo.reduce(%54 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<16x1xf32>, tensor<f32>) -> tensor<16xf32>
      %60 = sdy.sharding_constraint %59 <@mesh, [{?}]> : tensor<16xf32>
      %61 = stablehlo.broadcast_in_dim %60, dims = [0] : (tensor<16xf32>) -> tensor<16x8xf32>
      %62 = sdy.sharding_constraint %61 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %63 = stablehlo.add %58, %62 : tensor<16x8xf32>
      %64 = sdy.sharding_constraint %63 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %65 = stablehlo.multiply %64, %arg10 : tensor<16x8xf32>
      %66 = sdy.sharding_constraint %65 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %67 = stablehlo.dot_general %66, %arg9, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
      %68 = sdy.sharding_constraint %67 <@mesh, [{?}, {?}]> : tensor<8x16xf32>
      %69 = stablehlo.transpose %68, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %70 = sdy.sharding_constraint %69 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %71 = stablehlo.dot_general %66, %arg8, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x16xf32>
      %72 = sdy.sharding_constraint %71 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %73 = stablehlo.add %42, %72 : tensor<16x16xf32>
      %74 = sdy.sharding_constraint %73 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %75 = "stablehlo.all_reduce"(%70) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
        %76 = stablehlo.add %arg20, %arg21 : tensor<f32>
        %77 = sdy.sharding_constraint %76 <@mesh, []> : tensor<f32>
        stablehlo.return %77 : tensor<f32>
      }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
      sdy.return %75, %37#0, %37#1, %74 : tensor<16x8xf32>, tensor<2x16x32xf32>, tensor<2x32x16xf32>, tensor<16x16xf32>
    } : (tensor<64x16xf32>, tensor<64x8xf32>, tensor<64x16xf32>, tensor<64x8xf32>, tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x8x8xf32>, tensor<8x16x32xf32>, tensor<8x32x16xf32>, tensor<8x32x16xf32>, tensor<64x8xf32>, tensor<64x1xf32>, tensor<64x16xf32>) -> (tensor<16x8xf32>, tensor<8x16x32xf32>, tensor<8x32x16xf32>, tensor<64x16xf32>)
    %14 = stablehlo.add %12, %13#3 : tensor<64x16xf32>
    %15:3 = sdy.manual_computation(%14, %arg6, %0#0, %0#1, %0#2, %arg2, %arg0, %0#3, %0#4, %0#5, %0#6, %0#7) in_shardings=[<@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}]>, <@mesh, [{"data", ?}, {?}]>] out_shardings=[<@mesh, [{?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>, <@mesh, [{"data", ?}, {?}, {?}]>] manual_axes={"data"} (%arg7: tensor<16x16xf32>, %arg8: tensor<16x16xf32>, %arg9: tensor<16x8xf32>, %arg10: tensor<16x1xf32>, %arg11: tensor<16x1xf32>, %arg12: tensor<2x16x32xf32>, %arg13: tensor<2x32x16xf32>, %arg14: tensor<2x32x16xf32>, %arg15: tensor<16x8xf32>, %arg16: tensor<16x8x8xf32>, %arg17: tensor<16x1xf32>, %arg18: tensor<16x16xf32>) {
      %16 = stablehlo.multiply %arg18, %arg7 : tensor<16x16xf32>
      %17 = sdy.sharding_constraint %16 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %18 = stablehlo.reduce(%17 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
      %19 = sdy.sharding_constraint %18 <@mesh, [{?}]> : tensor<16xf32>
      %20 = stablehlo.reshape %19 : (tensor<16xf32>) -> tensor<16x1xf32>
      %21 = sdy.sharding_constraint %20 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %22 = stablehlo.broadcast_in_dim %arg17, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x16xf32>
      %23 = sdy.sharding_constraint %22 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %24 = stablehlo.multiply %arg7, %23 : tensor<16x16xf32>
      %25 = sdy.sharding_constraint %24 <@mesh, [{?}, {?}]> : tensor<16x16xf32>
      %26 = stablehlo.dot_general %25, %arg16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x16xf32>, tensor<16x8x8xf32>) -> tensor<16x8x8xf32>
      %27 = sdy.sharding_constraint %26 <@mesh, [{?}, {?}, {?}]> : tensor<16x8x8xf32>
      %28 = stablehlo.transpose %27, dims = [1, 2, 0] : (tensor<16x8x8xf32>) -> tensor<8x8x16xf32>
      %29 = sdy.sharding_constraint %28 <@mesh, [{?}, {?}, {?}]> : tensor<8x8x16xf32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %30 = stablehlo.reduce(%21 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<16x1xf32>, tensor<f32>) -> tensor<16xf32>
      %31 = sdy.sharding_constraint %30 <@mesh, [{?}]> : tensor<16xf32>
      %32 = stablehlo.broadcast_in_dim %31, dims = [0] : (tensor<16xf32>) -> tensor<16x8xf32>
      %33 = sdy.sharding_constraint %32 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %34 = stablehlo.multiply %33, %arg15 : tensor<16x8xf32>
      %35 = sdy.sharding_constraint %34 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %36 = "stablehlo.all_to_all"(%29) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x8x16xf32>) -> tensor<2x32x16xf32>
      %37:2 = sdy.manual_computation(%36, %arg12, %arg13, %arg14) in_shardings=[<@mesh, [{?}, {?}, {?}]>, <@mesh, [{?}, {?}, {"model", ?}]>, <@mesh, [{?}, {"model", ?}, {?}]>, <@mesh, [{?}, {?}, {?}]>] out_shardings=[<@mesh, [{?}, {?}, {"model", ?}]>, <@mesh, [{?}, {"model", ?}, {?}]>] manual_axes={"model"} (%arg19: tensor<2x32x16xf32>, %arg20: tensor<2x16x16xf32>, %arg21: tensor<2x16x16xf32>, %arg22: tensor<2x32x16xf32>) {
        %67:4 = stablehlo.optimization_barrier %arg20, %arg21, %arg22, %arg19 : tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>
        %68 = stablehlo.dot_general %67#2, %67#0, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x16xf32>, tensor<2x16x16xf32>) -> tensor<2x32x16xf32>
        %69:3 = func.call @silu_2(%68) : (tensor<2x32x16xf32>) -> (tensor<2x32x16xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>)
        %70 = stablehlo.dot_general %67#3, %69#0, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x16xf32>, tensor<2x32x16xf32>) -> tensor<2x16x16xf32>
        %71 = stablehlo.transpose %70, dims = [0, 2, 1] : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
        %72 = stablehlo.dot_general %67#3, %67#1, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x32x16xf32>, tensor<2x16x16xf32>) -> tensor<2x32x16xf32>
        %73 = func.call @silu_3(%69#1, %68, %69#2, %72) : (tensor<2x32x16xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
        %74 = stablehlo.dot_general %73, %67#2, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x16xf32>, tensor<2x32x16xf32>) -> tensor<2x16x16xf32>
        %75 = stablehlo.transpose %74, dims = [0, 2, 1] : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
        sdy.return %75, %71 : tensor<2x16x16xf32>, tensor<2x16x16xf32>
      } : (tensor<2x32x16xf32>, tensor<2x16x32xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>) -> (tensor<2x16x32xf32>, tensor<2x32x16xf32>)
      %38 = stablehlo.broadcast_in_dim %arg11, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
      %39 = sdy.sharding_constraint %38 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %40 = stablehlo.multiply %35, %39 : tensor<16x8xf32>
      %41 = sdy.sharding_constraint %40 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %42 = stablehlo.multiply %41, %arg9 : tensor<16x8xf32>
      %43 = sdy.sharding_constraint %42 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %44 = stablehlo.reduce(%43 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
      %45 = sdy.sharding_constraint %44 <@mesh, [{?}]> : tensor<16xf32>
      %46 = stablehlo.reshape %45 : (tensor<16xf32>) -> tensor<16x1xf32>
      %47 = sdy.sharding_constraint %46 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %48 = stablehlo.negate %47 : tensor<16x1xf32>
      %49 = sdy.sharding_constraint %48 <@mesh, [{?}, {?}]> : tensor<16x1xf32>
      %50 = stablehlo.broadcast_in_dim %arg10, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
      %51 = sdy.sharding_constraint %50 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %52 = stablehlo.divide %35, %51 : tensor<16x8xf32>
      %53 = sdy.sharding_constraint %52 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %54 = stablehlo.reduce(%49 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<16x1xf32>, tensor<f32>) -> tensor<16xf32>
      %55 = sdy.sharding_constraint %54 <@mesh, [{?}]> : tensor<16xf32>
      %56 = stablehlo.broadcast_in_dim %55, dims = [0] : (tensor<16xf32>) -> tensor<16x8xf32>
      %57 = sdy.sharding_constraint %56 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %58 = stablehlo.add %53, %57 : tensor<16x8xf32>
      %59 = sdy.sharding_constraint %58 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %60 = stablehlo.multiply %59, %arg9 : tensor<16x8xf32>
      %61 = sdy.sharding_constraint %60 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %62 = stablehlo.dot_general %61, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
      %63 = sdy.sharding_constraint %62 <@mesh, [{?}, {?}]> : tensor<8x16xf32>
      %64 = stablehlo.transpose %63, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %65 = sdy.sharding_constraint %64 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %66 = "stablehlo.all_reduce"(%65) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg19: tensor<f32>, %arg20: tensor<f32>):
        %67 = stablehlo.add %arg19, %arg20 : tensor<f32>
        %68 = sdy.sharding_constraint %67 <@mesh, []> : tensor<f32>
        stablehlo.return %68 : tensor<f32>
      }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
      sdy.return %66, %37#0, %37#1 : tensor<16x8xf32>, tensor<2x16x32xf32>, tensor<2x32x16xf32>
    } : (tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x8xf32>, tensor<64x1xf32>, tensor<64x1xf32>, tensor<8x16x32xf32>, tensor<8x32x16xf32>, tensor<8x32x16xf32>, tensor<64x8xf32>, tensor<64x8x8xf32>, tensor<64x1xf32>, tensor<64x16xf32>) -> (tensor<16x8xf32>, tensor<8x16x32xf32>, tensor<8x32x16xf32>)
    return %9, %15#2, %15#0, %15#1, %13#2, %13#0, %13#1 : tensor<f32>, tensor<8x32x16xf32>, tensor<16x8xf32>, tensor<8x16x32xf32>, tensor<8x32x16xf32>, tensor<16x8xf32>, tensor<8x16x32xf32>
  }
  func.func private @argmax(%arg0: tensor<16x8xf32>) -> tensor<16xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<16x8xi32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {?}]> : tensor<16x8xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:2 = stablehlo.reduce(%arg0 init: %cst), (%1 init: %c) across dimensions = [1] : (tensor<16x8xf32>, tensor<16x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<16xf32>, tensor<16xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %5 = sdy.sharding_constraint %arg1 <@mesh, []> : tensor<f32>
      %6 = sdy.sharding_constraint %arg3 <@mesh, []> : tensor<f32>
      %7 = stablehlo.compare GT, %5, %6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %8 = sdy.sharding_constraint %arg1 <@mesh, []> : tensor<f32>
      %9 = sdy.sharding_constraint %arg1 <@mesh, []> : tensor<f32>
      %10 = stablehlo.compare NE, %8, %9, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %11 = stablehlo.or %7, %10 : tensor<i1>
      %12 = sdy.sharding_constraint %11 <@mesh, []> : tensor<i1>
      %13 = sdy.sharding_constraint %arg1 <@mesh, []> : tensor<f32>
      %14 = sdy.sharding_constraint %arg3 <@mesh, []> : tensor<f32>
      %15 = stablehlo.compare EQ, %13, %14, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %16 = sdy.sharding_constraint %arg2 <@mesh, []> : tensor<i32>
      %17 = sdy.sharding_constraint %arg4 <@mesh, []> : tensor<i32>
      %18 = stablehlo.compare LT, %16, %17, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %19 = stablehlo.and %15, %18 : tensor<i1>
      %20 = sdy.sharding_constraint %19 <@mesh, []> : tensor<i1>
      %21 = stablehlo.or %12, %20 : tensor<i1>
      %22 = sdy.sharding_constraint %21 <@mesh, []> : tensor<i1>
      %23 = stablehlo.select %12, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %24 = sdy.sharding_constraint %23 <@mesh, []> : tensor<f32>
      %25 = stablehlo.select %22, %arg2, %arg4 : tensor<i1>, tensor<i32>
      %26 = sdy.sharding_constraint %25 <@mesh, []> : tensor<i32>
      stablehlo.return %24, %26 : tensor<f32>, tensor<i32>
    }
    %3 = sdy.sharding_constraint %2#0 <@mesh, [{?}]> : tensor<16xf32>
    %4 = sdy.sharding_constraint %2#1 <@mesh, [{?}]> : tensor<16xi32>
    return %4 : tensor<16xi32>
  }
  func.func private @_one_hot(%arg0: tensor<16xi32>) -> tensor<16x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {?}]> : tensor<16x1xi32>
    %2 = stablehlo.iota dim = 1 : tensor<1x8xi32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}, {?}]> : tensor<1x8xi32>
    %4 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<16x1xi32>) -> tensor<16x8xi32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{?}, {?}]> : tensor<16x8xi32>
    %6 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x8xi32>) -> tensor<16x8xi32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{?}, {?}]> : tensor<16x8xi32>
    %8 = stablehlo.compare EQ, %5, %7, SIGNED : (tensor<16x8xi32>, tensor<16x8xi32>) -> tensor<16x8xi1>
    %9 = stablehlo.convert %8 : (tensor<16x8xi1>) -> tensor<16x8xf32>
    %10 = sdy.sharding_constraint %9 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
    return %10 : tensor<16x8xf32>
  }
  func.func private @cumsum(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    return %0 : tensor<16x8xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[15, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 16, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
    return %2 : tensor<16x8xf32>
  }
  func.func private @_one_hot_1(%arg0: tensor<16x8xi32>) -> tensor<16x8x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<16x8xi32>) -> tensor<16x8x1xi32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {?}, {?}]> : tensor<16x8x1xi32>
    %2 = stablehlo.iota dim = 2 : tensor<1x1x8xi32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}, {?}, {?}]> : tensor<1x1x8xi32>
    %4 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<16x8x1xi32>) -> tensor<16x8x8xi32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{?}, {?}, {?}]> : tensor<16x8x8xi32>
    %6 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<1x1x8xi32>) -> tensor<16x8x8xi32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{?}, {?}, {?}]> : tensor<16x8x8xi32>
    %8 = stablehlo.compare EQ, %5, %7, SIGNED : (tensor<16x8x8xi32>, tensor<16x8x8xi32>) -> tensor<16x8x8xi1>
    %9 = stablehlo.convert %8 : (tensor<16x8x8xi1>) -> tensor<16x8x8xf32>
    %10 = sdy.sharding_constraint %9 <@mesh, [{?}, {?}, {?}]> : tensor<16x8x8xf32>
    return %10 : tensor<16x8x8xf32>
  }
  func.func private @silu(%arg0: tensor<2x32x16xf32>) -> tensor<2x32x16xf32> {
    %0 = stablehlo.negate %arg0 : tensor<2x32x16xf32>
    %1 = stablehlo.exponential %0 : tensor<2x32x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x32x16xf32>
    %3 = stablehlo.add %2, %1 : tensor<2x32x16xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x32x16xf32>
    %5 = stablehlo.divide %4, %3 : tensor<2x32x16xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<2x32x16xf32>
    return %6 : tensor<2x32x16xf32>
  }
  func.func private @silu_2(%arg0: tensor<2x32x16xf32>) -> (tensor<2x32x16xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<2x32x16xf32>
    %1 = stablehlo.exponential %0 : tensor<2x32x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x32x16xf32>
    %3 = stablehlo.add %2, %1 : tensor<2x32x16xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x32x16xf32>
    %5 = stablehlo.divide %4, %3 : tensor<2x32x16xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x32x16xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<2x32x16xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<2x32x16xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<2x32x16xf32>
    return %9, %5, %8 : tensor<2x32x16xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32>
  }
  func.func private @silu_3(%arg0: tensor<2x32x16xf32>, %arg1: tensor<2x32x16xf32>, %arg2: tensor<2x32x16xf32>, %arg3: tensor<2x32x16xf32>) -> tensor<2x32x16xf32> {
    %0 = stablehlo.multiply %arg1, %arg3 : tensor<2x32x16xf32>
    %1 = stablehlo.multiply %arg3, %arg0 : tensor<2x32x16xf32>
    %2 = stablehlo.multiply %0, %arg2 : tensor<2x32x16xf32>
    %3 = stablehlo.add %1, %2 : tensor<2x32x16xf32>
    return %3 : tensor<2x32x16xf32>
  }
}
