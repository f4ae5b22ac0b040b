// Lowered by JAX 0.10.2; written by generate.py.
module @jit_training_step attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg1: tensor<2x64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg2: tensor<2x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<2x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg4: tensor<2x4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>}, %arg5: tensor<2x32x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"model"}, {}]>}, %arg6: tensor<2x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, %arg7: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg8: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg9: tensor<2x64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg10: tensor<2x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<2x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg12: tensor<2x4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>}, %arg13: tensor<2x32x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"model"}, {}]>}, %arg14: tensor<2x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, %arg15: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg16: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg17: tensor<2x64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg18: tensor<2x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg19: tensor<2x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg20: tensor<2x4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>}, %arg21: tensor<2x32x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"model"}, {}]>}, %arg22: tensor<2x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, %arg23: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg24: tensor<8x17xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg25: tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (tensor<128x32xf32> {jax.result_info = "result[0]['embed']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<2x64x32xf32> {jax.result_info = "result[0]['layers']['down']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, tensor<2x32xf32> {jax.result_info = "result[0]['layers']['norm1']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<2x32xf32> {jax.result_info = "result[0]['layers']['norm2']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<2x4x8x32xf32> {jax.result_info = "result[0]['layers']['out']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>}, tensor<2x32x3x4x8xf32> {jax.result_info = "result[0]['layers']['qkv']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"model"}, {}]>}, tensor<2x32x64xf32> {jax.result_info = "result[0]['layers']['up']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, tensor<32xf32> {jax.result_info = "result[0]['norm']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<128x32xf32> {jax.result_info = "result[1]['m']['embed']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<2x64x32xf32> {jax.result_info = "result[1]['m']['layers']['down']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, tensor<2x32xf32> {jax.result_info = "result[1]['m']['layers']['norm1']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<2x32xf32> {jax.result_info = "result[1]['m']['layers']['norm2']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<2x4x8x32xf32> {jax.result_info = "result[1]['m']['layers']['out']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>}, tensor<2x32x3x4x8xf32> {jax.result_info = "result[1]['m']['layers']['qkv']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"model"}, {}]>}, tensor<2x32x64xf32> {jax.result_info = "result[1]['m']['layers']['up']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, tensor<32xf32> {jax.result_info = "result[1]['m']['norm']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<128x32xf32> {jax.result_info = "result[1]['v']['embed']", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<2x64x32xf32> {jax.result_info = "result[1]['v']['layers']['down']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, tensor<2x32xf32> {jax.result_info = "result[1]['v']['layers']['norm1']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<2x32xf32> {jax.result_info = "result[1]['v']['layers']['norm2']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<2x4x8x32xf32> {jax.result_info = "result[1]['v']['layers']['out']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>}, tensor<2x32x3x4x8xf32> {jax.result_info = "result[1]['v']['layers']['qkv']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"model"}, {}]>}, tensor<2x32x64xf32> {jax.result_info = "result[1]['v']['layers']['up']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, tensor<32xf32> {jax.result_info = "result[1]['v']['norm']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<f32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.slice %arg24 [0:8, 0:16] : (tensor<8x17xi32>) -> tensor<8x16xi32>
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
    %9 = stablehlo.shift_right_logical %arg25, %c_1 : tensor<i32>
    %10 = stablehlo.convert %9 : (tensor<i32>) -> tensor<ui32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %c_2 = stablehlo.constant dense<-1> : tensor<i32>
    %12 = stablehlo.and %arg25, %c_2 : tensor<i32>
    %13 = stablehlo.convert %12 : (tensor<i32>) -> tensor<ui32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %15 = stablehlo.concatenate %11, %14, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
    %16 = call @_threefry_split(%15) : (tensor<2xui32>) -> tensor<2x2xui32>
    %17 = stablehlo.iota dim = 0 : tensor<16xi32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %19 = stablehlo.broadcast_in_dim %17, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %20 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<16x1xi32>) -> tensor<16x16xi32>
    %21 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<1x16xi32>) -> tensor<16x16xi32>
    %22 = stablehlo.compare GE, %20, %21, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %cst = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %23:3 = call @_where(%22, %cst) : (tensor<16x16xi1>, tensor<f32>) -> (tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>)
    %cst_3 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %24:2 = call @_bernoulli(%cst_3) : (tensor<f32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>)
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25:2 = call @_where_0(%cst_4) : (tensor<f32>) -> (tensor<8x16x64xf32>, tensor<8x16x64xf32>)
    %cst_5 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x8x16x1xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x8x16x1xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x1x1x32xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x8x4x16x8xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x8x4x16x8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x8x4x16x16xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x8x4x16x1xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x8x4x16x1xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x8x4x16x8xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x8x4x16x16xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x8x4x16x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x8x16x1xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x8x16x1xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x1x1x32xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<2x8x16x64xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<2x8x16x64xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<2x8x16x64xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<2x8x16x64xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x8x16x64xf32>
    %c_31 = stablehlo.constant dense<false> : tensor<i1>
    %51 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<i1>) -> tensor<2x8x16x64xi1>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<2x8x16x64xf32>
    %c_33 = stablehlo.constant dense<0> : tensor<i32>
    %53:42 = stablehlo.while(%iterArg = %arg1, %iterArg_103 = %arg2, %iterArg_104 = %arg3, %iterArg_105 = %arg4, %iterArg_106 = %arg5, %iterArg_107 = %arg6, %iterArg_108 = %16, %iterArg_109 = %24#0, %iterArg_110 = %24#1, %iterArg_111 = %cst_5, %iterArg_112 = %23#0, %iterArg_113 = %23#2, %iterArg_114 = %25#1, %iterArg_115 = %c_33, %iterArg_116 = %8, %iterArg_117 = %26, %iterArg_118 = %27, %iterArg_119 = %28, %iterArg_120 = %29, %iterArg_121 = %30, %iterArg_122 = %31, %iterArg_123 = %32, %iterArg_124 = %33, %iterArg_125 = %34, %iterArg_126 = %35, %iterArg_127 = %36, %iterArg_128 = %37, %iterArg_129 = %38, %iterArg_130 = %39, %iterArg_131 = %40, %iterArg_132 = %41, %iterArg_133 = %42, %iterArg_134 = %43, %iterArg_135 = %44, %iterArg_136 = %45, %iterArg_137 = %46, %iterArg_138 = %47, %iterArg_139 = %48, %iterArg_140 = %49, %iterArg_141 = %50, %iterArg_142 = %51, %iterArg_143 = %52) : tensor<2x64x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>, tensor<2x32x3x4x8xf32>, tensor<2x32x64xf32>, tensor<2x2xui32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<f32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x16x64xf32>, tensor<i32>, tensor<8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xi1>, tensor<2x8x16x64xf32>
    cond {
      %c_144 = stablehlo.constant dense<2> : tensor<i32>
      %262 = stablehlo.compare LT, %iterArg_115, %c_144, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %262 : tensor<i1>
    } do {
      %262 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_115) : (tensor<2x64x32xf32>, tensor<i32>) -> tensor<64x32xf32>
      %263 = func.call @dynamic_index_in_dim_1(%iterArg_103, %iterArg_115) : (tensor<2x32xf32>, tensor<i32>) -> tensor<32xf32>
      %264 = func.call @dynamic_index_in_dim_1(%iterArg_104, %iterArg_115) : (tensor<2x32xf32>, tensor<i32>) -> tensor<32xf32>
      %265 = func.call @dynamic_index_in_dim_2(%iterArg_105, %iterArg_115) : (tensor<2x4x8x32xf32>, tensor<i32>) -> tensor<4x8x32xf32>
      %266 = func.call @dynamic_index_in_dim_3(%iterArg_106, %iterArg_115) : (tensor<2x32x3x4x8xf32>, tensor<i32>) -> tensor<32x3x4x8xf32>
      %267 = func.call @dynamic_index_in_dim_4(%iterArg_107, %iterArg_115) : (tensor<2x32x64xf32>, tensor<i32>) -> tensor<32x64xf32>
      %268 = func.call @dynamic_index_in_dim_5(%iterArg_108, %iterArg_115) : (tensor<2x2xui32>, tensor<i32>) -> tensor<2xui32>
      %269:28 = func.call @closed_call_6(%iterArg_109, %iterArg_110, %iterArg_111, %iterArg_112, %iterArg_113, %iterArg_114, %iterArg_116, %262, %263, %264, %265, %266, %267, %268) : (tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<f32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x16x64xf32>, tensor<8x16x32xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<32x3x4x8xf32>, tensor<32x64xf32>, tensor<2xui32>) -> (tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x4x16x8xf32>, tensor<8x4x16x8xf32>, tensor<8x4x16x16xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x8xf32>, tensor<8x4x16x16xf32>, tensor<8x4x16x8xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xi1>, tensor<8x16x64xf32>)
      %270 = func.call @dynamic_update_index_in_dim(%iterArg_117, %269#1, %iterArg_115) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %271 = func.call @dynamic_update_index_in_dim_13(%iterArg_118, %269#2, %iterArg_115) : (tensor<2x8x16x1xf32>, tensor<8x16x1xf32>, tensor<i32>) -> tensor<2x8x16x1xf32>
      %272 = func.call @dynamic_update_index_in_dim_13(%iterArg_119, %269#3, %iterArg_115) : (tensor<2x8x16x1xf32>, tensor<8x16x1xf32>, tensor<i32>) -> tensor<2x8x16x1xf32>
      %273 = func.call @dynamic_update_index_in_dim_14(%iterArg_120, %269#4, %iterArg_115) : (tensor<2x1x1x32xf32>, tensor<1x1x32xf32>, tensor<i32>) -> tensor<2x1x1x32xf32>
      %274 = func.call @dynamic_update_index_in_dim(%iterArg_121, %269#5, %iterArg_115) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %275 = func.call @dynamic_update_index_in_dim(%iterArg_122, %269#6, %iterArg_115) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %276 = func.call @dynamic_update_index_in_dim_15(%iterArg_123, %269#7, %iterArg_115) : (tensor<2x8x4x16x8xf32>, tensor<8x4x16x8xf32>, tensor<i32>) -> tensor<2x8x4x16x8xf32>
      %277 = func.call @dynamic_update_index_in_dim_15(%iterArg_124, %269#8, %iterArg_115) : (tensor<2x8x4x16x8xf32>, tensor<8x4x16x8xf32>, tensor<i32>) -> tensor<2x8x4x16x8xf32>
      %278 = func.call @dynamic_update_index_in_dim_16(%iterArg_125, %269#9, %iterArg_115) : (tensor<2x8x4x16x16xf32>, tensor<8x4x16x16xf32>, tensor<i32>) -> tensor<2x8x4x16x16xf32>
      %279 = func.call @dynamic_update_index_in_dim_17(%iterArg_126, %269#10, %iterArg_115) : (tensor<2x8x4x16x1xf32>, tensor<8x4x16x1xf32>, tensor<i32>) -> tensor<2x8x4x16x1xf32>
      %280 = func.call @dynamic_update_index_in_dim_17(%iterArg_127, %269#11, %iterArg_115) : (tensor<2x8x4x16x1xf32>, tensor<8x4x16x1xf32>, tensor<i32>) -> tensor<2x8x4x16x1xf32>
      %281 = func.call @dynamic_update_index_in_dim_15(%iterArg_128, %269#12, %iterArg_115) : (tensor<2x8x4x16x8xf32>, tensor<8x4x16x8xf32>, tensor<i32>) -> tensor<2x8x4x16x8xf32>
      %282 = func.call @dynamic_update_index_in_dim_16(%iterArg_129, %269#13, %iterArg_115) : (tensor<2x8x4x16x16xf32>, tensor<8x4x16x16xf32>, tensor<i32>) -> tensor<2x8x4x16x16xf32>
      %283 = func.call @dynamic_update_index_in_dim_15(%iterArg_130, %269#14, %iterArg_115) : (tensor<2x8x4x16x8xf32>, tensor<8x4x16x8xf32>, tensor<i32>) -> tensor<2x8x4x16x8xf32>
      %284 = func.call @dynamic_update_index_in_dim(%iterArg_131, %269#15, %iterArg_115) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %285 = func.call @dynamic_update_index_in_dim_13(%iterArg_132, %269#16, %iterArg_115) : (tensor<2x8x16x1xf32>, tensor<8x16x1xf32>, tensor<i32>) -> tensor<2x8x16x1xf32>
      %286 = func.call @dynamic_update_index_in_dim_13(%iterArg_133, %269#17, %iterArg_115) : (tensor<2x8x16x1xf32>, tensor<8x16x1xf32>, tensor<i32>) -> tensor<2x8x16x1xf32>
      %287 = func.call @dynamic_update_index_in_dim_14(%iterArg_134, %269#18, %iterArg_115) : (tensor<2x1x1x32xf32>, tensor<1x1x32xf32>, tensor<i32>) -> tensor<2x1x1x32xf32>
      %288 = func.call @dynamic_update_index_in_dim(%iterArg_135, %269#19, %iterArg_115) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %289 = func.call @dynamic_update_index_in_dim(%iterArg_136, %269#20, %iterArg_115) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %290 = func.call @dynamic_update_index_in_dim_18(%iterArg_137, %269#21, %iterArg_115) : (tensor<2x8x16x64xf32>, tensor<8x16x64xf32>, tensor<i32>) -> tensor<2x8x16x64xf32>
      %291 = func.call @dynamic_update_index_in_dim_18(%iterArg_138, %269#22, %iterArg_115) : (tensor<2x8x16x64xf32>, tensor<8x16x64xf32>, tensor<i32>) -> tensor<2x8x16x64xf32>
      %292 = func.call @dynamic_update_index_in_dim_18(%iterArg_139, %269#23, %iterArg_115) : (tensor<2x8x16x64xf32>, tensor<8x16x64xf32>, tensor<i32>) -> tensor<2x8x16x64xf32>
      %293 = func.call @dynamic_update_index_in_dim_18(%iterArg_140, %269#24, %iterArg_115) : (tensor<2x8x16x64xf32>, tensor<8x16x64xf32>, tensor<i32>) -> tensor<2x8x16x64xf32>
      %294 = func.call @dynamic_update_index_in_dim_18(%iterArg_141, %269#25, %iterArg_115) : (tensor<2x8x16x64xf32>, tensor<8x16x64xf32>, tensor<i32>) -> tensor<2x8x16x64xf32>
      %295 = func.call @dynamic_update_index_in_dim_19(%iterArg_142, %269#26, %iterArg_115) : (tensor<2x8x16x64xi1>, tensor<8x16x64xi1>, tensor<i32>) -> tensor<2x8x16x64xi1>
      %296 = func.call @dynamic_update_index_in_dim_18(%iterArg_143, %269#27, %iterArg_115) : (tensor<2x8x16x64xf32>, tensor<8x16x64xf32>, tensor<i32>) -> tensor<2x8x16x64xf32>
      %c_144 = stablehlo.constant dense<1> : tensor<i32>
      %297 = stablehlo.add %iterArg_115, %c_144 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_103, %iterArg_104, %iterArg_105, %iterArg_106, %iterArg_107, %iterArg_108, %iterArg_109, %iterArg_110, %iterArg_111, %iterArg_112, %iterArg_113, %iterArg_114, %297, %269#0, %270, %271, %272, %273, %274, %275, %276, %277, %278, %279, %280, %281, %282, %283, %284, %285, %286, %287, %288, %289, %290, %291, %292, %293, %294, %295, %296 : tensor<2x64x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>, tensor<2x32x3x4x8xf32>, tensor<2x32x64xf32>, tensor<2x2xui32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<f32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x16x64xf32>, tensor<i32>, tensor<8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xi1>, tensor<2x8x16x64xf32>
    }
    %54 = stablehlo.multiply %53#14, %53#14 : tensor<8x16x32xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%54 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_35 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %58 = stablehlo.divide %56, %57 : tensor<8x16x1xf32>
    %cst_36 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %60 = stablehlo.add %58, %59 : tensor<8x16x1xf32>
    %61 = stablehlo.rsqrt %60 : tensor<8x16x1xf32>
    %62 = stablehlo.divide %61, %60 : tensor<8x16x1xf32>
    %cst_37 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %64 = stablehlo.multiply %63, %62 : tensor<8x16x1xf32>
    %65 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %66 = stablehlo.multiply %53#14, %65 : tensor<8x16x32xf32>
    %67 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %69 = stablehlo.multiply %66, %68 : tensor<8x16x32xf32>
    %70 = stablehlo.dot_general %69, %arg0, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<128x32xf32>) -> tensor<8x16x128xf32>
    %71 = sdy.sharding_constraint %70 <@mesh, [{"data"}, {}, {"model"}]> : tensor<8x16x128xf32>
    %72:3 = call @log_softmax(%71) : (tensor<8x16x128xf32>) -> (tensor<8x16x128xf32>, tensor<8x16x128xf32>, tensor<8x16x1xf32>)
    %73 = stablehlo.slice %arg24 [0:8, 1:17] : (tensor<8x17xi32>) -> tensor<8x16xi32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %75:2 = call @take_along_axis(%72#0, %74) : (tensor<8x16x128xf32>, tensor<8x16x1xi32>) -> (tensor<8x16x1xf32>, tensor<8x16x1x1xi32>)
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.reduce(%75#0 init: %cst_38) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_39 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %77 = stablehlo.divide %76, %cst_39 : tensor<f32>
    %78 = stablehlo.negate %77 : tensor<f32>
    %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %79 = stablehlo.negate %cst_40 : tensor<f32>
    %cst_41 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %80 = stablehlo.divide %79, %cst_41 : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %82 = call @take_along_axis_20(%75#1, %81) : (tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x128xf32>
    %83 = call @log_softmax_21(%72#1, %72#2, %82) : (tensor<8x16x128xf32>, tensor<8x16x1xf32>, tensor<8x16x128xf32>) -> tensor<8x16x128xf32>
    %84 = sdy.sharding_constraint %83 <@mesh, [{"data"}, {}, {"model"}]> : tensor<8x16x128xf32>
    %85 = stablehlo.dot_general %84, %69, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x128xf32>, tensor<8x16x32xf32>) -> tensor<128x32xf32>
    %86 = stablehlo.dot_general %84, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x128xf32>, tensor<128x32xf32>) -> tensor<8x16x32xf32>
    %87 = stablehlo.multiply %66, %86 : tensor<8x16x32xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.reduce(%87 init: %cst_42) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %89 = stablehlo.reshape %88 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %90 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %91 = stablehlo.multiply %86, %90 : tensor<8x16x32xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.reduce(%89 init: %cst_43) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %93 = stablehlo.multiply %53#14, %91 : tensor<8x16x32xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.reduce(%93 init: %cst_44) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %95 = stablehlo.reshape %94 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %96 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %97 = stablehlo.multiply %91, %96 : tensor<8x16x32xf32>
    %98 = stablehlo.multiply %95, %64 : tensor<8x16x1xf32>
    %cst_45 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %100 = stablehlo.divide %98, %99 : tensor<8x16x1xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %101 = stablehlo.reduce(%100 init: %cst_46) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %102 = stablehlo.broadcast_in_dim %101, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %103 = stablehlo.multiply %53#14, %102 : tensor<8x16x32xf32>
    %104 = stablehlo.add %97, %103 : tensor<8x16x32xf32>
    %105 = stablehlo.multiply %102, %53#14 : tensor<8x16x32xf32>
    %106 = stablehlo.add %104, %105 : tensor<8x16x32xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<2x64x32xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<2x32x3x4x8xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<2x32x64xf32>
    %c_53 = stablehlo.constant dense<0> : tensor<i32>
    %113:42 = stablehlo.while(%iterArg = %53#15, %iterArg_103 = %53#16, %iterArg_104 = %53#17, %iterArg_105 = %53#18, %iterArg_106 = %53#19, %iterArg_107 = %53#20, %iterArg_108 = %arg5, %iterArg_109 = %53#21, %iterArg_110 = %53#22, %iterArg_111 = %53#23, %iterArg_112 = %53#24, %iterArg_113 = %53#25, %iterArg_114 = %53#26, %iterArg_115 = %53#27, %iterArg_116 = %arg4, %iterArg_117 = %53#28, %iterArg_118 = %53#29, %iterArg_119 = %53#30, %iterArg_120 = %53#31, %iterArg_121 = %53#32, %iterArg_122 = %53#33, %iterArg_123 = %arg6, %iterArg_124 = %53#34, %iterArg_125 = %53#35, %iterArg_126 = %53#36, %iterArg_127 = %53#37, %iterArg_128 = %53#38, %iterArg_129 = %53#39, %iterArg_130 = %53#40, %iterArg_131 = %arg1, %iterArg_132 = %53#41, %iterArg_133 = %23#0, %iterArg_134 = %23#1, %iterArg_135 = %25#0, %iterArg_136 = %c_53, %iterArg_137 = %106, %iterArg_138 = %107, %iterArg_139 = %108, %iterArg_140 = %109, %iterArg_141 = %110, %iterArg_142 = %111, %iterArg_143 = %112) : tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x32x3x4x8xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x4x16x16xf32>, tensor<2x4x8x32xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x32x64xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xi1>, tensor<2x64x32xf32>, tensor<2x8x16x64xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x16x64xf32>, tensor<i32>, tensor<8x16x32xf32>, tensor<2x64x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>, tensor<2x32x3x4x8xf32>, tensor<2x32x64xf32>
    cond {
      %c_144 = stablehlo.constant dense<2> : tensor<i32>
      %262 = stablehlo.compare LT, %iterArg_136, %c_144, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %262 : tensor<i1>
    } do {
      %c_144 = stablehlo.constant dense<2> : tensor<i32>
      %262 = stablehlo.subtract %c_144, %iterArg_136 : tensor<i32>
      %c_145 = stablehlo.constant dense<1> : tensor<i32>
      %263 = stablehlo.subtract %262, %c_145 : tensor<i32>
      %264 = func.call @dynamic_index_in_dim_22(%iterArg, %263) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %265 = func.call @dynamic_index_in_dim_23(%iterArg_103, %263) : (tensor<2x8x16x1xf32>, tensor<i32>) -> tensor<8x16x1xf32>
      %266 = func.call @dynamic_index_in_dim_23(%iterArg_104, %263) : (tensor<2x8x16x1xf32>, tensor<i32>) -> tensor<8x16x1xf32>
      %267 = func.call @dynamic_index_in_dim_24(%iterArg_105, %263) : (tensor<2x1x1x32xf32>, tensor<i32>) -> tensor<1x1x32xf32>
      %268 = func.call @dynamic_index_in_dim_22(%iterArg_106, %263) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %269 = func.call @dynamic_index_in_dim_22(%iterArg_107, %263) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %270 = func.call @dynamic_index_in_dim_3(%iterArg_108, %263) : (tensor<2x32x3x4x8xf32>, tensor<i32>) -> tensor<32x3x4x8xf32>
      %271 = func.call @dynamic_index_in_dim_25(%iterArg_109, %263) : (tensor<2x8x4x16x8xf32>, tensor<i32>) -> tensor<8x4x16x8xf32>
      %272 = func.call @dynamic_index_in_dim_25(%iterArg_110, %263) : (tensor<2x8x4x16x8xf32>, tensor<i32>) -> tensor<8x4x16x8xf32>
      %273 = func.call @dynamic_index_in_dim_26(%iterArg_111, %263) : (tensor<2x8x4x16x16xf32>, tensor<i32>) -> tensor<8x4x16x16xf32>
      %274 = func.call @dynamic_index_in_dim_27(%iterArg_112, %263) : (tensor<2x8x4x16x1xf32>, tensor<i32>) -> tensor<8x4x16x1xf32>
      %275 = func.call @dynamic_index_in_dim_27(%iterArg_113, %263) : (tensor<2x8x4x16x1xf32>, tensor<i32>) -> tensor<8x4x16x1xf32>
      %276 = func.call @dynamic_index_in_dim_25(%iterArg_114, %263) : (tensor<2x8x4x16x8xf32>, tensor<i32>) -> tensor<8x4x16x8xf32>
      %277 = func.call @dynamic_index_in_dim_26(%iterArg_115, %263) : (tensor<2x8x4x16x16xf32>, tensor<i32>) -> tensor<8x4x16x16xf32>
      %278 = func.call @dynamic_index_in_dim_2(%iterArg_116, %263) : (tensor<2x4x8x32xf32>, tensor<i32>) -> tensor<4x8x32xf32>
      %279 = func.call @dynamic_index_in_dim_25(%iterArg_117, %263) : (tensor<2x8x4x16x8xf32>, tensor<i32>) -> tensor<8x4x16x8xf32>
      %280 = func.call @dynamic_index_in_dim_22(%iterArg_118, %263) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %281 = func.call @dynamic_index_in_dim_23(%iterArg_119, %263) : (tensor<2x8x16x1xf32>, tensor<i32>) -> tensor<8x16x1xf32>
      %282 = func.call @dynamic_index_in_dim_23(%iterArg_120, %263) : (tensor<2x8x16x1xf32>, tensor<i32>) -> tensor<8x16x1xf32>
      %283 = func.call @dynamic_index_in_dim_24(%iterArg_121, %263) : (tensor<2x1x1x32xf32>, tensor<i32>) -> tensor<1x1x32xf32>
      %284 = func.call @dynamic_index_in_dim_22(%iterArg_122, %263) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %285 = func.call @dynamic_index_in_dim_4(%iterArg_123, %263) : (tensor<2x32x64xf32>, tensor<i32>) -> tensor<32x64xf32>
      %286 = func.call @dynamic_index_in_dim_22(%iterArg_124, %263) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %287 = func.call @dynamic_index_in_dim_28(%iterArg_125, %263) : (tensor<2x8x16x64xf32>, tensor<i32>) -> tensor<8x16x64xf32>
      %288 = func.call @dynamic_index_in_dim_28(%iterArg_126, %263) : (tensor<2x8x16x64xf32>, tensor<i32>) -> tensor<8x16x64xf32>
      %289 = func.call @dynamic_index_in_dim_28(%iterArg_127, %263) : (tensor<2x8x16x64xf32>, tensor<i32>) -> tensor<8x16x64xf32>
      %290 = func.call @dynamic_index_in_dim_28(%iterArg_128, %263) : (tensor<2x8x16x64xf32>, tensor<i32>) -> tensor<8x16x64xf32>
      %291 = func.call @dynamic_index_in_dim_28(%iterArg_129, %263) : (tensor<2x8x16x64xf32>, tensor<i32>) -> tensor<8x16x64xf32>
      %292 = func.call @dynamic_index_in_dim_29(%iterArg_130, %263) : (tensor<2x8x16x64xi1>, tensor<i32>) -> tensor<8x16x64xi1>
      %293 = func.call @dynamic_index_in_dim(%iterArg_131, %263) : (tensor<2x64x32xf32>, tensor<i32>) -> tensor<64x32xf32>
      %294 = func.call @dynamic_index_in_dim_28(%iterArg_132, %263) : (tensor<2x8x16x64xf32>, tensor<i32>) -> tensor<8x16x64xf32>
      %295:7 = func.call @closed_call_30(%iterArg_133, %iterArg_134, %iterArg_135, %iterArg_137, %264, %265, %266, %267, %268, %269, %270, %271, %272, %273, %274, %275, %276, %277, %278, %279, %280, %281, %282, %283, %284, %285, %286, %287, %288, %289, %290, %291, %292, %293, %294) : (tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x16x64xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<32x3x4x8xf32>, tensor<8x4x16x8xf32>, tensor<8x4x16x8xf32>, tensor<8x4x16x16xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x8xf32>, tensor<8x4x16x16xf32>, tensor<4x8x32xf32>, tensor<8x4x16x8xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<32x64xf32>, tensor<8x16x32xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xi1>, tensor<64x32xf32>, tensor<8x16x64xf32>) -> (tensor<8x16x32xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<32x3x4x8xf32>, tensor<32x64xf32>)
      %296 = func.call @dynamic_update_index_in_dim_33(%iterArg_138, %295#1, %263) : (tensor<2x64x32xf32>, tensor<64x32xf32>, tensor<i32>) -> tensor<2x64x32xf32>
      %297 = func.call @dynamic_update_index_in_dim_34(%iterArg_139, %295#2, %263) : (tensor<2x32xf32>, tensor<32xf32>, tensor<i32>) -> tensor<2x32xf32>
      %298 = func.call @dynamic_update_index_in_dim_34(%iterArg_140, %295#3, %263) : (tensor<2x32xf32>, tensor<32xf32>, tensor<i32>) -> tensor<2x32xf32>
      %299 = func.call @dynamic_update_index_in_dim_35(%iterArg_141, %295#4, %263) : (tensor<2x4x8x32xf32>, tensor<4x8x32xf32>, tensor<i32>) -> tensor<2x4x8x32xf32>
      %300 = func.call @dynamic_update_index_in_dim_36(%iterArg_142, %295#5, %263) : (tensor<2x32x3x4x8xf32>, tensor<32x3x4x8xf32>, tensor<i32>) -> tensor<2x32x3x4x8xf32>
      %301 = func.call @dynamic_update_index_in_dim_37(%iterArg_143, %295#6, %263) : (tensor<2x32x64xf32>, tensor<32x64xf32>, tensor<i32>) -> tensor<2x32x64xf32>
      %c_146 = stablehlo.constant dense<1> : tensor<i32>
      %302 = stablehlo.add %iterArg_136, %c_146 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_103, %iterArg_104, %iterArg_105, %iterArg_106, %iterArg_107, %iterArg_108, %iterArg_109, %iterArg_110, %iterArg_111, %iterArg_112, %iterArg_113, %iterArg_114, %iterArg_115, %iterArg_116, %iterArg_117, %iterArg_118, %iterArg_119, %iterArg_120, %iterArg_121, %iterArg_122, %iterArg_123, %iterArg_124, %iterArg_125, %iterArg_126, %iterArg_127, %iterArg_128, %iterArg_129, %iterArg_130, %iterArg_131, %iterArg_132, %iterArg_133, %iterArg_134, %iterArg_135, %302, %295#0, %296, %297, %298, %299, %300, %301 : tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x32x3x4x8xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x4x16x16xf32>, tensor<2x4x8x32xf32>, tensor<2x8x4x16x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x32x64xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xi1>, tensor<2x64x32xf32>, tensor<2x8x16x64xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x16x64xf32>, tensor<i32>, tensor<8x16x32xf32>, tensor<2x64x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>, tensor<2x32x3x4x8xf32>, tensor<2x32x64xf32>
    }
    %114 = sdy.sharding_constraint %113#35 <@mesh, [{"data"}, {}, {}]> : tensor<8x16x32xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %116 = "stablehlo.scatter"(%115, %6, %114) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg26: tensor<f32>, %arg27: tensor<f32>):
      %262 = stablehlo.add %arg26, %arg27 : tensor<f32>
      stablehlo.return %262 : tensor<f32>
    }) : (tensor<128x32xf32>, tensor<8x16x1xi32>, tensor<8x16x32xf32>) -> tensor<128x32xf32>
    %117 = stablehlo.add %85, %116 : tensor<128x32xf32>
    sdy.sharding_group %117 group_id=0 : tensor<128x32xf32>
    sdy.sharding_group %arg0 group_id=0 : tensor<128x32xf32>
    sdy.sharding_group %113#36 group_id=1 : tensor<2x64x32xf32>
    sdy.sharding_group %arg1 group_id=1 : tensor<2x64x32xf32>
    sdy.sharding_group %113#37 group_id=2 : tensor<2x32xf32>
    sdy.sharding_group %arg2 group_id=2 : tensor<2x32xf32>
    sdy.sharding_group %113#38 group_id=3 : tensor<2x32xf32>
    sdy.sharding_group %arg3 group_id=3 : tensor<2x32xf32>
    sdy.sharding_group %113#39 group_id=4 : tensor<2x4x8x32xf32>
    sdy.sharding_group %arg4 group_id=4 : tensor<2x4x8x32xf32>
    sdy.sharding_group %113#40 group_id=5 : tensor<2x32x3x4x8xf32>
    sdy.sharding_group %arg5 group_id=5 : tensor<2x32x3x4x8xf32>
    sdy.sharding_group %113#41 group_id=6 : tensor<2x32x64xf32>
    sdy.sharding_group %arg6 group_id=6 : tensor<2x32x64xf32>
    sdy.sharding_group %92 group_id=7 : tensor<32xf32>
    sdy.sharding_group %arg7 group_id=7 : tensor<32xf32>
    %cst_55 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %119 = stablehlo.multiply %118, %arg8 : tensor<128x32xf32>
    %cst_56 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %121 = stablehlo.multiply %120, %117 : tensor<128x32xf32>
    %122 = stablehlo.add %119, %121 : tensor<128x32xf32>
    %cst_57 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<2x64x32xf32>
    %124 = stablehlo.multiply %123, %arg9 : tensor<2x64x32xf32>
    %cst_58 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<2x64x32xf32>
    %126 = stablehlo.multiply %125, %113#36 : tensor<2x64x32xf32>
    %127 = stablehlo.add %124, %126 : tensor<2x64x32xf32>
    %cst_59 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %129 = stablehlo.multiply %128, %arg10 : tensor<2x32xf32>
    %cst_60 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %131 = stablehlo.multiply %130, %113#37 : tensor<2x32xf32>
    %132 = stablehlo.add %129, %131 : tensor<2x32xf32>
    %cst_61 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %134 = stablehlo.multiply %133, %arg11 : tensor<2x32xf32>
    %cst_62 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %136 = stablehlo.multiply %135, %113#38 : tensor<2x32xf32>
    %137 = stablehlo.add %134, %136 : tensor<2x32xf32>
    %cst_63 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %139 = stablehlo.multiply %138, %arg12 : tensor<2x4x8x32xf32>
    %cst_64 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %141 = stablehlo.multiply %140, %113#39 : tensor<2x4x8x32xf32>
    %142 = stablehlo.add %139, %141 : tensor<2x4x8x32xf32>
    %cst_65 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<2x32x3x4x8xf32>
    %144 = stablehlo.multiply %143, %arg13 : tensor<2x32x3x4x8xf32>
    %cst_66 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<2x32x3x4x8xf32>
    %146 = stablehlo.multiply %145, %113#40 : tensor<2x32x3x4x8xf32>
    %147 = stablehlo.add %144, %146 : tensor<2x32x3x4x8xf32>
    %cst_67 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<2x32x64xf32>
    %149 = stablehlo.multiply %148, %arg14 : tensor<2x32x64xf32>
    %cst_68 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<2x32x64xf32>
    %151 = stablehlo.multiply %150, %113#41 : tensor<2x32x64xf32>
    %152 = stablehlo.add %149, %151 : tensor<2x32x64xf32>
    %cst_69 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %154 = stablehlo.multiply %153, %arg15 : tensor<32xf32>
    %cst_70 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %156 = stablehlo.multiply %155, %92 : tensor<32xf32>
    %157 = stablehlo.add %154, %156 : tensor<32xf32>
    %cst_71 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %159 = stablehlo.multiply %158, %arg16 : tensor<128x32xf32>
    %cst_72 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %161 = stablehlo.multiply %160, %117 : tensor<128x32xf32>
    %162 = stablehlo.multiply %161, %117 : tensor<128x32xf32>
    %163 = stablehlo.add %159, %162 : tensor<128x32xf32>
    %cst_73 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<2x64x32xf32>
    %165 = stablehlo.multiply %164, %arg17 : tensor<2x64x32xf32>
    %cst_74 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<2x64x32xf32>
    %167 = stablehlo.multiply %166, %113#36 : tensor<2x64x32xf32>
    %168 = stablehlo.multiply %167, %113#36 : tensor<2x64x32xf32>
    %169 = stablehlo.add %165, %168 : tensor<2x64x32xf32>
    %cst_75 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %171 = stablehlo.multiply %170, %arg18 : tensor<2x32xf32>
    %cst_76 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %173 = stablehlo.multiply %172, %113#37 : tensor<2x32xf32>
    %174 = stablehlo.multiply %173, %113#37 : tensor<2x32xf32>
    %175 = stablehlo.add %171, %174 : tensor<2x32xf32>
    %cst_77 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %177 = stablehlo.multiply %176, %arg19 : tensor<2x32xf32>
    %cst_78 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %179 = stablehlo.multiply %178, %113#38 : tensor<2x32xf32>
    %180 = stablehlo.multiply %179, %113#38 : tensor<2x32xf32>
    %181 = stablehlo.add %177, %180 : tensor<2x32xf32>
    %cst_79 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %182 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %183 = stablehlo.multiply %182, %arg20 : tensor<2x4x8x32xf32>
    %cst_80 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %184 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %185 = stablehlo.multiply %184, %113#39 : tensor<2x4x8x32xf32>
    %186 = stablehlo.multiply %185, %113#39 : tensor<2x4x8x32xf32>
    %187 = stablehlo.add %183, %186 : tensor<2x4x8x32xf32>
    %cst_81 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<2x32x3x4x8xf32>
    %189 = stablehlo.multiply %188, %arg21 : tensor<2x32x3x4x8xf32>
    %cst_82 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %190 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<2x32x3x4x8xf32>
    %191 = stablehlo.multiply %190, %113#40 : tensor<2x32x3x4x8xf32>
    %192 = stablehlo.multiply %191, %113#40 : tensor<2x32x3x4x8xf32>
    %193 = stablehlo.add %189, %192 : tensor<2x32x3x4x8xf32>
    %cst_83 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %194 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<2x32x64xf32>
    %195 = stablehlo.multiply %194, %arg22 : tensor<2x32x64xf32>
    %cst_84 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %196 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<2x32x64xf32>
    %197 = stablehlo.multiply %196, %113#41 : tensor<2x32x64xf32>
    %198 = stablehlo.multiply %197, %113#41 : tensor<2x32x64xf32>
    %199 = stablehlo.add %195, %198 : tensor<2x32x64xf32>
    %cst_85 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %201 = stablehlo.multiply %200, %arg23 : tensor<32xf32>
    %cst_86 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %202 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %203 = stablehlo.multiply %202, %92 : tensor<32xf32>
    %204 = stablehlo.multiply %203, %92 : tensor<32xf32>
    %205 = stablehlo.add %201, %204 : tensor<32xf32>
    %cst_87 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %206 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %207 = stablehlo.multiply %206, %122 : tensor<128x32xf32>
    %cst_88 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %208 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %209 = stablehlo.add %163, %208 : tensor<128x32xf32>
    %210 = stablehlo.rsqrt %209 : tensor<128x32xf32>
    %211 = stablehlo.multiply %207, %210 : tensor<128x32xf32>
    %212 = stablehlo.subtract %arg0, %211 : tensor<128x32xf32>
    %cst_89 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<2x64x32xf32>
    %214 = stablehlo.multiply %213, %127 : tensor<2x64x32xf32>
    %cst_90 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<2x64x32xf32>
    %216 = stablehlo.add %169, %215 : tensor<2x64x32xf32>
    %217 = stablehlo.rsqrt %216 : tensor<2x64x32xf32>
    %218 = stablehlo.multiply %214, %217 : tensor<2x64x32xf32>
    %219 = stablehlo.subtract %arg1, %218 : tensor<2x64x32xf32>
    %cst_91 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %221 = stablehlo.multiply %220, %132 : tensor<2x32xf32>
    %cst_92 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %222 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %223 = stablehlo.add %175, %222 : tensor<2x32xf32>
    %224 = stablehlo.rsqrt %223 : tensor<2x32xf32>
    %225 = stablehlo.multiply %221, %224 : tensor<2x32xf32>
    %226 = stablehlo.subtract %arg2, %225 : tensor<2x32xf32>
    %cst_93 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %228 = stablehlo.multiply %227, %137 : tensor<2x32xf32>
    %cst_94 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %230 = stablehlo.add %181, %229 : tensor<2x32xf32>
    %231 = stablehlo.rsqrt %230 : tensor<2x32xf32>
    %232 = stablehlo.multiply %228, %231 : tensor<2x32xf32>
    %233 = stablehlo.subtract %arg3, %232 : tensor<2x32xf32>
    %cst_95 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %234 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %235 = stablehlo.multiply %234, %142 : tensor<2x4x8x32xf32>
    %cst_96 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %236 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %237 = stablehlo.add %187, %236 : tensor<2x4x8x32xf32>
    %238 = stablehlo.rsqrt %237 : tensor<2x4x8x32xf32>
    %239 = stablehlo.multiply %235, %238 : tensor<2x4x8x32xf32>
    %240 = stablehlo.subtract %arg4, %239 : tensor<2x4x8x32xf32>
    %cst_97 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %241 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<2x32x3x4x8xf32>
    %242 = stablehlo.multiply %241, %147 : tensor<2x32x3x4x8xf32>
    %cst_98 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<2x32x3x4x8xf32>
    %244 = stablehlo.add %193, %243 : tensor<2x32x3x4x8xf32>
    %245 = stablehlo.rsqrt %244 : tensor<2x32x3x4x8xf32>
    %246 = stablehlo.multiply %242, %245 : tensor<2x32x3x4x8xf32>
    %247 = stablehlo.subtract %arg5, %246 : tensor<2x32x3x4x8xf32>
    %cst_99 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<2x32x64xf32>
    %249 = stablehlo.multiply %248, %152 : tensor<2x32x64xf32>
    %cst_100 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<2x32x64xf32>
    %251 = stablehlo.add %199, %250 : tensor<2x32x64xf32>
    %252 = stablehlo.rsqrt %251 : tensor<2x32x64xf32>
    %253 = stablehlo.multiply %249, %252 : tensor<2x32x64xf32>
    %254 = stablehlo.subtract %arg6, %253 : tensor<2x32x64xf32>
    %cst_101 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %255 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %256 = stablehlo.multiply %255, %157 : tensor<32xf32>
    %cst_102 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %257 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %258 = stablehlo.add %205, %257 : tensor<32xf32>
    %259 = stablehlo.rsqrt %258 : tensor<32xf32>
    %260 = stablehlo.multiply %256, %259 : tensor<32xf32>
    %261 = stablehlo.subtract %arg7, %260 : tensor<32xf32>
    return %212, %219, %226, %233, %240, %247, %254, %261, %122, %127, %132, %137, %142, %147, %152, %157, %163, %169, %175, %181, %187, %193, %199, %205, %78 : tensor<128x32xf32>, tensor<2x64x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>, tensor<2x32x3x4x8xf32>, tensor<2x32x64xf32>, tensor<32xf32>, tensor<128x32xf32>, tensor<2x64x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>, tensor<2x32x3x4x8xf32>, tensor<2x32x64xf32>, tensor<32xf32>, tensor<128x32xf32>, tensor<2x64x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>, tensor<2x32x3x4x8xf32>, tensor<2x32x64xf32>, tensor<32xf32>, tensor<f32>
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
  func.func private @_where(%arg0: tensor<16x16xi1>, %arg1: tensor<f32>) -> (tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>) {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<16x16xi1>) -> tensor<8x4x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    return %1, %3, %2 : tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>
  }
  func.func private @_bernoulli(%arg0: tensor<f32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0:2 = call @_uniform(%cst, %cst_0) : (tensor<f32>, tensor<f32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>)
    return %0#0, %0#1 : tensor<1x1x1xf32>, tensor<1x1x1xf32>
  }
  func.func private @_uniform(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
    %0 = stablehlo.convert %arg0 : tensor<f32>
    %1 = stablehlo.convert %arg1 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %4 = stablehlo.subtract %3, %2 : tensor<1x1x1xf32>
    return %2, %4 : tensor<1x1x1xf32>, tensor<1x1x1xf32>
  }
  func.func private @_where_0(%arg0: tensor<f32>) -> (tensor<8x16x64xf32>, tensor<8x16x64xf32>) {
    %0 = stablehlo.convert %arg0 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    return %2, %1 : tensor<8x16x64xf32>, tensor<8x16x64xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x64x32xf32>, %arg1: tensor<i32>) -> tensor<64x32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 64, 32] : (tensor<2x64x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x64x32xf32>) -> tensor<64x32xf32>
    return %1 : tensor<64x32xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<2x32xf32>, %arg1: tensor<i32>) -> tensor<32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 32] : (tensor<2x32xf32>, tensor<i32>, tensor<i32>) -> tensor<1x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x32xf32>) -> tensor<32xf32>
    return %1 : tensor<32xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<2x4x8x32xf32>, %arg1: tensor<i32>) -> tensor<4x8x32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 4, 8, 32] : (tensor<2x4x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x8x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4x8x32xf32>) -> tensor<4x8x32xf32>
    return %1 : tensor<4x8x32xf32>
  }
  func.func private @dynamic_index_in_dim_3(%arg0: tensor<2x32x3x4x8xf32>, %arg1: tensor<i32>) -> tensor<32x3x4x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 32, 3, 4, 8] : (tensor<2x32x3x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x3x4x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x32x3x4x8xf32>) -> tensor<32x3x4x8xf32>
    return %1 : tensor<32x3x4x8xf32>
  }
  func.func private @dynamic_index_in_dim_4(%arg0: tensor<2x32x64xf32>, %arg1: tensor<i32>) -> tensor<32x64xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 32, 64] : (tensor<2x32x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x64xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x32x64xf32>) -> tensor<32x64xf32>
    return %1 : tensor<32x64xf32>
  }
  func.func private @dynamic_index_in_dim_5(%arg0: tensor<2x2xui32>, %arg1: tensor<i32>) -> tensor<2xui32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 2] : (tensor<2x2xui32>, tensor<i32>, tensor<i32>) -> tensor<1x2xui32>
    %1 = stablehlo.reshape %0 : (tensor<1x2xui32>) -> tensor<2xui32>
    return %1 : tensor<2xui32>
  }
  func.func private @closed_call_6(%arg0: tensor<1x1x1xf32>, %arg1: tensor<1x1x1xf32>, %arg2: tensor<f32>, %arg3: tensor<8x4x16x16xi1>, %arg4: tensor<8x4x16x16xf32>, %arg5: tensor<8x16x64xf32>, %arg6: tensor<8x16x32xf32>, %arg7: tensor<64x32xf32>, %arg8: tensor<32xf32>, %arg9: tensor<32xf32>, %arg10: tensor<4x8x32xf32>, %arg11: tensor<32x3x4x8xf32>, %arg12: tensor<32x64xf32>, %arg13: tensor<2xui32>) -> (tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x4x16x8xf32>, tensor<8x4x16x8xf32>, tensor<8x4x16x16xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x8xf32>, tensor<8x4x16x16xf32>, tensor<8x4x16x8xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xi1>, tensor<8x16x64xf32>) {
    %0 = stablehlo.multiply %arg6, %arg6 : tensor<8x16x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<8x16x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %6 = stablehlo.add %4, %5 : tensor<8x16x1xf32>
    %7 = stablehlo.rsqrt %6 : tensor<8x16x1xf32>
    %8 = stablehlo.divide %7, %6 : tensor<8x16x1xf32>
    %cst_2 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<8x16x1xf32>
    %11 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %12 = stablehlo.multiply %arg6, %11 : tensor<8x16x32xf32>
    %13 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<8x16x32xf32>
    %16 = stablehlo.dot_general %arg11, %15, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<32x3x4x8xf32>, tensor<8x16x32xf32>) -> tensor<3x4x8x8x16xf32>
    %17 = stablehlo.transpose %16, dims = [0, 3, 1, 4, 2] : (tensor<3x4x8x8x16xf32>) -> tensor<3x8x4x16x8xf32>
    %18 = stablehlo.slice %17 [0:1, 0:8, 0:4, 0:16, 0:8] : (tensor<3x8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %19 = stablehlo.reshape %18 : (tensor<1x8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %20 = stablehlo.slice %17 [1:2, 0:8, 0:4, 0:16, 0:8] : (tensor<3x8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %21 = stablehlo.reshape %20 : (tensor<1x8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %22 = stablehlo.slice %17 [2:3, 0:8, 0:4, 0:16, 0:8] : (tensor<3x8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %24 = stablehlo.dot_general %19, %21, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x8xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x16xf32>
    %cst_3 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %26 = stablehlo.divide %24, %25 : tensor<8x4x16x16xf32>
    %27 = sdy.sharding_constraint %26 <@mesh, [{"data"}, {"model"}, {}, {}]> : tensor<8x4x16x16xf32>
    %28 = call @_where_7(%27, %arg3, %arg4) : (tensor<8x4x16x16xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %31 = stablehlo.maximum %30, %29 : tensor<8x4x16xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %34 = stablehlo.subtract %28, %33 : tensor<8x4x16x16xf32>
    %35 = stablehlo.exponential %34 : tensor<8x4x16x16xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %39 = stablehlo.divide %35, %38 : tensor<8x4x16x16xf32>
    %40 = stablehlo.multiply %37, %37 : tensor<8x4x16x1xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x4x16x1xf32>
    %42 = stablehlo.divide %41, %40 : tensor<8x4x16x1xf32>
    %43 = stablehlo.dot_general %39, %23, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %44 = stablehlo.dot_general %43, %arg10, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x8xf32>, tensor<4x8x32xf32>) -> tensor<8x16x32xf32>
    %45 = stablehlo.add %arg6, %44 : tensor<8x16x32xf32>
    %46 = stablehlo.multiply %45, %45 : tensor<8x16x32xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.reduce(%46 init: %cst_8) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_9 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %50 = stablehlo.divide %48, %49 : tensor<8x16x1xf32>
    %cst_10 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %52 = stablehlo.add %50, %51 : tensor<8x16x1xf32>
    %53 = stablehlo.rsqrt %52 : tensor<8x16x1xf32>
    %54 = stablehlo.divide %53, %52 : tensor<8x16x1xf32>
    %cst_11 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %56 = stablehlo.multiply %55, %54 : tensor<8x16x1xf32>
    %57 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %58 = stablehlo.multiply %45, %57 : tensor<8x16x32xf32>
    %59 = stablehlo.broadcast_in_dim %arg9, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %61 = stablehlo.multiply %58, %60 : tensor<8x16x32xf32>
    %62 = stablehlo.dot_general %61, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
    %63 = stablehlo.multiply %62, %62 : tensor<8x16x64xf32>
    %64 = stablehlo.multiply %63, %62 : tensor<8x16x64xf32>
    %65 = stablehlo.multiply %62, %62 : tensor<8x16x64xf32>
    %cst_12 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %67 = stablehlo.multiply %66, %65 : tensor<8x16x64xf32>
    %cst_13 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %69 = stablehlo.multiply %68, %64 : tensor<8x16x64xf32>
    %70 = stablehlo.add %62, %69 : tensor<8x16x64xf32>
    %cst_14 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %72 = stablehlo.multiply %71, %70 : tensor<8x16x64xf32>
    %73 = stablehlo.tanh %72 : tensor<8x16x64xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %75 = stablehlo.subtract %74, %73 : tensor<8x16x64xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %77 = stablehlo.add %76, %73 : tensor<8x16x64xf32>
    %cst_17 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %79 = stablehlo.multiply %78, %77 : tensor<8x16x64xf32>
    %80 = stablehlo.multiply %62, %79 : tensor<8x16x64xf32>
    %81 = sdy.sharding_constraint %80 <@mesh, [{"data"}, {}, {"model"}]> : tensor<8x16x64xf32>
    %82 = call @_bernoulli_8(%arg13, %arg0, %arg1, %arg2) : (tensor<2xui32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<f32>) -> tensor<8x16x64xi1>
    %cst_18 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %84 = stablehlo.divide %81, %83 : tensor<8x16x64xf32>
    %85 = call @_where_12(%82, %84, %arg5) : (tensor<8x16x64xi1>, tensor<8x16x64xf32>, tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    %86 = stablehlo.dot_general %85, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<64x32xf32>) -> tensor<8x16x32xf32>
    %87 = stablehlo.add %45, %86 : tensor<8x16x32xf32>
    %88 = sdy.sharding_constraint %87 <@mesh, [{"data"}, {?}, {}]> : tensor<8x16x32xf32>
    return %88, %arg6, %10, %7, %13, %12, %15, %21, %19, %35, %37, %42, %23, %39, %43, %45, %56, %53, %59, %58, %61, %67, %73, %75, %79, %62, %82, %85 : tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x4x16x8xf32>, tensor<8x4x16x8xf32>, tensor<8x4x16x16xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x8xf32>, tensor<8x4x16x16xf32>, tensor<8x4x16x8xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xi1>, tensor<8x16x64xf32>
  }
  func.func private @_where_7(%arg0: tensor<8x4x16x16xf32>, %arg1: tensor<8x4x16x16xi1>, %arg2: tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32> {
    %0 = stablehlo.select %arg1, %arg0, %arg2 : tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>
    return %0 : tensor<8x4x16x16xf32>
  }
  func.func private @_bernoulli_8(%arg0: tensor<2xui32>, %arg1: tensor<1x1x1xf32>, %arg2: tensor<1x1x1xf32>, %arg3: tensor<f32>) -> tensor<8x16x64xi1> {
    %0 = call @_uniform_9(%arg0, %arg1, %arg2) : (tensor<2xui32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<8x16x64xf32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<8x16x64xf32>, tensor<8x16x64xf32>) -> tensor<8x16x64xi1>
    return %2 : tensor<8x16x64xi1>
  }
  func.func private @_uniform_9(%arg0: tensor<2xui32>, %arg1: tensor<1x1x1xf32>, %arg2: tensor<1x1x1xf32>) -> tensor<8x16x64xf32> {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
    %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.iota dim = 0 : tensor<8x16x64xui64>
    %5 = stablehlo.iota dim = 1 : tensor<8x16x64xui64>
    %6 = stablehlo.iota dim = 2 : tensor<8x16x64xui64>
    %c = stablehlo.constant dense<1024> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<8x16x64xui64>
    %8 = stablehlo.multiply %7, %4 : tensor<8x16x64xui64>
    %c_0 = stablehlo.constant dense<64> : tensor<ui64>
    %9 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<8x16x64xui64>
    %10 = stablehlo.multiply %9, %5 : tensor<8x16x64xui64>
    %c_1 = stablehlo.constant dense<1> : tensor<ui64>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<8x16x64xui64>
    %12 = stablehlo.multiply %11, %6 : tensor<8x16x64xui64>
    %13 = stablehlo.add %8, %10 : tensor<8x16x64xui64>
    %14 = stablehlo.add %13, %12 : tensor<8x16x64xui64>
    %c_2 = stablehlo.constant dense<32> : tensor<ui64>
    %15 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<8x16x64xui64>
    %16 = stablehlo.shift_right_logical %14, %15 : tensor<8x16x64xui64>
    %17 = stablehlo.convert %14 : (tensor<8x16x64xui64>) -> tensor<8x16x64xui32>
    %18 = stablehlo.convert %16 : (tensor<8x16x64xui64>) -> tensor<8x16x64xui32>
    %19:2 = call @threefry2x32_10(%1, %3, %18, %17) : (tensor<ui32>, tensor<ui32>, tensor<8x16x64xui32>, tensor<8x16x64xui32>) -> (tensor<8x16x64xui32>, tensor<8x16x64xui32>)
    %20 = stablehlo.xor %19#0, %19#1 : tensor<8x16x64xui32>
    %c_3 = stablehlo.constant dense<9> : tensor<ui32>
    %21 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %22 = stablehlo.shift_right_logical %20, %21 : tensor<8x16x64xui32>
    %c_4 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %23 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<8x16x64xui32>
    %24 = stablehlo.or %22, %23 : tensor<8x16x64xui32>
    %25 = stablehlo.bitcast_convert %24 : (tensor<8x16x64xui32>) -> tensor<8x16x64xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %27 = stablehlo.subtract %25, %26 : tensor<8x16x64xf32>
    %28 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<8x16x64xf32>
    %29 = stablehlo.multiply %27, %28 : tensor<8x16x64xf32>
    %30 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<8x16x64xf32>
    %31 = stablehlo.add %29, %30 : tensor<8x16x64xf32>
    %32 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<8x16x64xf32>
    %33 = stablehlo.maximum %32, %31 : tensor<8x16x64xf32>
    return %33 : tensor<8x16x64xf32>
  }
  func.func private @threefry2x32_10(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<8x16x64xui32>, %arg3: tensor<8x16x64xui32>) -> (tensor<8x16x64xui32>, tensor<8x16x64xui32>) {
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
      %7:8 = func.call @closed_call_11(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<8x16x64xui32>, tensor<8x16x64xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<8x16x64xui32>, tensor<8x16x64xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<8x16x64xui32>, tensor<8x16x64xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<8x16x64xui32>, tensor<8x16x64xui32>
  }
  func.func private @closed_call_11(%arg0: tensor<i32>, %arg1: tensor<8x16x64xui32>, %arg2: tensor<8x16x64xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<8x16x64xui32>, tensor<8x16x64xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
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
  func.func private @_where_12(%arg0: tensor<8x16x64xi1>, %arg1: tensor<8x16x64xf32>, %arg2: tensor<8x16x64xf32>) -> tensor<8x16x64xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<8x16x64xi1>, tensor<8x16x64xf32>
    return %0 : tensor<8x16x64xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<2x8x16x32xf32>, %arg1: tensor<8x16x32xf32>, %arg2: tensor<i32>) -> tensor<2x8x16x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x16x32xf32>) -> tensor<1x8x16x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x8x16x32xf32>, tensor<1x8x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x16x32xf32>
    return %1 : tensor<2x8x16x32xf32>
  }
  func.func private @dynamic_update_index_in_dim_13(%arg0: tensor<2x8x16x1xf32>, %arg1: tensor<8x16x1xf32>, %arg2: tensor<i32>) -> tensor<2x8x16x1xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x16x1xf32>) -> tensor<1x8x16x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x8x16x1xf32>, tensor<1x8x16x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x16x1xf32>
    return %1 : tensor<2x8x16x1xf32>
  }
  func.func private @dynamic_update_index_in_dim_14(%arg0: tensor<2x1x1x32xf32>, %arg1: tensor<1x1x32xf32>, %arg2: tensor<i32>) -> tensor<2x1x1x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<1x1x32xf32>) -> tensor<1x1x1x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x1x1x32xf32>, tensor<1x1x1x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x1x1x32xf32>
    return %1 : tensor<2x1x1x32xf32>
  }
  func.func private @dynamic_update_index_in_dim_15(%arg0: tensor<2x8x4x16x8xf32>, %arg1: tensor<8x4x16x8xf32>, %arg2: tensor<i32>) -> tensor<2x8x4x16x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<2x8x4x16x8xf32>, tensor<1x8x4x16x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x4x16x8xf32>
    return %1 : tensor<2x8x4x16x8xf32>
  }
  func.func private @dynamic_update_index_in_dim_16(%arg0: tensor<2x8x4x16x16xf32>, %arg1: tensor<8x4x16x16xf32>, %arg2: tensor<i32>) -> tensor<2x8x4x16x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<8x4x16x16xf32>) -> tensor<1x8x4x16x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<2x8x4x16x16xf32>, tensor<1x8x4x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x4x16x16xf32>
    return %1 : tensor<2x8x4x16x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_17(%arg0: tensor<2x8x4x16x1xf32>, %arg1: tensor<8x4x16x1xf32>, %arg2: tensor<i32>) -> tensor<2x8x4x16x1xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<8x4x16x1xf32>) -> tensor<1x8x4x16x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<2x8x4x16x1xf32>, tensor<1x8x4x16x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x4x16x1xf32>
    return %1 : tensor<2x8x4x16x1xf32>
  }
  func.func private @dynamic_update_index_in_dim_18(%arg0: tensor<2x8x16x64xf32>, %arg1: tensor<8x16x64xf32>, %arg2: tensor<i32>) -> tensor<2x8x16x64xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x16x64xf32>) -> tensor<1x8x16x64xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x8x16x64xf32>, tensor<1x8x16x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x16x64xf32>
    return %1 : tensor<2x8x16x64xf32>
  }
  func.func private @dynamic_update_index_in_dim_19(%arg0: tensor<2x8x16x64xi1>, %arg1: tensor<8x16x64xi1>, %arg2: tensor<i32>) -> tensor<2x8x16x64xi1> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x16x64xi1>) -> tensor<1x8x16x64xi1>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x8x16x64xi1>, tensor<1x8x16x64xi1>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x16x64xi1>
    return %1 : tensor<2x8x16x64xi1>
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
  func.func private @take_along_axis_20(%arg0: tensor<8x16x1x1xi32>, %arg1: tensor<8x16x1xf32>) -> tensor<8x16x128xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x16x128xf32>, tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x128xf32>
    return %1 : tensor<8x16x128xf32>
  }
  func.func private @log_softmax_21(%arg0: tensor<8x16x128xf32>, %arg1: tensor<8x16x1xf32>, %arg2: tensor<8x16x128xf32>) -> tensor<8x16x128xf32> {
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
  func.func private @dynamic_index_in_dim_22(%arg0: tensor<2x8x16x32xf32>, %arg1: tensor<i32>) -> tensor<8x16x32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 16, 32] : (tensor<2x8x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x16x32xf32>) -> tensor<8x16x32xf32>
    return %1 : tensor<8x16x32xf32>
  }
  func.func private @dynamic_index_in_dim_23(%arg0: tensor<2x8x16x1xf32>, %arg1: tensor<i32>) -> tensor<8x16x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 16, 1] : (tensor<2x8x16x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x16x1xf32>) -> tensor<8x16x1xf32>
    return %1 : tensor<8x16x1xf32>
  }
  func.func private @dynamic_index_in_dim_24(%arg0: tensor<2x1x1x32xf32>, %arg1: tensor<i32>) -> tensor<1x1x32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 1, 1, 32] : (tensor<2x1x1x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x1x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x1x1x32xf32>) -> tensor<1x1x32xf32>
    return %1 : tensor<1x1x32xf32>
  }
  func.func private @dynamic_index_in_dim_25(%arg0: tensor<2x8x4x16x8xf32>, %arg1: tensor<i32>) -> tensor<8x4x16x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 8, 4, 16, 8] : (tensor<2x8x4x16x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x16x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    return %1 : tensor<8x4x16x8xf32>
  }
  func.func private @dynamic_index_in_dim_26(%arg0: tensor<2x8x4x16x16xf32>, %arg1: tensor<i32>) -> tensor<8x4x16x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 8, 4, 16, 16] : (tensor<2x8x4x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x16x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x4x16x16xf32>) -> tensor<8x4x16x16xf32>
    return %1 : tensor<8x4x16x16xf32>
  }
  func.func private @dynamic_index_in_dim_27(%arg0: tensor<2x8x4x16x1xf32>, %arg1: tensor<i32>) -> tensor<8x4x16x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 8, 4, 16, 1] : (tensor<2x8x4x16x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x16x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x4x16x1xf32>) -> tensor<8x4x16x1xf32>
    return %1 : tensor<8x4x16x1xf32>
  }
  func.func private @dynamic_index_in_dim_28(%arg0: tensor<2x8x16x64xf32>, %arg1: tensor<i32>) -> tensor<8x16x64xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 16, 64] : (tensor<2x8x16x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16x64xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x16x64xf32>) -> tensor<8x16x64xf32>
    return %1 : tensor<8x16x64xf32>
  }
  func.func private @dynamic_index_in_dim_29(%arg0: tensor<2x8x16x64xi1>, %arg1: tensor<i32>) -> tensor<8x16x64xi1> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 16, 64] : (tensor<2x8x16x64xi1>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16x64xi1>
    %1 = stablehlo.reshape %0 : (tensor<1x8x16x64xi1>) -> tensor<8x16x64xi1>
    return %1 : tensor<8x16x64xi1>
  }
  func.func private @closed_call_30(%arg0: tensor<8x4x16x16xi1>, %arg1: tensor<8x4x16x16xf32>, %arg2: tensor<8x16x64xf32>, %arg3: tensor<8x16x32xf32>, %arg4: tensor<8x16x32xf32>, %arg5: tensor<8x16x1xf32>, %arg6: tensor<8x16x1xf32>, %arg7: tensor<1x1x32xf32>, %arg8: tensor<8x16x32xf32>, %arg9: tensor<8x16x32xf32>, %arg10: tensor<32x3x4x8xf32>, %arg11: tensor<8x4x16x8xf32>, %arg12: tensor<8x4x16x8xf32>, %arg13: tensor<8x4x16x16xf32>, %arg14: tensor<8x4x16x1xf32>, %arg15: tensor<8x4x16x1xf32>, %arg16: tensor<8x4x16x8xf32>, %arg17: tensor<8x4x16x16xf32>, %arg18: tensor<4x8x32xf32>, %arg19: tensor<8x4x16x8xf32>, %arg20: tensor<8x16x32xf32>, %arg21: tensor<8x16x1xf32>, %arg22: tensor<8x16x1xf32>, %arg23: tensor<1x1x32xf32>, %arg24: tensor<8x16x32xf32>, %arg25: tensor<32x64xf32>, %arg26: tensor<8x16x32xf32>, %arg27: tensor<8x16x64xf32>, %arg28: tensor<8x16x64xf32>, %arg29: tensor<8x16x64xf32>, %arg30: tensor<8x16x64xf32>, %arg31: tensor<8x16x64xf32>, %arg32: tensor<8x16x64xi1>, %arg33: tensor<64x32xf32>, %arg34: tensor<8x16x64xf32>) -> (tensor<8x16x32xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<32x3x4x8xf32>, tensor<32x64xf32>) {
    %0 = sdy.sharding_constraint %arg3 <@mesh, [{"data"}, {?}, {}]> : tensor<8x16x32xf32>
    %1 = stablehlo.dot_general %0, %arg34, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x64xf32>) -> tensor<32x64xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
    %3 = stablehlo.dot_general %0, %arg33, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<64x32xf32>) -> tensor<8x16x64xf32>
    %4 = call @_where_31(%arg32, %arg2, %3) : (tensor<8x16x64xi1>, tensor<8x16x64xf32>, tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %6 = stablehlo.divide %4, %5 : tensor<8x16x64xf32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{"data"}, {}, {"model"}]> : tensor<8x16x64xf32>
    %8 = stablehlo.multiply %arg31, %7 : tensor<8x16x64xf32>
    %9 = stablehlo.multiply %7, %arg30 : tensor<8x16x64xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %11 = stablehlo.multiply %10, %8 : tensor<8x16x64xf32>
    %12 = stablehlo.multiply %11, %arg29 : tensor<8x16x64xf32>
    %13 = stablehlo.multiply %12, %arg28 : tensor<8x16x64xf32>
    %14 = stablehlo.add %12, %13 : tensor<8x16x64xf32>
    %cst_1 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %16 = stablehlo.multiply %15, %14 : tensor<8x16x64xf32>
    %17 = stablehlo.add %9, %16 : tensor<8x16x64xf32>
    %cst_2 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %19 = stablehlo.multiply %18, %16 : tensor<8x16x64xf32>
    %20 = stablehlo.multiply %19, %arg27 : tensor<8x16x64xf32>
    %21 = stablehlo.add %17, %20 : tensor<8x16x64xf32>
    %22 = stablehlo.dot_general %21, %arg26, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<8x16x32xf32>) -> tensor<64x32xf32>
    %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
    %24 = stablehlo.dot_general %21, %arg25, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<32x64xf32>) -> tensor<8x16x32xf32>
    %25 = stablehlo.multiply %arg24, %24 : tensor<8x16x32xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%25 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %27 = stablehlo.reshape %26 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %28 = stablehlo.broadcast_in_dim %arg23, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %29 = stablehlo.multiply %24, %28 : tensor<8x16x32xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%27 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %31 = stablehlo.multiply %arg20, %29 : tensor<8x16x32xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %33 = stablehlo.reshape %32 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %34 = stablehlo.broadcast_in_dim %arg22, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %35 = stablehlo.multiply %29, %34 : tensor<8x16x32xf32>
    %36 = stablehlo.add %0, %35 : tensor<8x16x32xf32>
    %37 = stablehlo.multiply %33, %arg21 : tensor<8x16x1xf32>
    %cst_6 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %39 = stablehlo.divide %37, %38 : tensor<8x16x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %42 = stablehlo.multiply %arg20, %41 : tensor<8x16x32xf32>
    %43 = stablehlo.add %36, %42 : tensor<8x16x32xf32>
    %44 = stablehlo.multiply %41, %arg20 : tensor<8x16x32xf32>
    %45 = stablehlo.add %43, %44 : tensor<8x16x32xf32>
    %46 = stablehlo.dot_general %45, %arg19, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x4x16x8xf32>) -> tensor<32x4x8xf32>
    %47 = stablehlo.transpose %46, dims = [1, 2, 0] : (tensor<32x4x8xf32>) -> tensor<4x8x32xf32>
    %48 = stablehlo.dot_general %45, %arg18, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<4x8x32xf32>) -> tensor<8x16x4x8xf32>
    %49 = stablehlo.transpose %48, dims = [0, 2, 1, 3] : (tensor<8x16x4x8xf32>) -> tensor<8x4x16x8xf32>
    %50 = stablehlo.dot_general %49, %arg17, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x8xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x8x16xf32>
    %51 = stablehlo.transpose %50, dims = [0, 1, 3, 2] : (tensor<8x4x8x16xf32>) -> tensor<8x4x16x8xf32>
    %52 = stablehlo.dot_general %49, %arg16, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x8xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x16xf32>
    %53 = stablehlo.broadcast_in_dim %arg15, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %54 = stablehlo.multiply %52, %53 : tensor<8x4x16x16xf32>
    %55 = stablehlo.multiply %54, %arg13 : tensor<8x4x16x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.reduce(%55 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %57 = stablehlo.reshape %56 : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %58 = stablehlo.negate %57 : tensor<8x4x16x1xf32>
    %59 = stablehlo.broadcast_in_dim %arg14, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %60 = stablehlo.divide %52, %59 : tensor<8x4x16x16xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.reduce(%58 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x1xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x16xf32>
    %63 = stablehlo.add %60, %62 : tensor<8x4x16x16xf32>
    %64 = stablehlo.multiply %63, %arg13 : tensor<8x4x16x16xf32>
    %65 = call @_where_32(%arg0, %arg1, %64) : (tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32>
    %66 = sdy.sharding_constraint %65 <@mesh, [{"data"}, {"model"}, {}, {}]> : tensor<8x4x16x16xf32>
    %cst_10 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %68 = stablehlo.divide %66, %67 : tensor<8x4x16x16xf32>
    %69 = stablehlo.dot_general %68, %arg12, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %70 = stablehlo.dot_general %68, %arg11, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x4x16x8xf32>) -> tensor<8x4x16x8xf32>
    %71 = stablehlo.broadcast_in_dim %51, dims = [1, 2, 3, 4] : (tensor<8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.pad %71, %cst_11, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x4x16x8xf32>, tensor<f32>) -> tensor<3x8x4x16x8xf32>
    %73 = stablehlo.broadcast_in_dim %69, dims = [1, 2, 3, 4] : (tensor<8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.pad %73, %cst_12, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x4x16x8xf32>, tensor<f32>) -> tensor<3x8x4x16x8xf32>
    %75 = stablehlo.add %72, %74 : tensor<3x8x4x16x8xf32>
    %76 = stablehlo.broadcast_in_dim %70, dims = [1, 2, 3, 4] : (tensor<8x4x16x8xf32>) -> tensor<1x8x4x16x8xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.pad %76, %cst_13, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x4x16x8xf32>, tensor<f32>) -> tensor<3x8x4x16x8xf32>
    %78 = stablehlo.add %75, %77 : tensor<3x8x4x16x8xf32>
    %79 = stablehlo.transpose %78, dims = [0, 2, 4, 1, 3] : (tensor<3x8x4x16x8xf32>) -> tensor<3x4x8x8x16xf32>
    %80 = stablehlo.dot_general %79, %arg10, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x4x8x8x16xf32>, tensor<32x3x4x8xf32>) -> tensor<8x16x32xf32>
    %81 = stablehlo.dot_general %79, %arg9, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x8x8x16xf32>, tensor<8x16x32xf32>) -> tensor<3x4x8x32xf32>
    %82 = stablehlo.transpose %81, dims = [3, 0, 1, 2] : (tensor<3x4x8x32xf32>) -> tensor<32x3x4x8xf32>
    %83 = stablehlo.multiply %arg8, %80 : tensor<8x16x32xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_14) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %85 = stablehlo.reshape %84 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %86 = stablehlo.broadcast_in_dim %arg7, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %87 = stablehlo.multiply %80, %86 : tensor<8x16x32xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.reduce(%85 init: %cst_15) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %89 = stablehlo.multiply %arg4, %87 : tensor<8x16x32xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%89 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %91 = stablehlo.reshape %90 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %92 = stablehlo.broadcast_in_dim %arg6, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %93 = stablehlo.multiply %87, %92 : tensor<8x16x32xf32>
    %94 = stablehlo.add %45, %93 : tensor<8x16x32xf32>
    %95 = stablehlo.multiply %91, %arg5 : tensor<8x16x1xf32>
    %cst_17 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %97 = stablehlo.divide %95, %96 : tensor<8x16x1xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %98 = stablehlo.reduce(%97 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %100 = stablehlo.multiply %arg4, %99 : tensor<8x16x32xf32>
    %101 = stablehlo.add %94, %100 : tensor<8x16x32xf32>
    %102 = stablehlo.multiply %99, %arg4 : tensor<8x16x32xf32>
    %103 = stablehlo.add %101, %102 : tensor<8x16x32xf32>
    return %103, %2, %88, %30, %47, %82, %23 : tensor<8x16x32xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<32x3x4x8xf32>, tensor<32x64xf32>
  }
  func.func private @_where_31(%arg0: tensor<8x16x64xi1>, %arg1: tensor<8x16x64xf32>, %arg2: tensor<8x16x64xf32>) -> tensor<8x16x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<8x16x64xi1>, tensor<8x16x64xf32>
    return %1 : tensor<8x16x64xf32>
  }
  func.func private @_where_32(%arg0: tensor<8x4x16x16xi1>, %arg1: tensor<8x4x16x16xf32>, %arg2: tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>
    return %1 : tensor<8x4x16x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_33(%arg0: tensor<2x64x32xf32>, %arg1: tensor<64x32xf32>, %arg2: tensor<i32>) -> tensor<2x64x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<64x32xf32>) -> tensor<1x64x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<2x64x32xf32>, tensor<1x64x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x64x32xf32>
    return %1 : tensor<2x64x32xf32>
  }
  func.func private @dynamic_update_index_in_dim_34(%arg0: tensor<2x32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<i32>) -> tensor<2x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<2x32xf32>, tensor<1x32xf32>, tensor<i32>, tensor<i32>) -> tensor<2x32xf32>
    return %1 : tensor<2x32xf32>
  }
  func.func private @dynamic_update_index_in_dim_35(%arg0: tensor<2x4x8x32xf32>, %arg1: tensor<4x8x32xf32>, %arg2: tensor<i32>) -> tensor<2x4x8x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<4x8x32xf32>) -> tensor<1x4x8x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x4x8x32xf32>, tensor<1x4x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x8x32xf32>
    return %1 : tensor<2x4x8x32xf32>
  }
  func.func private @dynamic_update_index_in_dim_36(%arg0: tensor<2x32x3x4x8xf32>, %arg1: tensor<32x3x4x8xf32>, %arg2: tensor<i32>) -> tensor<2x32x3x4x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<32x3x4x8xf32>) -> tensor<1x32x3x4x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<2x32x3x4x8xf32>, tensor<1x32x3x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x32x3x4x8xf32>
    return %1 : tensor<2x32x3x4x8xf32>
  }
  func.func private @dynamic_update_index_in_dim_37(%arg0: tensor<2x32x64xf32>, %arg1: tensor<32x64xf32>, %arg2: tensor<i32>) -> tensor<2x32x64xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<32x64xf32>) -> tensor<1x32x64xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<2x32x64xf32>, tensor<1x32x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x32x64xf32>
    return %1 : tensor<2x32x64xf32>
  }
}
