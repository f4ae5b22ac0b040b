// Lowered by JAX 0.10.2; written by generate.py.
module @jit_training_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg1: !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg2: !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.buffer_donor = true}, %arg3: !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.buffer_donor = true}, %arg4: !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true}, %arg5: !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg6: !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.buffer_donor = true}, %arg7: !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.buffer_donor = true}, %arg8: !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true}, %arg9: !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg10: !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.buffer_donor = true}, %arg11: !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.buffer_donor = true}, %arg12: !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true}, %arg13: !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg14: !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.buffer_donor = true}, %arg15: !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.buffer_donor = true}, %arg16: !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true}, %arg17: !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg18: !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg19: !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg20: !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.buffer_donor = true}, %arg21: !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.buffer_donor = true}, %arg22: !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true}, %arg23: !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg24: !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.buffer_donor = true}, %arg25: !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.buffer_donor = true}, %arg26: !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true}, %arg27: !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg28: !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.buffer_donor = true}, %arg29: !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.buffer_donor = true}, %arg30: !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true}, %arg31: !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg32: !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.buffer_donor = true}, %arg33: !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.buffer_donor = true}, %arg34: !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true}, %arg35: !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg36: !mpmd.mesh_tensor<"m0", tensor<3x4x9xi32>, sharding=<@mesh, [{}, {"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[0]['transformer']['embed']"}, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[0]['transformer']['layer0']['down']"}, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.result_info = "result[0]['transformer']['layer0']['out']"}, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.result_info = "result[0]['transformer']['layer0']['qkv']"}, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[0]['transformer']['layer0']['up']"}, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[0]['transformer']['layer1']['down']"}, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.result_info = "result[0]['transformer']['layer1']['out']"}, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.result_info = "result[0]['transformer']['layer1']['qkv']"}, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[0]['transformer']['layer1']['up']"}, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[0]['transformer']['layer2']['down']"}, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.result_info = "result[0]['transformer']['layer2']['out']"}, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.result_info = "result[0]['transformer']['layer2']['qkv']"}, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[0]['transformer']['layer2']['up']"}, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[0]['transformer']['layer3']['down']"}, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.result_info = "result[0]['transformer']['layer3']['out']"}, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.result_info = "result[0]['transformer']['layer3']['qkv']"}, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[0]['transformer']['layer3']['up']"}, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[0]['transformer']['unembed']"}, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[1]['transformer']['embed']"}, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[1]['transformer']['layer0']['down']"}, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.result_info = "result[1]['transformer']['layer0']['out']"}, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.result_info = "result[1]['transformer']['layer0']['qkv']"}, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[1]['transformer']['layer0']['up']"}, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[1]['transformer']['layer1']['down']"}, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.result_info = "result[1]['transformer']['layer1']['out']"}, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.result_info = "result[1]['transformer']['layer1']['qkv']"}, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[1]['transformer']['layer1']['up']"}, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[1]['transformer']['layer2']['down']"}, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.result_info = "result[1]['transformer']['layer2']['out']"}, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.result_info = "result[1]['transformer']['layer2']['qkv']"}, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[1]['transformer']['layer2']['up']"}, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[1]['transformer']['layer3']['down']"}, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>> {jax.result_info = "result[1]['transformer']['layer3']['out']"}, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>> {jax.result_info = "result[1]['transformer']['layer3']['qkv']"}, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[1]['transformer']['layer3']['up']"}, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[1]['transformer']['unembed']"}, !mpmd.mesh_tensor<"m3", tensor<f32>, sharding=<@mesh, []>> {jax.result_info = "result[2]"}) attributes {topology = #mpmd.topology<<"m0" : <["data"=2, "model"=2]>>, <"m1" : <["data"=2, "model"=2]>>, <"m2" : <["data"=2, "model"=2]>>, <"m3" : <["data"=2, "model"=2]>>>} {
    %0 = mpmd.transfer %arg36 : (!mpmd.mesh_tensor<"m0", tensor<3x4x9xi32>, sharding=<@mesh, [{}, {"data"}, {}]>>) -> !mpmd.mesh_tensor<"m3", tensor<3x4x9xi32>, sharding=<@mesh, [{}, {"data"}, {}]>>
    %1:21 = mpmd.fragment<mesh="m0", origin=["stage0"], stage=0> (%arg36, %arg0, %arg1, %arg2, %arg3, %arg4) {call_counter = 0 : ui32} (%arg37: tensor<3x4x9xi32>, %arg38: tensor<32x16xf32>, %arg39: tensor<32x16xf32>, %arg40: tensor<2x8x16xf32>, %arg41: tensor<16x3x2x8xf32>, %arg42: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x8x32xf32>
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x2x8x1xf32>
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<4x2x8xf32>
      %cst_2 = stablehlo.constant dense<-1.000000e+09> : tensor<4x2x8x8xf32>
      %c = stablehlo.constant dense<false> : tensor<8x8xi1>
      %c_3 = stablehlo.constant dense<true> : tensor<8x8xi1>
      %cst_4 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %c_5 = stablehlo.constant dense<32> : tensor<4x8xi32>
      %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %c_8 = stablehlo.constant dense<0> : tensor<4x8xi32>
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<32x16xf32>
      %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<2x8x16xf32>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<16x3x2x8xf32>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<16x32xf32>
      %47 = stablehlo.slice %arg37 [0:1, 0:4, 0:9] : (tensor<3x4x9xi32>) -> tensor<1x4x9xi32>
      %48 = stablehlo.reshape %47 : (tensor<1x4x9xi32>) -> tensor<4x9xi32>
      %49 = stablehlo.slice %arg37 [1:2, 0:4, 0:9] : (tensor<3x4x9xi32>) -> tensor<1x4x9xi32>
      %50 = stablehlo.reshape %49 : (tensor<1x4x9xi32>) -> tensor<4x9xi32>
      %51 = stablehlo.slice %arg37 [2:3, 0:4, 0:9] : (tensor<3x4x9xi32>) -> tensor<1x4x9xi32>
      %52 = stablehlo.reshape %51 : (tensor<1x4x9xi32>) -> tensor<4x9xi32>
      %53 = stablehlo.slice %48 [0:4, 0:8] : (tensor<4x9xi32>) -> tensor<4x8xi32>
      %54 = stablehlo.compare LT, %53, %c_8, SIGNED : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
      %55 = stablehlo.add %53, %c_5 : tensor<4x8xi32>
      %56 = stablehlo.select %54, %55, %53 : tensor<4x8xi1>, tensor<4x8xi32>
      %57 = stablehlo.reshape %56 : (tensor<4x8xi32>) -> tensor<4x8x1xi32>
      %58 = "stablehlo.gather"(%arg38, %57) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<32x16xf32>, tensor<4x8x1xi32>) -> tensor<4x8x16xf32>
      %59 = sdy.sharding_constraint %58 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %60 = stablehlo.dot_general %arg41, %59, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
      %61 = stablehlo.transpose %60, dims = [0, 3, 1, 4, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x2x8x8xf32>
      %62 = stablehlo.slice %61 [0:1, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %63 = stablehlo.reshape %62 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %64 = stablehlo.slice %61 [1:2, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %65 = stablehlo.reshape %64 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %66 = stablehlo.slice %61 [2:3, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %67 = stablehlo.reshape %66 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %68 = stablehlo.dot_general %63, %65, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %69 = stablehlo.divide %68, %cst_4 : tensor<4x2x8x8xf32>
      %70 = stablehlo.iota dim = 0 : tensor<8xi32>
      %71 = stablehlo.broadcast_in_dim %70, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
      %72 = stablehlo.broadcast_in_dim %70, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
      %73 = stablehlo.compare GE, %71, %72, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %74 = stablehlo.select %73, %c_3, %c : tensor<8x8xi1>, tensor<8x8xi1>
      %75 = stablehlo.broadcast_in_dim %74, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
      %76 = stablehlo.select %75, %69, %cst_2 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %77 = stablehlo.reduce(%76 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %78 = stablehlo.maximum %77, %cst_1 : tensor<4x2x8xf32>
      %79 = stablehlo.reshape %78 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %81 = stablehlo.subtract %76, %80 : tensor<4x2x8x8xf32>
      %82 = stablehlo.exponential %81 : tensor<4x2x8x8xf32>
      %83 = stablehlo.reduce(%82 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %84 = stablehlo.reshape %83 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %86 = stablehlo.divide %82, %85 : tensor<4x2x8x8xf32>
      %87 = stablehlo.multiply %84, %84 : tensor<4x2x8x1xf32>
      %88 = stablehlo.divide %cst_0, %87 : tensor<4x2x8x1xf32>
      %89 = stablehlo.dot_general %86, %67, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %90 = stablehlo.dot_general %89, %arg40, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
      %91 = stablehlo.add %59, %90 : tensor<4x8x16xf32>
      %92 = stablehlo.dot_general %91, %arg42, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
      %93 = stablehlo.tanh %92 : tensor<4x8x32xf32>
      %94 = stablehlo.subtract %cst, %93 : tensor<4x8x32xf32>
      %95 = stablehlo.dot_general %93, %arg39, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %96 = stablehlo.add %91, %95 : tensor<4x8x16xf32>
      mpmd.return %cst_9, %cst_10, %cst_11, %cst_12, %50, %52, %96, %57, %59, %65, %63, %75, %82, %84, %88, %67, %86, %89, %91, %93, %94 : tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>, tensor<4x9xi32>, tensor<4x9xi32>, tensor<4x8x16xf32>, tensor<4x8x1xi32>, tensor<4x8x16xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x32xf32>
    } : (!mpmd.mesh_tensor<"m0", tensor<3x4x9xi32>, sharding=<@mesh, [{}, {"data"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<4x9xi32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x9xi32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x1xi32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>)
    %2 = mpmd.transfer %1#6 : (!mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %3:14 = mpmd.fragment<mesh="m1", origin=["stage1"], stage=1> (%arg5, %arg6, %arg7, %arg8, %2) {call_counter = 0 : ui32} (%arg37: tensor<32x16xf32>, %arg38: tensor<2x8x16xf32>, %arg39: tensor<16x3x2x8xf32>, %arg40: tensor<16x32xf32>, %arg41: tensor<4x8x16xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_1 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %c = stablehlo.constant dense<true> : tensor<8x8xi1>
      %c_2 = stablehlo.constant dense<false> : tensor<8x8xi1>
      %cst_3 = stablehlo.constant dense<-1.000000e+09> : tensor<4x2x8x8xf32>
      %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<4x2x8xf32>
      %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<4x2x8x1xf32>
      %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<4x8x32xf32>
      %47 = sdy.sharding_constraint %arg41 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %48 = stablehlo.dot_general %arg39, %47, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
      %49 = stablehlo.transpose %48, dims = [0, 3, 1, 4, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x2x8x8xf32>
      %50 = stablehlo.slice %49 [0:1, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %51 = stablehlo.reshape %50 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %52 = stablehlo.slice %49 [1:2, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %53 = stablehlo.reshape %52 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %54 = stablehlo.slice %49 [2:3, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %55 = stablehlo.reshape %54 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %56 = stablehlo.dot_general %51, %53, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %57 = stablehlo.divide %56, %cst_1 : tensor<4x2x8x8xf32>
      %58 = stablehlo.iota dim = 0 : tensor<8xi32>
      %59 = stablehlo.broadcast_in_dim %58, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
      %60 = stablehlo.broadcast_in_dim %58, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
      %61 = stablehlo.compare GE, %59, %60, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %62 = stablehlo.select %61, %c, %c_2 : tensor<8x8xi1>, tensor<8x8xi1>
      %63 = stablehlo.broadcast_in_dim %62, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
      %64 = stablehlo.select %63, %57, %cst_3 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %65 = stablehlo.reduce(%64 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %66 = stablehlo.maximum %65, %cst_4 : tensor<4x2x8xf32>
      %67 = stablehlo.reshape %66 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %69 = stablehlo.subtract %64, %68 : tensor<4x2x8x8xf32>
      %70 = stablehlo.exponential %69 : tensor<4x2x8x8xf32>
      %71 = stablehlo.reduce(%70 init: %cst_0) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %72 = stablehlo.reshape %71 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.divide %70, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %72, %72 : tensor<4x2x8x1xf32>
      %76 = stablehlo.divide %cst_5, %75 : tensor<4x2x8x1xf32>
      %77 = stablehlo.dot_general %74, %55, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg38, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
      %79 = stablehlo.add %47, %78 : tensor<4x8x16xf32>
      %80 = stablehlo.dot_general %79, %arg40, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
      %81 = stablehlo.tanh %80 : tensor<4x8x32xf32>
      %82 = stablehlo.subtract %cst_6, %81 : tensor<4x8x32xf32>
      %83 = stablehlo.dot_general %81, %arg37, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %84 = stablehlo.add %79, %83 : tensor<4x8x16xf32>
      mpmd.return %84, %47, %53, %51, %63, %70, %72, %76, %55, %74, %77, %79, %81, %82 : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x32xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>)
    %4 = mpmd.transfer %3#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %5:14 = mpmd.fragment<mesh="m2", origin=["stage2"], stage=2> (%arg9, %arg10, %arg11, %arg12, %4) {call_counter = 0 : ui32} (%arg37: tensor<32x16xf32>, %arg38: tensor<2x8x16xf32>, %arg39: tensor<16x3x2x8xf32>, %arg40: tensor<16x32xf32>, %arg41: tensor<4x8x16xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_1 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %c = stablehlo.constant dense<true> : tensor<8x8xi1>
      %c_2 = stablehlo.constant dense<false> : tensor<8x8xi1>
      %cst_3 = stablehlo.constant dense<-1.000000e+09> : tensor<4x2x8x8xf32>
      %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<4x2x8xf32>
      %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<4x2x8x1xf32>
      %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<4x8x32xf32>
      %47 = sdy.sharding_constraint %arg41 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %48 = stablehlo.dot_general %arg39, %47, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
      %49 = stablehlo.transpose %48, dims = [0, 3, 1, 4, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x2x8x8xf32>
      %50 = stablehlo.slice %49 [0:1, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %51 = stablehlo.reshape %50 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %52 = stablehlo.slice %49 [1:2, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %53 = stablehlo.reshape %52 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %54 = stablehlo.slice %49 [2:3, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %55 = stablehlo.reshape %54 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %56 = stablehlo.dot_general %51, %53, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %57 = stablehlo.divide %56, %cst_1 : tensor<4x2x8x8xf32>
      %58 = stablehlo.iota dim = 0 : tensor<8xi32>
      %59 = stablehlo.broadcast_in_dim %58, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
      %60 = stablehlo.broadcast_in_dim %58, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
      %61 = stablehlo.compare GE, %59, %60, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %62 = stablehlo.select %61, %c, %c_2 : tensor<8x8xi1>, tensor<8x8xi1>
      %63 = stablehlo.broadcast_in_dim %62, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
      %64 = stablehlo.select %63, %57, %cst_3 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %65 = stablehlo.reduce(%64 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %66 = stablehlo.maximum %65, %cst_4 : tensor<4x2x8xf32>
      %67 = stablehlo.reshape %66 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %69 = stablehlo.subtract %64, %68 : tensor<4x2x8x8xf32>
      %70 = stablehlo.exponential %69 : tensor<4x2x8x8xf32>
      %71 = stablehlo.reduce(%70 init: %cst_0) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %72 = stablehlo.reshape %71 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.divide %70, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %72, %72 : tensor<4x2x8x1xf32>
      %76 = stablehlo.divide %cst_5, %75 : tensor<4x2x8x1xf32>
      %77 = stablehlo.dot_general %74, %55, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg38, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
      %79 = stablehlo.add %47, %78 : tensor<4x8x16xf32>
      %80 = stablehlo.dot_general %79, %arg40, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
      %81 = stablehlo.tanh %80 : tensor<4x8x32xf32>
      %82 = stablehlo.subtract %cst_6, %81 : tensor<4x8x32xf32>
      %83 = stablehlo.dot_general %81, %arg37, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %84 = stablehlo.add %79, %83 : tensor<4x8x16xf32>
      mpmd.return %84, %47, %53, %51, %63, %70, %72, %76, %55, %74, %77, %79, %81, %82 : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x32xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>)
    %6 = mpmd.transfer %5#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %7:24 = mpmd.fragment<mesh="m3", origin=["stage3"], stage=3> (%0, %arg17, %arg13, %arg14, %arg15, %arg16, %6) {call_counter = 0 : ui32} (%arg37: tensor<3x4x9xi32>, %arg38: tensor<32x16xf32>, %arg39: tensor<32x16xf32>, %arg40: tensor<2x8x16xf32>, %arg41: tensor<16x3x2x8xf32>, %arg42: tensor<16x32xf32>, %arg43: tensor<4x8x16xf32>) {
      %cst = stablehlo.constant dense<0x7FC00000> : tensor<4x8x1xf32>
      %c = stablehlo.constant dense<31> : tensor<4x8x1x1xi32>
      %c_0 = stablehlo.constant dense<0> : tensor<4x8x1x1xi32>
      %c_1 = stablehlo.constant dense<32> : tensor<4x8x1xi32>
      %c_2 = stablehlo.constant dense<0> : tensor<4x8x1xi32>
      %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<4x8xf32>
      %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<4x8x32xf32>
      %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<4x2x8x1xf32>
      %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<4x2x8xf32>
      %cst_7 = stablehlo.constant dense<-1.000000e+09> : tensor<4x2x8x8xf32>
      %c_8 = stablehlo.constant dense<false> : tensor<8x8xi1>
      %c_9 = stablehlo.constant dense<true> : tensor<8x8xi1>
      %cst_10 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_11 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %c_13 = stablehlo.constant dense<true> : tensor<i1>
      %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<16x32xf32>
      %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<16x3x2x8xf32>
      %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<2x8x16xf32>
      %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<32x16xf32>
      %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %47 = sdy.sharding_constraint %arg43 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %48 = stablehlo.slice %arg37 [0:1, 0:4, 0:9] : (tensor<3x4x9xi32>) -> tensor<1x4x9xi32>
      %49 = stablehlo.reshape %48 : (tensor<1x4x9xi32>) -> tensor<4x9xi32>
      %50 = stablehlo.slice %arg37 [1:2, 0:4, 0:9] : (tensor<3x4x9xi32>) -> tensor<1x4x9xi32>
      %51 = stablehlo.reshape %50 : (tensor<1x4x9xi32>) -> tensor<4x9xi32>
      %52 = stablehlo.slice %arg37 [2:3, 0:4, 0:9] : (tensor<3x4x9xi32>) -> tensor<1x4x9xi32>
      %53 = stablehlo.reshape %52 : (tensor<1x4x9xi32>) -> tensor<4x9xi32>
      %54 = stablehlo.slice %49 [0:4, 1:9] : (tensor<4x9xi32>) -> tensor<4x8xi32>
      %55 = stablehlo.dot_general %arg41, %47, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
      %56 = stablehlo.transpose %55, dims = [0, 3, 1, 4, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x2x8x8xf32>
      %57 = stablehlo.slice %56 [0:1, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %58 = stablehlo.reshape %57 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %59 = stablehlo.slice %56 [1:2, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %60 = stablehlo.reshape %59 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %61 = stablehlo.slice %56 [2:3, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %62 = stablehlo.reshape %61 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %63 = stablehlo.dot_general %58, %60, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %64 = stablehlo.divide %63, %cst_10 : tensor<4x2x8x8xf32>
      %65 = stablehlo.iota dim = 0 : tensor<8xi32>
      %66 = stablehlo.broadcast_in_dim %65, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
      %67 = stablehlo.broadcast_in_dim %65, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
      %68 = stablehlo.compare GE, %66, %67, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %69 = stablehlo.select %68, %c_9, %c_8 : tensor<8x8xi1>, tensor<8x8xi1>
      %70 = stablehlo.broadcast_in_dim %69, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
      %71 = stablehlo.select %70, %64, %cst_7 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %72 = stablehlo.reduce(%71 init: %cst_12) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %73 = stablehlo.maximum %72, %cst_6 : tensor<4x2x8xf32>
      %74 = stablehlo.reshape %73 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %76 = stablehlo.subtract %71, %75 : tensor<4x2x8x8xf32>
      %77 = stablehlo.exponential %76 : tensor<4x2x8x8xf32>
      %78 = stablehlo.reduce(%77 init: %cst_18) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %79 = stablehlo.reshape %78 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %81 = stablehlo.divide %77, %80 : tensor<4x2x8x8xf32>
      %82 = stablehlo.multiply %79, %79 : tensor<4x2x8x1xf32>
      %83 = stablehlo.divide %cst_5, %82 : tensor<4x2x8x1xf32>
      %84 = stablehlo.dot_general %81, %62, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %85 = stablehlo.dot_general %84, %arg40, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
      %86 = stablehlo.add %47, %85 : tensor<4x8x16xf32>
      %87 = stablehlo.dot_general %86, %arg42, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
      %88 = stablehlo.tanh %87 : tensor<4x8x32xf32>
      %89 = stablehlo.subtract %cst_4, %88 : tensor<4x8x32xf32>
      %90 = stablehlo.dot_general %88, %arg39, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %91 = stablehlo.add %86, %90 : tensor<4x8x16xf32>
      %92 = stablehlo.dot_general %91, %arg38, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %93 = stablehlo.reduce(%92 init: %cst_12) applies stablehlo.maximum across dimensions = [2] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x8xf32>
      %94 = stablehlo.maximum %93, %cst_3 : tensor<4x8xf32>
      %95 = stablehlo.reshape %94 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
      %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
      %97 = stablehlo.subtract %92, %96 : tensor<4x8x32xf32>
      %98 = stablehlo.exponential %97 : tensor<4x8x32xf32>
      %99 = stablehlo.reduce(%98 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x8xf32>
      %100 = stablehlo.reshape %99 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
      %101 = stablehlo.log %100 : tensor<4x8x1xf32>
      %102 = stablehlo.broadcast_in_dim %101, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
      %103 = stablehlo.subtract %97, %102 : tensor<4x8x32xf32>
      %104 = stablehlo.reshape %54 : (tensor<4x8xi32>) -> tensor<4x8x1xi32>
      %105 = stablehlo.compare LT, %104, %c_2, SIGNED : (tensor<4x8x1xi32>, tensor<4x8x1xi32>) -> tensor<4x8x1xi1>
      %106 = stablehlo.add %104, %c_1 : tensor<4x8x1xi32>
      %107 = stablehlo.select %105, %106, %104 : tensor<4x8x1xi1>, tensor<4x8x1xi32>
      %108 = stablehlo.reshape %107 : (tensor<4x8x1xi32>) -> tensor<4x8x1x1xi32>
      %109 = stablehlo.compare GE, %108, %c_0, SIGNED : (tensor<4x8x1x1xi32>, tensor<4x8x1x1xi32>) -> tensor<4x8x1x1xi1>
      %110 = stablehlo.compare LE, %108, %c, SIGNED : (tensor<4x8x1x1xi32>, tensor<4x8x1x1xi32>) -> tensor<4x8x1x1xi1>
      %111 = stablehlo.and %109, %110 : tensor<4x8x1x1xi1>
      %112 = stablehlo.reduce(%111 init: %c_13) applies stablehlo.and across dimensions = [3] : (tensor<4x8x1x1xi1>, tensor<i1>) -> tensor<4x8x1xi1>
      %113 = "stablehlo.gather"(%103, %108) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x8x32xf32>, tensor<4x8x1x1xi32>) -> tensor<4x8x1xf32>
      %114 = stablehlo.select %112, %113, %cst : tensor<4x8x1xi1>, tensor<4x8x1xf32>
      %115 = stablehlo.reduce(%114 init: %cst_18) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<f32>
      %116 = stablehlo.divide %115, %cst_11 : tensor<f32>
      %117 = stablehlo.negate %116 : tensor<f32>
      mpmd.return %cst_17, %cst_16, %cst_15, %cst_14, %51, %53, %47, %60, %58, %70, %77, %79, %83, %62, %81, %84, %86, %88, %89, %91, %98, %100, %108, %117 : tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>, tensor<4x9xi32>, tensor<4x9xi32>, tensor<4x8x16xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x32xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x1xf32>, tensor<4x8x1x1xi32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m3", tensor<3x4x9xi32>, sharding=<@mesh, [{}, {"data"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> (!mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x9xi32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x9xi32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x1xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x1x1xi32>, sharding=<@mesh, [{"data"}, {}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<f32>, sharding=<@mesh, []>>)
    %8:6 = mpmd.fragment<mesh="m3", origin=["stage3"(1)], stage=3> (%7#6, %arg15, %7#7, %7#8, %7#9, %7#10, %7#11, %7#12, %7#13, %7#14, %arg14, %7#15, %arg16, %7#16, %7#17, %7#18, %arg13, %arg17, %7#19, %7#20, %7#21, %7#22, %7#0, %7#1, %7#2, %7#3) {call_counter = 0 : ui32} (%arg37: tensor<4x8x16xf32>, %arg38: tensor<16x3x2x8xf32>, %arg39: tensor<4x2x8x8xf32>, %arg40: tensor<4x2x8x8xf32>, %arg41: tensor<4x2x8x8xi1>, %arg42: tensor<4x2x8x8xf32>, %arg43: tensor<4x2x8x1xf32>, %arg44: tensor<4x2x8x1xf32>, %arg45: tensor<4x2x8x8xf32>, %arg46: tensor<4x2x8x8xf32>, %arg47: tensor<2x8x16xf32>, %arg48: tensor<4x2x8x8xf32>, %arg49: tensor<16x32xf32>, %arg50: tensor<4x8x16xf32>, %arg51: tensor<4x8x32xf32>, %arg52: tensor<4x8x32xf32>, %arg53: tensor<32x16xf32>, %arg54: tensor<32x16xf32>, %arg55: tensor<4x8x16xf32>, %arg56: tensor<4x8x32xf32>, %arg57: tensor<4x8x1xf32>, %arg58: tensor<4x8x1x1xi32>, %arg59: tensor<32x16xf32>, %arg60: tensor<2x8x16xf32>, %arg61: tensor<16x3x2x8xf32>, %arg62: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x8x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<4x8x32xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_3 = stablehlo.constant dense<-3.125000e-02> : tensor<4x8x1xf32>
      %47 = "stablehlo.scatter"(%cst_1, %arg58, %cst_3) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
      ^bb0(%arg63: tensor<f32>, %arg64: tensor<f32>):
        %110 = stablehlo.add %arg63, %arg64 : tensor<f32>
        stablehlo.return %110 : tensor<f32>
      }) : (tensor<4x8x32xf32>, tensor<4x8x1x1xi32>, tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
      %48 = stablehlo.negate %47 : tensor<4x8x32xf32>
      %49 = stablehlo.reduce(%48 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x8xf32>
      %50 = stablehlo.reshape %49 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
      %51 = stablehlo.divide %50, %arg57 : tensor<4x8x1xf32>
      %52 = stablehlo.reduce(%51 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8xf32>
      %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x32xf32>
      %54 = stablehlo.multiply %53, %arg56 : tensor<4x8x32xf32>
      %55 = stablehlo.add %47, %54 : tensor<4x8x32xf32>
      %56 = stablehlo.dot_general %55, %arg55, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %57 = stablehlo.dot_general %55, %arg54, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %58 = stablehlo.dot_general %57, %arg51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
      %59 = stablehlo.transpose %58, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
      %60 = stablehlo.dot_general %57, %arg53, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %61 = stablehlo.multiply %60, %arg52 : tensor<4x8x32xf32>
      %62 = stablehlo.multiply %61, %arg51 : tensor<4x8x32xf32>
      %63 = stablehlo.add %61, %62 : tensor<4x8x32xf32>
      %64 = stablehlo.dot_general %63, %arg50, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %65 = stablehlo.transpose %64, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
      %66 = stablehlo.dot_general %63, %arg49, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
      %67 = stablehlo.add %57, %66 : tensor<4x8x16xf32>
      %68 = stablehlo.dot_general %67, %arg48, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x2x8x8xf32>) -> tensor<16x2x8xf32>
      %69 = stablehlo.transpose %68, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
      %70 = stablehlo.dot_general %67, %arg47, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<2x8x16xf32>) -> tensor<4x8x2x8xf32>
      %71 = stablehlo.transpose %70, dims = [0, 2, 1, 3] : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
      %72 = stablehlo.dot_general %71, %arg46, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %73 = stablehlo.transpose %72, dims = [0, 1, 3, 2] : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.dot_general %71, %arg45, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %75 = stablehlo.broadcast_in_dim %arg44, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %76 = stablehlo.multiply %74, %75 : tensor<4x2x8x8xf32>
      %77 = stablehlo.multiply %76, %arg42 : tensor<4x2x8x8xf32>
      %78 = stablehlo.reduce(%77 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %79 = stablehlo.reshape %78 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %80 = stablehlo.negate %79 : tensor<4x2x8x1xf32>
      %81 = stablehlo.broadcast_in_dim %arg43, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %82 = stablehlo.divide %74, %81 : tensor<4x2x8x8xf32>
      %83 = stablehlo.reduce(%80 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x1xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x8xf32>
      %85 = stablehlo.add %82, %84 : tensor<4x2x8x8xf32>
      %86 = stablehlo.multiply %85, %arg42 : tensor<4x2x8x8xf32>
      %87 = stablehlo.select %arg41, %86, %cst_0 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %88 = stablehlo.divide %87, %cst : tensor<4x2x8x8xf32>
      %89 = stablehlo.dot_general %88, %arg40, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %90 = stablehlo.dot_general %88, %arg39, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %91 = stablehlo.reshape %73 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %92 = stablehlo.pad %91, %cst_2, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %93 = stablehlo.reshape %89 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %94 = stablehlo.pad %93, %cst_2, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %95 = stablehlo.add %92, %94 : tensor<3x4x2x8x8xf32>
      %96 = stablehlo.reshape %90 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %97 = stablehlo.pad %96, %cst_2, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %98 = stablehlo.add %95, %97 : tensor<3x4x2x8x8xf32>
      %99 = stablehlo.transpose %98, dims = [0, 2, 4, 1, 3] : (tensor<3x4x2x8x8xf32>) -> tensor<3x2x8x4x8xf32>
      %100 = stablehlo.dot_general %99, %arg38, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<16x3x2x8xf32>) -> tensor<4x8x16xf32>
      %101 = stablehlo.add %67, %100 : tensor<4x8x16xf32>
      %102 = stablehlo.dot_general %99, %arg37, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x16xf32>
      %103 = stablehlo.transpose %102, dims = [3, 0, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<16x3x2x8xf32>
      %104 = sdy.sharding_constraint %101 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %105 = stablehlo.add %arg59, %56 : tensor<32x16xf32>
      %106 = stablehlo.add %arg59, %59 : tensor<32x16xf32>
      %107 = stablehlo.add %arg60, %69 : tensor<2x8x16xf32>
      %108 = stablehlo.add %arg61, %103 : tensor<16x3x2x8xf32>
      %109 = stablehlo.add %arg62, %65 : tensor<16x32xf32>
      mpmd.return %104, %105, %106, %107, %108, %109 : tensor<4x8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x1xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x1x1xi32>, sharding=<@mesh, [{"data"}, {}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %9 = mpmd.transfer %8#0 : (!mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %10:15 = mpmd.fragment<mesh="m0", origin=["stage0"], stage=0> (%arg0, %arg1, %arg2, %arg3, %arg4, %1#4) {call_counter = 1 : ui32} (%arg37: tensor<32x16xf32>, %arg38: tensor<32x16xf32>, %arg39: tensor<2x8x16xf32>, %arg40: tensor<16x3x2x8xf32>, %arg41: tensor<16x32xf32>, %arg42: tensor<4x9xi32>) {
      %c = stablehlo.constant dense<0> : tensor<4x8xi32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %c_1 = stablehlo.constant dense<32> : tensor<4x8xi32>
      %cst_2 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %c_3 = stablehlo.constant dense<true> : tensor<8x8xi1>
      %c_4 = stablehlo.constant dense<false> : tensor<8x8xi1>
      %cst_5 = stablehlo.constant dense<-1.000000e+09> : tensor<4x2x8x8xf32>
      %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<4x2x8xf32>
      %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<4x2x8x1xf32>
      %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<4x8x32xf32>
      %47 = stablehlo.slice %arg42 [0:4, 0:8] : (tensor<4x9xi32>) -> tensor<4x8xi32>
      %48 = stablehlo.compare LT, %47, %c, SIGNED : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
      %49 = stablehlo.add %47, %c_1 : tensor<4x8xi32>
      %50 = stablehlo.select %48, %49, %47 : tensor<4x8xi1>, tensor<4x8xi32>
      %51 = stablehlo.reshape %50 : (tensor<4x8xi32>) -> tensor<4x8x1xi32>
      %52 = "stablehlo.gather"(%arg37, %51) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<32x16xf32>, tensor<4x8x1xi32>) -> tensor<4x8x16xf32>
      %53 = sdy.sharding_constraint %52 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %54 = stablehlo.dot_general %arg40, %53, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
      %55 = stablehlo.transpose %54, dims = [0, 3, 1, 4, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x2x8x8xf32>
      %56 = stablehlo.slice %55 [0:1, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %57 = stablehlo.reshape %56 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %58 = stablehlo.slice %55 [1:2, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %59 = stablehlo.reshape %58 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %60 = stablehlo.slice %55 [2:3, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %61 = stablehlo.reshape %60 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %62 = stablehlo.dot_general %57, %59, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %63 = stablehlo.divide %62, %cst_2 : tensor<4x2x8x8xf32>
      %64 = stablehlo.iota dim = 0 : tensor<8xi32>
      %65 = stablehlo.broadcast_in_dim %64, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
      %66 = stablehlo.broadcast_in_dim %64, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
      %67 = stablehlo.compare GE, %65, %66, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %68 = stablehlo.select %67, %c_3, %c_4 : tensor<8x8xi1>, tensor<8x8xi1>
      %69 = stablehlo.broadcast_in_dim %68, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
      %70 = stablehlo.select %69, %63, %cst_5 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %71 = stablehlo.reduce(%70 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %72 = stablehlo.maximum %71, %cst_6 : tensor<4x2x8xf32>
      %73 = stablehlo.reshape %72 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %75 = stablehlo.subtract %70, %74 : tensor<4x2x8x8xf32>
      %76 = stablehlo.exponential %75 : tensor<4x2x8x8xf32>
      %77 = stablehlo.reduce(%76 init: %cst_0) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %78 = stablehlo.reshape %77 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %80 = stablehlo.divide %76, %79 : tensor<4x2x8x8xf32>
      %81 = stablehlo.multiply %78, %78 : tensor<4x2x8x1xf32>
      %82 = stablehlo.divide %cst_7, %81 : tensor<4x2x8x1xf32>
      %83 = stablehlo.dot_general %80, %61, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %84 = stablehlo.dot_general %83, %arg39, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
      %85 = stablehlo.add %53, %84 : tensor<4x8x16xf32>
      %86 = stablehlo.dot_general %85, %arg41, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
      %87 = stablehlo.tanh %86 : tensor<4x8x32xf32>
      %88 = stablehlo.subtract %cst_8, %87 : tensor<4x8x32xf32>
      %89 = stablehlo.dot_general %87, %arg38, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %90 = stablehlo.add %85, %89 : tensor<4x8x16xf32>
      mpmd.return %90, %51, %53, %59, %57, %69, %76, %78, %82, %61, %80, %83, %85, %87, %88 : tensor<4x8x16xf32>, tensor<4x8x1xi32>, tensor<4x8x16xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x32xf32>
    } : (!mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<4x9xi32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x1xi32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>)
    %11 = mpmd.transfer %10#0 : (!mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %12:14 = mpmd.fragment<mesh="m1", origin=["stage1"], stage=1> (%arg5, %arg6, %arg7, %arg8, %11) {call_counter = 1 : ui32} (%arg37: tensor<32x16xf32>, %arg38: tensor<2x8x16xf32>, %arg39: tensor<16x3x2x8xf32>, %arg40: tensor<16x32xf32>, %arg41: tensor<4x8x16xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_1 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %c = stablehlo.constant dense<true> : tensor<8x8xi1>
      %c_2 = stablehlo.constant dense<false> : tensor<8x8xi1>
      %cst_3 = stablehlo.constant dense<-1.000000e+09> : tensor<4x2x8x8xf32>
      %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<4x2x8xf32>
      %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<4x2x8x1xf32>
      %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<4x8x32xf32>
      %47 = sdy.sharding_constraint %arg41 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %48 = stablehlo.dot_general %arg39, %47, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
      %49 = stablehlo.transpose %48, dims = [0, 3, 1, 4, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x2x8x8xf32>
      %50 = stablehlo.slice %49 [0:1, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %51 = stablehlo.reshape %50 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %52 = stablehlo.slice %49 [1:2, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %53 = stablehlo.reshape %52 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %54 = stablehlo.slice %49 [2:3, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %55 = stablehlo.reshape %54 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %56 = stablehlo.dot_general %51, %53, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %57 = stablehlo.divide %56, %cst_1 : tensor<4x2x8x8xf32>
      %58 = stablehlo.iota dim = 0 : tensor<8xi32>
      %59 = stablehlo.broadcast_in_dim %58, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
      %60 = stablehlo.broadcast_in_dim %58, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
      %61 = stablehlo.compare GE, %59, %60, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %62 = stablehlo.select %61, %c, %c_2 : tensor<8x8xi1>, tensor<8x8xi1>
      %63 = stablehlo.broadcast_in_dim %62, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
      %64 = stablehlo.select %63, %57, %cst_3 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %65 = stablehlo.reduce(%64 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %66 = stablehlo.maximum %65, %cst_4 : tensor<4x2x8xf32>
      %67 = stablehlo.reshape %66 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %69 = stablehlo.subtract %64, %68 : tensor<4x2x8x8xf32>
      %70 = stablehlo.exponential %69 : tensor<4x2x8x8xf32>
      %71 = stablehlo.reduce(%70 init: %cst_0) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %72 = stablehlo.reshape %71 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.divide %70, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %72, %72 : tensor<4x2x8x1xf32>
      %76 = stablehlo.divide %cst_5, %75 : tensor<4x2x8x1xf32>
      %77 = stablehlo.dot_general %74, %55, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg38, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
      %79 = stablehlo.add %47, %78 : tensor<4x8x16xf32>
      %80 = stablehlo.dot_general %79, %arg40, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
      %81 = stablehlo.tanh %80 : tensor<4x8x32xf32>
      %82 = stablehlo.subtract %cst_6, %81 : tensor<4x8x32xf32>
      %83 = stablehlo.dot_general %81, %arg37, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %84 = stablehlo.add %79, %83 : tensor<4x8x16xf32>
      mpmd.return %84, %47, %53, %51, %63, %70, %72, %76, %55, %74, %77, %79, %81, %82 : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x32xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>)
    %13 = mpmd.transfer %12#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %14:14 = mpmd.fragment<mesh="m2", origin=["stage2"], stage=2> (%arg9, %arg10, %arg11, %arg12, %13) {call_counter = 1 : ui32} (%arg37: tensor<32x16xf32>, %arg38: tensor<2x8x16xf32>, %arg39: tensor<16x3x2x8xf32>, %arg40: tensor<16x32xf32>, %arg41: tensor<4x8x16xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_1 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %c = stablehlo.constant dense<true> : tensor<8x8xi1>
      %c_2 = stablehlo.constant dense<false> : tensor<8x8xi1>
      %cst_3 = stablehlo.constant dense<-1.000000e+09> : tensor<4x2x8x8xf32>
      %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<4x2x8xf32>
      %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<4x2x8x1xf32>
      %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<4x8x32xf32>
      %47 = sdy.sharding_constraint %arg41 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %48 = stablehlo.dot_general %arg39, %47, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
      %49 = stablehlo.transpose %48, dims = [0, 3, 1, 4, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x2x8x8xf32>
      %50 = stablehlo.slice %49 [0:1, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %51 = stablehlo.reshape %50 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %52 = stablehlo.slice %49 [1:2, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %53 = stablehlo.reshape %52 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %54 = stablehlo.slice %49 [2:3, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %55 = stablehlo.reshape %54 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %56 = stablehlo.dot_general %51, %53, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %57 = stablehlo.divide %56, %cst_1 : tensor<4x2x8x8xf32>
      %58 = stablehlo.iota dim = 0 : tensor<8xi32>
      %59 = stablehlo.broadcast_in_dim %58, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
      %60 = stablehlo.broadcast_in_dim %58, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
      %61 = stablehlo.compare GE, %59, %60, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %62 = stablehlo.select %61, %c, %c_2 : tensor<8x8xi1>, tensor<8x8xi1>
      %63 = stablehlo.broadcast_in_dim %62, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
      %64 = stablehlo.select %63, %57, %cst_3 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %65 = stablehlo.reduce(%64 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %66 = stablehlo.maximum %65, %cst_4 : tensor<4x2x8xf32>
      %67 = stablehlo.reshape %66 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %69 = stablehlo.subtract %64, %68 : tensor<4x2x8x8xf32>
      %70 = stablehlo.exponential %69 : tensor<4x2x8x8xf32>
      %71 = stablehlo.reduce(%70 init: %cst_0) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %72 = stablehlo.reshape %71 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.divide %70, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %72, %72 : tensor<4x2x8x1xf32>
      %76 = stablehlo.divide %cst_5, %75 : tensor<4x2x8x1xf32>
      %77 = stablehlo.dot_general %74, %55, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg38, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
      %79 = stablehlo.add %47, %78 : tensor<4x8x16xf32>
      %80 = stablehlo.dot_general %79, %arg40, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
      %81 = stablehlo.tanh %80 : tensor<4x8x32xf32>
      %82 = stablehlo.subtract %cst_6, %81 : tensor<4x8x32xf32>
      %83 = stablehlo.dot_general %81, %arg37, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %84 = stablehlo.add %79, %83 : tensor<4x8x16xf32>
      mpmd.return %84, %47, %53, %51, %63, %70, %72, %76, %55, %74, %77, %79, %81, %82 : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x32xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>)
    %15 = mpmd.transfer %14#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %16:18 = mpmd.fragment<mesh="m3", origin=["stage3"], stage=3> (%arg17, %arg13, %arg14, %arg15, %arg16, %15, %7#4, %7#23) {call_counter = 1 : ui32} (%arg37: tensor<32x16xf32>, %arg38: tensor<32x16xf32>, %arg39: tensor<2x8x16xf32>, %arg40: tensor<16x3x2x8xf32>, %arg41: tensor<16x32xf32>, %arg42: tensor<4x8x16xf32>, %arg43: tensor<4x9xi32>, %arg44: tensor<f32>) {
      %cst = stablehlo.constant dense<0x7FC00000> : tensor<4x8x1xf32>
      %c = stablehlo.constant dense<31> : tensor<4x8x1x1xi32>
      %c_0 = stablehlo.constant dense<0> : tensor<4x8x1x1xi32>
      %c_1 = stablehlo.constant dense<32> : tensor<4x8x1xi32>
      %c_2 = stablehlo.constant dense<0> : tensor<4x8x1xi32>
      %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<4x8xf32>
      %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<4x8x32xf32>
      %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<4x2x8x1xf32>
      %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<4x2x8xf32>
      %cst_7 = stablehlo.constant dense<-1.000000e+09> : tensor<4x2x8x8xf32>
      %c_8 = stablehlo.constant dense<false> : tensor<8x8xi1>
      %c_9 = stablehlo.constant dense<true> : tensor<8x8xi1>
      %cst_10 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_11 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_13 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %c_14 = stablehlo.constant dense<true> : tensor<i1>
      %47 = sdy.sharding_constraint %arg42 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %48 = stablehlo.slice %arg43 [0:4, 1:9] : (tensor<4x9xi32>) -> tensor<4x8xi32>
      %49 = stablehlo.dot_general %arg40, %47, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
      %50 = stablehlo.transpose %49, dims = [0, 3, 1, 4, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x2x8x8xf32>
      %51 = stablehlo.slice %50 [0:1, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %52 = stablehlo.reshape %51 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %53 = stablehlo.slice %50 [1:2, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %54 = stablehlo.reshape %53 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %55 = stablehlo.slice %50 [2:3, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %56 = stablehlo.reshape %55 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %57 = stablehlo.dot_general %52, %54, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %58 = stablehlo.divide %57, %cst_10 : tensor<4x2x8x8xf32>
      %59 = stablehlo.iota dim = 0 : tensor<8xi32>
      %60 = stablehlo.broadcast_in_dim %59, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
      %61 = stablehlo.broadcast_in_dim %59, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
      %62 = stablehlo.compare GE, %60, %61, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %63 = stablehlo.select %62, %c_9, %c_8 : tensor<8x8xi1>, tensor<8x8xi1>
      %64 = stablehlo.broadcast_in_dim %63, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
      %65 = stablehlo.select %64, %58, %cst_7 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %66 = stablehlo.reduce(%65 init: %cst_13) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %67 = stablehlo.maximum %66, %cst_6 : tensor<4x2x8xf32>
      %68 = stablehlo.reshape %67 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %70 = stablehlo.subtract %65, %69 : tensor<4x2x8x8xf32>
      %71 = stablehlo.exponential %70 : tensor<4x2x8x8xf32>
      %72 = stablehlo.reduce(%71 init: %cst_12) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %73 = stablehlo.reshape %72 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %75 = stablehlo.divide %71, %74 : tensor<4x2x8x8xf32>
      %76 = stablehlo.multiply %73, %73 : tensor<4x2x8x1xf32>
      %77 = stablehlo.divide %cst_5, %76 : tensor<4x2x8x1xf32>
      %78 = stablehlo.dot_general %75, %56, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %79 = stablehlo.dot_general %78, %arg39, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
      %80 = stablehlo.add %47, %79 : tensor<4x8x16xf32>
      %81 = stablehlo.dot_general %80, %arg41, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
      %82 = stablehlo.tanh %81 : tensor<4x8x32xf32>
      %83 = stablehlo.subtract %cst_4, %82 : tensor<4x8x32xf32>
      %84 = stablehlo.dot_general %82, %arg38, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %85 = stablehlo.add %80, %84 : tensor<4x8x16xf32>
      %86 = stablehlo.dot_general %85, %arg37, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %87 = stablehlo.reduce(%86 init: %cst_13) applies stablehlo.maximum across dimensions = [2] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x8xf32>
      %88 = stablehlo.maximum %87, %cst_3 : tensor<4x8xf32>
      %89 = stablehlo.reshape %88 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
      %90 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
      %91 = stablehlo.subtract %86, %90 : tensor<4x8x32xf32>
      %92 = stablehlo.exponential %91 : tensor<4x8x32xf32>
      %93 = stablehlo.reduce(%92 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x8xf32>
      %94 = stablehlo.reshape %93 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
      %95 = stablehlo.log %94 : tensor<4x8x1xf32>
      %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
      %97 = stablehlo.subtract %91, %96 : tensor<4x8x32xf32>
      %98 = stablehlo.reshape %48 : (tensor<4x8xi32>) -> tensor<4x8x1xi32>
      %99 = stablehlo.compare LT, %98, %c_2, SIGNED : (tensor<4x8x1xi32>, tensor<4x8x1xi32>) -> tensor<4x8x1xi1>
      %100 = stablehlo.add %98, %c_1 : tensor<4x8x1xi32>
      %101 = stablehlo.select %99, %100, %98 : tensor<4x8x1xi1>, tensor<4x8x1xi32>
      %102 = stablehlo.reshape %101 : (tensor<4x8x1xi32>) -> tensor<4x8x1x1xi32>
      %103 = stablehlo.compare GE, %102, %c_0, SIGNED : (tensor<4x8x1x1xi32>, tensor<4x8x1x1xi32>) -> tensor<4x8x1x1xi1>
      %104 = stablehlo.compare LE, %102, %c, SIGNED : (tensor<4x8x1x1xi32>, tensor<4x8x1x1xi32>) -> tensor<4x8x1x1xi1>
      %105 = stablehlo.and %103, %104 : tensor<4x8x1x1xi1>
      %106 = stablehlo.reduce(%105 init: %c_14) applies stablehlo.and across dimensions = [3] : (tensor<4x8x1x1xi1>, tensor<i1>) -> tensor<4x8x1xi1>
      %107 = "stablehlo.gather"(%97, %102) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x8x32xf32>, tensor<4x8x1x1xi32>) -> tensor<4x8x1xf32>
      %108 = stablehlo.select %106, %107, %cst : tensor<4x8x1xi1>, tensor<4x8x1xf32>
      %109 = stablehlo.reduce(%108 init: %cst_12) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<f32>
      %110 = stablehlo.divide %109, %cst_11 : tensor<f32>
      %111 = stablehlo.negate %110 : tensor<f32>
      %112 = stablehlo.add %arg44, %111 : tensor<f32>
      mpmd.return %47, %54, %52, %64, %71, %73, %77, %56, %75, %78, %80, %82, %83, %85, %92, %94, %102, %112 : tensor<4x8x16xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x32xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x1xf32>, tensor<4x8x1x1xi32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x9xi32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<f32>, sharding=<@mesh, []>>) -> (!mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x1xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x1x1xi32>, sharding=<@mesh, [{"data"}, {}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<f32>, sharding=<@mesh, []>>)
    %17:6 = mpmd.fragment<mesh="m3", origin=["stage3"(1)], stage=3> (%16#0, %arg15, %16#1, %16#2, %16#3, %16#4, %16#5, %16#6, %16#7, %16#8, %arg14, %16#9, %arg16, %16#10, %16#11, %16#12, %arg13, %arg17, %16#13, %16#14, %16#15, %16#16, %8#1, %8#2, %8#3, %8#4, %8#5) {call_counter = 1 : ui32} (%arg37: tensor<4x8x16xf32>, %arg38: tensor<16x3x2x8xf32>, %arg39: tensor<4x2x8x8xf32>, %arg40: tensor<4x2x8x8xf32>, %arg41: tensor<4x2x8x8xi1>, %arg42: tensor<4x2x8x8xf32>, %arg43: tensor<4x2x8x1xf32>, %arg44: tensor<4x2x8x1xf32>, %arg45: tensor<4x2x8x8xf32>, %arg46: tensor<4x2x8x8xf32>, %arg47: tensor<2x8x16xf32>, %arg48: tensor<4x2x8x8xf32>, %arg49: tensor<16x32xf32>, %arg50: tensor<4x8x16xf32>, %arg51: tensor<4x8x32xf32>, %arg52: tensor<4x8x32xf32>, %arg53: tensor<32x16xf32>, %arg54: tensor<32x16xf32>, %arg55: tensor<4x8x16xf32>, %arg56: tensor<4x8x32xf32>, %arg57: tensor<4x8x1xf32>, %arg58: tensor<4x8x1x1xi32>, %arg59: tensor<32x16xf32>, %arg60: tensor<32x16xf32>, %arg61: tensor<2x8x16xf32>, %arg62: tensor<16x3x2x8xf32>, %arg63: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x8x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<4x8x32xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_3 = stablehlo.constant dense<-3.125000e-02> : tensor<4x8x1xf32>
      %47 = "stablehlo.scatter"(%cst_1, %arg58, %cst_3) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
      ^bb0(%arg64: tensor<f32>, %arg65: tensor<f32>):
        %110 = stablehlo.add %arg64, %arg65 : tensor<f32>
        stablehlo.return %110 : tensor<f32>
      }) : (tensor<4x8x32xf32>, tensor<4x8x1x1xi32>, tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
      %48 = stablehlo.negate %47 : tensor<4x8x32xf32>
      %49 = stablehlo.reduce(%48 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x8xf32>
      %50 = stablehlo.reshape %49 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
      %51 = stablehlo.divide %50, %arg57 : tensor<4x8x1xf32>
      %52 = stablehlo.reduce(%51 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8xf32>
      %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x32xf32>
      %54 = stablehlo.multiply %53, %arg56 : tensor<4x8x32xf32>
      %55 = stablehlo.add %47, %54 : tensor<4x8x32xf32>
      %56 = stablehlo.dot_general %55, %arg55, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %57 = stablehlo.dot_general %55, %arg54, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %58 = stablehlo.dot_general %57, %arg51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
      %59 = stablehlo.transpose %58, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
      %60 = stablehlo.dot_general %57, %arg53, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %61 = stablehlo.multiply %60, %arg52 : tensor<4x8x32xf32>
      %62 = stablehlo.multiply %61, %arg51 : tensor<4x8x32xf32>
      %63 = stablehlo.add %61, %62 : tensor<4x8x32xf32>
      %64 = stablehlo.dot_general %63, %arg50, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %65 = stablehlo.transpose %64, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
      %66 = stablehlo.dot_general %63, %arg49, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
      %67 = stablehlo.add %57, %66 : tensor<4x8x16xf32>
      %68 = stablehlo.dot_general %67, %arg48, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x2x8x8xf32>) -> tensor<16x2x8xf32>
      %69 = stablehlo.transpose %68, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
      %70 = stablehlo.dot_general %67, %arg47, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<2x8x16xf32>) -> tensor<4x8x2x8xf32>
      %71 = stablehlo.transpose %70, dims = [0, 2, 1, 3] : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
      %72 = stablehlo.dot_general %71, %arg46, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %73 = stablehlo.transpose %72, dims = [0, 1, 3, 2] : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.dot_general %71, %arg45, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %75 = stablehlo.broadcast_in_dim %arg44, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %76 = stablehlo.multiply %74, %75 : tensor<4x2x8x8xf32>
      %77 = stablehlo.multiply %76, %arg42 : tensor<4x2x8x8xf32>
      %78 = stablehlo.reduce(%77 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %79 = stablehlo.reshape %78 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %80 = stablehlo.negate %79 : tensor<4x2x8x1xf32>
      %81 = stablehlo.broadcast_in_dim %arg43, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %82 = stablehlo.divide %74, %81 : tensor<4x2x8x8xf32>
      %83 = stablehlo.reduce(%80 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x1xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x8xf32>
      %85 = stablehlo.add %82, %84 : tensor<4x2x8x8xf32>
      %86 = stablehlo.multiply %85, %arg42 : tensor<4x2x8x8xf32>
      %87 = stablehlo.select %arg41, %86, %cst_0 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %88 = stablehlo.divide %87, %cst : tensor<4x2x8x8xf32>
      %89 = stablehlo.dot_general %88, %arg40, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %90 = stablehlo.dot_general %88, %arg39, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %91 = stablehlo.reshape %73 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %92 = stablehlo.pad %91, %cst_2, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %93 = stablehlo.reshape %89 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %94 = stablehlo.pad %93, %cst_2, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %95 = stablehlo.add %92, %94 : tensor<3x4x2x8x8xf32>
      %96 = stablehlo.reshape %90 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %97 = stablehlo.pad %96, %cst_2, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %98 = stablehlo.add %95, %97 : tensor<3x4x2x8x8xf32>
      %99 = stablehlo.transpose %98, dims = [0, 2, 4, 1, 3] : (tensor<3x4x2x8x8xf32>) -> tensor<3x2x8x4x8xf32>
      %100 = stablehlo.dot_general %99, %arg38, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<16x3x2x8xf32>) -> tensor<4x8x16xf32>
      %101 = stablehlo.add %67, %100 : tensor<4x8x16xf32>
      %102 = stablehlo.dot_general %99, %arg37, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x16xf32>
      %103 = stablehlo.transpose %102, dims = [3, 0, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<16x3x2x8xf32>
      %104 = sdy.sharding_constraint %101 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %105 = stablehlo.add %arg59, %56 : tensor<32x16xf32>
      %106 = stablehlo.add %arg60, %59 : tensor<32x16xf32>
      %107 = stablehlo.add %arg61, %69 : tensor<2x8x16xf32>
      %108 = stablehlo.add %arg62, %103 : tensor<16x3x2x8xf32>
      %109 = stablehlo.add %arg63, %65 : tensor<16x32xf32>
      mpmd.return %104, %105, %106, %107, %108, %109 : tensor<4x8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x1xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x1x1xi32>, sharding=<@mesh, [{"data"}, {}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %18 = mpmd.transfer %17#0 : (!mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %19:15 = mpmd.fragment<mesh="m0", origin=["stage0"], stage=0> (%arg0, %arg1, %arg2, %arg3, %arg4, %1#5) {call_counter = 2 : ui32} (%arg37: tensor<32x16xf32>, %arg38: tensor<32x16xf32>, %arg39: tensor<2x8x16xf32>, %arg40: tensor<16x3x2x8xf32>, %arg41: tensor<16x32xf32>, %arg42: tensor<4x9xi32>) {
      %c = stablehlo.constant dense<0> : tensor<4x8xi32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %c_1 = stablehlo.constant dense<32> : tensor<4x8xi32>
      %cst_2 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %c_3 = stablehlo.constant dense<true> : tensor<8x8xi1>
      %c_4 = stablehlo.constant dense<false> : tensor<8x8xi1>
      %cst_5 = stablehlo.constant dense<-1.000000e+09> : tensor<4x2x8x8xf32>
      %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<4x2x8xf32>
      %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<4x2x8x1xf32>
      %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<4x8x32xf32>
      %47 = stablehlo.slice %arg42 [0:4, 0:8] : (tensor<4x9xi32>) -> tensor<4x8xi32>
      %48 = stablehlo.compare LT, %47, %c, SIGNED : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
      %49 = stablehlo.add %47, %c_1 : tensor<4x8xi32>
      %50 = stablehlo.select %48, %49, %47 : tensor<4x8xi1>, tensor<4x8xi32>
      %51 = stablehlo.reshape %50 : (tensor<4x8xi32>) -> tensor<4x8x1xi32>
      %52 = "stablehlo.gather"(%arg37, %51) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<32x16xf32>, tensor<4x8x1xi32>) -> tensor<4x8x16xf32>
      %53 = sdy.sharding_constraint %52 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %54 = stablehlo.dot_general %arg40, %53, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
      %55 = stablehlo.transpose %54, dims = [0, 3, 1, 4, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x2x8x8xf32>
      %56 = stablehlo.slice %55 [0:1, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %57 = stablehlo.reshape %56 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %58 = stablehlo.slice %55 [1:2, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %59 = stablehlo.reshape %58 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %60 = stablehlo.slice %55 [2:3, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %61 = stablehlo.reshape %60 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %62 = stablehlo.dot_general %57, %59, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %63 = stablehlo.divide %62, %cst_2 : tensor<4x2x8x8xf32>
      %64 = stablehlo.iota dim = 0 : tensor<8xi32>
      %65 = stablehlo.broadcast_in_dim %64, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
      %66 = stablehlo.broadcast_in_dim %64, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
      %67 = stablehlo.compare GE, %65, %66, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %68 = stablehlo.select %67, %c_3, %c_4 : tensor<8x8xi1>, tensor<8x8xi1>
      %69 = stablehlo.broadcast_in_dim %68, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
      %70 = stablehlo.select %69, %63, %cst_5 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %71 = stablehlo.reduce(%70 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %72 = stablehlo.maximum %71, %cst_6 : tensor<4x2x8xf32>
      %73 = stablehlo.reshape %72 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %75 = stablehlo.subtract %70, %74 : tensor<4x2x8x8xf32>
      %76 = stablehlo.exponential %75 : tensor<4x2x8x8xf32>
      %77 = stablehlo.reduce(%76 init: %cst_0) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %78 = stablehlo.reshape %77 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %80 = stablehlo.divide %76, %79 : tensor<4x2x8x8xf32>
      %81 = stablehlo.multiply %78, %78 : tensor<4x2x8x1xf32>
      %82 = stablehlo.divide %cst_7, %81 : tensor<4x2x8x1xf32>
      %83 = stablehlo.dot_general %80, %61, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %84 = stablehlo.dot_general %83, %arg39, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
      %85 = stablehlo.add %53, %84 : tensor<4x8x16xf32>
      %86 = stablehlo.dot_general %85, %arg41, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
      %87 = stablehlo.tanh %86 : tensor<4x8x32xf32>
      %88 = stablehlo.subtract %cst_8, %87 : tensor<4x8x32xf32>
      %89 = stablehlo.dot_general %87, %arg38, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %90 = stablehlo.add %85, %89 : tensor<4x8x16xf32>
      mpmd.return %90, %51, %53, %59, %57, %69, %76, %78, %82, %61, %80, %83, %85, %87, %88 : tensor<4x8x16xf32>, tensor<4x8x1xi32>, tensor<4x8x16xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x32xf32>
    } : (!mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<4x9xi32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x1xi32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>)
    %20 = mpmd.transfer %19#0 : (!mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %21:14 = mpmd.fragment<mesh="m1", origin=["stage1"], stage=1> (%arg5, %arg6, %arg7, %arg8, %20) {call_counter = 2 : ui32} (%arg37: tensor<32x16xf32>, %arg38: tensor<2x8x16xf32>, %arg39: tensor<16x3x2x8xf32>, %arg40: tensor<16x32xf32>, %arg41: tensor<4x8x16xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_1 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %c = stablehlo.constant dense<true> : tensor<8x8xi1>
      %c_2 = stablehlo.constant dense<false> : tensor<8x8xi1>
      %cst_3 = stablehlo.constant dense<-1.000000e+09> : tensor<4x2x8x8xf32>
      %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<4x2x8xf32>
      %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<4x2x8x1xf32>
      %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<4x8x32xf32>
      %47 = sdy.sharding_constraint %arg41 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %48 = stablehlo.dot_general %arg39, %47, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
      %49 = stablehlo.transpose %48, dims = [0, 3, 1, 4, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x2x8x8xf32>
      %50 = stablehlo.slice %49 [0:1, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %51 = stablehlo.reshape %50 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %52 = stablehlo.slice %49 [1:2, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %53 = stablehlo.reshape %52 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %54 = stablehlo.slice %49 [2:3, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %55 = stablehlo.reshape %54 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %56 = stablehlo.dot_general %51, %53, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %57 = stablehlo.divide %56, %cst_1 : tensor<4x2x8x8xf32>
      %58 = stablehlo.iota dim = 0 : tensor<8xi32>
      %59 = stablehlo.broadcast_in_dim %58, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
      %60 = stablehlo.broadcast_in_dim %58, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
      %61 = stablehlo.compare GE, %59, %60, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %62 = stablehlo.select %61, %c, %c_2 : tensor<8x8xi1>, tensor<8x8xi1>
      %63 = stablehlo.broadcast_in_dim %62, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
      %64 = stablehlo.select %63, %57, %cst_3 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %65 = stablehlo.reduce(%64 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %66 = stablehlo.maximum %65, %cst_4 : tensor<4x2x8xf32>
      %67 = stablehlo.reshape %66 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %69 = stablehlo.subtract %64, %68 : tensor<4x2x8x8xf32>
      %70 = stablehlo.exponential %69 : tensor<4x2x8x8xf32>
      %71 = stablehlo.reduce(%70 init: %cst_0) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %72 = stablehlo.reshape %71 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.divide %70, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %72, %72 : tensor<4x2x8x1xf32>
      %76 = stablehlo.divide %cst_5, %75 : tensor<4x2x8x1xf32>
      %77 = stablehlo.dot_general %74, %55, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg38, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
      %79 = stablehlo.add %47, %78 : tensor<4x8x16xf32>
      %80 = stablehlo.dot_general %79, %arg40, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
      %81 = stablehlo.tanh %80 : tensor<4x8x32xf32>
      %82 = stablehlo.subtract %cst_6, %81 : tensor<4x8x32xf32>
      %83 = stablehlo.dot_general %81, %arg37, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %84 = stablehlo.add %79, %83 : tensor<4x8x16xf32>
      mpmd.return %84, %47, %53, %51, %63, %70, %72, %76, %55, %74, %77, %79, %81, %82 : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x32xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>)
    %22 = mpmd.transfer %21#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %23:5 = mpmd.fragment<mesh="m2", origin=["stage2"(1)], stage=2> (%5#1, %arg11, %5#2, %5#3, %5#4, %5#5, %5#6, %5#7, %5#8, %5#9, %arg10, %5#10, %arg12, %5#11, %5#12, %5#13, %arg9, %9) {call_counter = 0 : ui32} (%arg37: tensor<4x8x16xf32>, %arg38: tensor<16x3x2x8xf32>, %arg39: tensor<4x2x8x8xf32>, %arg40: tensor<4x2x8x8xf32>, %arg41: tensor<4x2x8x8xi1>, %arg42: tensor<4x2x8x8xf32>, %arg43: tensor<4x2x8x1xf32>, %arg44: tensor<4x2x8x1xf32>, %arg45: tensor<4x2x8x8xf32>, %arg46: tensor<4x2x8x8xf32>, %arg47: tensor<2x8x16xf32>, %arg48: tensor<4x2x8x8xf32>, %arg49: tensor<16x32xf32>, %arg50: tensor<4x8x16xf32>, %arg51: tensor<4x8x32xf32>, %arg52: tensor<4x8x32xf32>, %arg53: tensor<32x16xf32>, %arg54: tensor<4x8x16xf32>) {
      %cst = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x8x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %47 = stablehlo.dot_general %arg54, %arg51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
      %48 = stablehlo.transpose %47, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
      %49 = stablehlo.dot_general %arg54, %arg53, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %50 = stablehlo.multiply %49, %arg52 : tensor<4x8x32xf32>
      %51 = stablehlo.multiply %50, %arg51 : tensor<4x8x32xf32>
      %52 = stablehlo.add %50, %51 : tensor<4x8x32xf32>
      %53 = stablehlo.dot_general %52, %arg50, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %54 = stablehlo.transpose %53, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
      %55 = stablehlo.dot_general %52, %arg49, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
      %56 = stablehlo.add %arg54, %55 : tensor<4x8x16xf32>
      %57 = stablehlo.dot_general %56, %arg48, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x2x8x8xf32>) -> tensor<16x2x8xf32>
      %58 = stablehlo.transpose %57, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
      %59 = stablehlo.dot_general %56, %arg47, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<2x8x16xf32>) -> tensor<4x8x2x8xf32>
      %60 = stablehlo.transpose %59, dims = [0, 2, 1, 3] : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
      %61 = stablehlo.dot_general %60, %arg46, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %62 = stablehlo.transpose %61, dims = [0, 1, 3, 2] : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %63 = stablehlo.dot_general %60, %arg45, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %64 = stablehlo.broadcast_in_dim %arg44, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %65 = stablehlo.multiply %63, %64 : tensor<4x2x8x8xf32>
      %66 = stablehlo.multiply %65, %arg42 : tensor<4x2x8x8xf32>
      %67 = stablehlo.reduce(%66 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %68 = stablehlo.reshape %67 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %69 = stablehlo.negate %68 : tensor<4x2x8x1xf32>
      %70 = stablehlo.broadcast_in_dim %arg43, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %71 = stablehlo.divide %63, %70 : tensor<4x2x8x8xf32>
      %72 = stablehlo.reduce(%69 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x1xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.add %71, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %74, %arg42 : tensor<4x2x8x8xf32>
      %76 = stablehlo.select %arg41, %75, %cst_0 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %77 = stablehlo.divide %76, %cst : tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg40, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %79 = stablehlo.dot_general %77, %arg39, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %80 = stablehlo.reshape %62 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %81 = stablehlo.pad %80, %cst_1, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %82 = stablehlo.reshape %78 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %83 = stablehlo.pad %82, %cst_1, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %84 = stablehlo.add %81, %83 : tensor<3x4x2x8x8xf32>
      %85 = stablehlo.reshape %79 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %86 = stablehlo.pad %85, %cst_1, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %87 = stablehlo.add %84, %86 : tensor<3x4x2x8x8xf32>
      %88 = stablehlo.transpose %87, dims = [0, 2, 4, 1, 3] : (tensor<3x4x2x8x8xf32>) -> tensor<3x2x8x4x8xf32>
      %89 = stablehlo.dot_general %88, %arg38, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<16x3x2x8xf32>) -> tensor<4x8x16xf32>
      %90 = stablehlo.add %56, %89 : tensor<4x8x16xf32>
      %91 = stablehlo.dot_general %88, %arg37, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x16xf32>
      %92 = stablehlo.transpose %91, dims = [3, 0, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<16x3x2x8xf32>
      %93 = sdy.sharding_constraint %90 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      mpmd.return %93, %48, %58, %92, %54 : tensor<4x8x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %24 = mpmd.transfer %23#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %25:5 = mpmd.fragment<mesh="m1", origin=["stage1"(1)], stage=1> (%3#1, %arg7, %3#2, %3#3, %3#4, %3#5, %3#6, %3#7, %3#8, %3#9, %arg6, %3#10, %arg8, %3#11, %3#12, %3#13, %arg5, %24) {call_counter = 0 : ui32} (%arg37: tensor<4x8x16xf32>, %arg38: tensor<16x3x2x8xf32>, %arg39: tensor<4x2x8x8xf32>, %arg40: tensor<4x2x8x8xf32>, %arg41: tensor<4x2x8x8xi1>, %arg42: tensor<4x2x8x8xf32>, %arg43: tensor<4x2x8x1xf32>, %arg44: tensor<4x2x8x1xf32>, %arg45: tensor<4x2x8x8xf32>, %arg46: tensor<4x2x8x8xf32>, %arg47: tensor<2x8x16xf32>, %arg48: tensor<4x2x8x8xf32>, %arg49: tensor<16x32xf32>, %arg50: tensor<4x8x16xf32>, %arg51: tensor<4x8x32xf32>, %arg52: tensor<4x8x32xf32>, %arg53: tensor<32x16xf32>, %arg54: tensor<4x8x16xf32>) {
      %cst = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x8x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %47 = stablehlo.dot_general %arg54, %arg51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
      %48 = stablehlo.transpose %47, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
      %49 = stablehlo.dot_general %arg54, %arg53, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %50 = stablehlo.multiply %49, %arg52 : tensor<4x8x32xf32>
      %51 = stablehlo.multiply %50, %arg51 : tensor<4x8x32xf32>
      %52 = stablehlo.add %50, %51 : tensor<4x8x32xf32>
      %53 = stablehlo.dot_general %52, %arg50, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %54 = stablehlo.transpose %53, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
      %55 = stablehlo.dot_general %52, %arg49, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
      %56 = stablehlo.add %arg54, %55 : tensor<4x8x16xf32>
      %57 = stablehlo.dot_general %56, %arg48, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x2x8x8xf32>) -> tensor<16x2x8xf32>
      %58 = stablehlo.transpose %57, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
      %59 = stablehlo.dot_general %56, %arg47, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<2x8x16xf32>) -> tensor<4x8x2x8xf32>
      %60 = stablehlo.transpose %59, dims = [0, 2, 1, 3] : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
      %61 = stablehlo.dot_general %60, %arg46, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %62 = stablehlo.transpose %61, dims = [0, 1, 3, 2] : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %63 = stablehlo.dot_general %60, %arg45, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %64 = stablehlo.broadcast_in_dim %arg44, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %65 = stablehlo.multiply %63, %64 : tensor<4x2x8x8xf32>
      %66 = stablehlo.multiply %65, %arg42 : tensor<4x2x8x8xf32>
      %67 = stablehlo.reduce(%66 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %68 = stablehlo.reshape %67 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %69 = stablehlo.negate %68 : tensor<4x2x8x1xf32>
      %70 = stablehlo.broadcast_in_dim %arg43, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %71 = stablehlo.divide %63, %70 : tensor<4x2x8x8xf32>
      %72 = stablehlo.reduce(%69 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x1xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.add %71, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %74, %arg42 : tensor<4x2x8x8xf32>
      %76 = stablehlo.select %arg41, %75, %cst_0 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %77 = stablehlo.divide %76, %cst : tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg40, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %79 = stablehlo.dot_general %77, %arg39, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %80 = stablehlo.reshape %62 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %81 = stablehlo.pad %80, %cst_1, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %82 = stablehlo.reshape %78 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %83 = stablehlo.pad %82, %cst_1, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %84 = stablehlo.add %81, %83 : tensor<3x4x2x8x8xf32>
      %85 = stablehlo.reshape %79 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %86 = stablehlo.pad %85, %cst_1, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %87 = stablehlo.add %84, %86 : tensor<3x4x2x8x8xf32>
      %88 = stablehlo.transpose %87, dims = [0, 2, 4, 1, 3] : (tensor<3x4x2x8x8xf32>) -> tensor<3x2x8x4x8xf32>
      %89 = stablehlo.dot_general %88, %arg38, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<16x3x2x8xf32>) -> tensor<4x8x16xf32>
      %90 = stablehlo.add %56, %89 : tensor<4x8x16xf32>
      %91 = stablehlo.dot_general %88, %arg37, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x16xf32>
      %92 = stablehlo.transpose %91, dims = [3, 0, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<16x3x2x8xf32>
      %93 = sdy.sharding_constraint %90 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      mpmd.return %93, %48, %58, %92, %54 : tensor<4x8x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %26 = mpmd.transfer %25#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %27:5 = mpmd.fragment<mesh="m0", origin=["stage0"(1)], stage=0> (%1#7, %1#8, %arg3, %1#9, %1#10, %1#11, %1#12, %1#13, %1#14, %1#15, %1#16, %arg2, %1#17, %arg4, %1#18, %1#19, %1#20, %arg1, %26, %1#0, %1#1, %1#2, %1#3) {call_counter = 0 : ui32} (%arg37: tensor<4x8x1xi32>, %arg38: tensor<4x8x16xf32>, %arg39: tensor<16x3x2x8xf32>, %arg40: tensor<4x2x8x8xf32>, %arg41: tensor<4x2x8x8xf32>, %arg42: tensor<4x2x8x8xi1>, %arg43: tensor<4x2x8x8xf32>, %arg44: tensor<4x2x8x1xf32>, %arg45: tensor<4x2x8x1xf32>, %arg46: tensor<4x2x8x8xf32>, %arg47: tensor<4x2x8x8xf32>, %arg48: tensor<2x8x16xf32>, %arg49: tensor<4x2x8x8xf32>, %arg50: tensor<16x32xf32>, %arg51: tensor<4x8x16xf32>, %arg52: tensor<4x8x32xf32>, %arg53: tensor<4x8x32xf32>, %arg54: tensor<32x16xf32>, %arg55: tensor<4x8x16xf32>, %arg56: tensor<32x16xf32>, %arg57: tensor<2x8x16xf32>, %arg58: tensor<16x3x2x8xf32>, %arg59: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<32x16xf32>
      %cst_0 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x8x8xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %47 = stablehlo.dot_general %arg55, %arg52, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
      %48 = stablehlo.transpose %47, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
      %49 = stablehlo.dot_general %arg55, %arg54, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %50 = stablehlo.multiply %49, %arg53 : tensor<4x8x32xf32>
      %51 = stablehlo.multiply %50, %arg52 : tensor<4x8x32xf32>
      %52 = stablehlo.add %50, %51 : tensor<4x8x32xf32>
      %53 = stablehlo.dot_general %52, %arg51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %54 = stablehlo.transpose %53, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
      %55 = stablehlo.dot_general %52, %arg50, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
      %56 = stablehlo.add %arg55, %55 : tensor<4x8x16xf32>
      %57 = stablehlo.dot_general %56, %arg49, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x2x8x8xf32>) -> tensor<16x2x8xf32>
      %58 = stablehlo.transpose %57, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
      %59 = stablehlo.dot_general %56, %arg48, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<2x8x16xf32>) -> tensor<4x8x2x8xf32>
      %60 = stablehlo.transpose %59, dims = [0, 2, 1, 3] : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
      %61 = stablehlo.dot_general %60, %arg47, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %62 = stablehlo.transpose %61, dims = [0, 1, 3, 2] : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %63 = stablehlo.dot_general %60, %arg46, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %64 = stablehlo.broadcast_in_dim %arg45, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %65 = stablehlo.multiply %63, %64 : tensor<4x2x8x8xf32>
      %66 = stablehlo.multiply %65, %arg43 : tensor<4x2x8x8xf32>
      %67 = stablehlo.reduce(%66 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %68 = stablehlo.reshape %67 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %69 = stablehlo.negate %68 : tensor<4x2x8x1xf32>
      %70 = stablehlo.broadcast_in_dim %arg44, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %71 = stablehlo.divide %63, %70 : tensor<4x2x8x8xf32>
      %72 = stablehlo.reduce(%69 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x1xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.add %71, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %74, %arg43 : tensor<4x2x8x8xf32>
      %76 = stablehlo.select %arg42, %75, %cst_1 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %77 = stablehlo.divide %76, %cst_0 : tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg41, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %79 = stablehlo.dot_general %77, %arg40, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %80 = stablehlo.reshape %62 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %81 = stablehlo.pad %80, %cst_2, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %82 = stablehlo.reshape %78 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %83 = stablehlo.pad %82, %cst_2, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %84 = stablehlo.add %81, %83 : tensor<3x4x2x8x8xf32>
      %85 = stablehlo.reshape %79 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %86 = stablehlo.pad %85, %cst_2, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %87 = stablehlo.add %84, %86 : tensor<3x4x2x8x8xf32>
      %88 = stablehlo.transpose %87, dims = [0, 2, 4, 1, 3] : (tensor<3x4x2x8x8xf32>) -> tensor<3x2x8x4x8xf32>
      %89 = stablehlo.dot_general %88, %arg39, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<16x3x2x8xf32>) -> tensor<4x8x16xf32>
      %90 = stablehlo.add %56, %89 : tensor<4x8x16xf32>
      %91 = stablehlo.dot_general %88, %arg38, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x16xf32>
      %92 = stablehlo.transpose %91, dims = [3, 0, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<16x3x2x8xf32>
      %93 = sdy.sharding_constraint %90 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %94 = "stablehlo.scatter"(%cst, %arg37, %93) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
      ^bb0(%arg60: tensor<f32>, %arg61: tensor<f32>):
        %100 = stablehlo.add %arg60, %arg61 : tensor<f32>
        stablehlo.return %100 : tensor<f32>
      }) : (tensor<32x16xf32>, tensor<4x8x1xi32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %95 = stablehlo.add %arg56, %94 : tensor<32x16xf32>
      %96 = stablehlo.add %arg56, %48 : tensor<32x16xf32>
      %97 = stablehlo.add %arg57, %58 : tensor<2x8x16xf32>
      %98 = stablehlo.add %arg58, %92 : tensor<16x3x2x8xf32>
      %99 = stablehlo.add %arg59, %54 : tensor<16x32xf32>
      mpmd.return %95, %96, %97, %98, %99 : tensor<32x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m0", tensor<4x8x1xi32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %28:14 = mpmd.fragment<mesh="m2", origin=["stage2"], stage=2> (%arg9, %arg10, %arg11, %arg12, %22) {call_counter = 2 : ui32} (%arg37: tensor<32x16xf32>, %arg38: tensor<2x8x16xf32>, %arg39: tensor<16x3x2x8xf32>, %arg40: tensor<16x32xf32>, %arg41: tensor<4x8x16xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_1 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %c = stablehlo.constant dense<true> : tensor<8x8xi1>
      %c_2 = stablehlo.constant dense<false> : tensor<8x8xi1>
      %cst_3 = stablehlo.constant dense<-1.000000e+09> : tensor<4x2x8x8xf32>
      %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<4x2x8xf32>
      %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<4x2x8x1xf32>
      %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<4x8x32xf32>
      %47 = sdy.sharding_constraint %arg41 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %48 = stablehlo.dot_general %arg39, %47, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
      %49 = stablehlo.transpose %48, dims = [0, 3, 1, 4, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x2x8x8xf32>
      %50 = stablehlo.slice %49 [0:1, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %51 = stablehlo.reshape %50 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %52 = stablehlo.slice %49 [1:2, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %53 = stablehlo.reshape %52 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %54 = stablehlo.slice %49 [2:3, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %55 = stablehlo.reshape %54 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %56 = stablehlo.dot_general %51, %53, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %57 = stablehlo.divide %56, %cst_1 : tensor<4x2x8x8xf32>
      %58 = stablehlo.iota dim = 0 : tensor<8xi32>
      %59 = stablehlo.broadcast_in_dim %58, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
      %60 = stablehlo.broadcast_in_dim %58, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
      %61 = stablehlo.compare GE, %59, %60, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %62 = stablehlo.select %61, %c, %c_2 : tensor<8x8xi1>, tensor<8x8xi1>
      %63 = stablehlo.broadcast_in_dim %62, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
      %64 = stablehlo.select %63, %57, %cst_3 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %65 = stablehlo.reduce(%64 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %66 = stablehlo.maximum %65, %cst_4 : tensor<4x2x8xf32>
      %67 = stablehlo.reshape %66 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %69 = stablehlo.subtract %64, %68 : tensor<4x2x8x8xf32>
      %70 = stablehlo.exponential %69 : tensor<4x2x8x8xf32>
      %71 = stablehlo.reduce(%70 init: %cst_0) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %72 = stablehlo.reshape %71 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.divide %70, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %72, %72 : tensor<4x2x8x1xf32>
      %76 = stablehlo.divide %cst_5, %75 : tensor<4x2x8x1xf32>
      %77 = stablehlo.dot_general %74, %55, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg38, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
      %79 = stablehlo.add %47, %78 : tensor<4x8x16xf32>
      %80 = stablehlo.dot_general %79, %arg40, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
      %81 = stablehlo.tanh %80 : tensor<4x8x32xf32>
      %82 = stablehlo.subtract %cst_6, %81 : tensor<4x8x32xf32>
      %83 = stablehlo.dot_general %81, %arg37, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %84 = stablehlo.add %79, %83 : tensor<4x8x16xf32>
      mpmd.return %84, %47, %53, %51, %63, %70, %72, %76, %55, %74, %77, %79, %81, %82 : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x32xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>)
    %29 = mpmd.transfer %28#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %30:18 = mpmd.fragment<mesh="m3", origin=["stage3"], stage=3> (%arg17, %arg13, %arg14, %arg15, %arg16, %29, %7#5, %16#17) {call_counter = 2 : ui32} (%arg37: tensor<32x16xf32>, %arg38: tensor<32x16xf32>, %arg39: tensor<2x8x16xf32>, %arg40: tensor<16x3x2x8xf32>, %arg41: tensor<16x32xf32>, %arg42: tensor<4x8x16xf32>, %arg43: tensor<4x9xi32>, %arg44: tensor<f32>) {
      %cst = stablehlo.constant dense<0x7FC00000> : tensor<4x8x1xf32>
      %c = stablehlo.constant dense<31> : tensor<4x8x1x1xi32>
      %c_0 = stablehlo.constant dense<0> : tensor<4x8x1x1xi32>
      %c_1 = stablehlo.constant dense<32> : tensor<4x8x1xi32>
      %c_2 = stablehlo.constant dense<0> : tensor<4x8x1xi32>
      %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<4x8xf32>
      %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<4x8x32xf32>
      %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<4x2x8x1xf32>
      %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<4x2x8xf32>
      %cst_7 = stablehlo.constant dense<-1.000000e+09> : tensor<4x2x8x8xf32>
      %c_8 = stablehlo.constant dense<false> : tensor<8x8xi1>
      %c_9 = stablehlo.constant dense<true> : tensor<8x8xi1>
      %cst_10 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_11 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_13 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %c_14 = stablehlo.constant dense<true> : tensor<i1>
      %47 = sdy.sharding_constraint %arg42 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %48 = stablehlo.slice %arg43 [0:4, 1:9] : (tensor<4x9xi32>) -> tensor<4x8xi32>
      %49 = stablehlo.dot_general %arg40, %47, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x2x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x4x8xf32>
      %50 = stablehlo.transpose %49, dims = [0, 3, 1, 4, 2] : (tensor<3x2x8x4x8xf32>) -> tensor<3x4x2x8x8xf32>
      %51 = stablehlo.slice %50 [0:1, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %52 = stablehlo.reshape %51 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %53 = stablehlo.slice %50 [1:2, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %54 = stablehlo.reshape %53 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %55 = stablehlo.slice %50 [2:3, 0:4, 0:2, 0:8, 0:8] : (tensor<3x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %56 = stablehlo.reshape %55 : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %57 = stablehlo.dot_general %52, %54, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %58 = stablehlo.divide %57, %cst_10 : tensor<4x2x8x8xf32>
      %59 = stablehlo.iota dim = 0 : tensor<8xi32>
      %60 = stablehlo.broadcast_in_dim %59, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
      %61 = stablehlo.broadcast_in_dim %59, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
      %62 = stablehlo.compare GE, %60, %61, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %63 = stablehlo.select %62, %c_9, %c_8 : tensor<8x8xi1>, tensor<8x8xi1>
      %64 = stablehlo.broadcast_in_dim %63, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x2x8x8xi1>
      %65 = stablehlo.select %64, %58, %cst_7 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %66 = stablehlo.reduce(%65 init: %cst_13) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %67 = stablehlo.maximum %66, %cst_6 : tensor<4x2x8xf32>
      %68 = stablehlo.reshape %67 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %70 = stablehlo.subtract %65, %69 : tensor<4x2x8x8xf32>
      %71 = stablehlo.exponential %70 : tensor<4x2x8x8xf32>
      %72 = stablehlo.reduce(%71 init: %cst_12) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %73 = stablehlo.reshape %72 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %75 = stablehlo.divide %71, %74 : tensor<4x2x8x8xf32>
      %76 = stablehlo.multiply %73, %73 : tensor<4x2x8x1xf32>
      %77 = stablehlo.divide %cst_5, %76 : tensor<4x2x8x1xf32>
      %78 = stablehlo.dot_general %75, %56, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %79 = stablehlo.dot_general %78, %arg39, contracting_dims = [1, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<4x8x16xf32>
      %80 = stablehlo.add %47, %79 : tensor<4x8x16xf32>
      %81 = stablehlo.dot_general %80, %arg41, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
      %82 = stablehlo.tanh %81 : tensor<4x8x32xf32>
      %83 = stablehlo.subtract %cst_4, %82 : tensor<4x8x32xf32>
      %84 = stablehlo.dot_general %82, %arg38, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %85 = stablehlo.add %80, %84 : tensor<4x8x16xf32>
      %86 = stablehlo.dot_general %85, %arg37, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %87 = stablehlo.reduce(%86 init: %cst_13) applies stablehlo.maximum across dimensions = [2] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x8xf32>
      %88 = stablehlo.maximum %87, %cst_3 : tensor<4x8xf32>
      %89 = stablehlo.reshape %88 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
      %90 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
      %91 = stablehlo.subtract %86, %90 : tensor<4x8x32xf32>
      %92 = stablehlo.exponential %91 : tensor<4x8x32xf32>
      %93 = stablehlo.reduce(%92 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x8xf32>
      %94 = stablehlo.reshape %93 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
      %95 = stablehlo.log %94 : tensor<4x8x1xf32>
      %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
      %97 = stablehlo.subtract %91, %96 : tensor<4x8x32xf32>
      %98 = stablehlo.reshape %48 : (tensor<4x8xi32>) -> tensor<4x8x1xi32>
      %99 = stablehlo.compare LT, %98, %c_2, SIGNED : (tensor<4x8x1xi32>, tensor<4x8x1xi32>) -> tensor<4x8x1xi1>
      %100 = stablehlo.add %98, %c_1 : tensor<4x8x1xi32>
      %101 = stablehlo.select %99, %100, %98 : tensor<4x8x1xi1>, tensor<4x8x1xi32>
      %102 = stablehlo.reshape %101 : (tensor<4x8x1xi32>) -> tensor<4x8x1x1xi32>
      %103 = stablehlo.compare GE, %102, %c_0, SIGNED : (tensor<4x8x1x1xi32>, tensor<4x8x1x1xi32>) -> tensor<4x8x1x1xi1>
      %104 = stablehlo.compare LE, %102, %c, SIGNED : (tensor<4x8x1x1xi32>, tensor<4x8x1x1xi32>) -> tensor<4x8x1x1xi1>
      %105 = stablehlo.and %103, %104 : tensor<4x8x1x1xi1>
      %106 = stablehlo.reduce(%105 init: %c_14) applies stablehlo.and across dimensions = [3] : (tensor<4x8x1x1xi1>, tensor<i1>) -> tensor<4x8x1xi1>
      %107 = "stablehlo.gather"(%97, %102) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x8x32xf32>, tensor<4x8x1x1xi32>) -> tensor<4x8x1xf32>
      %108 = stablehlo.select %106, %107, %cst : tensor<4x8x1xi1>, tensor<4x8x1xf32>
      %109 = stablehlo.reduce(%108 init: %cst_12) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<f32>
      %110 = stablehlo.divide %109, %cst_11 : tensor<f32>
      %111 = stablehlo.negate %110 : tensor<f32>
      %112 = stablehlo.add %arg44, %111 : tensor<f32>
      mpmd.return %47, %54, %52, %64, %71, %73, %77, %56, %75, %78, %80, %82, %83, %85, %92, %94, %102, %112 : tensor<4x8x16xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x1xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x32xf32>, tensor<4x8x16xf32>, tensor<4x8x32xf32>, tensor<4x8x1xf32>, tensor<4x8x1x1xi32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x9xi32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<f32>, sharding=<@mesh, []>>) -> (!mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x1xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x1x1xi32>, sharding=<@mesh, [{"data"}, {}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<f32>, sharding=<@mesh, []>>)
    %31:6 = mpmd.fragment<mesh="m3", origin=["stage3"(1)], stage=3> (%30#0, %arg15, %30#1, %30#2, %30#3, %30#4, %30#5, %30#6, %30#7, %30#8, %arg14, %30#9, %arg16, %30#10, %30#11, %30#12, %arg13, %arg17, %30#13, %30#14, %30#15, %30#16, %17#1, %17#2, %17#3, %17#4, %17#5) {call_counter = 2 : ui32} (%arg37: tensor<4x8x16xf32>, %arg38: tensor<16x3x2x8xf32>, %arg39: tensor<4x2x8x8xf32>, %arg40: tensor<4x2x8x8xf32>, %arg41: tensor<4x2x8x8xi1>, %arg42: tensor<4x2x8x8xf32>, %arg43: tensor<4x2x8x1xf32>, %arg44: tensor<4x2x8x1xf32>, %arg45: tensor<4x2x8x8xf32>, %arg46: tensor<4x2x8x8xf32>, %arg47: tensor<2x8x16xf32>, %arg48: tensor<4x2x8x8xf32>, %arg49: tensor<16x32xf32>, %arg50: tensor<4x8x16xf32>, %arg51: tensor<4x8x32xf32>, %arg52: tensor<4x8x32xf32>, %arg53: tensor<32x16xf32>, %arg54: tensor<32x16xf32>, %arg55: tensor<4x8x16xf32>, %arg56: tensor<4x8x32xf32>, %arg57: tensor<4x8x1xf32>, %arg58: tensor<4x8x1x1xi32>, %arg59: tensor<32x16xf32>, %arg60: tensor<32x16xf32>, %arg61: tensor<2x8x16xf32>, %arg62: tensor<16x3x2x8xf32>, %arg63: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x8x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<4x8x32xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_3 = stablehlo.constant dense<-3.125000e-02> : tensor<4x8x1xf32>
      %47 = "stablehlo.scatter"(%cst_1, %arg58, %cst_3) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
      ^bb0(%arg64: tensor<f32>, %arg65: tensor<f32>):
        %110 = stablehlo.add %arg64, %arg65 : tensor<f32>
        stablehlo.return %110 : tensor<f32>
      }) : (tensor<4x8x32xf32>, tensor<4x8x1x1xi32>, tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
      %48 = stablehlo.negate %47 : tensor<4x8x32xf32>
      %49 = stablehlo.reduce(%48 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x8xf32>
      %50 = stablehlo.reshape %49 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
      %51 = stablehlo.divide %50, %arg57 : tensor<4x8x1xf32>
      %52 = stablehlo.reduce(%51 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8xf32>
      %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x32xf32>
      %54 = stablehlo.multiply %53, %arg56 : tensor<4x8x32xf32>
      %55 = stablehlo.add %47, %54 : tensor<4x8x32xf32>
      %56 = stablehlo.dot_general %55, %arg55, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %57 = stablehlo.dot_general %55, %arg54, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32>
      %58 = stablehlo.dot_general %57, %arg51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
      %59 = stablehlo.transpose %58, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
      %60 = stablehlo.dot_general %57, %arg53, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %61 = stablehlo.multiply %60, %arg52 : tensor<4x8x32xf32>
      %62 = stablehlo.multiply %61, %arg51 : tensor<4x8x32xf32>
      %63 = stablehlo.add %61, %62 : tensor<4x8x32xf32>
      %64 = stablehlo.dot_general %63, %arg50, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %65 = stablehlo.transpose %64, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
      %66 = stablehlo.dot_general %63, %arg49, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
      %67 = stablehlo.add %57, %66 : tensor<4x8x16xf32>
      %68 = stablehlo.dot_general %67, %arg48, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x2x8x8xf32>) -> tensor<16x2x8xf32>
      %69 = stablehlo.transpose %68, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
      %70 = stablehlo.dot_general %67, %arg47, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<2x8x16xf32>) -> tensor<4x8x2x8xf32>
      %71 = stablehlo.transpose %70, dims = [0, 2, 1, 3] : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
      %72 = stablehlo.dot_general %71, %arg46, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %73 = stablehlo.transpose %72, dims = [0, 1, 3, 2] : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.dot_general %71, %arg45, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %75 = stablehlo.broadcast_in_dim %arg44, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %76 = stablehlo.multiply %74, %75 : tensor<4x2x8x8xf32>
      %77 = stablehlo.multiply %76, %arg42 : tensor<4x2x8x8xf32>
      %78 = stablehlo.reduce(%77 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %79 = stablehlo.reshape %78 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %80 = stablehlo.negate %79 : tensor<4x2x8x1xf32>
      %81 = stablehlo.broadcast_in_dim %arg43, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %82 = stablehlo.divide %74, %81 : tensor<4x2x8x8xf32>
      %83 = stablehlo.reduce(%80 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x1xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x8xf32>
      %85 = stablehlo.add %82, %84 : tensor<4x2x8x8xf32>
      %86 = stablehlo.multiply %85, %arg42 : tensor<4x2x8x8xf32>
      %87 = stablehlo.select %arg41, %86, %cst_0 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %88 = stablehlo.divide %87, %cst : tensor<4x2x8x8xf32>
      %89 = stablehlo.dot_general %88, %arg40, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %90 = stablehlo.dot_general %88, %arg39, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %91 = stablehlo.reshape %73 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %92 = stablehlo.pad %91, %cst_2, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %93 = stablehlo.reshape %89 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %94 = stablehlo.pad %93, %cst_2, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %95 = stablehlo.add %92, %94 : tensor<3x4x2x8x8xf32>
      %96 = stablehlo.reshape %90 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %97 = stablehlo.pad %96, %cst_2, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %98 = stablehlo.add %95, %97 : tensor<3x4x2x8x8xf32>
      %99 = stablehlo.transpose %98, dims = [0, 2, 4, 1, 3] : (tensor<3x4x2x8x8xf32>) -> tensor<3x2x8x4x8xf32>
      %100 = stablehlo.dot_general %99, %arg38, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<16x3x2x8xf32>) -> tensor<4x8x16xf32>
      %101 = stablehlo.add %67, %100 : tensor<4x8x16xf32>
      %102 = stablehlo.dot_general %99, %arg37, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x16xf32>
      %103 = stablehlo.transpose %102, dims = [3, 0, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<16x3x2x8xf32>
      %104 = sdy.sharding_constraint %101 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %105 = stablehlo.add %arg59, %56 : tensor<32x16xf32>
      %106 = stablehlo.add %arg60, %59 : tensor<32x16xf32>
      %107 = stablehlo.add %arg61, %69 : tensor<2x8x16xf32>
      %108 = stablehlo.add %arg62, %103 : tensor<16x3x2x8xf32>
      %109 = stablehlo.add %arg63, %65 : tensor<16x32xf32>
      mpmd.return %104, %105, %106, %107, %108, %109 : tensor<4x8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x1xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<4x8x1x1xi32>, sharding=<@mesh, [{"data"}, {}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %32 = mpmd.transfer %31#0 : (!mpmd.mesh_tensor<"m3", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %33:10 = mpmd.fragment<mesh="m3", origin=["update3"]> (%arg13, %arg14, %arg15, %arg16, %arg17, %arg31, %arg32, %arg33, %arg34, %arg35, %31#2, %31#3, %31#4, %31#5, %31#1) (%arg37: tensor<32x16xf32>, %arg38: tensor<2x8x16xf32>, %arg39: tensor<16x3x2x8xf32>, %arg40: tensor<16x32xf32>, %arg41: tensor<32x16xf32>, %arg42: tensor<32x16xf32>, %arg43: tensor<2x8x16xf32>, %arg44: tensor<16x3x2x8xf32>, %arg45: tensor<16x32xf32>, %arg46: tensor<32x16xf32>, %arg47: tensor<32x16xf32>, %arg48: tensor<2x8x16xf32>, %arg49: tensor<16x3x2x8xf32>, %arg50: tensor<16x32xf32>, %arg51: tensor<32x16xf32>) {
      %cst = stablehlo.constant dense<0.00999999977> : tensor<16x32xf32>
      %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<16x3x2x8xf32>
      %cst_1 = stablehlo.constant dense<0.00999999977> : tensor<2x8x16xf32>
      %cst_2 = stablehlo.constant dense<0.00999999977> : tensor<32x16xf32>
      %cst_3 = stablehlo.constant dense<0.899999976> : tensor<16x32xf32>
      %cst_4 = stablehlo.constant dense<0.899999976> : tensor<16x3x2x8xf32>
      %cst_5 = stablehlo.constant dense<0.899999976> : tensor<2x8x16xf32>
      %cst_6 = stablehlo.constant dense<0.899999976> : tensor<32x16xf32>
      %47 = stablehlo.multiply %arg42, %cst_6 : tensor<32x16xf32>
      %48 = stablehlo.add %47, %arg47 : tensor<32x16xf32>
      %49 = stablehlo.multiply %arg43, %cst_5 : tensor<2x8x16xf32>
      %50 = stablehlo.add %49, %arg48 : tensor<2x8x16xf32>
      %51 = stablehlo.multiply %arg44, %cst_4 : tensor<16x3x2x8xf32>
      %52 = stablehlo.add %51, %arg49 : tensor<16x3x2x8xf32>
      %53 = stablehlo.multiply %arg45, %cst_3 : tensor<16x32xf32>
      %54 = stablehlo.add %53, %arg50 : tensor<16x32xf32>
      %55 = stablehlo.multiply %arg46, %cst_6 : tensor<32x16xf32>
      %56 = stablehlo.add %55, %arg51 : tensor<32x16xf32>
      %57 = stablehlo.multiply %48, %cst_2 : tensor<32x16xf32>
      %58 = stablehlo.subtract %arg37, %57 : tensor<32x16xf32>
      %59 = stablehlo.multiply %50, %cst_1 : tensor<2x8x16xf32>
      %60 = stablehlo.subtract %arg38, %59 : tensor<2x8x16xf32>
      %61 = stablehlo.multiply %52, %cst_0 : tensor<16x3x2x8xf32>
      %62 = stablehlo.subtract %arg39, %61 : tensor<16x3x2x8xf32>
      %63 = stablehlo.multiply %54, %cst : tensor<16x32xf32>
      %64 = stablehlo.subtract %arg40, %63 : tensor<16x32xf32>
      %65 = stablehlo.multiply %56, %cst_2 : tensor<32x16xf32>
      %66 = stablehlo.subtract %arg41, %65 : tensor<32x16xf32>
      mpmd.return %58, %60, %62, %64, %66, %48, %50, %52, %54, %56 : tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>, tensor<32x16xf32>
    } : (!mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>) -> (!mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>)
    %34:5 = mpmd.fragment<mesh="m2", origin=["stage2"(1)], stage=2> (%14#1, %arg11, %14#2, %14#3, %14#4, %14#5, %14#6, %14#7, %14#8, %14#9, %arg10, %14#10, %arg12, %14#11, %14#12, %14#13, %arg9, %18, %23#1, %23#2, %23#3, %23#4) {call_counter = 1 : ui32} (%arg37: tensor<4x8x16xf32>, %arg38: tensor<16x3x2x8xf32>, %arg39: tensor<4x2x8x8xf32>, %arg40: tensor<4x2x8x8xf32>, %arg41: tensor<4x2x8x8xi1>, %arg42: tensor<4x2x8x8xf32>, %arg43: tensor<4x2x8x1xf32>, %arg44: tensor<4x2x8x1xf32>, %arg45: tensor<4x2x8x8xf32>, %arg46: tensor<4x2x8x8xf32>, %arg47: tensor<2x8x16xf32>, %arg48: tensor<4x2x8x8xf32>, %arg49: tensor<16x32xf32>, %arg50: tensor<4x8x16xf32>, %arg51: tensor<4x8x32xf32>, %arg52: tensor<4x8x32xf32>, %arg53: tensor<32x16xf32>, %arg54: tensor<4x8x16xf32>, %arg55: tensor<32x16xf32>, %arg56: tensor<2x8x16xf32>, %arg57: tensor<16x3x2x8xf32>, %arg58: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x8x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %47 = stablehlo.dot_general %arg54, %arg51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
      %48 = stablehlo.transpose %47, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
      %49 = stablehlo.dot_general %arg54, %arg53, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %50 = stablehlo.multiply %49, %arg52 : tensor<4x8x32xf32>
      %51 = stablehlo.multiply %50, %arg51 : tensor<4x8x32xf32>
      %52 = stablehlo.add %50, %51 : tensor<4x8x32xf32>
      %53 = stablehlo.dot_general %52, %arg50, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %54 = stablehlo.transpose %53, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
      %55 = stablehlo.dot_general %52, %arg49, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
      %56 = stablehlo.add %arg54, %55 : tensor<4x8x16xf32>
      %57 = stablehlo.dot_general %56, %arg48, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x2x8x8xf32>) -> tensor<16x2x8xf32>
      %58 = stablehlo.transpose %57, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
      %59 = stablehlo.dot_general %56, %arg47, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<2x8x16xf32>) -> tensor<4x8x2x8xf32>
      %60 = stablehlo.transpose %59, dims = [0, 2, 1, 3] : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
      %61 = stablehlo.dot_general %60, %arg46, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %62 = stablehlo.transpose %61, dims = [0, 1, 3, 2] : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %63 = stablehlo.dot_general %60, %arg45, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %64 = stablehlo.broadcast_in_dim %arg44, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %65 = stablehlo.multiply %63, %64 : tensor<4x2x8x8xf32>
      %66 = stablehlo.multiply %65, %arg42 : tensor<4x2x8x8xf32>
      %67 = stablehlo.reduce(%66 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %68 = stablehlo.reshape %67 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %69 = stablehlo.negate %68 : tensor<4x2x8x1xf32>
      %70 = stablehlo.broadcast_in_dim %arg43, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %71 = stablehlo.divide %63, %70 : tensor<4x2x8x8xf32>
      %72 = stablehlo.reduce(%69 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x1xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.add %71, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %74, %arg42 : tensor<4x2x8x8xf32>
      %76 = stablehlo.select %arg41, %75, %cst_0 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %77 = stablehlo.divide %76, %cst : tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg40, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %79 = stablehlo.dot_general %77, %arg39, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %80 = stablehlo.reshape %62 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %81 = stablehlo.pad %80, %cst_1, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %82 = stablehlo.reshape %78 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %83 = stablehlo.pad %82, %cst_1, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %84 = stablehlo.add %81, %83 : tensor<3x4x2x8x8xf32>
      %85 = stablehlo.reshape %79 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %86 = stablehlo.pad %85, %cst_1, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %87 = stablehlo.add %84, %86 : tensor<3x4x2x8x8xf32>
      %88 = stablehlo.transpose %87, dims = [0, 2, 4, 1, 3] : (tensor<3x4x2x8x8xf32>) -> tensor<3x2x8x4x8xf32>
      %89 = stablehlo.dot_general %88, %arg38, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<16x3x2x8xf32>) -> tensor<4x8x16xf32>
      %90 = stablehlo.add %56, %89 : tensor<4x8x16xf32>
      %91 = stablehlo.dot_general %88, %arg37, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x16xf32>
      %92 = stablehlo.transpose %91, dims = [3, 0, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<16x3x2x8xf32>
      %93 = sdy.sharding_constraint %90 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %94 = stablehlo.add %arg55, %48 : tensor<32x16xf32>
      %95 = stablehlo.add %arg56, %58 : tensor<2x8x16xf32>
      %96 = stablehlo.add %arg57, %92 : tensor<16x3x2x8xf32>
      %97 = stablehlo.add %arg58, %54 : tensor<16x32xf32>
      mpmd.return %93, %94, %95, %96, %97 : tensor<4x8x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %35 = mpmd.transfer %34#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %36:5 = mpmd.fragment<mesh="m1", origin=["stage1"(1)], stage=1> (%12#1, %arg7, %12#2, %12#3, %12#4, %12#5, %12#6, %12#7, %12#8, %12#9, %arg6, %12#10, %arg8, %12#11, %12#12, %12#13, %arg5, %35, %25#1, %25#2, %25#3, %25#4) {call_counter = 1 : ui32} (%arg37: tensor<4x8x16xf32>, %arg38: tensor<16x3x2x8xf32>, %arg39: tensor<4x2x8x8xf32>, %arg40: tensor<4x2x8x8xf32>, %arg41: tensor<4x2x8x8xi1>, %arg42: tensor<4x2x8x8xf32>, %arg43: tensor<4x2x8x1xf32>, %arg44: tensor<4x2x8x1xf32>, %arg45: tensor<4x2x8x8xf32>, %arg46: tensor<4x2x8x8xf32>, %arg47: tensor<2x8x16xf32>, %arg48: tensor<4x2x8x8xf32>, %arg49: tensor<16x32xf32>, %arg50: tensor<4x8x16xf32>, %arg51: tensor<4x8x32xf32>, %arg52: tensor<4x8x32xf32>, %arg53: tensor<32x16xf32>, %arg54: tensor<4x8x16xf32>, %arg55: tensor<32x16xf32>, %arg56: tensor<2x8x16xf32>, %arg57: tensor<16x3x2x8xf32>, %arg58: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x8x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %47 = stablehlo.dot_general %arg54, %arg51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
      %48 = stablehlo.transpose %47, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
      %49 = stablehlo.dot_general %arg54, %arg53, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %50 = stablehlo.multiply %49, %arg52 : tensor<4x8x32xf32>
      %51 = stablehlo.multiply %50, %arg51 : tensor<4x8x32xf32>
      %52 = stablehlo.add %50, %51 : tensor<4x8x32xf32>
      %53 = stablehlo.dot_general %52, %arg50, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %54 = stablehlo.transpose %53, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
      %55 = stablehlo.dot_general %52, %arg49, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
      %56 = stablehlo.add %arg54, %55 : tensor<4x8x16xf32>
      %57 = stablehlo.dot_general %56, %arg48, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x2x8x8xf32>) -> tensor<16x2x8xf32>
      %58 = stablehlo.transpose %57, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
      %59 = stablehlo.dot_general %56, %arg47, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<2x8x16xf32>) -> tensor<4x8x2x8xf32>
      %60 = stablehlo.transpose %59, dims = [0, 2, 1, 3] : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
      %61 = stablehlo.dot_general %60, %arg46, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %62 = stablehlo.transpose %61, dims = [0, 1, 3, 2] : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %63 = stablehlo.dot_general %60, %arg45, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %64 = stablehlo.broadcast_in_dim %arg44, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %65 = stablehlo.multiply %63, %64 : tensor<4x2x8x8xf32>
      %66 = stablehlo.multiply %65, %arg42 : tensor<4x2x8x8xf32>
      %67 = stablehlo.reduce(%66 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %68 = stablehlo.reshape %67 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %69 = stablehlo.negate %68 : tensor<4x2x8x1xf32>
      %70 = stablehlo.broadcast_in_dim %arg43, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %71 = stablehlo.divide %63, %70 : tensor<4x2x8x8xf32>
      %72 = stablehlo.reduce(%69 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x1xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.add %71, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %74, %arg42 : tensor<4x2x8x8xf32>
      %76 = stablehlo.select %arg41, %75, %cst_0 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %77 = stablehlo.divide %76, %cst : tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg40, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %79 = stablehlo.dot_general %77, %arg39, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %80 = stablehlo.reshape %62 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %81 = stablehlo.pad %80, %cst_1, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %82 = stablehlo.reshape %78 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %83 = stablehlo.pad %82, %cst_1, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %84 = stablehlo.add %81, %83 : tensor<3x4x2x8x8xf32>
      %85 = stablehlo.reshape %79 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %86 = stablehlo.pad %85, %cst_1, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %87 = stablehlo.add %84, %86 : tensor<3x4x2x8x8xf32>
      %88 = stablehlo.transpose %87, dims = [0, 2, 4, 1, 3] : (tensor<3x4x2x8x8xf32>) -> tensor<3x2x8x4x8xf32>
      %89 = stablehlo.dot_general %88, %arg38, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<16x3x2x8xf32>) -> tensor<4x8x16xf32>
      %90 = stablehlo.add %56, %89 : tensor<4x8x16xf32>
      %91 = stablehlo.dot_general %88, %arg37, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x16xf32>
      %92 = stablehlo.transpose %91, dims = [3, 0, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<16x3x2x8xf32>
      %93 = sdy.sharding_constraint %90 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %94 = stablehlo.add %arg55, %48 : tensor<32x16xf32>
      %95 = stablehlo.add %arg56, %58 : tensor<2x8x16xf32>
      %96 = stablehlo.add %arg57, %92 : tensor<16x3x2x8xf32>
      %97 = stablehlo.add %arg58, %54 : tensor<16x32xf32>
      mpmd.return %93, %94, %95, %96, %97 : tensor<4x8x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %37 = mpmd.transfer %36#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %38:5 = mpmd.fragment<mesh="m0", origin=["stage0"(1)], stage=0> (%10#1, %10#2, %arg3, %10#3, %10#4, %10#5, %10#6, %10#7, %10#8, %10#9, %10#10, %arg2, %10#11, %arg4, %10#12, %10#13, %10#14, %arg1, %37, %27#0, %27#1, %27#2, %27#3, %27#4) {call_counter = 1 : ui32} (%arg37: tensor<4x8x1xi32>, %arg38: tensor<4x8x16xf32>, %arg39: tensor<16x3x2x8xf32>, %arg40: tensor<4x2x8x8xf32>, %arg41: tensor<4x2x8x8xf32>, %arg42: tensor<4x2x8x8xi1>, %arg43: tensor<4x2x8x8xf32>, %arg44: tensor<4x2x8x1xf32>, %arg45: tensor<4x2x8x1xf32>, %arg46: tensor<4x2x8x8xf32>, %arg47: tensor<4x2x8x8xf32>, %arg48: tensor<2x8x16xf32>, %arg49: tensor<4x2x8x8xf32>, %arg50: tensor<16x32xf32>, %arg51: tensor<4x8x16xf32>, %arg52: tensor<4x8x32xf32>, %arg53: tensor<4x8x32xf32>, %arg54: tensor<32x16xf32>, %arg55: tensor<4x8x16xf32>, %arg56: tensor<32x16xf32>, %arg57: tensor<32x16xf32>, %arg58: tensor<2x8x16xf32>, %arg59: tensor<16x3x2x8xf32>, %arg60: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<32x16xf32>
      %cst_0 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x8x8xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %47 = stablehlo.dot_general %arg55, %arg52, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
      %48 = stablehlo.transpose %47, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
      %49 = stablehlo.dot_general %arg55, %arg54, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %50 = stablehlo.multiply %49, %arg53 : tensor<4x8x32xf32>
      %51 = stablehlo.multiply %50, %arg52 : tensor<4x8x32xf32>
      %52 = stablehlo.add %50, %51 : tensor<4x8x32xf32>
      %53 = stablehlo.dot_general %52, %arg51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %54 = stablehlo.transpose %53, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
      %55 = stablehlo.dot_general %52, %arg50, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
      %56 = stablehlo.add %arg55, %55 : tensor<4x8x16xf32>
      %57 = stablehlo.dot_general %56, %arg49, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x2x8x8xf32>) -> tensor<16x2x8xf32>
      %58 = stablehlo.transpose %57, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
      %59 = stablehlo.dot_general %56, %arg48, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<2x8x16xf32>) -> tensor<4x8x2x8xf32>
      %60 = stablehlo.transpose %59, dims = [0, 2, 1, 3] : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
      %61 = stablehlo.dot_general %60, %arg47, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %62 = stablehlo.transpose %61, dims = [0, 1, 3, 2] : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %63 = stablehlo.dot_general %60, %arg46, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %64 = stablehlo.broadcast_in_dim %arg45, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %65 = stablehlo.multiply %63, %64 : tensor<4x2x8x8xf32>
      %66 = stablehlo.multiply %65, %arg43 : tensor<4x2x8x8xf32>
      %67 = stablehlo.reduce(%66 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %68 = stablehlo.reshape %67 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %69 = stablehlo.negate %68 : tensor<4x2x8x1xf32>
      %70 = stablehlo.broadcast_in_dim %arg44, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %71 = stablehlo.divide %63, %70 : tensor<4x2x8x8xf32>
      %72 = stablehlo.reduce(%69 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x1xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.add %71, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %74, %arg43 : tensor<4x2x8x8xf32>
      %76 = stablehlo.select %arg42, %75, %cst_1 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %77 = stablehlo.divide %76, %cst_0 : tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg41, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %79 = stablehlo.dot_general %77, %arg40, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %80 = stablehlo.reshape %62 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %81 = stablehlo.pad %80, %cst_2, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %82 = stablehlo.reshape %78 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %83 = stablehlo.pad %82, %cst_2, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %84 = stablehlo.add %81, %83 : tensor<3x4x2x8x8xf32>
      %85 = stablehlo.reshape %79 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %86 = stablehlo.pad %85, %cst_2, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %87 = stablehlo.add %84, %86 : tensor<3x4x2x8x8xf32>
      %88 = stablehlo.transpose %87, dims = [0, 2, 4, 1, 3] : (tensor<3x4x2x8x8xf32>) -> tensor<3x2x8x4x8xf32>
      %89 = stablehlo.dot_general %88, %arg39, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<16x3x2x8xf32>) -> tensor<4x8x16xf32>
      %90 = stablehlo.add %56, %89 : tensor<4x8x16xf32>
      %91 = stablehlo.dot_general %88, %arg38, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x16xf32>
      %92 = stablehlo.transpose %91, dims = [3, 0, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<16x3x2x8xf32>
      %93 = sdy.sharding_constraint %90 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %94 = "stablehlo.scatter"(%cst, %arg37, %93) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
      ^bb0(%arg61: tensor<f32>, %arg62: tensor<f32>):
        %100 = stablehlo.add %arg61, %arg62 : tensor<f32>
        stablehlo.return %100 : tensor<f32>
      }) : (tensor<32x16xf32>, tensor<4x8x1xi32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %95 = stablehlo.add %arg56, %94 : tensor<32x16xf32>
      %96 = stablehlo.add %arg57, %48 : tensor<32x16xf32>
      %97 = stablehlo.add %arg58, %58 : tensor<2x8x16xf32>
      %98 = stablehlo.add %arg59, %92 : tensor<16x3x2x8xf32>
      %99 = stablehlo.add %arg60, %54 : tensor<16x32xf32>
      mpmd.return %95, %96, %97, %98, %99 : tensor<32x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m0", tensor<4x8x1xi32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %39:5 = mpmd.fragment<mesh="m2", origin=["stage2"(1)], stage=2> (%28#1, %arg11, %28#2, %28#3, %28#4, %28#5, %28#6, %28#7, %28#8, %28#9, %arg10, %28#10, %arg12, %28#11, %28#12, %28#13, %arg9, %32, %34#1, %34#2, %34#3, %34#4) {call_counter = 2 : ui32} (%arg37: tensor<4x8x16xf32>, %arg38: tensor<16x3x2x8xf32>, %arg39: tensor<4x2x8x8xf32>, %arg40: tensor<4x2x8x8xf32>, %arg41: tensor<4x2x8x8xi1>, %arg42: tensor<4x2x8x8xf32>, %arg43: tensor<4x2x8x1xf32>, %arg44: tensor<4x2x8x1xf32>, %arg45: tensor<4x2x8x8xf32>, %arg46: tensor<4x2x8x8xf32>, %arg47: tensor<2x8x16xf32>, %arg48: tensor<4x2x8x8xf32>, %arg49: tensor<16x32xf32>, %arg50: tensor<4x8x16xf32>, %arg51: tensor<4x8x32xf32>, %arg52: tensor<4x8x32xf32>, %arg53: tensor<32x16xf32>, %arg54: tensor<4x8x16xf32>, %arg55: tensor<32x16xf32>, %arg56: tensor<2x8x16xf32>, %arg57: tensor<16x3x2x8xf32>, %arg58: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x8x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %47 = stablehlo.dot_general %arg54, %arg51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
      %48 = stablehlo.transpose %47, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
      %49 = stablehlo.dot_general %arg54, %arg53, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %50 = stablehlo.multiply %49, %arg52 : tensor<4x8x32xf32>
      %51 = stablehlo.multiply %50, %arg51 : tensor<4x8x32xf32>
      %52 = stablehlo.add %50, %51 : tensor<4x8x32xf32>
      %53 = stablehlo.dot_general %52, %arg50, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %54 = stablehlo.transpose %53, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
      %55 = stablehlo.dot_general %52, %arg49, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
      %56 = stablehlo.add %arg54, %55 : tensor<4x8x16xf32>
      %57 = stablehlo.dot_general %56, %arg48, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x2x8x8xf32>) -> tensor<16x2x8xf32>
      %58 = stablehlo.transpose %57, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
      %59 = stablehlo.dot_general %56, %arg47, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<2x8x16xf32>) -> tensor<4x8x2x8xf32>
      %60 = stablehlo.transpose %59, dims = [0, 2, 1, 3] : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
      %61 = stablehlo.dot_general %60, %arg46, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %62 = stablehlo.transpose %61, dims = [0, 1, 3, 2] : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %63 = stablehlo.dot_general %60, %arg45, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %64 = stablehlo.broadcast_in_dim %arg44, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %65 = stablehlo.multiply %63, %64 : tensor<4x2x8x8xf32>
      %66 = stablehlo.multiply %65, %arg42 : tensor<4x2x8x8xf32>
      %67 = stablehlo.reduce(%66 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %68 = stablehlo.reshape %67 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %69 = stablehlo.negate %68 : tensor<4x2x8x1xf32>
      %70 = stablehlo.broadcast_in_dim %arg43, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %71 = stablehlo.divide %63, %70 : tensor<4x2x8x8xf32>
      %72 = stablehlo.reduce(%69 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x1xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.add %71, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %74, %arg42 : tensor<4x2x8x8xf32>
      %76 = stablehlo.select %arg41, %75, %cst_0 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %77 = stablehlo.divide %76, %cst : tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg40, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %79 = stablehlo.dot_general %77, %arg39, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %80 = stablehlo.reshape %62 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %81 = stablehlo.pad %80, %cst_1, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %82 = stablehlo.reshape %78 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %83 = stablehlo.pad %82, %cst_1, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %84 = stablehlo.add %81, %83 : tensor<3x4x2x8x8xf32>
      %85 = stablehlo.reshape %79 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %86 = stablehlo.pad %85, %cst_1, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %87 = stablehlo.add %84, %86 : tensor<3x4x2x8x8xf32>
      %88 = stablehlo.transpose %87, dims = [0, 2, 4, 1, 3] : (tensor<3x4x2x8x8xf32>) -> tensor<3x2x8x4x8xf32>
      %89 = stablehlo.dot_general %88, %arg38, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<16x3x2x8xf32>) -> tensor<4x8x16xf32>
      %90 = stablehlo.add %56, %89 : tensor<4x8x16xf32>
      %91 = stablehlo.dot_general %88, %arg37, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x16xf32>
      %92 = stablehlo.transpose %91, dims = [3, 0, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<16x3x2x8xf32>
      %93 = sdy.sharding_constraint %90 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %94 = stablehlo.add %arg55, %48 : tensor<32x16xf32>
      %95 = stablehlo.add %arg56, %58 : tensor<2x8x16xf32>
      %96 = stablehlo.add %arg57, %92 : tensor<16x3x2x8xf32>
      %97 = stablehlo.add %arg58, %54 : tensor<16x32xf32>
      mpmd.return %93, %94, %95, %96, %97 : tensor<4x8x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %40 = mpmd.transfer %39#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %41:5 = mpmd.fragment<mesh="m1", origin=["stage1"(1)], stage=1> (%21#1, %arg7, %21#2, %21#3, %21#4, %21#5, %21#6, %21#7, %21#8, %21#9, %arg6, %21#10, %arg8, %21#11, %21#12, %21#13, %arg5, %40, %36#1, %36#2, %36#3, %36#4) {call_counter = 2 : ui32} (%arg37: tensor<4x8x16xf32>, %arg38: tensor<16x3x2x8xf32>, %arg39: tensor<4x2x8x8xf32>, %arg40: tensor<4x2x8x8xf32>, %arg41: tensor<4x2x8x8xi1>, %arg42: tensor<4x2x8x8xf32>, %arg43: tensor<4x2x8x1xf32>, %arg44: tensor<4x2x8x1xf32>, %arg45: tensor<4x2x8x8xf32>, %arg46: tensor<4x2x8x8xf32>, %arg47: tensor<2x8x16xf32>, %arg48: tensor<4x2x8x8xf32>, %arg49: tensor<16x32xf32>, %arg50: tensor<4x8x16xf32>, %arg51: tensor<4x8x32xf32>, %arg52: tensor<4x8x32xf32>, %arg53: tensor<32x16xf32>, %arg54: tensor<4x8x16xf32>, %arg55: tensor<32x16xf32>, %arg56: tensor<2x8x16xf32>, %arg57: tensor<16x3x2x8xf32>, %arg58: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x8x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %47 = stablehlo.dot_general %arg54, %arg51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
      %48 = stablehlo.transpose %47, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
      %49 = stablehlo.dot_general %arg54, %arg53, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %50 = stablehlo.multiply %49, %arg52 : tensor<4x8x32xf32>
      %51 = stablehlo.multiply %50, %arg51 : tensor<4x8x32xf32>
      %52 = stablehlo.add %50, %51 : tensor<4x8x32xf32>
      %53 = stablehlo.dot_general %52, %arg50, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %54 = stablehlo.transpose %53, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
      %55 = stablehlo.dot_general %52, %arg49, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
      %56 = stablehlo.add %arg54, %55 : tensor<4x8x16xf32>
      %57 = stablehlo.dot_general %56, %arg48, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x2x8x8xf32>) -> tensor<16x2x8xf32>
      %58 = stablehlo.transpose %57, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
      %59 = stablehlo.dot_general %56, %arg47, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<2x8x16xf32>) -> tensor<4x8x2x8xf32>
      %60 = stablehlo.transpose %59, dims = [0, 2, 1, 3] : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
      %61 = stablehlo.dot_general %60, %arg46, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %62 = stablehlo.transpose %61, dims = [0, 1, 3, 2] : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %63 = stablehlo.dot_general %60, %arg45, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %64 = stablehlo.broadcast_in_dim %arg44, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %65 = stablehlo.multiply %63, %64 : tensor<4x2x8x8xf32>
      %66 = stablehlo.multiply %65, %arg42 : tensor<4x2x8x8xf32>
      %67 = stablehlo.reduce(%66 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %68 = stablehlo.reshape %67 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %69 = stablehlo.negate %68 : tensor<4x2x8x1xf32>
      %70 = stablehlo.broadcast_in_dim %arg43, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %71 = stablehlo.divide %63, %70 : tensor<4x2x8x8xf32>
      %72 = stablehlo.reduce(%69 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x1xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.add %71, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %74, %arg42 : tensor<4x2x8x8xf32>
      %76 = stablehlo.select %arg41, %75, %cst_0 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %77 = stablehlo.divide %76, %cst : tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg40, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %79 = stablehlo.dot_general %77, %arg39, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %80 = stablehlo.reshape %62 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %81 = stablehlo.pad %80, %cst_1, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %82 = stablehlo.reshape %78 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %83 = stablehlo.pad %82, %cst_1, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %84 = stablehlo.add %81, %83 : tensor<3x4x2x8x8xf32>
      %85 = stablehlo.reshape %79 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %86 = stablehlo.pad %85, %cst_1, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %87 = stablehlo.add %84, %86 : tensor<3x4x2x8x8xf32>
      %88 = stablehlo.transpose %87, dims = [0, 2, 4, 1, 3] : (tensor<3x4x2x8x8xf32>) -> tensor<3x2x8x4x8xf32>
      %89 = stablehlo.dot_general %88, %arg38, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<16x3x2x8xf32>) -> tensor<4x8x16xf32>
      %90 = stablehlo.add %56, %89 : tensor<4x8x16xf32>
      %91 = stablehlo.dot_general %88, %arg37, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x16xf32>
      %92 = stablehlo.transpose %91, dims = [3, 0, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<16x3x2x8xf32>
      %93 = sdy.sharding_constraint %90 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %94 = stablehlo.add %arg55, %48 : tensor<32x16xf32>
      %95 = stablehlo.add %arg56, %58 : tensor<2x8x16xf32>
      %96 = stablehlo.add %arg57, %92 : tensor<16x3x2x8xf32>
      %97 = stablehlo.add %arg58, %54 : tensor<16x32xf32>
      mpmd.return %93, %94, %95, %96, %97 : tensor<4x8x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %42 = mpmd.transfer %41#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>) -> !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>
    %43:5 = mpmd.fragment<mesh="m0", origin=["stage0"(1)], stage=0> (%19#1, %19#2, %arg3, %19#3, %19#4, %19#5, %19#6, %19#7, %19#8, %19#9, %19#10, %arg2, %19#11, %arg4, %19#12, %19#13, %19#14, %arg1, %42, %38#0, %38#1, %38#2, %38#3, %38#4) {call_counter = 2 : ui32} (%arg37: tensor<4x8x1xi32>, %arg38: tensor<4x8x16xf32>, %arg39: tensor<16x3x2x8xf32>, %arg40: tensor<4x2x8x8xf32>, %arg41: tensor<4x2x8x8xf32>, %arg42: tensor<4x2x8x8xi1>, %arg43: tensor<4x2x8x8xf32>, %arg44: tensor<4x2x8x1xf32>, %arg45: tensor<4x2x8x1xf32>, %arg46: tensor<4x2x8x8xf32>, %arg47: tensor<4x2x8x8xf32>, %arg48: tensor<2x8x16xf32>, %arg49: tensor<4x2x8x8xf32>, %arg50: tensor<16x32xf32>, %arg51: tensor<4x8x16xf32>, %arg52: tensor<4x8x32xf32>, %arg53: tensor<4x8x32xf32>, %arg54: tensor<32x16xf32>, %arg55: tensor<4x8x16xf32>, %arg56: tensor<32x16xf32>, %arg57: tensor<32x16xf32>, %arg58: tensor<2x8x16xf32>, %arg59: tensor<16x3x2x8xf32>, %arg60: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<32x16xf32>
      %cst_0 = stablehlo.constant dense<2.82842708> : tensor<4x2x8x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x8x8xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %47 = stablehlo.dot_general %arg55, %arg52, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
      %48 = stablehlo.transpose %47, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
      %49 = stablehlo.dot_general %arg55, %arg54, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<32x16xf32>) -> tensor<4x8x32xf32>
      %50 = stablehlo.multiply %49, %arg53 : tensor<4x8x32xf32>
      %51 = stablehlo.multiply %50, %arg52 : tensor<4x8x32xf32>
      %52 = stablehlo.add %50, %51 : tensor<4x8x32xf32>
      %53 = stablehlo.dot_general %52, %arg51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %54 = stablehlo.transpose %53, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
      %55 = stablehlo.dot_general %52, %arg50, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
      %56 = stablehlo.add %arg55, %55 : tensor<4x8x16xf32>
      %57 = stablehlo.dot_general %56, %arg49, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x2x8x8xf32>) -> tensor<16x2x8xf32>
      %58 = stablehlo.transpose %57, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
      %59 = stablehlo.dot_general %56, %arg48, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<2x8x16xf32>) -> tensor<4x8x2x8xf32>
      %60 = stablehlo.transpose %59, dims = [0, 2, 1, 3] : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
      %61 = stablehlo.dot_general %60, %arg47, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %62 = stablehlo.transpose %61, dims = [0, 1, 3, 2] : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %63 = stablehlo.dot_general %60, %arg46, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %64 = stablehlo.broadcast_in_dim %arg45, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %65 = stablehlo.multiply %63, %64 : tensor<4x2x8x8xf32>
      %66 = stablehlo.multiply %65, %arg43 : tensor<4x2x8x8xf32>
      %67 = stablehlo.reduce(%66 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x8xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %68 = stablehlo.reshape %67 : (tensor<4x2x8xf32>) -> tensor<4x2x8x1xf32>
      %69 = stablehlo.negate %68 : tensor<4x2x8x1xf32>
      %70 = stablehlo.broadcast_in_dim %arg44, dims = [0, 1, 2, 3] : (tensor<4x2x8x1xf32>) -> tensor<4x2x8x8xf32>
      %71 = stablehlo.divide %63, %70 : tensor<4x2x8x8xf32>
      %72 = stablehlo.reduce(%69 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<4x2x8x1xf32>, tensor<f32>) -> tensor<4x2x8xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2] : (tensor<4x2x8xf32>) -> tensor<4x2x8x8xf32>
      %74 = stablehlo.add %71, %73 : tensor<4x2x8x8xf32>
      %75 = stablehlo.multiply %74, %arg43 : tensor<4x2x8x8xf32>
      %76 = stablehlo.select %arg42, %75, %cst_1 : tensor<4x2x8x8xi1>, tensor<4x2x8x8xf32>
      %77 = stablehlo.divide %76, %cst_0 : tensor<4x2x8x8xf32>
      %78 = stablehlo.dot_general %77, %arg41, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %79 = stablehlo.dot_general %77, %arg40, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8x8xf32>, tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
      %80 = stablehlo.reshape %62 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %81 = stablehlo.pad %80, %cst_2, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %82 = stablehlo.reshape %78 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %83 = stablehlo.pad %82, %cst_2, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %84 = stablehlo.add %81, %83 : tensor<3x4x2x8x8xf32>
      %85 = stablehlo.reshape %79 : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
      %86 = stablehlo.pad %85, %cst_2, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x2x8x8xf32>, tensor<f32>) -> tensor<3x4x2x8x8xf32>
      %87 = stablehlo.add %84, %86 : tensor<3x4x2x8x8xf32>
      %88 = stablehlo.transpose %87, dims = [0, 2, 4, 1, 3] : (tensor<3x4x2x8x8xf32>) -> tensor<3x2x8x4x8xf32>
      %89 = stablehlo.dot_general %88, %arg39, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<16x3x2x8xf32>) -> tensor<4x8x16xf32>
      %90 = stablehlo.add %56, %89 : tensor<4x8x16xf32>
      %91 = stablehlo.dot_general %88, %arg38, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x2x8x4x8xf32>, tensor<4x8x16xf32>) -> tensor<3x2x8x16xf32>
      %92 = stablehlo.transpose %91, dims = [3, 0, 1, 2] : (tensor<3x2x8x16xf32>) -> tensor<16x3x2x8xf32>
      %93 = sdy.sharding_constraint %90 <@mesh, [{"data"}, {}, {}]> : tensor<4x8x16xf32>
      %94 = "stablehlo.scatter"(%cst, %arg37, %93) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
      ^bb0(%arg61: tensor<f32>, %arg62: tensor<f32>):
        %100 = stablehlo.add %arg61, %arg62 : tensor<f32>
        stablehlo.return %100 : tensor<f32>
      }) : (tensor<32x16xf32>, tensor<4x8x1xi32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
      %95 = stablehlo.add %arg56, %94 : tensor<32x16xf32>
      %96 = stablehlo.add %arg57, %48 : tensor<32x16xf32>
      %97 = stablehlo.add %arg58, %58 : tensor<2x8x16xf32>
      %98 = stablehlo.add %arg59, %92 : tensor<16x3x2x8xf32>
      %99 = stablehlo.add %arg60, %54 : tensor<16x32xf32>
      mpmd.return %95, %96, %97, %98, %99 : tensor<32x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m0", tensor<4x8x1xi32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xi1>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x1xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x2x8x8xf32>, sharding=<@mesh, [{"data"}, {"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x32xf32>, sharding=<@mesh, [{"data"}, {}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<4x8x16xf32>, sharding=<@mesh, [{"data"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %44:10 = mpmd.fragment<mesh="m0", origin=["update0"]> (%arg0, %arg1, %arg2, %arg3, %arg4, %arg18, %arg19, %arg20, %arg21, %arg22, %43#0, %43#1, %43#2, %43#3, %43#4) (%arg37: tensor<32x16xf32>, %arg38: tensor<32x16xf32>, %arg39: tensor<2x8x16xf32>, %arg40: tensor<16x3x2x8xf32>, %arg41: tensor<16x32xf32>, %arg42: tensor<32x16xf32>, %arg43: tensor<32x16xf32>, %arg44: tensor<2x8x16xf32>, %arg45: tensor<16x3x2x8xf32>, %arg46: tensor<16x32xf32>, %arg47: tensor<32x16xf32>, %arg48: tensor<32x16xf32>, %arg49: tensor<2x8x16xf32>, %arg50: tensor<16x3x2x8xf32>, %arg51: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<0.00999999977> : tensor<16x32xf32>
      %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<16x3x2x8xf32>
      %cst_1 = stablehlo.constant dense<0.00999999977> : tensor<2x8x16xf32>
      %cst_2 = stablehlo.constant dense<0.00999999977> : tensor<32x16xf32>
      %cst_3 = stablehlo.constant dense<0.899999976> : tensor<16x32xf32>
      %cst_4 = stablehlo.constant dense<0.899999976> : tensor<16x3x2x8xf32>
      %cst_5 = stablehlo.constant dense<0.899999976> : tensor<2x8x16xf32>
      %cst_6 = stablehlo.constant dense<0.899999976> : tensor<32x16xf32>
      %47 = stablehlo.multiply %arg42, %cst_6 : tensor<32x16xf32>
      %48 = stablehlo.add %47, %arg47 : tensor<32x16xf32>
      %49 = stablehlo.multiply %arg43, %cst_6 : tensor<32x16xf32>
      %50 = stablehlo.add %49, %arg48 : tensor<32x16xf32>
      %51 = stablehlo.multiply %arg44, %cst_5 : tensor<2x8x16xf32>
      %52 = stablehlo.add %51, %arg49 : tensor<2x8x16xf32>
      %53 = stablehlo.multiply %arg45, %cst_4 : tensor<16x3x2x8xf32>
      %54 = stablehlo.add %53, %arg50 : tensor<16x3x2x8xf32>
      %55 = stablehlo.multiply %arg46, %cst_3 : tensor<16x32xf32>
      %56 = stablehlo.add %55, %arg51 : tensor<16x32xf32>
      %57 = stablehlo.multiply %48, %cst_2 : tensor<32x16xf32>
      %58 = stablehlo.subtract %arg37, %57 : tensor<32x16xf32>
      %59 = stablehlo.multiply %50, %cst_2 : tensor<32x16xf32>
      %60 = stablehlo.subtract %arg38, %59 : tensor<32x16xf32>
      %61 = stablehlo.multiply %52, %cst_1 : tensor<2x8x16xf32>
      %62 = stablehlo.subtract %arg39, %61 : tensor<2x8x16xf32>
      %63 = stablehlo.multiply %54, %cst_0 : tensor<16x3x2x8xf32>
      %64 = stablehlo.subtract %arg40, %63 : tensor<16x3x2x8xf32>
      %65 = stablehlo.multiply %56, %cst : tensor<16x32xf32>
      %66 = stablehlo.subtract %arg41, %65 : tensor<16x32xf32>
      mpmd.return %58, %60, %62, %64, %66, %48, %50, %52, %54, %56 : tensor<32x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %45:8 = mpmd.fragment<mesh="m1", origin=["update1"]> (%arg5, %arg6, %arg7, %arg8, %arg23, %arg24, %arg25, %arg26, %41#1, %41#2, %41#3, %41#4) (%arg37: tensor<32x16xf32>, %arg38: tensor<2x8x16xf32>, %arg39: tensor<16x3x2x8xf32>, %arg40: tensor<16x32xf32>, %arg41: tensor<32x16xf32>, %arg42: tensor<2x8x16xf32>, %arg43: tensor<16x3x2x8xf32>, %arg44: tensor<16x32xf32>, %arg45: tensor<32x16xf32>, %arg46: tensor<2x8x16xf32>, %arg47: tensor<16x3x2x8xf32>, %arg48: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<0.00999999977> : tensor<16x32xf32>
      %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<16x3x2x8xf32>
      %cst_1 = stablehlo.constant dense<0.00999999977> : tensor<2x8x16xf32>
      %cst_2 = stablehlo.constant dense<0.00999999977> : tensor<32x16xf32>
      %cst_3 = stablehlo.constant dense<0.899999976> : tensor<16x32xf32>
      %cst_4 = stablehlo.constant dense<0.899999976> : tensor<16x3x2x8xf32>
      %cst_5 = stablehlo.constant dense<0.899999976> : tensor<2x8x16xf32>
      %cst_6 = stablehlo.constant dense<0.899999976> : tensor<32x16xf32>
      %47 = stablehlo.multiply %arg41, %cst_6 : tensor<32x16xf32>
      %48 = stablehlo.add %47, %arg45 : tensor<32x16xf32>
      %49 = stablehlo.multiply %arg42, %cst_5 : tensor<2x8x16xf32>
      %50 = stablehlo.add %49, %arg46 : tensor<2x8x16xf32>
      %51 = stablehlo.multiply %arg43, %cst_4 : tensor<16x3x2x8xf32>
      %52 = stablehlo.add %51, %arg47 : tensor<16x3x2x8xf32>
      %53 = stablehlo.multiply %arg44, %cst_3 : tensor<16x32xf32>
      %54 = stablehlo.add %53, %arg48 : tensor<16x32xf32>
      %55 = stablehlo.multiply %48, %cst_2 : tensor<32x16xf32>
      %56 = stablehlo.subtract %arg37, %55 : tensor<32x16xf32>
      %57 = stablehlo.multiply %50, %cst_1 : tensor<2x8x16xf32>
      %58 = stablehlo.subtract %arg38, %57 : tensor<2x8x16xf32>
      %59 = stablehlo.multiply %52, %cst_0 : tensor<16x3x2x8xf32>
      %60 = stablehlo.subtract %arg39, %59 : tensor<16x3x2x8xf32>
      %61 = stablehlo.multiply %54, %cst : tensor<16x32xf32>
      %62 = stablehlo.subtract %arg40, %61 : tensor<16x32xf32>
      mpmd.return %56, %58, %60, %62, %48, %50, %52, %54 : tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %46:8 = mpmd.fragment<mesh="m2", origin=["update2"]> (%arg9, %arg10, %arg11, %arg12, %arg27, %arg28, %arg29, %arg30, %39#1, %39#2, %39#3, %39#4) (%arg37: tensor<32x16xf32>, %arg38: tensor<2x8x16xf32>, %arg39: tensor<16x3x2x8xf32>, %arg40: tensor<16x32xf32>, %arg41: tensor<32x16xf32>, %arg42: tensor<2x8x16xf32>, %arg43: tensor<16x3x2x8xf32>, %arg44: tensor<16x32xf32>, %arg45: tensor<32x16xf32>, %arg46: tensor<2x8x16xf32>, %arg47: tensor<16x3x2x8xf32>, %arg48: tensor<16x32xf32>) {
      %cst = stablehlo.constant dense<0.00999999977> : tensor<16x32xf32>
      %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<16x3x2x8xf32>
      %cst_1 = stablehlo.constant dense<0.00999999977> : tensor<2x8x16xf32>
      %cst_2 = stablehlo.constant dense<0.00999999977> : tensor<32x16xf32>
      %cst_3 = stablehlo.constant dense<0.899999976> : tensor<16x32xf32>
      %cst_4 = stablehlo.constant dense<0.899999976> : tensor<16x3x2x8xf32>
      %cst_5 = stablehlo.constant dense<0.899999976> : tensor<2x8x16xf32>
      %cst_6 = stablehlo.constant dense<0.899999976> : tensor<32x16xf32>
      %47 = stablehlo.multiply %arg41, %cst_6 : tensor<32x16xf32>
      %48 = stablehlo.add %47, %arg45 : tensor<32x16xf32>
      %49 = stablehlo.multiply %arg42, %cst_5 : tensor<2x8x16xf32>
      %50 = stablehlo.add %49, %arg46 : tensor<2x8x16xf32>
      %51 = stablehlo.multiply %arg43, %cst_4 : tensor<16x3x2x8xf32>
      %52 = stablehlo.add %51, %arg47 : tensor<16x3x2x8xf32>
      %53 = stablehlo.multiply %arg44, %cst_3 : tensor<16x32xf32>
      %54 = stablehlo.add %53, %arg48 : tensor<16x32xf32>
      %55 = stablehlo.multiply %48, %cst_2 : tensor<32x16xf32>
      %56 = stablehlo.subtract %arg37, %55 : tensor<32x16xf32>
      %57 = stablehlo.multiply %50, %cst_1 : tensor<2x8x16xf32>
      %58 = stablehlo.subtract %arg38, %57 : tensor<2x8x16xf32>
      %59 = stablehlo.multiply %52, %cst_0 : tensor<16x3x2x8xf32>
      %60 = stablehlo.subtract %arg39, %59 : tensor<16x3x2x8xf32>
      %61 = stablehlo.multiply %54, %cst : tensor<16x32xf32>
      %62 = stablehlo.subtract %arg40, %61 : tensor<16x32xf32>
      mpmd.return %56, %58, %60, %62, %48, %50, %52, %54 : tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<2x8x16xf32>, tensor<16x3x2x8xf32>, tensor<16x32xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    return %44#0, %44#1, %44#2, %44#3, %44#4, %45#0, %45#1, %45#2, %45#3, %46#0, %46#1, %46#2, %46#3, %33#0, %33#1, %33#2, %33#3, %33#4, %44#5, %44#6, %44#7, %44#8, %44#9, %45#4, %45#5, %45#6, %45#7, %46#4, %46#5, %46#6, %46#7, %33#5, %33#6, %33#7, %33#8, %33#9, %30#17 : !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m0", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<2x8x16xf32>, sharding=<@mesh, [{"model"}, {}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x3x2x8xf32>, sharding=<@mesh, [{}, {}, {"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<16x32xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m3", tensor<32x16xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m3", tensor<f32>, sharding=<@mesh, []>>
  }
}
