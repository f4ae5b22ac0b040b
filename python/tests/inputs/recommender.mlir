// Lowered by JAX 0.10.2; written by generate.py.
module @jit_training_step attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<13x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg2: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg3: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg4: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg5: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg6: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg8: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg9: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg10: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg11: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg12: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg13: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg14: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg15: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg16: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg17: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg18: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg19: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg20: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg21: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg22: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg23: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg24: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg25: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg26: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg27: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg28: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg29: tensor<1024x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg30: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg31: tensor<367x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg32: tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg33: tensor<64x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg34: tensor<64x13xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg35: tensor<64x26xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg36: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}]>}) -> (tensor<32xf32> {jax.result_info = "result[0]['bottom'][0]['b']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<13x32xf32> {jax.result_info = "result[0]['bottom'][0]['w']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<16xf32> {jax.result_info = "result[0]['bottom'][1]['b']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<32x16xf32> {jax.result_info = "result[0]['bottom'][1]['w']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][0]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][1]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<8x16xf32> {jax.result_info = "result[0]['tables'][2]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][3]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][4]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<8x16xf32> {jax.result_info = "result[0]['tables'][5]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][6]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][7]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<8x16xf32> {jax.result_info = "result[0]['tables'][8]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][9]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][10]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<8x16xf32> {jax.result_info = "result[0]['tables'][11]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][12]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][13]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<8x16xf32> {jax.result_info = "result[0]['tables'][14]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][15]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][16]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<8x16xf32> {jax.result_info = "result[0]['tables'][17]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][18]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][19]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<8x16xf32> {jax.result_info = "result[0]['tables'][20]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][21]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][22]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<8x16xf32> {jax.result_info = "result[0]['tables'][23]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][24]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<1024x16xf32> {jax.result_info = "result[0]['tables'][25]", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, tensor<64xf32> {jax.result_info = "result[0]['top'][0]['b']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<367x64xf32> {jax.result_info = "result[0]['top'][0]['w']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<1xf32> {jax.result_info = "result[0]['top'][1]['b']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64x1xf32> {jax.result_info = "result[0]['top'][1]['w']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<f32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.dot_general %arg34, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x13xf32>, tensor<13x32xf32>) -> tensor<64x32xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<64x32xf32>
    %3 = stablehlo.add %0, %2 : tensor<64x32xf32>
    %4 = call @relu(%3) : (tensor<64x32xf32>) -> tensor<64x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %6 = stablehlo.compare GT, %3, %5, FLOAT : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %8 = stablehlo.dot_general %4, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
    %9 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<64x16xf32>
    %11 = stablehlo.add %8, %10 : tensor<64x16xf32>
    %12 = stablehlo.slice %arg35 [0:64, 0:1] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %13 = stablehlo.reshape %12 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %15 = stablehlo.compare LT, %13, %14, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_1 = stablehlo.constant dense<1024> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %17 = stablehlo.add %13, %16 : tensor<64xi32>
    %18 = stablehlo.select %15, %17, %13 : tensor<64xi1>, tensor<64xi32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %20 = "stablehlo.gather"(%arg4, %19) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %21 = stablehlo.slice %arg35 [0:64, 1:2] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %22 = stablehlo.reshape %21 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %24 = stablehlo.compare LT, %22, %23, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_3 = stablehlo.constant dense<1024> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %26 = stablehlo.add %22, %25 : tensor<64xi32>
    %27 = stablehlo.select %24, %26, %22 : tensor<64xi1>, tensor<64xi32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %29 = "stablehlo.gather"(%arg5, %28) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %30 = stablehlo.slice %arg35 [0:64, 2:3] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %31 = stablehlo.reshape %30 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %32 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %33 = stablehlo.compare LT, %31, %32, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_5 = stablehlo.constant dense<8> : tensor<i32>
    %34 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %35 = stablehlo.add %31, %34 : tensor<64xi32>
    %36 = stablehlo.select %33, %35, %31 : tensor<64xi1>, tensor<64xi32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %38 = "stablehlo.gather"(%arg6, %37) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<8x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %39 = stablehlo.slice %arg35 [0:64, 3:4] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %40 = stablehlo.reshape %39 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %41 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %42 = stablehlo.compare LT, %40, %41, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_7 = stablehlo.constant dense<1024> : tensor<i32>
    %43 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %44 = stablehlo.add %40, %43 : tensor<64xi32>
    %45 = stablehlo.select %42, %44, %40 : tensor<64xi1>, tensor<64xi32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %47 = "stablehlo.gather"(%arg7, %46) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %48 = stablehlo.slice %arg35 [0:64, 4:5] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %49 = stablehlo.reshape %48 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %50 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %51 = stablehlo.compare LT, %49, %50, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_9 = stablehlo.constant dense<1024> : tensor<i32>
    %52 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %53 = stablehlo.add %49, %52 : tensor<64xi32>
    %54 = stablehlo.select %51, %53, %49 : tensor<64xi1>, tensor<64xi32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %56 = "stablehlo.gather"(%arg8, %55) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %57 = stablehlo.slice %arg35 [0:64, 5:6] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %58 = stablehlo.reshape %57 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %59 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %60 = stablehlo.compare LT, %58, %59, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_11 = stablehlo.constant dense<8> : tensor<i32>
    %61 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %62 = stablehlo.add %58, %61 : tensor<64xi32>
    %63 = stablehlo.select %60, %62, %58 : tensor<64xi1>, tensor<64xi32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %65 = "stablehlo.gather"(%arg9, %64) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<8x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %66 = stablehlo.slice %arg35 [0:64, 6:7] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %67 = stablehlo.reshape %66 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %68 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %69 = stablehlo.compare LT, %67, %68, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_13 = stablehlo.constant dense<1024> : tensor<i32>
    %70 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %71 = stablehlo.add %67, %70 : tensor<64xi32>
    %72 = stablehlo.select %69, %71, %67 : tensor<64xi1>, tensor<64xi32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %74 = "stablehlo.gather"(%arg10, %73) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %75 = stablehlo.slice %arg35 [0:64, 7:8] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %76 = stablehlo.reshape %75 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %77 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %78 = stablehlo.compare LT, %76, %77, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_15 = stablehlo.constant dense<1024> : tensor<i32>
    %79 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %80 = stablehlo.add %76, %79 : tensor<64xi32>
    %81 = stablehlo.select %78, %80, %76 : tensor<64xi1>, tensor<64xi32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %83 = "stablehlo.gather"(%arg11, %82) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %84 = stablehlo.slice %arg35 [0:64, 8:9] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %85 = stablehlo.reshape %84 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %86 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %87 = stablehlo.compare LT, %85, %86, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_17 = stablehlo.constant dense<8> : tensor<i32>
    %88 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %89 = stablehlo.add %85, %88 : tensor<64xi32>
    %90 = stablehlo.select %87, %89, %85 : tensor<64xi1>, tensor<64xi32>
    %91 = stablehlo.broadcast_in_dim %90, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %92 = "stablehlo.gather"(%arg12, %91) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<8x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %93 = stablehlo.slice %arg35 [0:64, 9:10] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %94 = stablehlo.reshape %93 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %95 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %96 = stablehlo.compare LT, %94, %95, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_19 = stablehlo.constant dense<1024> : tensor<i32>
    %97 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %98 = stablehlo.add %94, %97 : tensor<64xi32>
    %99 = stablehlo.select %96, %98, %94 : tensor<64xi1>, tensor<64xi32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %101 = "stablehlo.gather"(%arg13, %100) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %102 = stablehlo.slice %arg35 [0:64, 10:11] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %103 = stablehlo.reshape %102 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %104 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %105 = stablehlo.compare LT, %103, %104, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_21 = stablehlo.constant dense<1024> : tensor<i32>
    %106 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %107 = stablehlo.add %103, %106 : tensor<64xi32>
    %108 = stablehlo.select %105, %107, %103 : tensor<64xi1>, tensor<64xi32>
    %109 = stablehlo.broadcast_in_dim %108, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %110 = "stablehlo.gather"(%arg14, %109) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %111 = stablehlo.slice %arg35 [0:64, 11:12] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %112 = stablehlo.reshape %111 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_22 = stablehlo.constant dense<0> : tensor<i32>
    %113 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %114 = stablehlo.compare LT, %112, %113, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_23 = stablehlo.constant dense<8> : tensor<i32>
    %115 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %116 = stablehlo.add %112, %115 : tensor<64xi32>
    %117 = stablehlo.select %114, %116, %112 : tensor<64xi1>, tensor<64xi32>
    %118 = stablehlo.broadcast_in_dim %117, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %119 = "stablehlo.gather"(%arg15, %118) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<8x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %120 = stablehlo.slice %arg35 [0:64, 12:13] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %121 = stablehlo.reshape %120 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_24 = stablehlo.constant dense<0> : tensor<i32>
    %122 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %123 = stablehlo.compare LT, %121, %122, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_25 = stablehlo.constant dense<1024> : tensor<i32>
    %124 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %125 = stablehlo.add %121, %124 : tensor<64xi32>
    %126 = stablehlo.select %123, %125, %121 : tensor<64xi1>, tensor<64xi32>
    %127 = stablehlo.broadcast_in_dim %126, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %128 = "stablehlo.gather"(%arg16, %127) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %129 = stablehlo.slice %arg35 [0:64, 13:14] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %130 = stablehlo.reshape %129 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_26 = stablehlo.constant dense<0> : tensor<i32>
    %131 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %132 = stablehlo.compare LT, %130, %131, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_27 = stablehlo.constant dense<1024> : tensor<i32>
    %133 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %134 = stablehlo.add %130, %133 : tensor<64xi32>
    %135 = stablehlo.select %132, %134, %130 : tensor<64xi1>, tensor<64xi32>
    %136 = stablehlo.broadcast_in_dim %135, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %137 = "stablehlo.gather"(%arg17, %136) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %138 = stablehlo.slice %arg35 [0:64, 14:15] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %139 = stablehlo.reshape %138 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_28 = stablehlo.constant dense<0> : tensor<i32>
    %140 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %141 = stablehlo.compare LT, %139, %140, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_29 = stablehlo.constant dense<8> : tensor<i32>
    %142 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %143 = stablehlo.add %139, %142 : tensor<64xi32>
    %144 = stablehlo.select %141, %143, %139 : tensor<64xi1>, tensor<64xi32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %146 = "stablehlo.gather"(%arg18, %145) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<8x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %147 = stablehlo.slice %arg35 [0:64, 15:16] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %148 = stablehlo.reshape %147 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %149 = stablehlo.broadcast_in_dim %c_30, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %150 = stablehlo.compare LT, %148, %149, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_31 = stablehlo.constant dense<1024> : tensor<i32>
    %151 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %152 = stablehlo.add %148, %151 : tensor<64xi32>
    %153 = stablehlo.select %150, %152, %148 : tensor<64xi1>, tensor<64xi32>
    %154 = stablehlo.broadcast_in_dim %153, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %155 = "stablehlo.gather"(%arg19, %154) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %156 = stablehlo.slice %arg35 [0:64, 16:17] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %157 = stablehlo.reshape %156 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_32 = stablehlo.constant dense<0> : tensor<i32>
    %158 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %159 = stablehlo.compare LT, %157, %158, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_33 = stablehlo.constant dense<1024> : tensor<i32>
    %160 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %161 = stablehlo.add %157, %160 : tensor<64xi32>
    %162 = stablehlo.select %159, %161, %157 : tensor<64xi1>, tensor<64xi32>
    %163 = stablehlo.broadcast_in_dim %162, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %164 = "stablehlo.gather"(%arg20, %163) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %165 = stablehlo.slice %arg35 [0:64, 17:18] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %166 = stablehlo.reshape %165 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_34 = stablehlo.constant dense<0> : tensor<i32>
    %167 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %168 = stablehlo.compare LT, %166, %167, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_35 = stablehlo.constant dense<8> : tensor<i32>
    %169 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %170 = stablehlo.add %166, %169 : tensor<64xi32>
    %171 = stablehlo.select %168, %170, %166 : tensor<64xi1>, tensor<64xi32>
    %172 = stablehlo.broadcast_in_dim %171, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %173 = "stablehlo.gather"(%arg21, %172) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<8x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %174 = stablehlo.slice %arg35 [0:64, 18:19] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %175 = stablehlo.reshape %174 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_36 = stablehlo.constant dense<0> : tensor<i32>
    %176 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %177 = stablehlo.compare LT, %175, %176, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_37 = stablehlo.constant dense<1024> : tensor<i32>
    %178 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %179 = stablehlo.add %175, %178 : tensor<64xi32>
    %180 = stablehlo.select %177, %179, %175 : tensor<64xi1>, tensor<64xi32>
    %181 = stablehlo.broadcast_in_dim %180, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %182 = "stablehlo.gather"(%arg22, %181) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %183 = stablehlo.slice %arg35 [0:64, 19:20] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %184 = stablehlo.reshape %183 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_38 = stablehlo.constant dense<0> : tensor<i32>
    %185 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %186 = stablehlo.compare LT, %184, %185, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_39 = stablehlo.constant dense<1024> : tensor<i32>
    %187 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %188 = stablehlo.add %184, %187 : tensor<64xi32>
    %189 = stablehlo.select %186, %188, %184 : tensor<64xi1>, tensor<64xi32>
    %190 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %191 = "stablehlo.gather"(%arg23, %190) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %192 = stablehlo.slice %arg35 [0:64, 20:21] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %193 = stablehlo.reshape %192 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_40 = stablehlo.constant dense<0> : tensor<i32>
    %194 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %195 = stablehlo.compare LT, %193, %194, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_41 = stablehlo.constant dense<8> : tensor<i32>
    %196 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %197 = stablehlo.add %193, %196 : tensor<64xi32>
    %198 = stablehlo.select %195, %197, %193 : tensor<64xi1>, tensor<64xi32>
    %199 = stablehlo.broadcast_in_dim %198, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %200 = "stablehlo.gather"(%arg24, %199) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<8x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %201 = stablehlo.slice %arg35 [0:64, 21:22] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %202 = stablehlo.reshape %201 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_42 = stablehlo.constant dense<0> : tensor<i32>
    %203 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %204 = stablehlo.compare LT, %202, %203, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_43 = stablehlo.constant dense<1024> : tensor<i32>
    %205 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %206 = stablehlo.add %202, %205 : tensor<64xi32>
    %207 = stablehlo.select %204, %206, %202 : tensor<64xi1>, tensor<64xi32>
    %208 = stablehlo.broadcast_in_dim %207, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %209 = "stablehlo.gather"(%arg25, %208) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %210 = stablehlo.slice %arg35 [0:64, 22:23] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %211 = stablehlo.reshape %210 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_44 = stablehlo.constant dense<0> : tensor<i32>
    %212 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %213 = stablehlo.compare LT, %211, %212, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_45 = stablehlo.constant dense<1024> : tensor<i32>
    %214 = stablehlo.broadcast_in_dim %c_45, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %215 = stablehlo.add %211, %214 : tensor<64xi32>
    %216 = stablehlo.select %213, %215, %211 : tensor<64xi1>, tensor<64xi32>
    %217 = stablehlo.broadcast_in_dim %216, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %218 = "stablehlo.gather"(%arg26, %217) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %219 = stablehlo.slice %arg35 [0:64, 23:24] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %220 = stablehlo.reshape %219 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_46 = stablehlo.constant dense<0> : tensor<i32>
    %221 = stablehlo.broadcast_in_dim %c_46, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %222 = stablehlo.compare LT, %220, %221, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_47 = stablehlo.constant dense<8> : tensor<i32>
    %223 = stablehlo.broadcast_in_dim %c_47, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %224 = stablehlo.add %220, %223 : tensor<64xi32>
    %225 = stablehlo.select %222, %224, %220 : tensor<64xi1>, tensor<64xi32>
    %226 = stablehlo.broadcast_in_dim %225, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %227 = "stablehlo.gather"(%arg27, %226) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<8x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %228 = stablehlo.slice %arg35 [0:64, 24:25] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %229 = stablehlo.reshape %228 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_48 = stablehlo.constant dense<0> : tensor<i32>
    %230 = stablehlo.broadcast_in_dim %c_48, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %231 = stablehlo.compare LT, %229, %230, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_49 = stablehlo.constant dense<1024> : tensor<i32>
    %232 = stablehlo.broadcast_in_dim %c_49, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %233 = stablehlo.add %229, %232 : tensor<64xi32>
    %234 = stablehlo.select %231, %233, %229 : tensor<64xi1>, tensor<64xi32>
    %235 = stablehlo.broadcast_in_dim %234, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %236 = "stablehlo.gather"(%arg28, %235) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %237 = stablehlo.slice %arg35 [0:64, 25:26] : (tensor<64x26xi32>) -> tensor<64x1xi32>
    %238 = stablehlo.reshape %237 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_50 = stablehlo.constant dense<0> : tensor<i32>
    %239 = stablehlo.broadcast_in_dim %c_50, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %240 = stablehlo.compare LT, %238, %239, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_51 = stablehlo.constant dense<1024> : tensor<i32>
    %241 = stablehlo.broadcast_in_dim %c_51, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %242 = stablehlo.add %238, %241 : tensor<64xi32>
    %243 = stablehlo.select %240, %242, %238 : tensor<64xi1>, tensor<64xi32>
    %244 = stablehlo.broadcast_in_dim %243, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %245 = "stablehlo.gather"(%arg29, %244) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<1024x16xf32>, tensor<64x1xi32>) -> tensor<64x16xf32>
    %246 = stablehlo.broadcast_in_dim %11, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %247 = stablehlo.broadcast_in_dim %20, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %248 = stablehlo.broadcast_in_dim %29, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %249 = stablehlo.broadcast_in_dim %38, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %250 = stablehlo.broadcast_in_dim %47, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %251 = stablehlo.broadcast_in_dim %56, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %252 = stablehlo.broadcast_in_dim %65, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %253 = stablehlo.broadcast_in_dim %74, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %254 = stablehlo.broadcast_in_dim %83, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %255 = stablehlo.broadcast_in_dim %92, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %256 = stablehlo.broadcast_in_dim %101, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %257 = stablehlo.broadcast_in_dim %110, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %258 = stablehlo.broadcast_in_dim %119, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %259 = stablehlo.broadcast_in_dim %128, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %260 = stablehlo.broadcast_in_dim %137, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %261 = stablehlo.broadcast_in_dim %146, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %262 = stablehlo.broadcast_in_dim %155, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %263 = stablehlo.broadcast_in_dim %164, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %264 = stablehlo.broadcast_in_dim %173, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %265 = stablehlo.broadcast_in_dim %182, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %266 = stablehlo.broadcast_in_dim %191, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %267 = stablehlo.broadcast_in_dim %200, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %268 = stablehlo.broadcast_in_dim %209, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %269 = stablehlo.broadcast_in_dim %218, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %270 = stablehlo.broadcast_in_dim %227, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %271 = stablehlo.broadcast_in_dim %236, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %272 = stablehlo.broadcast_in_dim %245, dims = [0, 2] : (tensor<64x16xf32>) -> tensor<64x1x16xf32>
    %273 = stablehlo.concatenate %246, %247, %248, %249, %250, %251, %252, %253, %254, %255, %256, %257, %258, %259, %260, %261, dim = 1 : (tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>) -> tensor<64x16x16xf32>
    %274 = stablehlo.concatenate %262, %263, %264, %265, %266, %267, %268, %269, %270, %271, %272, dim = 1 : (tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>, tensor<64x1x16xf32>) -> tensor<64x11x16xf32>
    %275 = stablehlo.concatenate %273, %274, dim = 1 : (tensor<64x16x16xf32>, tensor<64x11x16xf32>) -> tensor<64x27x16xf32>
    %276 = sdy.sharding_constraint %275 <@mesh, [{"data", "model"}, {}, {}]> : tensor<64x27x16xf32>
    %277 = stablehlo.dot_general %276, %276, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<64x27x16xf32>, tensor<64x27x16xf32>) -> tensor<64x27x27xf32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %278 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %279 = call @tril(%278) : (tensor<27x27xf32>) -> tensor<27x27xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %280 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %281 = stablehlo.compare NE, %279, %280, FLOAT : (tensor<27x27xf32>, tensor<27x27xf32>) -> tensor<27x27xi1>
    %282 = call @cumsum(%281) : (tensor<27x27xi1>) -> tensor<729xi32>
    %c_54 = stablehlo.constant dense<0> : tensor<i32>
    %283 = stablehlo.broadcast_in_dim %c_54, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %c_55 = stablehlo.constant dense<0> : tensor<i32>
    %284 = call @clip(%282, %c_55) : (tensor<729xi32>, tensor<i32>) -> tensor<729xi32>
    %c_56 = stablehlo.constant dense<0> : tensor<i32>
    %285 = stablehlo.broadcast_in_dim %c_56, dims = [] : (tensor<i32>) -> tensor<729xi32>
    %286 = stablehlo.compare LT, %284, %285, SIGNED : (tensor<729xi32>, tensor<729xi32>) -> tensor<729xi1>
    %c_57 = stablehlo.constant dense<351> : tensor<i32>
    %287 = stablehlo.broadcast_in_dim %c_57, dims = [] : (tensor<i32>) -> tensor<729xi32>
    %288 = stablehlo.add %284, %287 : tensor<729xi32>
    %289 = stablehlo.select %286, %288, %284 : tensor<729xi1>, tensor<729xi32>
    %290 = stablehlo.broadcast_in_dim %289, dims = [0] : (tensor<729xi32>) -> tensor<729x1xi32>
    %c_58 = stablehlo.constant dense<1> : tensor<i32>
    %291 = stablehlo.broadcast_in_dim %c_58, dims = [] : (tensor<i32>) -> tensor<729xi32>
    %292 = "stablehlo.scatter"(%283, %290, %291) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<i32>, %arg38: tensor<i32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<i32>
      stablehlo.return %583 : tensor<i32>
    }) : (tensor<351xi32>, tensor<729x1xi32>, tensor<729xi32>) -> tensor<351xi32>
    %293 = call @cumsum_1(%292) : (tensor<351xi32>) -> tensor<351xi32>
    %c_59 = stablehlo.constant dense<27> : tensor<i32>
    %294 = call @floor_divide(%293, %c_59) : (tensor<351xi32>, tensor<i32>) -> tensor<351xi32>
    %c_60 = stablehlo.constant dense<27> : tensor<i32>
    %295 = call @remainder(%294, %c_60) : (tensor<351xi32>, tensor<i32>) -> tensor<351xi32>
    %c_61 = stablehlo.constant dense<1> : tensor<i32>
    %296 = call @floor_divide(%293, %c_61) : (tensor<351xi32>, tensor<i32>) -> tensor<351xi32>
    %c_62 = stablehlo.constant dense<27> : tensor<i32>
    %297 = call @remainder(%296, %c_62) : (tensor<351xi32>, tensor<i32>) -> tensor<351xi32>
    %c_63 = stablehlo.constant dense<0> : tensor<i32>
    %298 = stablehlo.broadcast_in_dim %c_63, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %299 = stablehlo.compare LT, %295, %298, SIGNED : (tensor<351xi32>, tensor<351xi32>) -> tensor<351xi1>
    %c_64 = stablehlo.constant dense<27> : tensor<i32>
    %300 = stablehlo.broadcast_in_dim %c_64, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %301 = stablehlo.add %295, %300 : tensor<351xi32>
    %302 = stablehlo.select %299, %301, %295 : tensor<351xi1>, tensor<351xi32>
    %c_65 = stablehlo.constant dense<0> : tensor<i32>
    %303 = stablehlo.broadcast_in_dim %c_65, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %304 = stablehlo.compare LT, %297, %303, SIGNED : (tensor<351xi32>, tensor<351xi32>) -> tensor<351xi1>
    %c_66 = stablehlo.constant dense<27> : tensor<i32>
    %305 = stablehlo.broadcast_in_dim %c_66, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %306 = stablehlo.add %297, %305 : tensor<351xi32>
    %307 = stablehlo.select %304, %306, %297 : tensor<351xi1>, tensor<351xi32>
    %308 = stablehlo.broadcast_in_dim %302, dims = [0] : (tensor<351xi32>) -> tensor<351x1xi32>
    %309 = stablehlo.broadcast_in_dim %307, dims = [0] : (tensor<351xi32>) -> tensor<351x1xi32>
    %310 = stablehlo.concatenate %308, %309, dim = 1 : (tensor<351x1xi32>, tensor<351x1xi32>) -> tensor<351x2xi32>
    %311 = "stablehlo.gather"(%277, %310) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1, 2], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 64, 1, 1>}> : (tensor<64x27x27xf32>, tensor<351x2xi32>) -> tensor<64x351xf32>
    %312 = stablehlo.concatenate %11, %311, dim = 1 : (tensor<64x16xf32>, tensor<64x351xf32>) -> tensor<64x367xf32>
    %313 = stablehlo.dot_general %312, %arg31, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x367xf32>, tensor<367x64xf32>) -> tensor<64x64xf32>
    %314 = stablehlo.broadcast_in_dim %arg30, dims = [1] : (tensor<64xf32>) -> tensor<1x64xf32>
    %315 = stablehlo.broadcast_in_dim %314, dims = [0, 1] : (tensor<1x64xf32>) -> tensor<64x64xf32>
    %316 = stablehlo.add %313, %315 : tensor<64x64xf32>
    %317 = call @relu_4(%316) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %318 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %319 = stablehlo.compare GT, %316, %318, FLOAT : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xi1>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %320 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %321 = stablehlo.dot_general %317, %arg33, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
    %322 = stablehlo.broadcast_in_dim %arg32, dims = [1] : (tensor<1xf32>) -> tensor<1x1xf32>
    %323 = stablehlo.broadcast_in_dim %322, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<64x1xf32>
    %324 = stablehlo.add %321, %323 : tensor<64x1xf32>
    %325 = stablehlo.reshape %324 : (tensor<64x1xf32>) -> tensor<64xf32>
    %326:3 = call @softplus(%325) : (tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %327 = stablehlo.multiply %arg36, %325 : tensor<64xf32>
    %328 = stablehlo.subtract %326#0, %327 : tensor<64xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %329 = stablehlo.reduce(%328 init: %cst_69) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
    %cst_70 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %330 = stablehlo.divide %329, %cst_70 : tensor<f32>
    %cst_71 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_72 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %331 = stablehlo.divide %cst_71, %cst_72 : tensor<f32>
    %332 = stablehlo.broadcast_in_dim %331, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %333 = stablehlo.negate %332 : tensor<64xf32>
    %334 = stablehlo.multiply %arg36, %333 : tensor<64xf32>
    %335 = call @softplus_5(%326#1, %326#2, %332) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %336 = stablehlo.add %334, %335 : tensor<64xf32>
    %337 = stablehlo.broadcast_in_dim %336, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %338 = stablehlo.reduce(%337 init: %cst_73) applies stablehlo.add across dimensions = [0] : (tensor<64x1xf32>, tensor<f32>) -> tensor<1xf32>
    %339 = stablehlo.reshape %338 : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %340 = stablehlo.reduce(%339 init: %cst_74) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1xf32>, tensor<f32>) -> tensor<f32>
    %341 = stablehlo.broadcast_in_dim %340, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %342 = stablehlo.dot_general %337, %317, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x1xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
    %343 = stablehlo.transpose %342, dims = [1, 0] : (tensor<1x64xf32>) -> tensor<64x1xf32>
    %344 = stablehlo.dot_general %337, %arg33, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %345 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %346 = stablehlo.select %319, %344, %345 : tensor<64x64xi1>, tensor<64x64xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %347 = stablehlo.reduce(%346 init: %cst_76) applies stablehlo.add across dimensions = [0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
    %348 = stablehlo.reshape %347 : (tensor<64xf32>) -> tensor<1x64xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %349 = stablehlo.reduce(%348 init: %cst_77) applies stablehlo.add across dimensions = [0] : (tensor<1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %350 = stablehlo.dot_general %346, %312, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x64xf32>, tensor<64x367xf32>) -> tensor<64x367xf32>
    %351 = stablehlo.transpose %350, dims = [1, 0] : (tensor<64x367xf32>) -> tensor<367x64xf32>
    %352 = stablehlo.dot_general %346, %arg31, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x64xf32>, tensor<367x64xf32>) -> tensor<64x367xf32>
    %353 = stablehlo.slice %352 [0:64, 0:16] : (tensor<64x367xf32>) -> tensor<64x16xf32>
    %354 = stablehlo.slice %352 [0:64, 16:367] : (tensor<64x367xf32>) -> tensor<64x351xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %355 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<64x27x27xf32>
    %356 = "stablehlo.scatter"(%355, %310, %354) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1, 2], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<64x27x27xf32>, tensor<351x2xi32>, tensor<64x351xf32>) -> tensor<64x27x27xf32>
    %357 = stablehlo.dot_general %356, %276, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x27x27xf32>, tensor<64x27x16xf32>) -> tensor<64x27x16xf32>
    %358 = stablehlo.dot_general %356, %276, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x27x27xf32>, tensor<64x27x16xf32>) -> tensor<64x27x16xf32>
    %359 = stablehlo.add %357, %358 : tensor<64x27x16xf32>
    %360 = sdy.sharding_constraint %359 <@mesh, [{"data", "model"}, {}, {}]> : tensor<64x27x16xf32>
    %361 = stablehlo.slice %360 [0:64, 0:1, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %362 = stablehlo.reshape %361 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %363 = stablehlo.slice %360 [0:64, 1:2, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %364 = stablehlo.reshape %363 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %365 = stablehlo.slice %360 [0:64, 2:3, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %366 = stablehlo.reshape %365 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %367 = stablehlo.slice %360 [0:64, 3:4, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %368 = stablehlo.reshape %367 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %369 = stablehlo.slice %360 [0:64, 4:5, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %370 = stablehlo.reshape %369 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %371 = stablehlo.slice %360 [0:64, 5:6, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %372 = stablehlo.reshape %371 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %373 = stablehlo.slice %360 [0:64, 6:7, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %374 = stablehlo.reshape %373 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %375 = stablehlo.slice %360 [0:64, 7:8, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %376 = stablehlo.reshape %375 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %377 = stablehlo.slice %360 [0:64, 8:9, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %378 = stablehlo.reshape %377 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %379 = stablehlo.slice %360 [0:64, 9:10, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %380 = stablehlo.reshape %379 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %381 = stablehlo.slice %360 [0:64, 10:11, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %382 = stablehlo.reshape %381 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %383 = stablehlo.slice %360 [0:64, 11:12, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %384 = stablehlo.reshape %383 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %385 = stablehlo.slice %360 [0:64, 12:13, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %386 = stablehlo.reshape %385 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %387 = stablehlo.slice %360 [0:64, 13:14, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %388 = stablehlo.reshape %387 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %389 = stablehlo.slice %360 [0:64, 14:15, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %390 = stablehlo.reshape %389 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %391 = stablehlo.slice %360 [0:64, 15:16, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %392 = stablehlo.reshape %391 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %393 = stablehlo.slice %360 [0:64, 16:17, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %394 = stablehlo.reshape %393 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %395 = stablehlo.slice %360 [0:64, 17:18, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %396 = stablehlo.reshape %395 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %397 = stablehlo.slice %360 [0:64, 18:19, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %398 = stablehlo.reshape %397 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %399 = stablehlo.slice %360 [0:64, 19:20, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %400 = stablehlo.reshape %399 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %401 = stablehlo.slice %360 [0:64, 20:21, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %402 = stablehlo.reshape %401 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %403 = stablehlo.slice %360 [0:64, 21:22, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %404 = stablehlo.reshape %403 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %405 = stablehlo.slice %360 [0:64, 22:23, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %406 = stablehlo.reshape %405 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %407 = stablehlo.slice %360 [0:64, 23:24, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %408 = stablehlo.reshape %407 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %409 = stablehlo.slice %360 [0:64, 24:25, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %410 = stablehlo.reshape %409 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %411 = stablehlo.slice %360 [0:64, 25:26, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %412 = stablehlo.reshape %411 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %413 = stablehlo.slice %360 [0:64, 26:27, 0:16] : (tensor<64x27x16xf32>) -> tensor<64x1x16xf32>
    %414 = stablehlo.reshape %413 : (tensor<64x1x16xf32>) -> tensor<64x16xf32>
    %415 = stablehlo.add %353, %362 : tensor<64x16xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %416 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %417 = "stablehlo.scatter"(%416, %244, %414) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %418 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %419 = "stablehlo.scatter"(%418, %235, %412) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %420 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %421 = "stablehlo.scatter"(%420, %226, %410) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<8x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<8x16xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %422 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %423 = "stablehlo.scatter"(%422, %217, %408) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %424 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %425 = "stablehlo.scatter"(%424, %208, %406) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %426 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %427 = "stablehlo.scatter"(%426, %199, %404) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<8x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<8x16xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %428 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %429 = "stablehlo.scatter"(%428, %190, %402) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %430 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %431 = "stablehlo.scatter"(%430, %181, %400) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %432 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %433 = "stablehlo.scatter"(%432, %172, %398) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<8x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<8x16xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %434 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %435 = "stablehlo.scatter"(%434, %163, %396) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %436 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %437 = "stablehlo.scatter"(%436, %154, %394) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %438 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %439 = "stablehlo.scatter"(%438, %145, %392) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<8x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<8x16xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %440 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %441 = "stablehlo.scatter"(%440, %136, %390) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %442 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %443 = "stablehlo.scatter"(%442, %127, %388) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %444 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %445 = "stablehlo.scatter"(%444, %118, %386) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<8x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<8x16xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %446 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %447 = "stablehlo.scatter"(%446, %109, %384) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %448 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %449 = "stablehlo.scatter"(%448, %100, %382) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %450 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %451 = "stablehlo.scatter"(%450, %91, %380) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<8x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<8x16xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %452 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %453 = "stablehlo.scatter"(%452, %82, %378) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %454 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %455 = "stablehlo.scatter"(%454, %73, %376) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %456 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %457 = "stablehlo.scatter"(%456, %64, %374) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<8x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<8x16xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %458 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %459 = "stablehlo.scatter"(%458, %55, %372) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %460 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %461 = "stablehlo.scatter"(%460, %46, %370) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %462 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %463 = "stablehlo.scatter"(%462, %37, %368) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<8x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<8x16xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %464 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %465 = "stablehlo.scatter"(%464, %28, %366) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %466 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %467 = "stablehlo.scatter"(%466, %19, %364) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %583 = stablehlo.add %arg37, %arg38 : tensor<f32>
      stablehlo.return %583 : tensor<f32>
    }) : (tensor<1024x16xf32>, tensor<64x1xi32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %468 = stablehlo.reduce(%415 init: %cst_105) applies stablehlo.add across dimensions = [0] : (tensor<64x16xf32>, tensor<f32>) -> tensor<16xf32>
    %469 = stablehlo.reshape %468 : (tensor<16xf32>) -> tensor<1x16xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %470 = stablehlo.reduce(%469 init: %cst_106) applies stablehlo.add across dimensions = [0] : (tensor<1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %471 = stablehlo.dot_general %415, %4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x16xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
    %472 = stablehlo.transpose %471, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %473 = stablehlo.dot_general %415, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x16xf32>, tensor<32x16xf32>) -> tensor<64x32xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %474 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %475 = stablehlo.select %6, %473, %474 : tensor<64x32xi1>, tensor<64x32xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %476 = stablehlo.reduce(%475 init: %cst_108) applies stablehlo.add across dimensions = [0] : (tensor<64x32xf32>, tensor<f32>) -> tensor<32xf32>
    %477 = stablehlo.reshape %476 : (tensor<32xf32>) -> tensor<1x32xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %478 = stablehlo.reduce(%477 init: %cst_109) applies stablehlo.add across dimensions = [0] : (tensor<1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %479 = stablehlo.dot_general %475, %arg34, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x32xf32>, tensor<64x13xf32>) -> tensor<32x13xf32>
    %480 = stablehlo.transpose %479, dims = [1, 0] : (tensor<32x13xf32>) -> tensor<13x32xf32>
    %cst_110 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %481 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %482 = stablehlo.multiply %481, %478 : tensor<32xf32>
    %483 = stablehlo.subtract %arg0, %482 : tensor<32xf32>
    %cst_111 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %484 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<13x32xf32>
    %485 = stablehlo.multiply %484, %480 : tensor<13x32xf32>
    %486 = stablehlo.subtract %arg1, %485 : tensor<13x32xf32>
    %cst_112 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %487 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %488 = stablehlo.multiply %487, %470 : tensor<16xf32>
    %489 = stablehlo.subtract %arg2, %488 : tensor<16xf32>
    %cst_113 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %490 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %491 = stablehlo.multiply %490, %472 : tensor<32x16xf32>
    %492 = stablehlo.subtract %arg3, %491 : tensor<32x16xf32>
    %cst_114 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %493 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %494 = stablehlo.multiply %493, %467 : tensor<1024x16xf32>
    %495 = stablehlo.subtract %arg4, %494 : tensor<1024x16xf32>
    %cst_115 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %496 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %497 = stablehlo.multiply %496, %465 : tensor<1024x16xf32>
    %498 = stablehlo.subtract %arg5, %497 : tensor<1024x16xf32>
    %cst_116 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %499 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %500 = stablehlo.multiply %499, %463 : tensor<8x16xf32>
    %501 = stablehlo.subtract %arg6, %500 : tensor<8x16xf32>
    %cst_117 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %502 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %503 = stablehlo.multiply %502, %461 : tensor<1024x16xf32>
    %504 = stablehlo.subtract %arg7, %503 : tensor<1024x16xf32>
    %cst_118 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %505 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %506 = stablehlo.multiply %505, %459 : tensor<1024x16xf32>
    %507 = stablehlo.subtract %arg8, %506 : tensor<1024x16xf32>
    %cst_119 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %508 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %509 = stablehlo.multiply %508, %457 : tensor<8x16xf32>
    %510 = stablehlo.subtract %arg9, %509 : tensor<8x16xf32>
    %cst_120 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %511 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %512 = stablehlo.multiply %511, %455 : tensor<1024x16xf32>
    %513 = stablehlo.subtract %arg10, %512 : tensor<1024x16xf32>
    %cst_121 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %514 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %515 = stablehlo.multiply %514, %453 : tensor<1024x16xf32>
    %516 = stablehlo.subtract %arg11, %515 : tensor<1024x16xf32>
    %cst_122 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %517 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %518 = stablehlo.multiply %517, %451 : tensor<8x16xf32>
    %519 = stablehlo.subtract %arg12, %518 : tensor<8x16xf32>
    %cst_123 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %520 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %521 = stablehlo.multiply %520, %449 : tensor<1024x16xf32>
    %522 = stablehlo.subtract %arg13, %521 : tensor<1024x16xf32>
    %cst_124 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %523 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %524 = stablehlo.multiply %523, %447 : tensor<1024x16xf32>
    %525 = stablehlo.subtract %arg14, %524 : tensor<1024x16xf32>
    %cst_125 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %526 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %527 = stablehlo.multiply %526, %445 : tensor<8x16xf32>
    %528 = stablehlo.subtract %arg15, %527 : tensor<8x16xf32>
    %cst_126 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %529 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %530 = stablehlo.multiply %529, %443 : tensor<1024x16xf32>
    %531 = stablehlo.subtract %arg16, %530 : tensor<1024x16xf32>
    %cst_127 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %532 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %533 = stablehlo.multiply %532, %441 : tensor<1024x16xf32>
    %534 = stablehlo.subtract %arg17, %533 : tensor<1024x16xf32>
    %cst_128 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %535 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %536 = stablehlo.multiply %535, %439 : tensor<8x16xf32>
    %537 = stablehlo.subtract %arg18, %536 : tensor<8x16xf32>
    %cst_129 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %538 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %539 = stablehlo.multiply %538, %437 : tensor<1024x16xf32>
    %540 = stablehlo.subtract %arg19, %539 : tensor<1024x16xf32>
    %cst_130 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %541 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %542 = stablehlo.multiply %541, %435 : tensor<1024x16xf32>
    %543 = stablehlo.subtract %arg20, %542 : tensor<1024x16xf32>
    %cst_131 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %544 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %545 = stablehlo.multiply %544, %433 : tensor<8x16xf32>
    %546 = stablehlo.subtract %arg21, %545 : tensor<8x16xf32>
    %cst_132 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %547 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %548 = stablehlo.multiply %547, %431 : tensor<1024x16xf32>
    %549 = stablehlo.subtract %arg22, %548 : tensor<1024x16xf32>
    %cst_133 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %550 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %551 = stablehlo.multiply %550, %429 : tensor<1024x16xf32>
    %552 = stablehlo.subtract %arg23, %551 : tensor<1024x16xf32>
    %cst_134 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %553 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %554 = stablehlo.multiply %553, %427 : tensor<8x16xf32>
    %555 = stablehlo.subtract %arg24, %554 : tensor<8x16xf32>
    %cst_135 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %556 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %557 = stablehlo.multiply %556, %425 : tensor<1024x16xf32>
    %558 = stablehlo.subtract %arg25, %557 : tensor<1024x16xf32>
    %cst_136 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %559 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %560 = stablehlo.multiply %559, %423 : tensor<1024x16xf32>
    %561 = stablehlo.subtract %arg26, %560 : tensor<1024x16xf32>
    %cst_137 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %562 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %563 = stablehlo.multiply %562, %421 : tensor<8x16xf32>
    %564 = stablehlo.subtract %arg27, %563 : tensor<8x16xf32>
    %cst_138 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %565 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %566 = stablehlo.multiply %565, %419 : tensor<1024x16xf32>
    %567 = stablehlo.subtract %arg28, %566 : tensor<1024x16xf32>
    %cst_139 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %568 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<1024x16xf32>
    %569 = stablehlo.multiply %568, %417 : tensor<1024x16xf32>
    %570 = stablehlo.subtract %arg29, %569 : tensor<1024x16xf32>
    %cst_140 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %571 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %572 = stablehlo.multiply %571, %349 : tensor<64xf32>
    %573 = stablehlo.subtract %arg30, %572 : tensor<64xf32>
    %cst_141 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %574 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<367x64xf32>
    %575 = stablehlo.multiply %574, %351 : tensor<367x64xf32>
    %576 = stablehlo.subtract %arg31, %575 : tensor<367x64xf32>
    %cst_142 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %577 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %578 = stablehlo.multiply %577, %341 : tensor<1xf32>
    %579 = stablehlo.subtract %arg32, %578 : tensor<1xf32>
    %cst_143 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %580 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %581 = stablehlo.multiply %580, %343 : tensor<64x1xf32>
    %582 = stablehlo.subtract %arg33, %581 : tensor<64x1xf32>
    return %483, %486, %489, %492, %495, %498, %501, %504, %507, %510, %513, %516, %519, %522, %525, %528, %531, %534, %537, %540, %543, %546, %549, %552, %555, %558, %561, %564, %567, %570, %573, %576, %579, %582, %330 : tensor<32xf32>, tensor<13x32xf32>, tensor<16xf32>, tensor<32x16xf32>, tensor<1024x16xf32>, tensor<1024x16xf32>, tensor<8x16xf32>, tensor<1024x16xf32>, tensor<1024x16xf32>, tensor<8x16xf32>, tensor<1024x16xf32>, tensor<1024x16xf32>, tensor<8x16xf32>, tensor<1024x16xf32>, tensor<1024x16xf32>, tensor<8x16xf32>, tensor<1024x16xf32>, tensor<1024x16xf32>, tensor<8x16xf32>, tensor<1024x16xf32>, tensor<1024x16xf32>, tensor<8x16xf32>, tensor<1024x16xf32>, tensor<1024x16xf32>, tensor<8x16xf32>, tensor<1024x16xf32>, tensor<1024x16xf32>, tensor<8x16xf32>, tensor<1024x16xf32>, tensor<1024x16xf32>, tensor<64xf32>, tensor<367x64xf32>, tensor<1xf32>, tensor<64x1xf32>, tensor<f32>
  }
  func.func private @relu(%arg0: tensor<64x32xf32>) -> tensor<64x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<64x32xf32>
    return %1 : tensor<64x32xf32>
  }
  func.func private @tril(%arg0: tensor<27x27xf32>) -> tensor<27x27xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<27x27xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<27x27xi32>
    %2 = stablehlo.add %0, %1 : tensor<27x27xi32>
    %3 = stablehlo.iota dim = 1 : tensor<27x27xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<27x27xi32>, tensor<27x27xi32>) -> tensor<27x27xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<27x27xi1>, tensor<27x27xf32>
    return %6 : tensor<27x27xf32>
  }
  func.func private @cumsum(%arg0: tensor<27x27xi1>) -> tensor<729xi32> {
    %0 = stablehlo.reshape %arg0 : (tensor<27x27xi1>) -> tensor<729xi1>
    %1 = stablehlo.convert %0 : (tensor<729xi1>) -> tensor<729xi32>
    %2 = call @cumsum_0(%1) : (tensor<729xi32>) -> tensor<729xi32>
    return %2 : tensor<729xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<729xi32>) -> tensor<729xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[728, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 729>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<729xi32>, tensor<i32>) -> tensor<729xi32>
    return %1 : tensor<729xi32>
  }
  func.func private @clip(%arg0: tensor<729xi32>, %arg1: tensor<i32>) -> tensor<729xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<729xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<729xi32>
    return %2 : tensor<729xi32>
  }
  func.func private @cumsum_1(%arg0: tensor<351xi32>) -> tensor<351xi32> {
    %0 = call @cumsum_2(%arg0) : (tensor<351xi32>) -> tensor<351xi32>
    return %0 : tensor<351xi32>
  }
  func.func private @cumsum_2(%arg0: tensor<351xi32>) -> tensor<351xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[350, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 351>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<351xi32>, tensor<i32>) -> tensor<351xi32>
    return %1 : tensor<351xi32>
  }
  func.func private @floor_divide(%arg0: tensor<351xi32>, %arg1: tensor<i32>) -> tensor<351xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %1 = stablehlo.divide %arg0, %0 : tensor<351xi32>
    %2 = stablehlo.sign %arg0 : tensor<351xi32>
    %3 = stablehlo.sign %arg1 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %5 = stablehlo.compare NE, %2, %4, SIGNED : (tensor<351xi32>, tensor<351xi32>) -> tensor<351xi1>
    %6 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %7 = stablehlo.remainder %arg0, %6 : tensor<351xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %9 = stablehlo.compare NE, %7, %8, SIGNED : (tensor<351xi32>, tensor<351xi32>) -> tensor<351xi1>
    %10 = stablehlo.and %5, %9 : tensor<351xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %12 = stablehlo.subtract %1, %11 : tensor<351xi32>
    %13 = call @_where(%10, %12, %1) : (tensor<351xi1>, tensor<351xi32>, tensor<351xi32>) -> tensor<351xi32>
    return %13 : tensor<351xi32>
  }
  func.func private @_where(%arg0: tensor<351xi1>, %arg1: tensor<351xi32>, %arg2: tensor<351xi32>) -> tensor<351xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<351xi1>, tensor<351xi32>
    return %0 : tensor<351xi32>
  }
  func.func private @remainder(%arg0: tensor<351xi32>, %arg1: tensor<i32>) -> tensor<351xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_3(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<351xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<351xi32>, tensor<351xi32>) -> tensor<351xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<351xi32>, tensor<351xi32>) -> tensor<351xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<351xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<351xi1>, tensor<351xi1>) -> tensor<351xi1>
    %12 = stablehlo.and %11, %6 : tensor<351xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<351xi32>
    %14 = stablehlo.add %4, %13 : tensor<351xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<351xi1>, tensor<351xi32>
    return %15 : tensor<351xi32>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @relu_4(%arg0: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
  func.func private @softplus(%arg0: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<64xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<64xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<64xf32>
    %7 = stablehlo.abs %3 : tensor<64xf32>
    %8 = stablehlo.negate %7 : tensor<64xf32>
    %9 = stablehlo.exponential %8 : tensor<64xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<64xf32>
    %11 = stablehlo.add %1, %10 : tensor<64xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<64xi1>, tensor<64xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %14 = stablehlo.compare EQ, %arg0, %13, FLOAT : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %16 = stablehlo.select %14, %15, %arg0 : tensor<64xi1>, tensor<64xf32>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %18 = stablehlo.compare EQ, %12, %17, FLOAT : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %20 = stablehlo.select %18, %19, %12 : tensor<64xi1>, tensor<64xf32>
    %21 = stablehlo.subtract %16, %20 : tensor<64xf32>
    %22 = stablehlo.exponential %21 : tensor<64xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_5 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %23 = stablehlo.compare EQ, %cst_4, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.select %23, %cst_7, %cst_6 : tensor<i1>, tensor<f32>
    %cst_8 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %26 = stablehlo.compare EQ, %12, %25, FLOAT : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %28 = stablehlo.select %26, %27, %12 : tensor<64xi1>, tensor<64xf32>
    %29 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %30 = stablehlo.subtract %29, %28 : tensor<64xf32>
    %31 = stablehlo.exponential %30 : tensor<64xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %33 = stablehlo.multiply %32, %31 : tensor<64xf32>
    return %12, %22, %33 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  func.func private @softplus_5(%arg0: tensor<64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>) -> tensor<64xf32> {
    %0 = stablehlo.multiply %arg2, %arg0 : tensor<64xf32>
    return %0 : tensor<64xf32>
  }
}
