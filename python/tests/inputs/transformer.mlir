// Lowered by JAX 0.10.2; written by generate.py.
module @jit_training_step attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg1: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg2: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg3: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg4: tensor<4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, %arg5: tensor<32x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, %arg6: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg7: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg8: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg9: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, %arg11: tensor<32x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, %arg12: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg13: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg15: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg16: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg17: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg18: tensor<4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, %arg19: tensor<32x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, %arg20: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg21: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg22: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg23: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg24: tensor<4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, %arg25: tensor<32x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, %arg26: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg27: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg28: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg29: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg30: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg31: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg32: tensor<4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, %arg33: tensor<32x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, %arg34: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg35: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg36: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg37: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg38: tensor<4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, %arg39: tensor<32x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, %arg40: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg41: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg42: tensor<8x17xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg43: tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (tensor<128x32xf32> {jax.result_info = "result[0]['embed']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<64x32xf32> {jax.result_info = "result[0]['layers'][0]['down']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<32xf32> {jax.result_info = "result[0]['layers'][0]['norm1']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<32xf32> {jax.result_info = "result[0]['layers'][0]['norm2']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4x8x32xf32> {jax.result_info = "result[0]['layers'][0]['out']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<32x3x4x8xf32> {jax.result_info = "result[0]['layers'][0]['qkv']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, tensor<32x64xf32> {jax.result_info = "result[0]['layers'][0]['up']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<64x32xf32> {jax.result_info = "result[0]['layers'][1]['down']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<32xf32> {jax.result_info = "result[0]['layers'][1]['norm1']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<32xf32> {jax.result_info = "result[0]['layers'][1]['norm2']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4x8x32xf32> {jax.result_info = "result[0]['layers'][1]['out']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<32x3x4x8xf32> {jax.result_info = "result[0]['layers'][1]['qkv']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, tensor<32x64xf32> {jax.result_info = "result[0]['layers'][1]['up']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<32xf32> {jax.result_info = "result[0]['norm']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<128x32xf32> {jax.result_info = "result[1]['m']['embed']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<64x32xf32> {jax.result_info = "result[1]['m']['layers'][0]['down']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][0]['norm1']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][0]['norm2']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4x8x32xf32> {jax.result_info = "result[1]['m']['layers'][0]['out']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<32x3x4x8xf32> {jax.result_info = "result[1]['m']['layers'][0]['qkv']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, tensor<32x64xf32> {jax.result_info = "result[1]['m']['layers'][0]['up']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<64x32xf32> {jax.result_info = "result[1]['m']['layers'][1]['down']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][1]['norm1']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][1]['norm2']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4x8x32xf32> {jax.result_info = "result[1]['m']['layers'][1]['out']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<32x3x4x8xf32> {jax.result_info = "result[1]['m']['layers'][1]['qkv']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, tensor<32x64xf32> {jax.result_info = "result[1]['m']['layers'][1]['up']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<32xf32> {jax.result_info = "result[1]['m']['norm']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<128x32xf32> {jax.result_info = "result[1]['v']['embed']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<64x32xf32> {jax.result_info = "result[1]['v']['layers'][0]['down']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][0]['norm1']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][0]['norm2']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4x8x32xf32> {jax.result_info = "result[1]['v']['layers'][0]['out']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<32x3x4x8xf32> {jax.result_info = "result[1]['v']['layers'][0]['qkv']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, tensor<32x64xf32> {jax.result_info = "result[1]['v']['layers'][0]['up']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<64x32xf32> {jax.result_info = "result[1]['v']['layers'][1]['down']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][1]['norm1']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][1]['norm2']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4x8x32xf32> {jax.result_info = "result[1]['v']['layers'][1]['out']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<32x3x4x8xf32> {jax.result_info = "result[1]['v']['layers'][1]['qkv']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, tensor<32x64xf32> {jax.result_info = "result[1]['v']['layers'][1]['up']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<32xf32> {jax.result_info = "result[1]['v']['norm']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<f32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.slice %arg42 [0:8, 0:16] : (tensor<8x17xi32>) -> tensor<8x16xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi1>
    %c_0 = stablehlo.constant dense<128> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
    %4 = stablehlo.add %0, %3 : tensor<8x16xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<8x16xi1>, tensor<8x16xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %7 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<128x32xf32>, tensor<8x16x1xi32>) -> tensor<8x16x32xf32>
    %8 = sdy.sharding_constraint %7 <@mesh, [{"data"}, {}, {}]> : tensor<8x16x32xf32>
    %c_1 = stablehlo.constant dense<32> : tensor<i32>
    %9 = stablehlo.shift_right_logical %arg43, %c_1 : tensor<i32>
    %10 = stablehlo.convert %9 : (tensor<i32>) -> tensor<ui32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %c_2 = stablehlo.constant dense<-1> : tensor<i32>
    %12 = stablehlo.and %arg43, %c_2 : tensor<i32>
    %13 = stablehlo.convert %12 : (tensor<i32>) -> tensor<ui32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %15 = stablehlo.concatenate %11, %14, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
    %16 = call @_threefry_split(%15) : (tensor<2xui32>) -> tensor<2x2xui32>
    %17 = stablehlo.slice %16 [0:1, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %18 = stablehlo.reshape %17 : (tensor<1x2xui32>) -> tensor<2xui32>
    %19 = stablehlo.multiply %8, %8 : tensor<8x16x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_3 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %23 = stablehlo.divide %21, %22 : tensor<8x16x1xf32>
    %cst_4 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %25 = stablehlo.add %23, %24 : tensor<8x16x1xf32>
    %26 = stablehlo.rsqrt %25 : tensor<8x16x1xf32>
    %27 = stablehlo.divide %26, %25 : tensor<8x16x1xf32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %29 = stablehlo.multiply %28, %27 : tensor<8x16x1xf32>
    %30 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %31 = stablehlo.multiply %8, %30 : tensor<8x16x32xf32>
    %32 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %34 = stablehlo.multiply %31, %33 : tensor<8x16x32xf32>
    %35 = stablehlo.dot_general %arg5, %34, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<32x3x4x8xf32>, tensor<8x16x32xf32>) -> tensor<3x4x8x8x16xf32>
    %36 = stablehlo.transpose %35, dims = [0, 3, 1, 4, 2] : (tensor<3x4x8x8x16xf32>) -> tensor<3x8x4x16x8xf32>
    %37 = stablehlo.slice %36 [0:1, 0:8, 0:4, 0:16, 0:8] : (tensor<3x8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %38 = stablehlo.reshape %37 : (tensor<1x8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %39 = stablehlo.slice %36 [1:2, 0:8, 0:4, 0:16, 0:8] : (tensor<3x8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %40 = stablehlo.reshape %39 : (tensor<1x8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %41 = stablehlo.slice %36 [2:3, 0:8, 0:4, 0:16, 0:8] : (tensor<3x8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %42 = stablehlo.reshape %41 : (tensor<1x8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %43 = stablehlo.dot_general %38, %40, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x8xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x16xf32>
    %cst_6 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %45 = stablehlo.divide %43, %44 : tensor<8x4x16x16xf32>
    %46 = sdy.sharding_constraint %45 <@mesh, [{"data"}, {"model"}, {}, {}]> : tensor<8x4x16x16xf32>
    %47 = stablehlo.iota dim = 0 : tensor<16xi32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %49 = stablehlo.broadcast_in_dim %47, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %50 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<16x1xi32>) -> tensor<16x16xi32>
    %51 = stablehlo.broadcast_in_dim %49, dims = [0, 1] : (tensor<1x16xi32>) -> tensor<16x16xi32>
    %52 = stablehlo.compare GE, %50, %51, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %cst_7 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %53:3 = call @_where(%52, %46, %cst_7) : (tensor<16x16xi1>, tensor<8x4x16x16xf32>, tensor<f32>) -> (tensor<8x4x16x16xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>)
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %54 = stablehlo.reduce(%53#0 init: %cst_8) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %55 = stablehlo.reshape %54 : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %57 = stablehlo.compare EQ, %53#0, %56, FLOAT : (tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xi1>
    %58 = stablehlo.convert %57 : (tensor<8x4x16x16xi1>) -> tensor<8x4x16x16xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%58 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %61 = stablehlo.maximum %60, %54 : tensor<8x4x16xf32>
    %62 = stablehlo.compare EQ, %54, %61, FLOAT : (tensor<8x4x16xf32>, tensor<8x4x16xf32>) -> tensor<8x4x16xi1>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %65 = stablehlo.select %62, %63, %64 : tensor<8x4x16xi1>, tensor<8x4x16xf32>
    %cst_13 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %67 = stablehlo.compare EQ, %66, %61, FLOAT : (tensor<8x4x16xf32>, tensor<8x4x16xf32>) -> tensor<8x4x16xi1>
    %cst_14 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %70 = stablehlo.select %67, %68, %69 : tensor<8x4x16xi1>, tensor<8x4x16xf32>
    %71 = stablehlo.divide %65, %70 : tensor<8x4x16xf32>
    %72 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %74 = stablehlo.subtract %53#0, %73 : tensor<8x4x16x16xf32>
    %75 = stablehlo.exponential %74 : tensor<8x4x16x16xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.reduce(%75 init: %cst_16) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %79 = stablehlo.divide %75, %78 : tensor<8x4x16x16xf32>
    %80 = stablehlo.multiply %77, %77 : tensor<8x4x16x1xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x4x16x1xf32>
    %82 = stablehlo.divide %81, %80 : tensor<8x4x16x1xf32>
    %83 = stablehlo.dot_general %79, %42, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %84 = stablehlo.dot_general %83, %arg4, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x8xf32>, tensor<4x8x32xf32>) -> tensor<8x16x32xf32>
    %85 = stablehlo.add %8, %84 : tensor<8x16x32xf32>
    %86 = stablehlo.multiply %85, %85 : tensor<8x16x32xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.reduce(%86 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %88 = stablehlo.broadcast_in_dim %87, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_19 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %90 = stablehlo.divide %88, %89 : tensor<8x16x1xf32>
    %cst_20 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %92 = stablehlo.add %90, %91 : tensor<8x16x1xf32>
    %93 = stablehlo.rsqrt %92 : tensor<8x16x1xf32>
    %94 = stablehlo.divide %93, %92 : tensor<8x16x1xf32>
    %cst_21 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %96 = stablehlo.multiply %95, %94 : tensor<8x16x1xf32>
    %97 = stablehlo.broadcast_in_dim %93, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %98 = stablehlo.multiply %85, %97 : tensor<8x16x32xf32>
    %99 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %101 = stablehlo.multiply %98, %100 : tensor<8x16x32xf32>
    %102 = stablehlo.dot_general %101, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
    %103 = stablehlo.multiply %102, %102 : tensor<8x16x64xf32>
    %104 = stablehlo.multiply %103, %102 : tensor<8x16x64xf32>
    %105 = stablehlo.multiply %102, %102 : tensor<8x16x64xf32>
    %cst_22 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %107 = stablehlo.multiply %106, %105 : tensor<8x16x64xf32>
    %cst_23 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %109 = stablehlo.multiply %108, %104 : tensor<8x16x64xf32>
    %110 = stablehlo.add %102, %109 : tensor<8x16x64xf32>
    %cst_24 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %112 = stablehlo.multiply %111, %110 : tensor<8x16x64xf32>
    %113 = stablehlo.tanh %112 : tensor<8x16x64xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %115 = stablehlo.subtract %114, %113 : tensor<8x16x64xf32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %117 = stablehlo.add %116, %113 : tensor<8x16x64xf32>
    %cst_27 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %119 = stablehlo.multiply %118, %117 : tensor<8x16x64xf32>
    %120 = stablehlo.multiply %102, %119 : tensor<8x16x64xf32>
    %121 = sdy.sharding_constraint %120 <@mesh, [{"data"}, {}, {"model"}]> : tensor<8x16x64xf32>
    %cst_28 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %122 = call @_bernoulli(%18, %cst_28) : (tensor<2xui32>, tensor<f32>) -> tensor<8x16x64xi1>
    %cst_29 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %124 = stablehlo.divide %121, %123 : tensor<8x16x64xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125:2 = call @_where_2(%122, %124, %cst_30) : (tensor<8x16x64xi1>, tensor<8x16x64xf32>, tensor<f32>) -> (tensor<8x16x64xf32>, tensor<8x16x64xf32>)
    %126 = stablehlo.dot_general %125#0, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<64x32xf32>) -> tensor<8x16x32xf32>
    %127 = stablehlo.add %85, %126 : tensor<8x16x32xf32>
    %128 = sdy.sharding_constraint %127 <@mesh, [{"data"}, {?}, {}]> : tensor<8x16x32xf32>
    %129 = stablehlo.slice %16 [1:2, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %130 = stablehlo.reshape %129 : (tensor<1x2xui32>) -> tensor<2xui32>
    %131 = stablehlo.multiply %128, %128 : tensor<8x16x32xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %132 = stablehlo.reduce(%131 init: %cst_31) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %133 = stablehlo.broadcast_in_dim %132, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_32 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %135 = stablehlo.divide %133, %134 : tensor<8x16x1xf32>
    %cst_33 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %137 = stablehlo.add %135, %136 : tensor<8x16x1xf32>
    %138 = stablehlo.rsqrt %137 : tensor<8x16x1xf32>
    %139 = stablehlo.divide %138, %137 : tensor<8x16x1xf32>
    %cst_34 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %141 = stablehlo.multiply %140, %139 : tensor<8x16x1xf32>
    %142 = stablehlo.broadcast_in_dim %138, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %143 = stablehlo.multiply %128, %142 : tensor<8x16x32xf32>
    %144 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %146 = stablehlo.multiply %143, %145 : tensor<8x16x32xf32>
    %147 = stablehlo.dot_general %arg11, %146, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<32x3x4x8xf32>, tensor<8x16x32xf32>) -> tensor<3x4x8x8x16xf32>
    %148 = stablehlo.transpose %147, dims = [0, 3, 1, 4, 2] : (tensor<3x4x8x8x16xf32>) -> tensor<3x8x4x16x8xf32>
    %149 = stablehlo.slice %148 [0:1, 0:8, 0:4, 0:16, 0:8] : (tensor<3x8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %150 = stablehlo.reshape %149 : (tensor<1x8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %151 = stablehlo.slice %148 [1:2, 0:8, 0:4, 0:16, 0:8] : (tensor<3x8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %152 = stablehlo.reshape %151 : (tensor<1x8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %153 = stablehlo.slice %148 [2:3, 0:8, 0:4, 0:16, 0:8] : (tensor<3x8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %154 = stablehlo.reshape %153 : (tensor<1x8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %155 = stablehlo.dot_general %150, %152, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x8xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x16xf32>
    %cst_35 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %157 = stablehlo.divide %155, %156 : tensor<8x4x16x16xf32>
    %158 = sdy.sharding_constraint %157 <@mesh, [{"data"}, {"model"}, {}, {}]> : tensor<8x4x16x16xf32>
    %159 = stablehlo.iota dim = 0 : tensor<16xi32>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %161 = stablehlo.broadcast_in_dim %159, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %162 = stablehlo.broadcast_in_dim %160, dims = [0, 1] : (tensor<16x1xi32>) -> tensor<16x16xi32>
    %163 = stablehlo.broadcast_in_dim %161, dims = [0, 1] : (tensor<1x16xi32>) -> tensor<16x16xi32>
    %164 = stablehlo.compare GE, %162, %163, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %cst_36 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %165:3 = call @_where(%164, %158, %cst_36) : (tensor<16x16xi1>, tensor<8x4x16x16xf32>, tensor<f32>) -> (tensor<8x4x16x16xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>)
    %cst_37 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %166 = stablehlo.reduce(%165#0 init: %cst_37) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %167 = stablehlo.reshape %166 : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %168 = stablehlo.broadcast_in_dim %167, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %169 = stablehlo.compare EQ, %165#0, %168, FLOAT : (tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xi1>
    %170 = stablehlo.convert %169 : (tensor<8x4x16x16xi1>) -> tensor<8x4x16x16xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %171 = stablehlo.reduce(%170 init: %cst_38) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %cst_39 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %173 = stablehlo.maximum %172, %166 : tensor<8x4x16xf32>
    %174 = stablehlo.compare EQ, %166, %173, FLOAT : (tensor<8x4x16xf32>, tensor<8x4x16xf32>) -> tensor<8x4x16xi1>
    %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %177 = stablehlo.select %174, %175, %176 : tensor<8x4x16xi1>, tensor<8x4x16xf32>
    %cst_42 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %179 = stablehlo.compare EQ, %178, %173, FLOAT : (tensor<8x4x16xf32>, tensor<8x4x16xf32>) -> tensor<8x4x16xi1>
    %cst_43 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %181 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %182 = stablehlo.select %179, %180, %181 : tensor<8x4x16xi1>, tensor<8x4x16xf32>
    %183 = stablehlo.divide %177, %182 : tensor<8x4x16xf32>
    %184 = stablehlo.broadcast_in_dim %173, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %185 = stablehlo.broadcast_in_dim %184, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %186 = stablehlo.subtract %165#0, %185 : tensor<8x4x16x16xf32>
    %187 = stablehlo.exponential %186 : tensor<8x4x16x16xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %188 = stablehlo.reduce(%187 init: %cst_45) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %189 = stablehlo.broadcast_in_dim %188, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %190 = stablehlo.broadcast_in_dim %189, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %191 = stablehlo.divide %187, %190 : tensor<8x4x16x16xf32>
    %192 = stablehlo.multiply %189, %189 : tensor<8x4x16x1xf32>
    %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %193 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<8x4x16x1xf32>
    %194 = stablehlo.divide %193, %192 : tensor<8x4x16x1xf32>
    %195 = stablehlo.dot_general %191, %154, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %196 = stablehlo.dot_general %195, %arg10, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x8xf32>, tensor<4x8x32xf32>) -> tensor<8x16x32xf32>
    %197 = stablehlo.add %128, %196 : tensor<8x16x32xf32>
    %198 = stablehlo.multiply %197, %197 : tensor<8x16x32xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %199 = stablehlo.reduce(%198 init: %cst_47) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %200 = stablehlo.broadcast_in_dim %199, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_48 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %202 = stablehlo.divide %200, %201 : tensor<8x16x1xf32>
    %cst_49 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %204 = stablehlo.add %202, %203 : tensor<8x16x1xf32>
    %205 = stablehlo.rsqrt %204 : tensor<8x16x1xf32>
    %206 = stablehlo.divide %205, %204 : tensor<8x16x1xf32>
    %cst_50 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %207 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %208 = stablehlo.multiply %207, %206 : tensor<8x16x1xf32>
    %209 = stablehlo.broadcast_in_dim %205, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %210 = stablehlo.multiply %197, %209 : tensor<8x16x32xf32>
    %211 = stablehlo.broadcast_in_dim %arg9, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %212 = stablehlo.broadcast_in_dim %211, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %213 = stablehlo.multiply %210, %212 : tensor<8x16x32xf32>
    %214 = stablehlo.dot_general %213, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
    %215 = stablehlo.multiply %214, %214 : tensor<8x16x64xf32>
    %216 = stablehlo.multiply %215, %214 : tensor<8x16x64xf32>
    %217 = stablehlo.multiply %214, %214 : tensor<8x16x64xf32>
    %cst_51 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %218 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %219 = stablehlo.multiply %218, %217 : tensor<8x16x64xf32>
    %cst_52 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %221 = stablehlo.multiply %220, %216 : tensor<8x16x64xf32>
    %222 = stablehlo.add %214, %221 : tensor<8x16x64xf32>
    %cst_53 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %224 = stablehlo.multiply %223, %222 : tensor<8x16x64xf32>
    %225 = stablehlo.tanh %224 : tensor<8x16x64xf32>
    %cst_54 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %227 = stablehlo.subtract %226, %225 : tensor<8x16x64xf32>
    %cst_55 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %228 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %229 = stablehlo.add %228, %225 : tensor<8x16x64xf32>
    %cst_56 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %230 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %231 = stablehlo.multiply %230, %229 : tensor<8x16x64xf32>
    %232 = stablehlo.multiply %214, %231 : tensor<8x16x64xf32>
    %233 = sdy.sharding_constraint %232 <@mesh, [{"data"}, {}, {"model"}]> : tensor<8x16x64xf32>
    %cst_57 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %234 = call @_bernoulli(%130, %cst_57) : (tensor<2xui32>, tensor<f32>) -> tensor<8x16x64xi1>
    %cst_58 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %235 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %236 = stablehlo.divide %233, %235 : tensor<8x16x64xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %237:2 = call @_where_2(%234, %236, %cst_59) : (tensor<8x16x64xi1>, tensor<8x16x64xf32>, tensor<f32>) -> (tensor<8x16x64xf32>, tensor<8x16x64xf32>)
    %238 = stablehlo.dot_general %237#0, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<64x32xf32>) -> tensor<8x16x32xf32>
    %239 = stablehlo.add %197, %238 : tensor<8x16x32xf32>
    %240 = sdy.sharding_constraint %239 <@mesh, [{"data"}, {?}, {}]> : tensor<8x16x32xf32>
    %241 = stablehlo.multiply %240, %240 : tensor<8x16x32xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %242 = stablehlo.reduce(%241 init: %cst_60) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %243 = stablehlo.broadcast_in_dim %242, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_61 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %244 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %245 = stablehlo.divide %243, %244 : tensor<8x16x1xf32>
    %cst_62 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %247 = stablehlo.add %245, %246 : tensor<8x16x1xf32>
    %248 = stablehlo.rsqrt %247 : tensor<8x16x1xf32>
    %249 = stablehlo.divide %248, %247 : tensor<8x16x1xf32>
    %cst_63 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %251 = stablehlo.multiply %250, %249 : tensor<8x16x1xf32>
    %252 = stablehlo.broadcast_in_dim %248, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %253 = stablehlo.multiply %240, %252 : tensor<8x16x32xf32>
    %254 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %255 = stablehlo.broadcast_in_dim %254, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %256 = stablehlo.multiply %253, %255 : tensor<8x16x32xf32>
    %257 = stablehlo.dot_general %256, %arg0, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<128x32xf32>) -> tensor<8x16x128xf32>
    %258 = sdy.sharding_constraint %257 <@mesh, [{"data"}, {}, {"model"}]> : tensor<8x16x128xf32>
    %259:3 = call @log_softmax(%258) : (tensor<8x16x128xf32>) -> (tensor<8x16x128xf32>, tensor<8x16x128xf32>, tensor<8x16x1xf32>)
    %260 = stablehlo.slice %arg42 [0:8, 1:17] : (tensor<8x17xi32>) -> tensor<8x16xi32>
    %261 = stablehlo.broadcast_in_dim %260, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %262:2 = call @take_along_axis(%259#0, %261) : (tensor<8x16x128xf32>, tensor<8x16x1xi32>) -> (tensor<8x16x1xf32>, tensor<8x16x1x1xi32>)
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %263 = stablehlo.reduce(%262#0 init: %cst_64) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_65 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %264 = stablehlo.divide %263, %cst_65 : tensor<f32>
    %265 = stablehlo.negate %264 : tensor<f32>
    %cst_66 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %266 = stablehlo.negate %cst_66 : tensor<f32>
    %cst_67 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %267 = stablehlo.divide %266, %cst_67 : tensor<f32>
    %268 = stablehlo.broadcast_in_dim %267, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %269 = call @take_along_axis_3(%262#1, %268) : (tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x128xf32>
    %270 = call @log_softmax_4(%259#1, %259#2, %269) : (tensor<8x16x128xf32>, tensor<8x16x1xf32>, tensor<8x16x128xf32>) -> tensor<8x16x128xf32>
    %271 = sdy.sharding_constraint %270 <@mesh, [{"data"}, {}, {"model"}]> : tensor<8x16x128xf32>
    %272 = stablehlo.dot_general %271, %256, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x128xf32>, tensor<8x16x32xf32>) -> tensor<128x32xf32>
    %273 = stablehlo.dot_general %271, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x128xf32>, tensor<128x32xf32>) -> tensor<8x16x32xf32>
    %274 = stablehlo.multiply %253, %273 : tensor<8x16x32xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %275 = stablehlo.reduce(%274 init: %cst_68) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %276 = stablehlo.reshape %275 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %277 = stablehlo.broadcast_in_dim %254, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %278 = stablehlo.multiply %273, %277 : tensor<8x16x32xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %279 = stablehlo.reduce(%276 init: %cst_69) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %280 = stablehlo.multiply %240, %278 : tensor<8x16x32xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %281 = stablehlo.reduce(%280 init: %cst_70) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %282 = stablehlo.reshape %281 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %283 = stablehlo.broadcast_in_dim %248, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %284 = stablehlo.multiply %278, %283 : tensor<8x16x32xf32>
    %285 = stablehlo.multiply %282, %251 : tensor<8x16x1xf32>
    %cst_71 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %286 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %287 = stablehlo.divide %285, %286 : tensor<8x16x1xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %288 = stablehlo.reduce(%287 init: %cst_72) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %289 = stablehlo.broadcast_in_dim %288, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %290 = stablehlo.multiply %240, %289 : tensor<8x16x32xf32>
    %291 = stablehlo.add %284, %290 : tensor<8x16x32xf32>
    %292 = stablehlo.multiply %289, %240 : tensor<8x16x32xf32>
    %293 = stablehlo.add %291, %292 : tensor<8x16x32xf32>
    %294 = sdy.sharding_constraint %293 <@mesh, [{"data"}, {?}, {}]> : tensor<8x16x32xf32>
    %295 = stablehlo.dot_general %294, %237#0, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x64xf32>) -> tensor<32x64xf32>
    %296 = stablehlo.transpose %295, dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
    %297 = stablehlo.dot_general %294, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<64x32xf32>) -> tensor<8x16x64xf32>
    %298 = call @_where_5(%234, %237#1, %297) : (tensor<8x16x64xi1>, tensor<8x16x64xf32>, tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    %cst_73 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %299 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %300 = stablehlo.divide %298, %299 : tensor<8x16x64xf32>
    %301 = sdy.sharding_constraint %300 <@mesh, [{"data"}, {}, {"model"}]> : tensor<8x16x64xf32>
    %302 = stablehlo.multiply %214, %301 : tensor<8x16x64xf32>
    %303 = stablehlo.multiply %301, %231 : tensor<8x16x64xf32>
    %cst_74 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %304 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %305 = stablehlo.multiply %304, %302 : tensor<8x16x64xf32>
    %306 = stablehlo.multiply %305, %227 : tensor<8x16x64xf32>
    %307 = stablehlo.multiply %306, %225 : tensor<8x16x64xf32>
    %308 = stablehlo.add %306, %307 : tensor<8x16x64xf32>
    %cst_75 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %309 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %310 = stablehlo.multiply %309, %308 : tensor<8x16x64xf32>
    %311 = stablehlo.add %303, %310 : tensor<8x16x64xf32>
    %cst_76 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %312 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %313 = stablehlo.multiply %312, %310 : tensor<8x16x64xf32>
    %314 = stablehlo.multiply %313, %219 : tensor<8x16x64xf32>
    %315 = stablehlo.add %311, %314 : tensor<8x16x64xf32>
    %316 = stablehlo.dot_general %315, %213, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<8x16x32xf32>) -> tensor<64x32xf32>
    %317 = stablehlo.transpose %316, dims = [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
    %318 = stablehlo.dot_general %315, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<32x64xf32>) -> tensor<8x16x32xf32>
    %319 = stablehlo.multiply %210, %318 : tensor<8x16x32xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %320 = stablehlo.reduce(%319 init: %cst_77) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %321 = stablehlo.reshape %320 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %322 = stablehlo.broadcast_in_dim %211, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %323 = stablehlo.multiply %318, %322 : tensor<8x16x32xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %324 = stablehlo.reduce(%321 init: %cst_78) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %325 = stablehlo.multiply %197, %323 : tensor<8x16x32xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %326 = stablehlo.reduce(%325 init: %cst_79) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %327 = stablehlo.reshape %326 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %328 = stablehlo.broadcast_in_dim %205, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %329 = stablehlo.multiply %323, %328 : tensor<8x16x32xf32>
    %330 = stablehlo.add %294, %329 : tensor<8x16x32xf32>
    %331 = stablehlo.multiply %327, %208 : tensor<8x16x1xf32>
    %cst_80 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %332 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %333 = stablehlo.divide %331, %332 : tensor<8x16x1xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %334 = stablehlo.reduce(%333 init: %cst_81) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %335 = stablehlo.broadcast_in_dim %334, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %336 = stablehlo.multiply %197, %335 : tensor<8x16x32xf32>
    %337 = stablehlo.add %330, %336 : tensor<8x16x32xf32>
    %338 = stablehlo.multiply %335, %197 : tensor<8x16x32xf32>
    %339 = stablehlo.add %337, %338 : tensor<8x16x32xf32>
    %340 = stablehlo.dot_general %339, %195, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x4x16x8xf32>) -> tensor<32x4x8xf32>
    %341 = stablehlo.transpose %340, dims = [1, 2, 0] : (tensor<32x4x8xf32>) -> tensor<4x8x32xf32>
    %342 = stablehlo.dot_general %339, %arg10, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<4x8x32xf32>) -> tensor<8x16x4x8xf32>
    %343 = stablehlo.transpose %342, dims = [0, 2, 1, 3] : (tensor<8x16x4x8xf32>) -> tensor<8x4x16x8xf32>
    %344 = stablehlo.dot_general %343, %191, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x8xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x8x16xf32>
    %345 = stablehlo.transpose %344, dims = [0, 1, 3, 2] : (tensor<8x4x8x16xf32>) -> tensor<8x4x16x8xf32>
    %346 = stablehlo.dot_general %343, %154, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x8xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x16xf32>
    %347 = stablehlo.broadcast_in_dim %194, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %348 = stablehlo.multiply %346, %347 : tensor<8x4x16x16xf32>
    %349 = stablehlo.multiply %348, %187 : tensor<8x4x16x16xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %350 = stablehlo.reduce(%349 init: %cst_82) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %351 = stablehlo.reshape %350 : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %352 = stablehlo.negate %351 : tensor<8x4x16x1xf32>
    %353 = stablehlo.broadcast_in_dim %189, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %354 = stablehlo.divide %346, %353 : tensor<8x4x16x16xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %355 = stablehlo.reduce(%352 init: %cst_83) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x1xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %356 = stablehlo.broadcast_in_dim %355, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x16xf32>
    %357 = stablehlo.add %354, %356 : tensor<8x4x16x16xf32>
    %358 = stablehlo.multiply %357, %187 : tensor<8x4x16x16xf32>
    %359 = call @_where_6(%165#1, %165#2, %358) : (tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32>
    %360 = sdy.sharding_constraint %359 <@mesh, [{"data"}, {"model"}, {}, {}]> : tensor<8x4x16x16xf32>
    %cst_84 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %361 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %362 = stablehlo.divide %360, %361 : tensor<8x4x16x16xf32>
    %363 = stablehlo.dot_general %362, %150, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %364 = stablehlo.dot_general %362, %152, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %365 = stablehlo.broadcast_in_dim %345, dims = [1, 2, 3, 4] : (tensor<8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %366 = stablehlo.pad %365, %cst_85, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x4x16x8xf32>, tensor<f32>) -> tensor<3x8x4x16x8xf32>
    %367 = stablehlo.broadcast_in_dim %363, dims = [1, 2, 3, 4] : (tensor<8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %368 = stablehlo.pad %367, %cst_86, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x4x16x8xf32>, tensor<f32>) -> tensor<3x8x4x16x8xf32>
    %369 = stablehlo.add %366, %368 : tensor<3x8x4x16x8xf32>
    %370 = stablehlo.broadcast_in_dim %364, dims = [1, 2, 3, 4] : (tensor<8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %371 = stablehlo.pad %370, %cst_87, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x4x16x8xf32>, tensor<f32>) -> tensor<3x8x4x16x8xf32>
    %372 = stablehlo.add %369, %371 : tensor<3x8x4x16x8xf32>
    %373 = stablehlo.transpose %372, dims = [0, 2, 4, 1, 3] : (tensor<3x8x4x16x8xf32>) -> tensor<3x4x8x8x16xf32>
    %374 = stablehlo.dot_general %373, %arg11, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x4x8x8x16xf32>, tensor<32x3x4x8xf32>) -> tensor<8x16x32xf32>
    %375 = stablehlo.dot_general %373, %146, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x8x8x16xf32>, tensor<8x16x32xf32>) -> tensor<3x4x8x32xf32>
    %376 = stablehlo.transpose %375, dims = [3, 0, 1, 2] : (tensor<3x4x8x32xf32>) -> tensor<32x3x4x8xf32>
    %377 = stablehlo.multiply %143, %374 : tensor<8x16x32xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %378 = stablehlo.reduce(%377 init: %cst_88) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %379 = stablehlo.reshape %378 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %380 = stablehlo.broadcast_in_dim %144, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %381 = stablehlo.multiply %374, %380 : tensor<8x16x32xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %382 = stablehlo.reduce(%379 init: %cst_89) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %383 = stablehlo.multiply %128, %381 : tensor<8x16x32xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %384 = stablehlo.reduce(%383 init: %cst_90) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %385 = stablehlo.reshape %384 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %386 = stablehlo.broadcast_in_dim %138, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %387 = stablehlo.multiply %381, %386 : tensor<8x16x32xf32>
    %388 = stablehlo.add %339, %387 : tensor<8x16x32xf32>
    %389 = stablehlo.multiply %385, %141 : tensor<8x16x1xf32>
    %cst_91 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %390 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %391 = stablehlo.divide %389, %390 : tensor<8x16x1xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %392 = stablehlo.reduce(%391 init: %cst_92) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %393 = stablehlo.broadcast_in_dim %392, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %394 = stablehlo.multiply %128, %393 : tensor<8x16x32xf32>
    %395 = stablehlo.add %388, %394 : tensor<8x16x32xf32>
    %396 = stablehlo.multiply %393, %128 : tensor<8x16x32xf32>
    %397 = stablehlo.add %395, %396 : tensor<8x16x32xf32>
    %398 = sdy.sharding_constraint %397 <@mesh, [{"data"}, {?}, {}]> : tensor<8x16x32xf32>
    %399 = stablehlo.dot_general %398, %125#0, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x64xf32>) -> tensor<32x64xf32>
    %400 = stablehlo.transpose %399, dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
    %401 = stablehlo.dot_general %398, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<64x32xf32>) -> tensor<8x16x64xf32>
    %402 = call @_where_5(%122, %125#1, %401) : (tensor<8x16x64xi1>, tensor<8x16x64xf32>, tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    %cst_93 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %403 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %404 = stablehlo.divide %402, %403 : tensor<8x16x64xf32>
    %405 = sdy.sharding_constraint %404 <@mesh, [{"data"}, {}, {"model"}]> : tensor<8x16x64xf32>
    %406 = stablehlo.multiply %102, %405 : tensor<8x16x64xf32>
    %407 = stablehlo.multiply %405, %119 : tensor<8x16x64xf32>
    %cst_94 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %408 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %409 = stablehlo.multiply %408, %406 : tensor<8x16x64xf32>
    %410 = stablehlo.multiply %409, %115 : tensor<8x16x64xf32>
    %411 = stablehlo.multiply %410, %113 : tensor<8x16x64xf32>
    %412 = stablehlo.add %410, %411 : tensor<8x16x64xf32>
    %cst_95 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %413 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %414 = stablehlo.multiply %413, %412 : tensor<8x16x64xf32>
    %415 = stablehlo.add %407, %414 : tensor<8x16x64xf32>
    %cst_96 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %416 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %417 = stablehlo.multiply %416, %414 : tensor<8x16x64xf32>
    %418 = stablehlo.multiply %417, %107 : tensor<8x16x64xf32>
    %419 = stablehlo.add %415, %418 : tensor<8x16x64xf32>
    %420 = stablehlo.dot_general %419, %101, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<8x16x32xf32>) -> tensor<64x32xf32>
    %421 = stablehlo.transpose %420, dims = [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
    %422 = stablehlo.dot_general %419, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<32x64xf32>) -> tensor<8x16x32xf32>
    %423 = stablehlo.multiply %98, %422 : tensor<8x16x32xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %424 = stablehlo.reduce(%423 init: %cst_97) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %425 = stablehlo.reshape %424 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %426 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %427 = stablehlo.multiply %422, %426 : tensor<8x16x32xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %428 = stablehlo.reduce(%425 init: %cst_98) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %429 = stablehlo.multiply %85, %427 : tensor<8x16x32xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %430 = stablehlo.reduce(%429 init: %cst_99) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %431 = stablehlo.reshape %430 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %432 = stablehlo.broadcast_in_dim %93, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %433 = stablehlo.multiply %427, %432 : tensor<8x16x32xf32>
    %434 = stablehlo.add %398, %433 : tensor<8x16x32xf32>
    %435 = stablehlo.multiply %431, %96 : tensor<8x16x1xf32>
    %cst_100 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %436 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %437 = stablehlo.divide %435, %436 : tensor<8x16x1xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %438 = stablehlo.reduce(%437 init: %cst_101) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %439 = stablehlo.broadcast_in_dim %438, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %440 = stablehlo.multiply %85, %439 : tensor<8x16x32xf32>
    %441 = stablehlo.add %434, %440 : tensor<8x16x32xf32>
    %442 = stablehlo.multiply %439, %85 : tensor<8x16x32xf32>
    %443 = stablehlo.add %441, %442 : tensor<8x16x32xf32>
    %444 = stablehlo.dot_general %443, %83, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x4x16x8xf32>) -> tensor<32x4x8xf32>
    %445 = stablehlo.transpose %444, dims = [1, 2, 0] : (tensor<32x4x8xf32>) -> tensor<4x8x32xf32>
    %446 = stablehlo.dot_general %443, %arg4, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<4x8x32xf32>) -> tensor<8x16x4x8xf32>
    %447 = stablehlo.transpose %446, dims = [0, 2, 1, 3] : (tensor<8x16x4x8xf32>) -> tensor<8x4x16x8xf32>
    %448 = stablehlo.dot_general %447, %79, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x8xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x8x16xf32>
    %449 = stablehlo.transpose %448, dims = [0, 1, 3, 2] : (tensor<8x4x8x16xf32>) -> tensor<8x4x16x8xf32>
    %450 = stablehlo.dot_general %447, %42, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x8xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x16xf32>
    %451 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %452 = stablehlo.multiply %450, %451 : tensor<8x4x16x16xf32>
    %453 = stablehlo.multiply %452, %75 : tensor<8x4x16x16xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %454 = stablehlo.reduce(%453 init: %cst_102) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %455 = stablehlo.reshape %454 : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %456 = stablehlo.negate %455 : tensor<8x4x16x1xf32>
    %457 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %458 = stablehlo.divide %450, %457 : tensor<8x4x16x16xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %459 = stablehlo.reduce(%456 init: %cst_103) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x1xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %460 = stablehlo.broadcast_in_dim %459, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x16xf32>
    %461 = stablehlo.add %458, %460 : tensor<8x4x16x16xf32>
    %462 = stablehlo.multiply %461, %75 : tensor<8x4x16x16xf32>
    %463 = call @_where_6(%53#1, %53#2, %462) : (tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32>
    %464 = sdy.sharding_constraint %463 <@mesh, [{"data"}, {"model"}, {}, {}]> : tensor<8x4x16x16xf32>
    %cst_104 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %465 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %466 = stablehlo.divide %464, %465 : tensor<8x4x16x16xf32>
    %467 = stablehlo.dot_general %466, %38, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %468 = stablehlo.dot_general %466, %40, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %469 = stablehlo.broadcast_in_dim %449, dims = [1, 2, 3, 4] : (tensor<8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %470 = stablehlo.pad %469, %cst_105, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x4x16x8xf32>, tensor<f32>) -> tensor<3x8x4x16x8xf32>
    %471 = stablehlo.broadcast_in_dim %467, dims = [1, 2, 3, 4] : (tensor<8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %472 = stablehlo.pad %471, %cst_106, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x4x16x8xf32>, tensor<f32>) -> tensor<3x8x4x16x8xf32>
    %473 = stablehlo.add %470, %472 : tensor<3x8x4x16x8xf32>
    %474 = stablehlo.broadcast_in_dim %468, dims = [1, 2, 3, 4] : (tensor<8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %475 = stablehlo.pad %474, %cst_107, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x4x16x8xf32>, tensor<f32>) -> tensor<3x8x4x16x8xf32>
    %476 = stablehlo.add %473, %475 : tensor<3x8x4x16x8xf32>
    %477 = stablehlo.transpose %476, dims = [0, 2, 4, 1, 3] : (tensor<3x8x4x16x8xf32>) -> tensor<3x4x8x8x16xf32>
    %478 = stablehlo.dot_general %477, %arg5, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x4x8x8x16xf32>, tensor<32x3x4x8xf32>) -> tensor<8x16x32xf32>
    %479 = stablehlo.dot_general %477, %34, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x8x8x16xf32>, tensor<8x16x32xf32>) -> tensor<3x4x8x32xf32>
    %480 = stablehlo.transpose %479, dims = [3, 0, 1, 2] : (tensor<3x4x8x32xf32>) -> tensor<32x3x4x8xf32>
    %481 = stablehlo.multiply %31, %478 : tensor<8x16x32xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %482 = stablehlo.reduce(%481 init: %cst_108) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %483 = stablehlo.reshape %482 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %484 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %485 = stablehlo.multiply %478, %484 : tensor<8x16x32xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %486 = stablehlo.reduce(%483 init: %cst_109) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %487 = stablehlo.multiply %8, %485 : tensor<8x16x32xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %488 = stablehlo.reduce(%487 init: %cst_110) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %489 = stablehlo.reshape %488 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %490 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %491 = stablehlo.multiply %485, %490 : tensor<8x16x32xf32>
    %492 = stablehlo.add %443, %491 : tensor<8x16x32xf32>
    %493 = stablehlo.multiply %489, %29 : tensor<8x16x1xf32>
    %cst_111 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %494 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %495 = stablehlo.divide %493, %494 : tensor<8x16x1xf32>
    %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %496 = stablehlo.reduce(%495 init: %cst_112) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %497 = stablehlo.broadcast_in_dim %496, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %498 = stablehlo.multiply %8, %497 : tensor<8x16x32xf32>
    %499 = stablehlo.add %492, %498 : tensor<8x16x32xf32>
    %500 = stablehlo.multiply %497, %8 : tensor<8x16x32xf32>
    %501 = stablehlo.add %499, %500 : tensor<8x16x32xf32>
    %502 = sdy.sharding_constraint %501 <@mesh, [{"data"}, {}, {}]> : tensor<8x16x32xf32>
    %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %503 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %504 = "stablehlo.scatter"(%503, %6, %502) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg44: tensor<f32>, %arg45: tensor<f32>):
      %758 = stablehlo.add %arg44, %arg45 : tensor<f32>
      stablehlo.return %758 : tensor<f32>
    }) : (tensor<128x32xf32>, tensor<8x16x1xi32>, tensor<8x16x32xf32>) -> tensor<128x32xf32>
    %505 = stablehlo.add %272, %504 : tensor<128x32xf32>
    sdy.sharding_group %505 group_id=0 : tensor<128x32xf32>
    sdy.sharding_group %arg0 group_id=0 : tensor<128x32xf32>
    sdy.sharding_group %400 group_id=1 : tensor<64x32xf32>
    sdy.sharding_group %arg1 group_id=1 : tensor<64x32xf32>
    sdy.sharding_group %486 group_id=2 : tensor<32xf32>
    sdy.sharding_group %arg2 group_id=2 : tensor<32xf32>
    sdy.sharding_group %428 group_id=3 : tensor<32xf32>
    sdy.sharding_group %arg3 group_id=3 : tensor<32xf32>
    sdy.sharding_group %445 group_id=4 : tensor<4x8x32xf32>
    sdy.sharding_group %arg4 group_id=4 : tensor<4x8x32xf32>
    sdy.sharding_group %480 group_id=5 : tensor<32x3x4x8xf32>
    sdy.sharding_group %arg5 group_id=5 : tensor<32x3x4x8xf32>
    sdy.sharding_group %421 group_id=6 : tensor<32x64xf32>
    sdy.sharding_group %arg6 group_id=6 : tensor<32x64xf32>
    sdy.sharding_group %296 group_id=7 : tensor<64x32xf32>
    sdy.sharding_group %arg7 group_id=7 : tensor<64x32xf32>
    sdy.sharding_group %382 group_id=8 : tensor<32xf32>
    sdy.sharding_group %arg8 group_id=8 : tensor<32xf32>
    sdy.sharding_group %324 group_id=9 : tensor<32xf32>
    sdy.sharding_group %arg9 group_id=9 : tensor<32xf32>
    sdy.sharding_group %341 group_id=10 : tensor<4x8x32xf32>
    sdy.sharding_group %arg10 group_id=10 : tensor<4x8x32xf32>
    sdy.sharding_group %376 group_id=11 : tensor<32x3x4x8xf32>
    sdy.sharding_group %arg11 group_id=11 : tensor<32x3x4x8xf32>
    sdy.sharding_group %317 group_id=12 : tensor<32x64xf32>
    sdy.sharding_group %arg12 group_id=12 : tensor<32x64xf32>
    sdy.sharding_group %279 group_id=13 : tensor<32xf32>
    sdy.sharding_group %arg13 group_id=13 : tensor<32xf32>
    %cst_114 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %506 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %507 = stablehlo.multiply %506, %arg14 : tensor<128x32xf32>
    %cst_115 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %508 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %509 = stablehlo.multiply %508, %505 : tensor<128x32xf32>
    %510 = stablehlo.add %507, %509 : tensor<128x32xf32>
    %cst_116 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %511 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %512 = stablehlo.multiply %511, %arg15 : tensor<64x32xf32>
    %cst_117 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %513 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %514 = stablehlo.multiply %513, %400 : tensor<64x32xf32>
    %515 = stablehlo.add %512, %514 : tensor<64x32xf32>
    %cst_118 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %516 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %517 = stablehlo.multiply %516, %arg16 : tensor<32xf32>
    %cst_119 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %518 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %519 = stablehlo.multiply %518, %486 : tensor<32xf32>
    %520 = stablehlo.add %517, %519 : tensor<32xf32>
    %cst_120 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %521 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %522 = stablehlo.multiply %521, %arg17 : tensor<32xf32>
    %cst_121 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %523 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %524 = stablehlo.multiply %523, %428 : tensor<32xf32>
    %525 = stablehlo.add %522, %524 : tensor<32xf32>
    %cst_122 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %526 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %527 = stablehlo.multiply %526, %arg18 : tensor<4x8x32xf32>
    %cst_123 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %528 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %529 = stablehlo.multiply %528, %445 : tensor<4x8x32xf32>
    %530 = stablehlo.add %527, %529 : tensor<4x8x32xf32>
    %cst_124 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %531 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<32x3x4x8xf32>
    %532 = stablehlo.multiply %531, %arg19 : tensor<32x3x4x8xf32>
    %cst_125 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %533 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<32x3x4x8xf32>
    %534 = stablehlo.multiply %533, %480 : tensor<32x3x4x8xf32>
    %535 = stablehlo.add %532, %534 : tensor<32x3x4x8xf32>
    %cst_126 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %536 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %537 = stablehlo.multiply %536, %arg20 : tensor<32x64xf32>
    %cst_127 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %538 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %539 = stablehlo.multiply %538, %421 : tensor<32x64xf32>
    %540 = stablehlo.add %537, %539 : tensor<32x64xf32>
    %cst_128 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %541 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %542 = stablehlo.multiply %541, %arg21 : tensor<64x32xf32>
    %cst_129 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %543 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %544 = stablehlo.multiply %543, %296 : tensor<64x32xf32>
    %545 = stablehlo.add %542, %544 : tensor<64x32xf32>
    %cst_130 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %546 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %547 = stablehlo.multiply %546, %arg22 : tensor<32xf32>
    %cst_131 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %548 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %549 = stablehlo.multiply %548, %382 : tensor<32xf32>
    %550 = stablehlo.add %547, %549 : tensor<32xf32>
    %cst_132 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %551 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %552 = stablehlo.multiply %551, %arg23 : tensor<32xf32>
    %cst_133 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %553 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %554 = stablehlo.multiply %553, %324 : tensor<32xf32>
    %555 = stablehlo.add %552, %554 : tensor<32xf32>
    %cst_134 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %556 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %557 = stablehlo.multiply %556, %arg24 : tensor<4x8x32xf32>
    %cst_135 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %558 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %559 = stablehlo.multiply %558, %341 : tensor<4x8x32xf32>
    %560 = stablehlo.add %557, %559 : tensor<4x8x32xf32>
    %cst_136 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %561 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<32x3x4x8xf32>
    %562 = stablehlo.multiply %561, %arg25 : tensor<32x3x4x8xf32>
    %cst_137 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %563 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<32x3x4x8xf32>
    %564 = stablehlo.multiply %563, %376 : tensor<32x3x4x8xf32>
    %565 = stablehlo.add %562, %564 : tensor<32x3x4x8xf32>
    %cst_138 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %566 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %567 = stablehlo.multiply %566, %arg26 : tensor<32x64xf32>
    %cst_139 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %568 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %569 = stablehlo.multiply %568, %317 : tensor<32x64xf32>
    %570 = stablehlo.add %567, %569 : tensor<32x64xf32>
    %cst_140 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %571 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %572 = stablehlo.multiply %571, %arg27 : tensor<32xf32>
    %cst_141 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %573 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %574 = stablehlo.multiply %573, %279 : tensor<32xf32>
    %575 = stablehlo.add %572, %574 : tensor<32xf32>
    %cst_142 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %576 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %577 = stablehlo.multiply %576, %arg28 : tensor<128x32xf32>
    %cst_143 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %578 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %579 = stablehlo.multiply %578, %505 : tensor<128x32xf32>
    %580 = stablehlo.multiply %579, %505 : tensor<128x32xf32>
    %581 = stablehlo.add %577, %580 : tensor<128x32xf32>
    %cst_144 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %582 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %583 = stablehlo.multiply %582, %arg29 : tensor<64x32xf32>
    %cst_145 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %584 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %585 = stablehlo.multiply %584, %400 : tensor<64x32xf32>
    %586 = stablehlo.multiply %585, %400 : tensor<64x32xf32>
    %587 = stablehlo.add %583, %586 : tensor<64x32xf32>
    %cst_146 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %588 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %589 = stablehlo.multiply %588, %arg30 : tensor<32xf32>
    %cst_147 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %590 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %591 = stablehlo.multiply %590, %486 : tensor<32xf32>
    %592 = stablehlo.multiply %591, %486 : tensor<32xf32>
    %593 = stablehlo.add %589, %592 : tensor<32xf32>
    %cst_148 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %594 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %595 = stablehlo.multiply %594, %arg31 : tensor<32xf32>
    %cst_149 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %596 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %597 = stablehlo.multiply %596, %428 : tensor<32xf32>
    %598 = stablehlo.multiply %597, %428 : tensor<32xf32>
    %599 = stablehlo.add %595, %598 : tensor<32xf32>
    %cst_150 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %600 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %601 = stablehlo.multiply %600, %arg32 : tensor<4x8x32xf32>
    %cst_151 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %602 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %603 = stablehlo.multiply %602, %445 : tensor<4x8x32xf32>
    %604 = stablehlo.multiply %603, %445 : tensor<4x8x32xf32>
    %605 = stablehlo.add %601, %604 : tensor<4x8x32xf32>
    %cst_152 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %606 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<32x3x4x8xf32>
    %607 = stablehlo.multiply %606, %arg33 : tensor<32x3x4x8xf32>
    %cst_153 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %608 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<32x3x4x8xf32>
    %609 = stablehlo.multiply %608, %480 : tensor<32x3x4x8xf32>
    %610 = stablehlo.multiply %609, %480 : tensor<32x3x4x8xf32>
    %611 = stablehlo.add %607, %610 : tensor<32x3x4x8xf32>
    %cst_154 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %612 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %613 = stablehlo.multiply %612, %arg34 : tensor<32x64xf32>
    %cst_155 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %614 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %615 = stablehlo.multiply %614, %421 : tensor<32x64xf32>
    %616 = stablehlo.multiply %615, %421 : tensor<32x64xf32>
    %617 = stablehlo.add %613, %616 : tensor<32x64xf32>
    %cst_156 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %618 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %619 = stablehlo.multiply %618, %arg35 : tensor<64x32xf32>
    %cst_157 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %620 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %621 = stablehlo.multiply %620, %296 : tensor<64x32xf32>
    %622 = stablehlo.multiply %621, %296 : tensor<64x32xf32>
    %623 = stablehlo.add %619, %622 : tensor<64x32xf32>
    %cst_158 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %624 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %625 = stablehlo.multiply %624, %arg36 : tensor<32xf32>
    %cst_159 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %626 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %627 = stablehlo.multiply %626, %382 : tensor<32xf32>
    %628 = stablehlo.multiply %627, %382 : tensor<32xf32>
    %629 = stablehlo.add %625, %628 : tensor<32xf32>
    %cst_160 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %630 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %631 = stablehlo.multiply %630, %arg37 : tensor<32xf32>
    %cst_161 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %632 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %633 = stablehlo.multiply %632, %324 : tensor<32xf32>
    %634 = stablehlo.multiply %633, %324 : tensor<32xf32>
    %635 = stablehlo.add %631, %634 : tensor<32xf32>
    %cst_162 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %636 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %637 = stablehlo.multiply %636, %arg38 : tensor<4x8x32xf32>
    %cst_163 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %638 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %639 = stablehlo.multiply %638, %341 : tensor<4x8x32xf32>
    %640 = stablehlo.multiply %639, %341 : tensor<4x8x32xf32>
    %641 = stablehlo.add %637, %640 : tensor<4x8x32xf32>
    %cst_164 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %642 = stablehlo.broadcast_in_dim %cst_164, dims = [] : (tensor<f32>) -> tensor<32x3x4x8xf32>
    %643 = stablehlo.multiply %642, %arg39 : tensor<32x3x4x8xf32>
    %cst_165 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %644 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<32x3x4x8xf32>
    %645 = stablehlo.multiply %644, %376 : tensor<32x3x4x8xf32>
    %646 = stablehlo.multiply %645, %376 : tensor<32x3x4x8xf32>
    %647 = stablehlo.add %643, %646 : tensor<32x3x4x8xf32>
    %cst_166 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %648 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %649 = stablehlo.multiply %648, %arg40 : tensor<32x64xf32>
    %cst_167 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %650 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %651 = stablehlo.multiply %650, %317 : tensor<32x64xf32>
    %652 = stablehlo.multiply %651, %317 : tensor<32x64xf32>
    %653 = stablehlo.add %649, %652 : tensor<32x64xf32>
    %cst_168 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %654 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %655 = stablehlo.multiply %654, %arg41 : tensor<32xf32>
    %cst_169 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %656 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %657 = stablehlo.multiply %656, %279 : tensor<32xf32>
    %658 = stablehlo.multiply %657, %279 : tensor<32xf32>
    %659 = stablehlo.add %655, %658 : tensor<32xf32>
    %cst_170 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %660 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %661 = stablehlo.multiply %660, %510 : tensor<128x32xf32>
    %cst_171 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %662 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %663 = stablehlo.add %581, %662 : tensor<128x32xf32>
    %664 = stablehlo.rsqrt %663 : tensor<128x32xf32>
    %665 = stablehlo.multiply %661, %664 : tensor<128x32xf32>
    %666 = stablehlo.subtract %arg0, %665 : tensor<128x32xf32>
    %cst_172 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %667 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %668 = stablehlo.multiply %667, %515 : tensor<64x32xf32>
    %cst_173 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %669 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %670 = stablehlo.add %587, %669 : tensor<64x32xf32>
    %671 = stablehlo.rsqrt %670 : tensor<64x32xf32>
    %672 = stablehlo.multiply %668, %671 : tensor<64x32xf32>
    %673 = stablehlo.subtract %arg1, %672 : tensor<64x32xf32>
    %cst_174 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %674 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %675 = stablehlo.multiply %674, %520 : tensor<32xf32>
    %cst_175 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %676 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %677 = stablehlo.add %593, %676 : tensor<32xf32>
    %678 = stablehlo.rsqrt %677 : tensor<32xf32>
    %679 = stablehlo.multiply %675, %678 : tensor<32xf32>
    %680 = stablehlo.subtract %arg2, %679 : tensor<32xf32>
    %cst_176 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %681 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %682 = stablehlo.multiply %681, %525 : tensor<32xf32>
    %cst_177 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %683 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %684 = stablehlo.add %599, %683 : tensor<32xf32>
    %685 = stablehlo.rsqrt %684 : tensor<32xf32>
    %686 = stablehlo.multiply %682, %685 : tensor<32xf32>
    %687 = stablehlo.subtract %arg3, %686 : tensor<32xf32>
    %cst_178 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %688 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %689 = stablehlo.multiply %688, %530 : tensor<4x8x32xf32>
    %cst_179 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %690 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %691 = stablehlo.add %605, %690 : tensor<4x8x32xf32>
    %692 = stablehlo.rsqrt %691 : tensor<4x8x32xf32>
    %693 = stablehlo.multiply %689, %692 : tensor<4x8x32xf32>
    %694 = stablehlo.subtract %arg4, %693 : tensor<4x8x32xf32>
    %cst_180 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %695 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<32x3x4x8xf32>
    %696 = stablehlo.multiply %695, %535 : tensor<32x3x4x8xf32>
    %cst_181 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %697 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<32x3x4x8xf32>
    %698 = stablehlo.add %611, %697 : tensor<32x3x4x8xf32>
    %699 = stablehlo.rsqrt %698 : tensor<32x3x4x8xf32>
    %700 = stablehlo.multiply %696, %699 : tensor<32x3x4x8xf32>
    %701 = stablehlo.subtract %arg5, %700 : tensor<32x3x4x8xf32>
    %cst_182 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %702 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %703 = stablehlo.multiply %702, %540 : tensor<32x64xf32>
    %cst_183 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %704 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %705 = stablehlo.add %617, %704 : tensor<32x64xf32>
    %706 = stablehlo.rsqrt %705 : tensor<32x64xf32>
    %707 = stablehlo.multiply %703, %706 : tensor<32x64xf32>
    %708 = stablehlo.subtract %arg6, %707 : tensor<32x64xf32>
    %cst_184 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %709 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %710 = stablehlo.multiply %709, %545 : tensor<64x32xf32>
    %cst_185 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %711 = stablehlo.broadcast_in_dim %cst_185, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %712 = stablehlo.add %623, %711 : tensor<64x32xf32>
    %713 = stablehlo.rsqrt %712 : tensor<64x32xf32>
    %714 = stablehlo.multiply %710, %713 : tensor<64x32xf32>
    %715 = stablehlo.subtract %arg7, %714 : tensor<64x32xf32>
    %cst_186 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %716 = stablehlo.broadcast_in_dim %cst_186, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %717 = stablehlo.multiply %716, %550 : tensor<32xf32>
    %cst_187 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %718 = stablehlo.broadcast_in_dim %cst_187, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %719 = stablehlo.add %629, %718 : tensor<32xf32>
    %720 = stablehlo.rsqrt %719 : tensor<32xf32>
    %721 = stablehlo.multiply %717, %720 : tensor<32xf32>
    %722 = stablehlo.subtract %arg8, %721 : tensor<32xf32>
    %cst_188 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %723 = stablehlo.broadcast_in_dim %cst_188, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %724 = stablehlo.multiply %723, %555 : tensor<32xf32>
    %cst_189 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %725 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %726 = stablehlo.add %635, %725 : tensor<32xf32>
    %727 = stablehlo.rsqrt %726 : tensor<32xf32>
    %728 = stablehlo.multiply %724, %727 : tensor<32xf32>
    %729 = stablehlo.subtract %arg9, %728 : tensor<32xf32>
    %cst_190 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %730 = stablehlo.broadcast_in_dim %cst_190, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %731 = stablehlo.multiply %730, %560 : tensor<4x8x32xf32>
    %cst_191 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %732 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %733 = stablehlo.add %641, %732 : tensor<4x8x32xf32>
    %734 = stablehlo.rsqrt %733 : tensor<4x8x32xf32>
    %735 = stablehlo.multiply %731, %734 : tensor<4x8x32xf32>
    %736 = stablehlo.subtract %arg10, %735 : tensor<4x8x32xf32>
    %cst_192 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %737 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<32x3x4x8xf32>
    %738 = stablehlo.multiply %737, %565 : tensor<32x3x4x8xf32>
    %cst_193 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %739 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f32>) -> tensor<32x3x4x8xf32>
    %740 = stablehlo.add %647, %739 : tensor<32x3x4x8xf32>
    %741 = stablehlo.rsqrt %740 : tensor<32x3x4x8xf32>
    %742 = stablehlo.multiply %738, %741 : tensor<32x3x4x8xf32>
    %743 = stablehlo.subtract %arg11, %742 : tensor<32x3x4x8xf32>
    %cst_194 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %744 = stablehlo.broadcast_in_dim %cst_194, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %745 = stablehlo.multiply %744, %570 : tensor<32x64xf32>
    %cst_195 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %746 = stablehlo.broadcast_in_dim %cst_195, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %747 = stablehlo.add %653, %746 : tensor<32x64xf32>
    %748 = stablehlo.rsqrt %747 : tensor<32x64xf32>
    %749 = stablehlo.multiply %745, %748 : tensor<32x64xf32>
    %750 = stablehlo.subtract %arg12, %749 : tensor<32x64xf32>
    %cst_196 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %751 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %752 = stablehlo.multiply %751, %575 : tensor<32xf32>
    %cst_197 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %753 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %754 = stablehlo.add %659, %753 : tensor<32xf32>
    %755 = stablehlo.rsqrt %754 : tensor<32xf32>
    %756 = stablehlo.multiply %752, %755 : tensor<32xf32>
    %757 = stablehlo.subtract %arg13, %756 : tensor<32xf32>
    return %666, %673, %680, %687, %694, %701, %708, %715, %722, %729, %736, %743, %750, %757, %510, %515, %520, %525, %530, %535, %540, %545, %550, %555, %560, %565, %570, %575, %581, %587, %593, %599, %605, %611, %617, %623, %629, %635, %641, %647, %653, %659, %265 : tensor<128x32xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<32x3x4x8xf32>, tensor<32x64xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<32x3x4x8xf32>, tensor<32x64xf32>, tensor<32xf32>, tensor<128x32xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<32x3x4x8xf32>, tensor<32x64xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<32x3x4x8xf32>, tensor<32x64xf32>, tensor<32xf32>, tensor<128x32xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<32x3x4x8xf32>, tensor<32x64xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<32x3x4x8xf32>, tensor<32x64xf32>, tensor<32xf32>, tensor<f32>
  }
  func.func private @_threefry_split(%arg0: tensor<2xui32>) -> tensor<2x2xui32> {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
    %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.iota dim = 0 : tensor<2xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %6 = stablehlo.multiply %5, %4 : tensor<2xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<2xui64>
    %9 = stablehlo.convert %6 : (tensor<2xui64>) -> tensor<2xui32>
    %10 = stablehlo.convert %8 : (tensor<2xui64>) -> tensor<2xui32>
    %11:2 = call @threefry2x32(%1, %3, %10, %9) : (tensor<ui32>, tensor<ui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
    %12 = stablehlo.broadcast_in_dim %11#0, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %13 = stablehlo.broadcast_in_dim %11#1, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<2x1xui32>, tensor<2x1xui32>) -> tensor<2x2xui32>
    return %14 : tensor<2x2xui32>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<2xui32>, %arg3: tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<2xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<2xui32>, tensor<2xui32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<2xui32>, %arg2: tensor<2xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<2xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<2xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<2xui32>
    %9 = stablehlo.or %5, %8 : tensor<2xui32>
    %10 = stablehlo.xor %3, %9 : tensor<2xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<2xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<2xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<2xui32>
    %19 = stablehlo.or %15, %18 : tensor<2xui32>
    %20 = stablehlo.xor %13, %19 : tensor<2xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<2xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<2xui32>
    %29 = stablehlo.or %25, %28 : tensor<2xui32>
    %30 = stablehlo.xor %23, %29 : tensor<2xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<2xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<2xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<2xui32>
    %39 = stablehlo.or %35, %38 : tensor<2xui32>
    %40 = stablehlo.xor %33, %39 : tensor<2xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %42 = stablehlo.add %33, %41 : tensor<2xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %44 = stablehlo.add %40, %43 : tensor<2xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %48 = stablehlo.add %44, %47 : tensor<2xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_where(%arg0: tensor<16x16xi1>, %arg1: tensor<8x4x16x16xf32>, %arg2: tensor<f32>) -> (tensor<8x4x16x16xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<16x16xi1>) -> tensor<8x4x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    return %3, %1, %4 : tensor<8x4x16x16xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>
  }
  func.func private @_bernoulli(%arg0: tensor<2xui32>, %arg1: tensor<f32>) -> tensor<8x16x64xi1> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<8x16x64xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<8x16x64xf32>, tensor<8x16x64xf32>) -> tensor<8x16x64xi1>
    return %2 : tensor<8x16x64xi1>
  }
  func.func private @_uniform(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<8x16x64xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %4 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
    %8 = stablehlo.iota dim = 0 : tensor<8x16x64xui64>
    %9 = stablehlo.iota dim = 1 : tensor<8x16x64xui64>
    %10 = stablehlo.iota dim = 2 : tensor<8x16x64xui64>
    %c = stablehlo.constant dense<1024> : tensor<ui64>
    %11 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<8x16x64xui64>
    %12 = stablehlo.multiply %11, %8 : tensor<8x16x64xui64>
    %c_0 = stablehlo.constant dense<64> : tensor<ui64>
    %13 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<8x16x64xui64>
    %14 = stablehlo.multiply %13, %9 : tensor<8x16x64xui64>
    %c_1 = stablehlo.constant dense<1> : tensor<ui64>
    %15 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<8x16x64xui64>
    %16 = stablehlo.multiply %15, %10 : tensor<8x16x64xui64>
    %17 = stablehlo.add %12, %14 : tensor<8x16x64xui64>
    %18 = stablehlo.add %17, %16 : tensor<8x16x64xui64>
    %c_2 = stablehlo.constant dense<32> : tensor<ui64>
    %19 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<8x16x64xui64>
    %20 = stablehlo.shift_right_logical %18, %19 : tensor<8x16x64xui64>
    %21 = stablehlo.convert %18 : (tensor<8x16x64xui64>) -> tensor<8x16x64xui32>
    %22 = stablehlo.convert %20 : (tensor<8x16x64xui64>) -> tensor<8x16x64xui32>
    %23:2 = call @threefry2x32_0(%5, %7, %22, %21) : (tensor<ui32>, tensor<ui32>, tensor<8x16x64xui32>, tensor<8x16x64xui32>) -> (tensor<8x16x64xui32>, tensor<8x16x64xui32>)
    %24 = stablehlo.xor %23#0, %23#1 : tensor<8x16x64xui32>
    %c_3 = stablehlo.constant dense<9> : tensor<ui32>
    %25 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %26 = stablehlo.shift_right_logical %24, %25 : tensor<8x16x64xui32>
    %c_4 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %28 = stablehlo.or %26, %27 : tensor<8x16x64xui32>
    %29 = stablehlo.bitcast_convert %28 : (tensor<8x16x64xui32>) -> tensor<8x16x64xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %31 = stablehlo.subtract %29, %30 : tensor<8x16x64xf32>
    %32 = stablehlo.subtract %3, %2 : tensor<1x1x1xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<8x16x64xf32>
    %34 = stablehlo.multiply %31, %33 : tensor<8x16x64xf32>
    %35 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<8x16x64xf32>
    %36 = stablehlo.add %34, %35 : tensor<8x16x64xf32>
    %37 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<8x16x64xf32>
    %38 = stablehlo.maximum %37, %36 : tensor<8x16x64xf32>
    return %38 : tensor<8x16x64xf32>
  }
  func.func private @threefry2x32_0(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<8x16x64xui32>, %arg3: tensor<8x16x64xui32>) -> (tensor<8x16x64xui32>, tensor<8x16x64xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<8x16x64xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<8x16x64xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<8x16x64xui32>, tensor<8x16x64xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_1(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<8x16x64xui32>, tensor<8x16x64xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<8x16x64xui32>, tensor<8x16x64xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<8x16x64xui32>, tensor<8x16x64xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<8x16x64xui32>, tensor<8x16x64xui32>
  }
  func.func private @closed_call_1(%arg0: tensor<i32>, %arg1: tensor<8x16x64xui32>, %arg2: tensor<8x16x64xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<8x16x64xui32>, tensor<8x16x64xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<8x16x64xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<8x16x64xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<8x16x64xui32>
    %9 = stablehlo.or %5, %8 : tensor<8x16x64xui32>
    %10 = stablehlo.xor %3, %9 : tensor<8x16x64xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<8x16x64xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<8x16x64xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<8x16x64xui32>
    %19 = stablehlo.or %15, %18 : tensor<8x16x64xui32>
    %20 = stablehlo.xor %13, %19 : tensor<8x16x64xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<8x16x64xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<8x16x64xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<8x16x64xui32>
    %29 = stablehlo.or %25, %28 : tensor<8x16x64xui32>
    %30 = stablehlo.xor %23, %29 : tensor<8x16x64xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<8x16x64xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<8x16x64xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<8x16x64xui32>
    %39 = stablehlo.or %35, %38 : tensor<8x16x64xui32>
    %40 = stablehlo.xor %33, %39 : tensor<8x16x64xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %42 = stablehlo.add %33, %41 : tensor<8x16x64xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %44 = stablehlo.add %40, %43 : tensor<8x16x64xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %48 = stablehlo.add %44, %47 : tensor<8x16x64xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<8x16x64xui32>, tensor<8x16x64xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_where_2(%arg0: tensor<8x16x64xi1>, %arg1: tensor<8x16x64xf32>, %arg2: tensor<f32>) -> (tensor<8x16x64xf32>, tensor<8x16x64xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<8x16x64xi1>, tensor<8x16x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    return %2, %3 : tensor<8x16x64xf32>, tensor<8x16x64xf32>
  }
  func.func private @log_softmax(%arg0: tensor<8x16x128xf32>) -> (tensor<8x16x128xf32>, tensor<8x16x128xf32>, tensor<8x16x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<8x16x128xf32>, tensor<f32>) -> tensor<8x16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8x16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x128xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x16x128xf32>
    %6 = stablehlo.exponential %5 : tensor<8x16x128xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x16x128xf32>, tensor<f32>) -> tensor<8x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %9 = stablehlo.log %8 : tensor<8x16x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x128xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x16x128xf32>
    return %11, %6, %8 : tensor<8x16x128xf32>, tensor<8x16x128xf32>, tensor<8x16x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x16x128xf32>, %arg1: tensor<8x16x1xi32>) -> (tensor<8x16x1xf32>, tensor<8x16x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x16x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x16x1xi32>, tensor<8x16x1xi32>) -> tensor<8x16x1xi1>
    %c_0 = stablehlo.constant dense<128> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x16x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x16x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x16x1xi1>, tensor<8x16x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x16x1xi32>) -> tensor<8x16x1x1xi32>
    %c_1 = stablehlo.constant dense<127> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x16x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x16x1x1xi32>, tensor<8x16x1x1xi32>) -> tensor<8x16x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<8x16x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x16x1x1xi32>, tensor<8x16x1x1xi32>) -> tensor<8x16x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x16x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<8x16x1x1xi1>, tensor<i1>) -> tensor<8x16x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x16x128xf32>, tensor<8x16x1x1xi32>) -> tensor<8x16x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x16x1xi1>, tensor<8x16x1xf32>
    return %15, %5 : tensor<8x16x1xf32>, tensor<8x16x1x1xi32>
  }
  func.func private @take_along_axis_3(%arg0: tensor<8x16x1x1xi32>, %arg1: tensor<8x16x1xf32>) -> tensor<8x16x128xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x16x128xf32>, tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x128xf32>
    return %1 : tensor<8x16x128xf32>
  }
  func.func private @log_softmax_4(%arg0: tensor<8x16x128xf32>, %arg1: tensor<8x16x1xf32>, %arg2: tensor<8x16x128xf32>) -> tensor<8x16x128xf32> {
    %0 = stablehlo.negate %arg2 : tensor<8x16x128xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x16x128xf32>, tensor<f32>) -> tensor<8x16xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<8x16x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x128xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<8x16x128xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<8x16x128xf32>
    return %7 : tensor<8x16x128xf32>
  }
  func.func private @_where_5(%arg0: tensor<8x16x64xi1>, %arg1: tensor<8x16x64xf32>, %arg2: tensor<8x16x64xf32>) -> tensor<8x16x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<8x16x64xi1>, tensor<8x16x64xf32>
    return %1 : tensor<8x16x64xf32>
  }
  func.func private @_where_6(%arg0: tensor<8x4x16x16xi1>, %arg1: tensor<8x4x16x16xf32>, %arg2: tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>
    return %1 : tensor<8x4x16x16xf32>
  }
}
