// Lowered by JAX 0.10.2; written by generate.py.
module @jit_training_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true, mhlo.memory_kind = "device"}, %arg1: !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true, mhlo.memory_kind = "device"}, %arg2: !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true, mhlo.memory_kind = "device"}, %arg3: !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true, mhlo.memory_kind = "device"}, %arg4: !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host"> {jax.buffer_donor = true}, %arg5: !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host"> {jax.buffer_donor = true}, %arg6: !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true, mhlo.memory_kind = "pinned_host"}, %arg7: !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true, mhlo.memory_kind = "pinned_host"}, %arg8: !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, %arg9: !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, %arg10: !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, %arg11: !mpmd.mesh_tensor<"m2/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, %arg12: !mpmd.mesh_tensor<"m2/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, %arg13: !mpmd.mesh_tensor<"m2/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[0]['f1']['down']", mhlo.memory_kind = "device"}, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[0]['f1']['up']", mhlo.memory_kind = "device"}, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[0]['f2']['down']", mhlo.memory_kind = "device"}, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[0]['f2']['up']", mhlo.memory_kind = "device"}, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host"> {jax.result_info = "result[1]['f1']['down']"}, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host"> {jax.result_info = "result[1]['f1']['up']"}, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[1]['f2']['down']", mhlo.memory_kind = "pinned_host"}, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[1]['f2']['up']", mhlo.memory_kind = "pinned_host"}, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>> {jax.result_info = "result[2]", mhlo.memory_kind = "device"}) attributes {topology = #mpmd.topology<<"m1" : <["data"=2, "model"=2]>>, <"m1/cpu" : <["data"=2, "model"=2]>>, <"m2" : <["data"=2, "model"=2]>>, <"m2/cpu" : <["data"=2, "model"=2]>>>} {
    %0 = mpmd.transfer %arg5 : (!mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host">) -> !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>
    %1 = mpmd.transfer %arg4 : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host">) -> !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>
    %2 = mpmd.transfer %arg13 : (!mpmd.mesh_tensor<"m2/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %3 = mpmd.transfer %arg12 : (!mpmd.mesh_tensor<"m2/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %4 = mpmd.transfer %arg11 : (!mpmd.mesh_tensor<"m2/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %5 = mpmd.fragment<mesh="m1/cpu", origin=["prepare"]> (%arg8) (%arg14: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %33 = stablehlo.abs %arg14 : tensor<4x8xf32>
      %34 = stablehlo.reduce(%33 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
      %35 = stablehlo.reshape %34 : (tensor<4xf32>) -> tensor<4x1xf32>
      %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
      %37 = stablehlo.divide %arg14, %36 : tensor<4x8xf32>
      mpmd.return %37 : tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %6 = mpmd.transfer %5 : (!mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %7 = mpmd.fragment<mesh="m1/cpu", origin=["prepare"]> (%arg9) (%arg14: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %33 = stablehlo.abs %arg14 : tensor<4x8xf32>
      %34 = stablehlo.reduce(%33 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
      %35 = stablehlo.reshape %34 : (tensor<4xf32>) -> tensor<4x1xf32>
      %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
      %37 = stablehlo.divide %arg14, %36 : tensor<4x8xf32>
      mpmd.return %37 : tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %8 = mpmd.transfer %7 : (!mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %9 = mpmd.fragment<mesh="m1/cpu", origin=["prepare"]> (%arg10) (%arg14: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %33 = stablehlo.abs %arg14 : tensor<4x8xf32>
      %34 = stablehlo.reduce(%33 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
      %35 = stablehlo.reshape %34 : (tensor<4xf32>) -> tensor<4x1xf32>
      %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
      %37 = stablehlo.divide %arg14, %36 : tensor<4x8xf32>
      mpmd.return %37 : tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %10 = mpmd.transfer %9 : (!mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %11:3 = mpmd.fragment<mesh="m1", origin=["f1"]> (%arg0, %arg1, %6) {call_counter = 0 : ui32} (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %33 = stablehlo.dot_general %arg16, %arg15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %34 = stablehlo.tanh %33 : tensor<4x16xf32>
      %35 = stablehlo.subtract %cst, %34 : tensor<4x16xf32>
      %36 = stablehlo.dot_general %34, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %37 = stablehlo.add %arg16, %36 : tensor<4x8xf32>
      mpmd.return %37, %34, %35 : tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>)
    %12 = mpmd.transfer %11#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %13:6 = mpmd.fragment<mesh="m2", origin=["f2"]> (%arg2, %arg3, %12, %4) {call_counter = 0 : ui32} (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<4x8xf32>, %arg17: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<16x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<8x16xf32>
      %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
      %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_4 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %33 = stablehlo.dot_general %arg16, %arg15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %34 = stablehlo.tanh %33 : tensor<4x16xf32>
      %35 = stablehlo.subtract %cst_3, %34 : tensor<4x16xf32>
      %36 = stablehlo.dot_general %34, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %37 = stablehlo.add %arg16, %36 : tensor<4x8xf32>
      %38 = stablehlo.subtract %37, %arg17 : tensor<4x8xf32>
      %39 = stablehlo.multiply %38, %38 : tensor<4x8xf32>
      %40 = stablehlo.multiply %38, %cst_2 : tensor<4x8xf32>
      %41 = stablehlo.reduce(%39 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %42 = stablehlo.divide %41, %cst_4 : tensor<f32>
      mpmd.return %cst_0, %cst_1, %34, %35, %40, %42 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>)
    %14:3 = mpmd.fragment<mesh="m2", origin=["f2"(1)]> (%arg3, %12, %13#2, %13#3, %arg2, %13#4, %13#0, %13#1) {call_counter = 0 : ui32} (%arg14: tensor<8x16xf32>, %arg15: tensor<4x8xf32>, %arg16: tensor<4x16xf32>, %arg17: tensor<4x16xf32>, %arg18: tensor<16x8xf32>, %arg19: tensor<4x8xf32>, %arg20: tensor<16x8xf32>, %arg21: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<3.125000e-02> : tensor<4x8xf32>
      %33 = stablehlo.multiply %arg19, %cst : tensor<4x8xf32>
      %34 = stablehlo.dot_general %33, %arg16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %35 = stablehlo.transpose %34, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %36 = stablehlo.dot_general %33, %arg18, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %37 = stablehlo.multiply %36, %arg17 : tensor<4x16xf32>
      %38 = stablehlo.multiply %37, %arg16 : tensor<4x16xf32>
      %39 = stablehlo.add %37, %38 : tensor<4x16xf32>
      %40 = stablehlo.dot_general %39, %arg15, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %41 = stablehlo.transpose %40, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %42 = stablehlo.dot_general %39, %arg14, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
      %43 = stablehlo.add %33, %42 : tensor<4x8xf32>
      %44 = stablehlo.add %arg20, %35 : tensor<16x8xf32>
      %45 = stablehlo.add %arg21, %41 : tensor<8x16xf32>
      mpmd.return %43, %44, %45 : tensor<4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %15 = mpmd.transfer %14#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %16:2 = mpmd.fragment<mesh="m1", origin=["f1"(1)]> (%6, %11#1, %11#2, %arg0, %15) {call_counter = 0 : ui32} (%arg14: tensor<4x8xf32>, %arg15: tensor<4x16xf32>, %arg16: tensor<4x16xf32>, %arg17: tensor<16x8xf32>, %arg18: tensor<4x8xf32>) {
      %33 = stablehlo.dot_general %arg18, %arg15, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %34 = stablehlo.transpose %33, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %35 = stablehlo.dot_general %arg18, %arg17, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %36 = stablehlo.multiply %35, %arg16 : tensor<4x16xf32>
      %37 = stablehlo.multiply %36, %arg15 : tensor<4x16xf32>
      %38 = stablehlo.add %36, %37 : tensor<4x16xf32>
      %39 = stablehlo.dot_general %38, %arg14, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %40 = stablehlo.transpose %39, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      mpmd.return %34, %40 : tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %17:3 = mpmd.fragment<mesh="m1", origin=["f1"]> (%arg0, %arg1, %8) {call_counter = 1 : ui32} (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %33 = stablehlo.dot_general %arg16, %arg15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %34 = stablehlo.tanh %33 : tensor<4x16xf32>
      %35 = stablehlo.subtract %cst, %34 : tensor<4x16xf32>
      %36 = stablehlo.dot_general %34, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %37 = stablehlo.add %arg16, %36 : tensor<4x8xf32>
      mpmd.return %37, %34, %35 : tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>)
    %18 = mpmd.transfer %17#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %19:4 = mpmd.fragment<mesh="m2", origin=["f2"]> (%arg2, %arg3, %18, %3, %13#5) {call_counter = 1 : ui32} (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<4x8xf32>, %arg17: tensor<4x8xf32>, %arg18: tensor<f32>) {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %33 = stablehlo.dot_general %arg16, %arg15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %34 = stablehlo.tanh %33 : tensor<4x16xf32>
      %35 = stablehlo.subtract %cst_0, %34 : tensor<4x16xf32>
      %36 = stablehlo.dot_general %34, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %37 = stablehlo.add %arg16, %36 : tensor<4x8xf32>
      %38 = stablehlo.subtract %37, %arg17 : tensor<4x8xf32>
      %39 = stablehlo.multiply %38, %38 : tensor<4x8xf32>
      %40 = stablehlo.multiply %38, %cst : tensor<4x8xf32>
      %41 = stablehlo.reduce(%39 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %42 = stablehlo.divide %41, %cst_1 : tensor<f32>
      %43 = stablehlo.add %arg18, %42 : tensor<f32>
      mpmd.return %34, %35, %40, %43 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>)
    %20:3 = mpmd.fragment<mesh="m2", origin=["f2"(1)]> (%arg3, %18, %19#0, %19#1, %arg2, %19#2, %14#1, %14#2) {call_counter = 1 : ui32} (%arg14: tensor<8x16xf32>, %arg15: tensor<4x8xf32>, %arg16: tensor<4x16xf32>, %arg17: tensor<4x16xf32>, %arg18: tensor<16x8xf32>, %arg19: tensor<4x8xf32>, %arg20: tensor<16x8xf32>, %arg21: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<3.125000e-02> : tensor<4x8xf32>
      %33 = stablehlo.multiply %arg19, %cst : tensor<4x8xf32>
      %34 = stablehlo.dot_general %33, %arg16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %35 = stablehlo.transpose %34, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %36 = stablehlo.dot_general %33, %arg18, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %37 = stablehlo.multiply %36, %arg17 : tensor<4x16xf32>
      %38 = stablehlo.multiply %37, %arg16 : tensor<4x16xf32>
      %39 = stablehlo.add %37, %38 : tensor<4x16xf32>
      %40 = stablehlo.dot_general %39, %arg15, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %41 = stablehlo.transpose %40, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %42 = stablehlo.dot_general %39, %arg14, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
      %43 = stablehlo.add %33, %42 : tensor<4x8xf32>
      %44 = stablehlo.add %arg20, %35 : tensor<16x8xf32>
      %45 = stablehlo.add %arg21, %41 : tensor<8x16xf32>
      mpmd.return %43, %44, %45 : tensor<4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %21 = mpmd.transfer %20#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %22:2 = mpmd.fragment<mesh="m1", origin=["f1"(1)]> (%8, %17#1, %17#2, %arg0, %21, %16#0, %16#1) {call_counter = 1 : ui32} (%arg14: tensor<4x8xf32>, %arg15: tensor<4x16xf32>, %arg16: tensor<4x16xf32>, %arg17: tensor<16x8xf32>, %arg18: tensor<4x8xf32>, %arg19: tensor<16x8xf32>, %arg20: tensor<8x16xf32>) {
      %33 = stablehlo.dot_general %arg18, %arg15, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %34 = stablehlo.transpose %33, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %35 = stablehlo.dot_general %arg18, %arg17, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %36 = stablehlo.multiply %35, %arg16 : tensor<4x16xf32>
      %37 = stablehlo.multiply %36, %arg15 : tensor<4x16xf32>
      %38 = stablehlo.add %36, %37 : tensor<4x16xf32>
      %39 = stablehlo.dot_general %38, %arg14, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %40 = stablehlo.transpose %39, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %41 = stablehlo.add %arg19, %34 : tensor<16x8xf32>
      %42 = stablehlo.add %arg20, %40 : tensor<8x16xf32>
      mpmd.return %41, %42 : tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %23:3 = mpmd.fragment<mesh="m1", origin=["f1"]> (%arg0, %arg1, %10) {call_counter = 2 : ui32} (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %33 = stablehlo.dot_general %arg16, %arg15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %34 = stablehlo.tanh %33 : tensor<4x16xf32>
      %35 = stablehlo.subtract %cst, %34 : tensor<4x16xf32>
      %36 = stablehlo.dot_general %34, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %37 = stablehlo.add %arg16, %36 : tensor<4x8xf32>
      mpmd.return %37, %34, %35 : tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>)
    %24 = mpmd.transfer %23#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %25:4 = mpmd.fragment<mesh="m2", origin=["f2"]> (%arg2, %arg3, %24, %2, %19#3) {call_counter = 2 : ui32} (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<4x8xf32>, %arg17: tensor<4x8xf32>, %arg18: tensor<f32>) {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %33 = stablehlo.dot_general %arg16, %arg15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %34 = stablehlo.tanh %33 : tensor<4x16xf32>
      %35 = stablehlo.subtract %cst_0, %34 : tensor<4x16xf32>
      %36 = stablehlo.dot_general %34, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %37 = stablehlo.add %arg16, %36 : tensor<4x8xf32>
      %38 = stablehlo.subtract %37, %arg17 : tensor<4x8xf32>
      %39 = stablehlo.multiply %38, %38 : tensor<4x8xf32>
      %40 = stablehlo.multiply %38, %cst : tensor<4x8xf32>
      %41 = stablehlo.reduce(%39 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %42 = stablehlo.divide %41, %cst_1 : tensor<f32>
      %43 = stablehlo.add %arg18, %42 : tensor<f32>
      mpmd.return %34, %35, %40, %43 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>)
    %26:3 = mpmd.fragment<mesh="m2", origin=["f2"(1)]> (%arg3, %24, %25#0, %25#1, %arg2, %25#2, %20#1, %20#2) {call_counter = 2 : ui32} (%arg14: tensor<8x16xf32>, %arg15: tensor<4x8xf32>, %arg16: tensor<4x16xf32>, %arg17: tensor<4x16xf32>, %arg18: tensor<16x8xf32>, %arg19: tensor<4x8xf32>, %arg20: tensor<16x8xf32>, %arg21: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<3.125000e-02> : tensor<4x8xf32>
      %33 = stablehlo.multiply %arg19, %cst : tensor<4x8xf32>
      %34 = stablehlo.dot_general %33, %arg16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %35 = stablehlo.transpose %34, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %36 = stablehlo.dot_general %33, %arg18, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %37 = stablehlo.multiply %36, %arg17 : tensor<4x16xf32>
      %38 = stablehlo.multiply %37, %arg16 : tensor<4x16xf32>
      %39 = stablehlo.add %37, %38 : tensor<4x16xf32>
      %40 = stablehlo.dot_general %39, %arg15, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %41 = stablehlo.transpose %40, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %42 = stablehlo.dot_general %39, %arg14, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
      %43 = stablehlo.add %33, %42 : tensor<4x8xf32>
      %44 = stablehlo.add %arg20, %35 : tensor<16x8xf32>
      %45 = stablehlo.add %arg21, %41 : tensor<8x16xf32>
      mpmd.return %43, %44, %45 : tensor<4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %27 = mpmd.transfer %26#0 : (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %28:2 = mpmd.fragment<mesh="m1", origin=["f1"(1)]> (%10, %23#1, %23#2, %arg0, %27, %22#0, %22#1) {call_counter = 2 : ui32} (%arg14: tensor<4x8xf32>, %arg15: tensor<4x16xf32>, %arg16: tensor<4x16xf32>, %arg17: tensor<16x8xf32>, %arg18: tensor<4x8xf32>, %arg19: tensor<16x8xf32>, %arg20: tensor<8x16xf32>) {
      %33 = stablehlo.dot_general %arg18, %arg15, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %34 = stablehlo.transpose %33, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %35 = stablehlo.dot_general %arg18, %arg17, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %36 = stablehlo.multiply %35, %arg16 : tensor<4x16xf32>
      %37 = stablehlo.multiply %36, %arg15 : tensor<4x16xf32>
      %38 = stablehlo.add %36, %37 : tensor<4x16xf32>
      %39 = stablehlo.dot_general %38, %arg14, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %40 = stablehlo.transpose %39, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %41 = stablehlo.add %arg19, %34 : tensor<16x8xf32>
      %42 = stablehlo.add %arg20, %40 : tensor<8x16xf32>
      mpmd.return %41, %42 : tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %29:4 = mpmd.fragment<mesh="m1", origin=["update1"]> (%arg0, %arg1, %1, %0, %28#0, %28#1) (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<16x8xf32>, %arg17: tensor<8x16xf32>, %arg18: tensor<16x8xf32>, %arg19: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<0.00999999977> : tensor<8x16xf32>
      %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<16x8xf32>
      %cst_1 = stablehlo.constant dense<0.899999976> : tensor<8x16xf32>
      %cst_2 = stablehlo.constant dense<0.899999976> : tensor<16x8xf32>
      %33 = stablehlo.multiply %arg16, %cst_2 : tensor<16x8xf32>
      %34 = stablehlo.add %33, %arg18 : tensor<16x8xf32>
      %35 = stablehlo.multiply %arg17, %cst_1 : tensor<8x16xf32>
      %36 = stablehlo.add %35, %arg19 : tensor<8x16xf32>
      %37 = stablehlo.multiply %34, %cst_0 : tensor<16x8xf32>
      %38 = stablehlo.subtract %arg14, %37 : tensor<16x8xf32>
      %39 = stablehlo.multiply %36, %cst : tensor<8x16xf32>
      %40 = stablehlo.subtract %arg15, %39 : tensor<8x16xf32>
      %41 = stablehlo.custom_call @annotate_device_placement(%38) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %42 = stablehlo.custom_call @annotate_device_placement(%40) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      mpmd.return %34, %36, %41, %42 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %30 = mpmd.transfer %29#1 : (!mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host">
    %31 = mpmd.transfer %29#0 : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host">
    %32:4 = mpmd.fragment<mesh="m2", origin=["update2"]> (%arg2, %arg3, %arg6, %arg7, %26#1, %26#2) (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<16x8xf32>, %arg17: tensor<8x16xf32>, %arg18: tensor<16x8xf32>, %arg19: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<0.00999999977> : tensor<8x16xf32>
      %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<16x8xf32>
      %cst_1 = stablehlo.constant dense<0.899999976> : tensor<8x16xf32>
      %cst_2 = stablehlo.constant dense<0.899999976> : tensor<16x8xf32>
      %33 = stablehlo.custom_call @annotate_device_placement(%arg16) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %34 = stablehlo.custom_call @annotate_device_placement(%arg17) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      %35 = stablehlo.multiply %33, %cst_2 : tensor<16x8xf32>
      %36 = stablehlo.add %35, %arg18 : tensor<16x8xf32>
      %37 = stablehlo.multiply %34, %cst_1 : tensor<8x16xf32>
      %38 = stablehlo.add %37, %arg19 : tensor<8x16xf32>
      %39 = stablehlo.multiply %36, %cst_0 : tensor<16x8xf32>
      %40 = stablehlo.subtract %arg14, %39 : tensor<16x8xf32>
      %41 = stablehlo.multiply %38, %cst : tensor<8x16xf32>
      %42 = stablehlo.subtract %arg15, %41 : tensor<8x16xf32>
      %43 = stablehlo.custom_call @annotate_device_placement(%36) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %44 = stablehlo.custom_call @annotate_device_placement(%38) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      %45 = stablehlo.custom_call @annotate_device_placement(%40) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %46 = stablehlo.custom_call @annotate_device_placement(%42) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      %47 = stablehlo.custom_call @annotate_device_placement(%43) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %48 = stablehlo.custom_call @annotate_device_placement(%44) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      mpmd.return %45, %46, %47, %48 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    return %29#2, %29#3, %32#0, %32#1, %31, %30, %32#2, %32#3, %25#3 : !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host">, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host">, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>
  }
}
