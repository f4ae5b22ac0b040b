// Lowered by JAX 0.10.2; written by generate.py.
module @jit_training_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg1: !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true}, %arg2: !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true}, %arg3: !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true}, %arg4: !mpmd.mesh_tensor<"m1", tensor<3x4x8xf32>, sharding=<@mesh, [{}, {"data"}, {}]>>, %arg5: !mpmd.mesh_tensor<"m2", tensor<3x4x8xf32>, sharding=<@mesh, [{}, {"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[0]['f1']['down']"}, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[0]['f1']['up']"}, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[0]['f2']['down']"}, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[0]['f2']['up']"}, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>> {jax.result_info = "result[1]"}) attributes {topology = #mpmd.topology<<"m1" : <["data"=2, "model"=2]>>, <"m2" : <["data"=2, "model"=2]>>>} {
    %0:3 = mpmd.fragment<mesh="m1", origin=["f1"]> (%arg4, %arg0, %arg1) {call_counter = 0 : ui32} (%arg6: tensor<3x4x8xf32>, %arg7: tensor<16x8xf32>, %arg8: tensor<8x16xf32>) {
      %21 = stablehlo.slice %arg6 [0:1, 0:4, 0:8] : (tensor<3x4x8xf32>) -> tensor<1x4x8xf32>
      %22 = stablehlo.reshape %21 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %23 = stablehlo.slice %arg6 [1:2, 0:4, 0:8] : (tensor<3x4x8xf32>) -> tensor<1x4x8xf32>
      %24 = stablehlo.reshape %23 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %25 = stablehlo.slice %arg6 [2:3, 0:4, 0:8] : (tensor<3x4x8xf32>) -> tensor<1x4x8xf32>
      %26 = stablehlo.reshape %25 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %27 = stablehlo.dot_general %22, %arg8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %28 = stablehlo.tanh %27 : tensor<4x16xf32>
      %29 = stablehlo.dot_general %28, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %30 = stablehlo.add %22, %29 : tensor<4x8xf32>
      mpmd.return %24, %26, %30 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<3x4x8xf32>, sharding=<@mesh, [{}, {"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>)
    %1 = mpmd.transfer %0#2 : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %2:8 = mpmd.fragment<mesh="m2", origin=["f2"]> (%arg5, %arg2, %arg3, %1) {call_counter = 0 : ui32} (%arg6: tensor<3x4x8xf32>, %arg7: tensor<16x8xf32>, %arg8: tensor<8x16xf32>, %arg9: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<16x8xf32>
      %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<8x16xf32>
      %21 = stablehlo.slice %arg6 [0:1, 0:4, 0:8] : (tensor<3x4x8xf32>) -> tensor<1x4x8xf32>
      %22 = stablehlo.reshape %21 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %23 = stablehlo.slice %arg6 [1:2, 0:4, 0:8] : (tensor<3x4x8xf32>) -> tensor<1x4x8xf32>
      %24 = stablehlo.reshape %23 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %25 = stablehlo.slice %arg6 [2:3, 0:4, 0:8] : (tensor<3x4x8xf32>) -> tensor<1x4x8xf32>
      %26 = stablehlo.reshape %25 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %27 = stablehlo.dot_general %arg9, %arg8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %28 = stablehlo.tanh %27 : tensor<4x16xf32>
      %29 = stablehlo.subtract %cst_0, %28 : tensor<4x16xf32>
      %30 = stablehlo.dot_general %28, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %31 = stablehlo.add %arg9, %30 : tensor<4x8xf32>
      %32 = stablehlo.subtract %31, %22 : tensor<4x8xf32>
      %33 = stablehlo.multiply %32, %32 : tensor<4x8xf32>
      %34 = stablehlo.multiply %32, %cst_1 : tensor<4x8xf32>
      %35 = stablehlo.reduce(%33 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %36 = stablehlo.divide %35, %cst : tensor<f32>
      mpmd.return %cst_3, %cst_4, %24, %26, %28, %29, %34, %36 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m2", tensor<3x4x8xf32>, sharding=<@mesh, [{}, {"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>)
    %3:3 = mpmd.fragment<mesh="m2", origin=["f2"(1)]> (%arg3, %1, %2#4, %2#5, %arg2, %2#6, %2#0, %2#1) {call_counter = 0 : ui32} (%arg6: tensor<8x16xf32>, %arg7: tensor<4x8xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<4x16xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<4x8xf32>, %arg12: tensor<16x8xf32>, %arg13: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<3.125000e-02> : tensor<4x8xf32>
      %21 = stablehlo.multiply %arg11, %cst : tensor<4x8xf32>
      %22 = stablehlo.dot_general %21, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %24 = stablehlo.dot_general %21, %arg10, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %25 = stablehlo.multiply %24, %arg9 : tensor<4x16xf32>
      %26 = stablehlo.multiply %25, %arg8 : tensor<4x16xf32>
      %27 = stablehlo.add %25, %26 : tensor<4x16xf32>
      %28 = stablehlo.dot_general %27, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %29 = stablehlo.transpose %28, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %30 = stablehlo.dot_general %27, %arg6, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
      %31 = stablehlo.add %21, %30 : tensor<4x8xf32>
      %32 = stablehlo.add %arg12, %23 : tensor<16x8xf32>
      %33 = stablehlo.add %arg13, %29 : tensor<8x16xf32>
      mpmd.return %31, %32, %33 : tensor<4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %4 = mpmd.transfer %3#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %5 = mpmd.fragment<mesh="m1", origin=["f1"]> (%arg0, %arg1, %0#0) {call_counter = 1 : ui32} (%arg6: tensor<16x8xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<4x8xf32>) {
      %21 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %22 = stablehlo.tanh %21 : tensor<4x16xf32>
      %23 = stablehlo.dot_general %22, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %24 = stablehlo.add %arg8, %23 : tensor<4x8xf32>
      mpmd.return %24 : tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %6 = mpmd.transfer %5 : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %7:4 = mpmd.fragment<mesh="m2", origin=["f2"]> (%arg2, %arg3, %6, %2#2, %2#7) {call_counter = 1 : ui32} (%arg6: tensor<16x8xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<4x8xf32>, %arg9: tensor<4x8xf32>, %arg10: tensor<f32>) {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %21 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %22 = stablehlo.tanh %21 : tensor<4x16xf32>
      %23 = stablehlo.subtract %cst_0, %22 : tensor<4x16xf32>
      %24 = stablehlo.dot_general %22, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %25 = stablehlo.add %arg8, %24 : tensor<4x8xf32>
      %26 = stablehlo.subtract %25, %arg9 : tensor<4x8xf32>
      %27 = stablehlo.multiply %26, %26 : tensor<4x8xf32>
      %28 = stablehlo.multiply %26, %cst : tensor<4x8xf32>
      %29 = stablehlo.reduce(%27 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %30 = stablehlo.divide %29, %cst_1 : tensor<f32>
      %31 = stablehlo.add %arg10, %30 : tensor<f32>
      mpmd.return %22, %23, %28, %31 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>)
    %8:3 = mpmd.fragment<mesh="m2", origin=["f2"(1)]> (%arg3, %6, %7#0, %7#1, %arg2, %7#2, %3#1, %3#2) {call_counter = 1 : ui32} (%arg6: tensor<8x16xf32>, %arg7: tensor<4x8xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<4x16xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<4x8xf32>, %arg12: tensor<16x8xf32>, %arg13: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<3.125000e-02> : tensor<4x8xf32>
      %21 = stablehlo.multiply %arg11, %cst : tensor<4x8xf32>
      %22 = stablehlo.dot_general %21, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %24 = stablehlo.dot_general %21, %arg10, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %25 = stablehlo.multiply %24, %arg9 : tensor<4x16xf32>
      %26 = stablehlo.multiply %25, %arg8 : tensor<4x16xf32>
      %27 = stablehlo.add %25, %26 : tensor<4x16xf32>
      %28 = stablehlo.dot_general %27, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %29 = stablehlo.transpose %28, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %30 = stablehlo.dot_general %27, %arg6, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
      %31 = stablehlo.add %21, %30 : tensor<4x8xf32>
      %32 = stablehlo.add %arg12, %23 : tensor<16x8xf32>
      %33 = stablehlo.add %arg13, %29 : tensor<8x16xf32>
      mpmd.return %31, %32, %33 : tensor<4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %9 = mpmd.transfer %8#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %10:5 = mpmd.fragment<mesh="m1", origin=["f1"]> (%arg4, %arg1) {call_counter = 0 : ui32, remat} (%arg6: tensor<3x4x8xf32>, %arg7: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<16x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<8x16xf32>
      %21 = stablehlo.slice %arg6 [0:1, 0:4, 0:8] : (tensor<3x4x8xf32>) -> tensor<1x4x8xf32>
      %22 = stablehlo.reshape %21 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %23 = stablehlo.dot_general %22, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %24 = stablehlo.tanh %23 : tensor<4x16xf32>
      %25 = stablehlo.subtract %cst, %24 : tensor<4x16xf32>
      mpmd.return %cst_0, %cst_1, %22, %24, %25 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<3x4x8xf32>, sharding=<@mesh, [{}, {"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>)
    %11:2 = mpmd.fragment<mesh="m1", origin=["f1"(1)]> (%10#2, %10#3, %10#4, %arg0, %4, %10#0, %10#1) {call_counter = 0 : ui32} (%arg6: tensor<4x8xf32>, %arg7: tensor<4x16xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<16x8xf32>, %arg10: tensor<4x8xf32>, %arg11: tensor<16x8xf32>, %arg12: tensor<8x16xf32>) {
      %21 = stablehlo.dot_general %arg10, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %22 = stablehlo.transpose %21, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %23 = stablehlo.dot_general %arg10, %arg9, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %24 = stablehlo.multiply %23, %arg8 : tensor<4x16xf32>
      %25 = stablehlo.multiply %24, %arg7 : tensor<4x16xf32>
      %26 = stablehlo.add %24, %25 : tensor<4x16xf32>
      %27 = stablehlo.dot_general %26, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %28 = stablehlo.transpose %27, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %29 = stablehlo.add %arg11, %22 : tensor<16x8xf32>
      %30 = stablehlo.add %arg12, %28 : tensor<8x16xf32>
      mpmd.return %29, %30 : tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %12 = mpmd.fragment<mesh="m1", origin=["f1"]> (%arg0, %arg1, %0#1) {call_counter = 2 : ui32} (%arg6: tensor<16x8xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<4x8xf32>) {
      %21 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %22 = stablehlo.tanh %21 : tensor<4x16xf32>
      %23 = stablehlo.dot_general %22, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %24 = stablehlo.add %arg8, %23 : tensor<4x8xf32>
      mpmd.return %24 : tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %13 = mpmd.transfer %12 : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %14:4 = mpmd.fragment<mesh="m2", origin=["f2"]> (%arg2, %arg3, %13, %2#3, %7#3) {call_counter = 2 : ui32} (%arg6: tensor<16x8xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<4x8xf32>, %arg9: tensor<4x8xf32>, %arg10: tensor<f32>) {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %21 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %22 = stablehlo.tanh %21 : tensor<4x16xf32>
      %23 = stablehlo.subtract %cst_0, %22 : tensor<4x16xf32>
      %24 = stablehlo.dot_general %22, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %25 = stablehlo.add %arg8, %24 : tensor<4x8xf32>
      %26 = stablehlo.subtract %25, %arg9 : tensor<4x8xf32>
      %27 = stablehlo.multiply %26, %26 : tensor<4x8xf32>
      %28 = stablehlo.multiply %26, %cst : tensor<4x8xf32>
      %29 = stablehlo.reduce(%27 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %30 = stablehlo.divide %29, %cst_1 : tensor<f32>
      %31 = stablehlo.add %arg10, %30 : tensor<f32>
      mpmd.return %22, %23, %28, %31 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>)
    %15:3 = mpmd.fragment<mesh="m2", origin=["f2"(1)]> (%arg3, %13, %14#0, %14#1, %arg2, %14#2, %8#1, %8#2) {call_counter = 2 : ui32} (%arg6: tensor<8x16xf32>, %arg7: tensor<4x8xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<4x16xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<4x8xf32>, %arg12: tensor<16x8xf32>, %arg13: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<0.00999999977> : tensor<8x16xf32>
      %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<16x8xf32>
      %cst_1 = stablehlo.constant dense<3.125000e-02> : tensor<4x8xf32>
      %21 = stablehlo.multiply %arg11, %cst_1 : tensor<4x8xf32>
      %22 = stablehlo.dot_general %21, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %24 = stablehlo.dot_general %21, %arg10, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %25 = stablehlo.multiply %24, %arg9 : tensor<4x16xf32>
      %26 = stablehlo.multiply %25, %arg8 : tensor<4x16xf32>
      %27 = stablehlo.add %25, %26 : tensor<4x16xf32>
      %28 = stablehlo.dot_general %27, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %29 = stablehlo.transpose %28, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %30 = stablehlo.dot_general %27, %arg6, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
      %31 = stablehlo.add %21, %30 : tensor<4x8xf32>
      %32 = stablehlo.add %arg12, %23 : tensor<16x8xf32>
      %33 = stablehlo.add %arg13, %29 : tensor<8x16xf32>
      %34 = stablehlo.multiply %32, %cst_0 : tensor<16x8xf32>
      %35 = stablehlo.subtract %arg10, %34 : tensor<16x8xf32>
      %36 = stablehlo.multiply %33, %cst : tensor<8x16xf32>
      %37 = stablehlo.subtract %arg6, %36 : tensor<8x16xf32>
      mpmd.return %31, %35, %37 : tensor<4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %16 = mpmd.transfer %15#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %17:2 = mpmd.fragment<mesh="m1", origin=["f1"]> (%arg1, %0#0) {call_counter = 1 : ui32, remat} (%arg6: tensor<8x16xf32>, %arg7: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %21 = stablehlo.dot_general %arg7, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %22 = stablehlo.tanh %21 : tensor<4x16xf32>
      %23 = stablehlo.subtract %cst, %22 : tensor<4x16xf32>
      mpmd.return %22, %23 : tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>)
    %18:2 = mpmd.fragment<mesh="m1", origin=["f1"(1)]> (%0#0, %17#0, %17#1, %arg0, %9, %11#0, %11#1) {call_counter = 1 : ui32} (%arg6: tensor<4x8xf32>, %arg7: tensor<4x16xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<16x8xf32>, %arg10: tensor<4x8xf32>, %arg11: tensor<16x8xf32>, %arg12: tensor<8x16xf32>) {
      %21 = stablehlo.dot_general %arg10, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %22 = stablehlo.transpose %21, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %23 = stablehlo.dot_general %arg10, %arg9, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %24 = stablehlo.multiply %23, %arg8 : tensor<4x16xf32>
      %25 = stablehlo.multiply %24, %arg7 : tensor<4x16xf32>
      %26 = stablehlo.add %24, %25 : tensor<4x16xf32>
      %27 = stablehlo.dot_general %26, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %28 = stablehlo.transpose %27, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %29 = stablehlo.add %arg11, %22 : tensor<16x8xf32>
      %30 = stablehlo.add %arg12, %28 : tensor<8x16xf32>
      mpmd.return %29, %30 : tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %19:2 = mpmd.fragment<mesh="m1", origin=["f1"]> (%arg1, %0#1) {call_counter = 2 : ui32, remat} (%arg6: tensor<8x16xf32>, %arg7: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %21 = stablehlo.dot_general %arg7, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %22 = stablehlo.tanh %21 : tensor<4x16xf32>
      %23 = stablehlo.subtract %cst, %22 : tensor<4x16xf32>
      mpmd.return %22, %23 : tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>)
    %20:2 = mpmd.fragment<mesh="m1", origin=["f1"(1)]> (%0#1, %19#0, %19#1, %arg0, %16, %18#0, %18#1, %arg1) {call_counter = 2 : ui32} (%arg6: tensor<4x8xf32>, %arg7: tensor<4x16xf32>, %arg8: tensor<4x16xf32>, %arg9: tensor<16x8xf32>, %arg10: tensor<4x8xf32>, %arg11: tensor<16x8xf32>, %arg12: tensor<8x16xf32>, %arg13: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<0.00999999977> : tensor<8x16xf32>
      %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<16x8xf32>
      %21 = stablehlo.dot_general %arg10, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %22 = stablehlo.transpose %21, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %23 = stablehlo.dot_general %arg10, %arg9, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %24 = stablehlo.multiply %23, %arg8 : tensor<4x16xf32>
      %25 = stablehlo.multiply %24, %arg7 : tensor<4x16xf32>
      %26 = stablehlo.add %24, %25 : tensor<4x16xf32>
      %27 = stablehlo.dot_general %26, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %28 = stablehlo.transpose %27, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %29 = stablehlo.add %arg11, %22 : tensor<16x8xf32>
      %30 = stablehlo.add %arg12, %28 : tensor<8x16xf32>
      %31 = stablehlo.multiply %29, %cst_0 : tensor<16x8xf32>
      %32 = stablehlo.subtract %arg9, %31 : tensor<16x8xf32>
      %33 = stablehlo.multiply %30, %cst : tensor<8x16xf32>
      %34 = stablehlo.subtract %arg13, %33 : tensor<8x16xf32>
      mpmd.return %32, %34 : tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    return %20#0, %20#1, %15#1, %15#2, %14#3 : !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>
  }
}
