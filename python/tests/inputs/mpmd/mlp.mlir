// Lowered by JAX 0.10.2; written by generate.py.
module @jit_training_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg1: !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true}, %arg2: !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg3: !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true}, %arg4: !mpmd.mesh_tensor<"m1", tensor<4x4x8xf32>, sharding=<@mesh, [{}, {"data"}, {}]>>, %arg5: !mpmd.mesh_tensor<"m2", tensor<4x4x8xf32>, sharding=<@mesh, [{}, {"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[0]['f1']['down']"}, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[0]['f1']['up']"}, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[0]['f2']['down']"}, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[0]['f2']['up']"}, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>> {jax.result_info = "result[1]"}) attributes {topology = #mpmd.topology<<"m1" : <["data"=2, "model"=2]>>, <"m2" : <["data"=2, "model"=2]>>>} {
    %0:9 = mpmd.fragment<mesh="m1", origin=["f1"]> (%arg4, %arg0, %arg1) {call_counter = 0 : ui32} (%arg6: tensor<4x4x8xf32>, %arg7: tensor<16x8xf32>, %arg8: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<16x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<8x16xf32>
      %24 = stablehlo.slice %arg6 [0:1, 0:4, 0:8] : (tensor<4x4x8xf32>) -> tensor<1x4x8xf32>
      %25 = stablehlo.reshape %24 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %26 = stablehlo.slice %arg6 [1:2, 0:4, 0:8] : (tensor<4x4x8xf32>) -> tensor<1x4x8xf32>
      %27 = stablehlo.reshape %26 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %28 = stablehlo.slice %arg6 [2:3, 0:4, 0:8] : (tensor<4x4x8xf32>) -> tensor<1x4x8xf32>
      %29 = stablehlo.reshape %28 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %30 = stablehlo.slice %arg6 [3:4, 0:4, 0:8] : (tensor<4x4x8xf32>) -> tensor<1x4x8xf32>
      %31 = stablehlo.reshape %30 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %32 = stablehlo.dot_general %25, %arg8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %33 = stablehlo.tanh %32 : tensor<4x16xf32>
      %34 = stablehlo.subtract %cst, %33 : tensor<4x16xf32>
      %35 = stablehlo.dot_general %33, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %36 = stablehlo.add %25, %35 : tensor<4x8xf32>
      mpmd.return %cst_0, %cst_1, %25, %27, %29, %31, %36, %33, %34 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x4x8xf32>, sharding=<@mesh, [{}, {"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>)
    %1 = mpmd.transfer %0#6 : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %2:9 = mpmd.fragment<mesh="m2", origin=["f2"]> (%arg5, %arg2, %arg3, %1) {call_counter = 0 : ui32} (%arg6: tensor<4x4x8xf32>, %arg7: tensor<16x8xf32>, %arg8: tensor<8x16xf32>, %arg9: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<16x8xf32>
      %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<8x16xf32>
      %24 = stablehlo.slice %arg6 [0:1, 0:4, 0:8] : (tensor<4x4x8xf32>) -> tensor<1x4x8xf32>
      %25 = stablehlo.reshape %24 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %26 = stablehlo.slice %arg6 [1:2, 0:4, 0:8] : (tensor<4x4x8xf32>) -> tensor<1x4x8xf32>
      %27 = stablehlo.reshape %26 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %28 = stablehlo.slice %arg6 [2:3, 0:4, 0:8] : (tensor<4x4x8xf32>) -> tensor<1x4x8xf32>
      %29 = stablehlo.reshape %28 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %30 = stablehlo.slice %arg6 [3:4, 0:4, 0:8] : (tensor<4x4x8xf32>) -> tensor<1x4x8xf32>
      %31 = stablehlo.reshape %30 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %32 = stablehlo.dot_general %arg9, %arg8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %33 = stablehlo.tanh %32 : tensor<4x16xf32>
      %34 = stablehlo.subtract %cst_0, %33 : tensor<4x16xf32>
      %35 = stablehlo.dot_general %33, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %36 = stablehlo.add %arg9, %35 : tensor<4x8xf32>
      %37 = stablehlo.subtract %36, %25 : tensor<4x8xf32>
      %38 = stablehlo.multiply %37, %37 : tensor<4x8xf32>
      %39 = stablehlo.multiply %37, %cst_1 : tensor<4x8xf32>
      %40 = stablehlo.reduce(%38 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %41 = stablehlo.divide %40, %cst : tensor<f32>
      mpmd.return %cst_3, %cst_4, %27, %29, %31, %33, %34, %39, %41 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m2", tensor<4x4x8xf32>, sharding=<@mesh, [{}, {"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>)
    %3:3 = mpmd.fragment<mesh="m2", origin=["f2"(1)]> (%arg3, %1, %2#5, %2#6, %arg2, %2#7, %2#0, %2#1) {call_counter = 0 : ui32} (%arg6: tensor<8x16xf32>, %arg7: tensor<4x8xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<4x16xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<4x8xf32>, %arg12: tensor<16x8xf32>, %arg13: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<3.125000e-02> : tensor<4x8xf32>
      %24 = stablehlo.multiply %arg11, %cst : tensor<4x8xf32>
      %25 = stablehlo.dot_general %24, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %26 = stablehlo.transpose %25, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %27 = stablehlo.dot_general %24, %arg10, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %28 = stablehlo.multiply %27, %arg9 : tensor<4x16xf32>
      %29 = stablehlo.multiply %28, %arg8 : tensor<4x16xf32>
      %30 = stablehlo.add %28, %29 : tensor<4x16xf32>
      %31 = stablehlo.dot_general %30, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %32 = stablehlo.transpose %31, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %33 = stablehlo.dot_general %30, %arg6, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
      %34 = stablehlo.add %24, %33 : tensor<4x8xf32>
      %35 = stablehlo.add %arg12, %26 : tensor<16x8xf32>
      %36 = stablehlo.add %arg13, %32 : tensor<8x16xf32>
      mpmd.return %34, %35, %36 : tensor<4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %4 = mpmd.transfer %3#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %5:2 = mpmd.fragment<mesh="m1", origin=["f1"(1)]> (%0#2, %0#7, %0#8, %arg0, %4, %0#0, %0#1) {call_counter = 0 : ui32} (%arg6: tensor<4x8xf32>, %arg7: tensor<4x16xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<16x8xf32>, %arg10: tensor<4x8xf32>, %arg11: tensor<16x8xf32>, %arg12: tensor<8x16xf32>) {
      %24 = stablehlo.dot_general %arg10, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %25 = stablehlo.transpose %24, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %26 = stablehlo.dot_general %arg10, %arg9, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %27 = stablehlo.multiply %26, %arg8 : tensor<4x16xf32>
      %28 = stablehlo.multiply %27, %arg7 : tensor<4x16xf32>
      %29 = stablehlo.add %27, %28 : tensor<4x16xf32>
      %30 = stablehlo.dot_general %29, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %31 = stablehlo.transpose %30, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %32 = stablehlo.add %arg11, %25 : tensor<16x8xf32>
      %33 = stablehlo.add %arg12, %31 : tensor<8x16xf32>
      mpmd.return %32, %33 : tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %6:3 = mpmd.fragment<mesh="m1", origin=["f1"]> (%arg0, %arg1, %0#3) {call_counter = 1 : ui32} (%arg6: tensor<16x8xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %24 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %25 = stablehlo.tanh %24 : tensor<4x16xf32>
      %26 = stablehlo.subtract %cst, %25 : tensor<4x16xf32>
      %27 = stablehlo.dot_general %25, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %28 = stablehlo.add %arg8, %27 : tensor<4x8xf32>
      mpmd.return %28, %25, %26 : tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>)
    %7 = mpmd.transfer %6#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %8:4 = mpmd.fragment<mesh="m2", origin=["f2"]> (%arg2, %arg3, %7, %2#2, %2#8) {call_counter = 1 : ui32} (%arg6: tensor<16x8xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<4x8xf32>, %arg9: tensor<4x8xf32>, %arg10: tensor<f32>) {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %24 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %25 = stablehlo.tanh %24 : tensor<4x16xf32>
      %26 = stablehlo.subtract %cst_0, %25 : tensor<4x16xf32>
      %27 = stablehlo.dot_general %25, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %28 = stablehlo.add %arg8, %27 : tensor<4x8xf32>
      %29 = stablehlo.subtract %28, %arg9 : tensor<4x8xf32>
      %30 = stablehlo.multiply %29, %29 : tensor<4x8xf32>
      %31 = stablehlo.multiply %29, %cst : tensor<4x8xf32>
      %32 = stablehlo.reduce(%30 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %33 = stablehlo.divide %32, %cst_1 : tensor<f32>
      %34 = stablehlo.add %arg10, %33 : tensor<f32>
      mpmd.return %25, %26, %31, %34 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>)
    %9:3 = mpmd.fragment<mesh="m2", origin=["f2"(1)]> (%arg3, %7, %8#0, %8#1, %arg2, %8#2, %3#1, %3#2) {call_counter = 1 : ui32} (%arg6: tensor<8x16xf32>, %arg7: tensor<4x8xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<4x16xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<4x8xf32>, %arg12: tensor<16x8xf32>, %arg13: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<3.125000e-02> : tensor<4x8xf32>
      %24 = stablehlo.multiply %arg11, %cst : tensor<4x8xf32>
      %25 = stablehlo.dot_general %24, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %26 = stablehlo.transpose %25, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %27 = stablehlo.dot_general %24, %arg10, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %28 = stablehlo.multiply %27, %arg9 : tensor<4x16xf32>
      %29 = stablehlo.multiply %28, %arg8 : tensor<4x16xf32>
      %30 = stablehlo.add %28, %29 : tensor<4x16xf32>
      %31 = stablehlo.dot_general %30, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %32 = stablehlo.transpose %31, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %33 = stablehlo.dot_general %30, %arg6, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
      %34 = stablehlo.add %24, %33 : tensor<4x8xf32>
      %35 = stablehlo.add %arg12, %26 : tensor<16x8xf32>
      %36 = stablehlo.add %arg13, %32 : tensor<8x16xf32>
      mpmd.return %34, %35, %36 : tensor<4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %10 = mpmd.transfer %9#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %11:2 = mpmd.fragment<mesh="m1", origin=["f1"(1)]> (%0#3, %6#1, %6#2, %arg0, %10, %5#0, %5#1) {call_counter = 1 : ui32} (%arg6: tensor<4x8xf32>, %arg7: tensor<4x16xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<16x8xf32>, %arg10: tensor<4x8xf32>, %arg11: tensor<16x8xf32>, %arg12: tensor<8x16xf32>) {
      %24 = stablehlo.dot_general %arg10, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %25 = stablehlo.transpose %24, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %26 = stablehlo.dot_general %arg10, %arg9, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %27 = stablehlo.multiply %26, %arg8 : tensor<4x16xf32>
      %28 = stablehlo.multiply %27, %arg7 : tensor<4x16xf32>
      %29 = stablehlo.add %27, %28 : tensor<4x16xf32>
      %30 = stablehlo.dot_general %29, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %31 = stablehlo.transpose %30, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %32 = stablehlo.add %arg11, %25 : tensor<16x8xf32>
      %33 = stablehlo.add %arg12, %31 : tensor<8x16xf32>
      mpmd.return %32, %33 : tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %12:3 = mpmd.fragment<mesh="m1", origin=["f1"]> (%arg0, %arg1, %0#4) {call_counter = 2 : ui32} (%arg6: tensor<16x8xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %24 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %25 = stablehlo.tanh %24 : tensor<4x16xf32>
      %26 = stablehlo.subtract %cst, %25 : tensor<4x16xf32>
      %27 = stablehlo.dot_general %25, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %28 = stablehlo.add %arg8, %27 : tensor<4x8xf32>
      mpmd.return %28, %25, %26 : tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>)
    %13 = mpmd.transfer %12#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %14:4 = mpmd.fragment<mesh="m2", origin=["f2"]> (%arg2, %arg3, %13, %2#3, %8#3) {call_counter = 2 : ui32} (%arg6: tensor<16x8xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<4x8xf32>, %arg9: tensor<4x8xf32>, %arg10: tensor<f32>) {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %24 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %25 = stablehlo.tanh %24 : tensor<4x16xf32>
      %26 = stablehlo.subtract %cst_0, %25 : tensor<4x16xf32>
      %27 = stablehlo.dot_general %25, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %28 = stablehlo.add %arg8, %27 : tensor<4x8xf32>
      %29 = stablehlo.subtract %28, %arg9 : tensor<4x8xf32>
      %30 = stablehlo.multiply %29, %29 : tensor<4x8xf32>
      %31 = stablehlo.multiply %29, %cst : tensor<4x8xf32>
      %32 = stablehlo.reduce(%30 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %33 = stablehlo.divide %32, %cst_1 : tensor<f32>
      %34 = stablehlo.add %arg10, %33 : tensor<f32>
      mpmd.return %25, %26, %31, %34 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>)
    %15:3 = mpmd.fragment<mesh="m2", origin=["f2"(1)]> (%arg3, %13, %14#0, %14#1, %arg2, %14#2, %9#1, %9#2) {call_counter = 2 : ui32} (%arg6: tensor<8x16xf32>, %arg7: tensor<4x8xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<4x16xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<4x8xf32>, %arg12: tensor<16x8xf32>, %arg13: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<3.125000e-02> : tensor<4x8xf32>
      %24 = stablehlo.multiply %arg11, %cst : tensor<4x8xf32>
      %25 = stablehlo.dot_general %24, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %26 = stablehlo.transpose %25, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %27 = stablehlo.dot_general %24, %arg10, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %28 = stablehlo.multiply %27, %arg9 : tensor<4x16xf32>
      %29 = stablehlo.multiply %28, %arg8 : tensor<4x16xf32>
      %30 = stablehlo.add %28, %29 : tensor<4x16xf32>
      %31 = stablehlo.dot_general %30, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %32 = stablehlo.transpose %31, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %33 = stablehlo.dot_general %30, %arg6, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
      %34 = stablehlo.add %24, %33 : tensor<4x8xf32>
      %35 = stablehlo.add %arg12, %26 : tensor<16x8xf32>
      %36 = stablehlo.add %arg13, %32 : tensor<8x16xf32>
      mpmd.return %34, %35, %36 : tensor<4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %16 = mpmd.transfer %15#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %17:2 = mpmd.fragment<mesh="m1", origin=["f1"(1)]> (%0#4, %12#1, %12#2, %arg0, %16, %11#0, %11#1) {call_counter = 2 : ui32} (%arg6: tensor<4x8xf32>, %arg7: tensor<4x16xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<16x8xf32>, %arg10: tensor<4x8xf32>, %arg11: tensor<16x8xf32>, %arg12: tensor<8x16xf32>) {
      %24 = stablehlo.dot_general %arg10, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %25 = stablehlo.transpose %24, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %26 = stablehlo.dot_general %arg10, %arg9, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %27 = stablehlo.multiply %26, %arg8 : tensor<4x16xf32>
      %28 = stablehlo.multiply %27, %arg7 : tensor<4x16xf32>
      %29 = stablehlo.add %27, %28 : tensor<4x16xf32>
      %30 = stablehlo.dot_general %29, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %31 = stablehlo.transpose %30, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %32 = stablehlo.add %arg11, %25 : tensor<16x8xf32>
      %33 = stablehlo.add %arg12, %31 : tensor<8x16xf32>
      mpmd.return %32, %33 : tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %18:3 = mpmd.fragment<mesh="m1", origin=["f1"]> (%arg0, %arg1, %0#5) {call_counter = 3 : ui32} (%arg6: tensor<16x8xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %24 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %25 = stablehlo.tanh %24 : tensor<4x16xf32>
      %26 = stablehlo.subtract %cst, %25 : tensor<4x16xf32>
      %27 = stablehlo.dot_general %25, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %28 = stablehlo.add %arg8, %27 : tensor<4x8xf32>
      mpmd.return %28, %25, %26 : tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>)
    %19 = mpmd.transfer %18#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %20:4 = mpmd.fragment<mesh="m2", origin=["f2"]> (%arg2, %arg3, %19, %2#4, %14#3) {call_counter = 3 : ui32} (%arg6: tensor<16x8xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<4x8xf32>, %arg9: tensor<4x8xf32>, %arg10: tensor<f32>) {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %24 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %25 = stablehlo.tanh %24 : tensor<4x16xf32>
      %26 = stablehlo.subtract %cst_0, %25 : tensor<4x16xf32>
      %27 = stablehlo.dot_general %25, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %28 = stablehlo.add %arg8, %27 : tensor<4x8xf32>
      %29 = stablehlo.subtract %28, %arg9 : tensor<4x8xf32>
      %30 = stablehlo.multiply %29, %29 : tensor<4x8xf32>
      %31 = stablehlo.multiply %29, %cst : tensor<4x8xf32>
      %32 = stablehlo.reduce(%30 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %33 = stablehlo.divide %32, %cst_1 : tensor<f32>
      %34 = stablehlo.add %arg10, %33 : tensor<f32>
      mpmd.return %25, %26, %31, %34 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>)
    %21:3 = mpmd.fragment<mesh="m2", origin=["f2"(1)]> (%arg3, %19, %20#0, %20#1, %arg2, %20#2, %15#1, %15#2) {call_counter = 3 : ui32} (%arg6: tensor<8x16xf32>, %arg7: tensor<4x8xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<4x16xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<4x8xf32>, %arg12: tensor<16x8xf32>, %arg13: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<0.00999999977> : tensor<8x16xf32>
      %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<16x8xf32>
      %cst_1 = stablehlo.constant dense<3.125000e-02> : tensor<4x8xf32>
      %24 = stablehlo.multiply %arg11, %cst_1 : tensor<4x8xf32>
      %25 = stablehlo.dot_general %24, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %26 = stablehlo.transpose %25, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %27 = stablehlo.dot_general %24, %arg10, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %28 = stablehlo.multiply %27, %arg9 : tensor<4x16xf32>
      %29 = stablehlo.multiply %28, %arg8 : tensor<4x16xf32>
      %30 = stablehlo.add %28, %29 : tensor<4x16xf32>
      %31 = stablehlo.dot_general %30, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %32 = stablehlo.transpose %31, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %33 = stablehlo.dot_general %30, %arg6, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
      %34 = stablehlo.add %24, %33 : tensor<4x8xf32>
      %35 = stablehlo.add %arg12, %26 : tensor<16x8xf32>
      %36 = stablehlo.add %arg13, %32 : tensor<8x16xf32>
      %37 = stablehlo.multiply %35, %cst_0 : tensor<16x8xf32>
      %38 = stablehlo.subtract %arg10, %37 : tensor<16x8xf32>
      %39 = stablehlo.multiply %36, %cst : tensor<8x16xf32>
      %40 = stablehlo.subtract %arg6, %39 : tensor<8x16xf32>
      mpmd.return %34, %38, %40 : tensor<4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %22 = mpmd.transfer %21#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %23:2 = mpmd.fragment<mesh="m1", origin=["f1"(1)]> (%0#5, %18#1, %18#2, %arg0, %22, %17#0, %17#1, %arg1) {call_counter = 3 : ui32} (%arg6: tensor<4x8xf32>, %arg7: tensor<4x16xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<16x8xf32>, %arg10: tensor<4x8xf32>, %arg11: tensor<16x8xf32>, %arg12: tensor<8x16xf32>, %arg13: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<0.00999999977> : tensor<8x16xf32>
      %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<16x8xf32>
      %24 = stablehlo.dot_general %arg10, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %25 = stablehlo.transpose %24, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %26 = stablehlo.dot_general %arg10, %arg9, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %27 = stablehlo.multiply %26, %arg8 : tensor<4x16xf32>
      %28 = stablehlo.multiply %27, %arg7 : tensor<4x16xf32>
      %29 = stablehlo.add %27, %28 : tensor<4x16xf32>
      %30 = stablehlo.dot_general %29, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %31 = stablehlo.transpose %30, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %32 = stablehlo.add %arg11, %25 : tensor<16x8xf32>
      %33 = stablehlo.add %arg12, %31 : tensor<8x16xf32>
      %34 = stablehlo.multiply %32, %cst_0 : tensor<16x8xf32>
      %35 = stablehlo.subtract %arg9, %34 : tensor<16x8xf32>
      %36 = stablehlo.multiply %33, %cst : tensor<8x16xf32>
      %37 = stablehlo.subtract %arg13, %36 : tensor<8x16xf32>
      mpmd.return %35, %37 : tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    return %23#0, %23#1, %21#1, %21#2, %20#3 : !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>
  }
}
