// Lowered by JAX 0.10.2; written by generate.py.
module @jit_training_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host"> {jax.buffer_donor = true}, %arg1: !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host"> {jax.buffer_donor = true}, %arg2: !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true, mhlo.memory_kind = "pinned_host"}, %arg3: !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true, mhlo.memory_kind = "pinned_host"}, %arg4: !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host"> {jax.buffer_donor = true}, %arg5: !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host"> {jax.buffer_donor = true}, %arg6: !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.buffer_donor = true, mhlo.memory_kind = "pinned_host"}, %arg7: !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.buffer_donor = true, mhlo.memory_kind = "pinned_host"}, %arg8: !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, %arg9: !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, %arg10: !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, %arg11: !mpmd.mesh_tensor<"m2/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, %arg12: !mpmd.mesh_tensor<"m2/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, %arg13: !mpmd.mesh_tensor<"m2/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host"> {jax.result_info = "result[0]['f1']['down']"}, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host"> {jax.result_info = "result[0]['f1']['up']"}, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[0]['f2']['down']", mhlo.memory_kind = "pinned_host"}, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[0]['f2']['up']", mhlo.memory_kind = "pinned_host"}, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host"> {jax.result_info = "result[1]['f1']['down']"}, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host"> {jax.result_info = "result[1]['f1']['up']"}, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>> {jax.result_info = "result[1]['f2']['down']", mhlo.memory_kind = "pinned_host"}, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>> {jax.result_info = "result[1]['f2']['up']", mhlo.memory_kind = "pinned_host"}, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>> {jax.result_info = "result[2]", mhlo.memory_kind = "device"}) attributes {topology = #mpmd.topology<<"m1" : <["data"=2, "model"=2]>>, <"m1/cpu" : <["data"=2, "model"=2]>>, <"m2" : <["data"=2, "model"=2]>>, <"m2/cpu" : <["data"=2, "model"=2]>>>} {
    %0 = mpmd.transfer %arg5 : (!mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host">) -> !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>
    %1 = mpmd.transfer %arg4 : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host">) -> !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>
    %2 = mpmd.transfer %arg13 : (!mpmd.mesh_tensor<"m2/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %3 = mpmd.transfer %arg12 : (!mpmd.mesh_tensor<"m2/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %4 = mpmd.transfer %arg11 : (!mpmd.mesh_tensor<"m2/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %5 = mpmd.transfer %arg1 : (!mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host">) -> !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>
    %6 = mpmd.transfer %arg0 : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host">) -> !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>
    %7 = mpmd.fragment<mesh="m1/cpu", origin=["prepare"]> (%arg8) (%arg14: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %37 = stablehlo.abs %arg14 : tensor<4x8xf32>
      %38 = stablehlo.reduce(%37 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
      %39 = stablehlo.reshape %38 : (tensor<4xf32>) -> tensor<4x1xf32>
      %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
      %41 = stablehlo.divide %arg14, %40 : tensor<4x8xf32>
      mpmd.return %41 : tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %8 = mpmd.transfer %7 : (!mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %9 = mpmd.fragment<mesh="m1/cpu", origin=["prepare"]> (%arg9) (%arg14: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %37 = stablehlo.abs %arg14 : tensor<4x8xf32>
      %38 = stablehlo.reduce(%37 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
      %39 = stablehlo.reshape %38 : (tensor<4xf32>) -> tensor<4x1xf32>
      %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
      %41 = stablehlo.divide %arg14, %40 : tensor<4x8xf32>
      mpmd.return %41 : tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %10 = mpmd.transfer %9 : (!mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %11 = mpmd.fragment<mesh="m1/cpu", origin=["prepare"]> (%arg10) (%arg14: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %37 = stablehlo.abs %arg14 : tensor<4x8xf32>
      %38 = stablehlo.reduce(%37 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
      %39 = stablehlo.reshape %38 : (tensor<4xf32>) -> tensor<4x1xf32>
      %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
      %41 = stablehlo.divide %arg14, %40 : tensor<4x8xf32>
      mpmd.return %41 : tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %12 = mpmd.transfer %11 : (!mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %13:3 = mpmd.fragment<mesh="m1", origin=["f1"]> (%6, %5, %8) (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %37 = stablehlo.dot_general %arg16, %arg15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %38 = stablehlo.tanh %37 : tensor<4x16xf32>
      %39 = stablehlo.subtract %cst, %38 : tensor<4x16xf32>
      %40 = stablehlo.dot_general %38, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %41 = stablehlo.add %arg16, %40 : tensor<4x8xf32>
      mpmd.return %41, %38, %39 : tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>)
    %14 = mpmd.transfer %13#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %15:6 = mpmd.fragment<mesh="m2", origin=["load2", "f2"]> (%arg2, %arg3, %14, %4) (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<4x8xf32>, %arg17: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
      %37 = stablehlo.custom_call @annotate_device_placement(%arg14) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %38 = stablehlo.custom_call @annotate_device_placement(%arg15) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      %39 = stablehlo.dot_general %arg16, %38, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %40 = stablehlo.tanh %39 : tensor<4x16xf32>
      %41 = stablehlo.subtract %cst_1, %40 : tensor<4x16xf32>
      %42 = stablehlo.dot_general %40, %37, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %43 = stablehlo.add %arg16, %42 : tensor<4x8xf32>
      %44 = stablehlo.subtract %43, %arg17 : tensor<4x8xf32>
      %45 = stablehlo.multiply %44, %44 : tensor<4x8xf32>
      %46 = stablehlo.multiply %44, %cst_2 : tensor<4x8xf32>
      %47 = stablehlo.reduce(%45 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %48 = stablehlo.divide %47, %cst_0 : tensor<f32>
      mpmd.return %37, %38, %48, %40, %41, %46 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<f32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>)
    %16:3 = mpmd.fragment<mesh="m2", origin=["f2"(1)]> (%15#1, %14, %15#3, %15#4, %15#0, %15#5) (%arg14: tensor<8x16xf32>, %arg15: tensor<4x8xf32>, %arg16: tensor<4x16xf32>, %arg17: tensor<4x16xf32>, %arg18: tensor<16x8xf32>, %arg19: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<3.125000e-02> : tensor<4x8xf32>
      %37 = stablehlo.multiply %arg19, %cst : tensor<4x8xf32>
      %38 = stablehlo.dot_general %37, %arg16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %39 = stablehlo.transpose %38, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %40 = stablehlo.dot_general %37, %arg18, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %41 = stablehlo.multiply %40, %arg17 : tensor<4x16xf32>
      %42 = stablehlo.multiply %41, %arg16 : tensor<4x16xf32>
      %43 = stablehlo.add %41, %42 : tensor<4x16xf32>
      %44 = stablehlo.dot_general %43, %arg15, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %45 = stablehlo.transpose %44, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %46 = stablehlo.dot_general %43, %arg14, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
      %47 = stablehlo.add %37, %46 : tensor<4x8xf32>
      mpmd.return %39, %45, %47 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>)
    %17 = mpmd.transfer %16#2 : (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %18:2 = mpmd.fragment<mesh="m1", origin=["f1"(1)]> (%8, %13#1, %13#2, %6, %17) (%arg14: tensor<4x8xf32>, %arg15: tensor<4x16xf32>, %arg16: tensor<4x16xf32>, %arg17: tensor<16x8xf32>, %arg18: tensor<4x8xf32>) {
      %37 = stablehlo.dot_general %arg18, %arg15, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %38 = stablehlo.transpose %37, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %39 = stablehlo.dot_general %arg18, %arg17, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %40 = stablehlo.multiply %39, %arg16 : tensor<4x16xf32>
      %41 = stablehlo.multiply %40, %arg15 : tensor<4x16xf32>
      %42 = stablehlo.add %40, %41 : tensor<4x16xf32>
      %43 = stablehlo.dot_general %42, %arg14, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %44 = stablehlo.transpose %43, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      mpmd.return %38, %44 : tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %19:3 = mpmd.fragment<mesh="m1", origin=["f1"]> (%6, %5, %10) (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %37 = stablehlo.dot_general %arg16, %arg15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %38 = stablehlo.tanh %37 : tensor<4x16xf32>
      %39 = stablehlo.subtract %cst, %38 : tensor<4x16xf32>
      %40 = stablehlo.dot_general %38, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %41 = stablehlo.add %arg16, %40 : tensor<4x8xf32>
      mpmd.return %41, %38, %39 : tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>)
    %20 = mpmd.transfer %19#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %21:4 = mpmd.fragment<mesh="m2", origin=["f2"]> (%15#0, %15#1, %20, %3) (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<4x8xf32>, %arg17: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %37 = stablehlo.dot_general %arg16, %arg15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %38 = stablehlo.tanh %37 : tensor<4x16xf32>
      %39 = stablehlo.subtract %cst_0, %38 : tensor<4x16xf32>
      %40 = stablehlo.dot_general %38, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %41 = stablehlo.add %arg16, %40 : tensor<4x8xf32>
      %42 = stablehlo.subtract %41, %arg17 : tensor<4x8xf32>
      %43 = stablehlo.multiply %42, %42 : tensor<4x8xf32>
      %44 = stablehlo.multiply %42, %cst : tensor<4x8xf32>
      %45 = stablehlo.reduce(%43 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %46 = stablehlo.divide %45, %cst_1 : tensor<f32>
      mpmd.return %46, %38, %39, %44 : tensor<f32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>)
    %22:3 = mpmd.fragment<mesh="m2", origin=["f2"(1)]> (%15#1, %20, %21#1, %21#2, %15#0, %21#3) (%arg14: tensor<8x16xf32>, %arg15: tensor<4x8xf32>, %arg16: tensor<4x16xf32>, %arg17: tensor<4x16xf32>, %arg18: tensor<16x8xf32>, %arg19: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<3.125000e-02> : tensor<4x8xf32>
      %37 = stablehlo.multiply %arg19, %cst : tensor<4x8xf32>
      %38 = stablehlo.dot_general %37, %arg16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %39 = stablehlo.transpose %38, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %40 = stablehlo.dot_general %37, %arg18, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %41 = stablehlo.multiply %40, %arg17 : tensor<4x16xf32>
      %42 = stablehlo.multiply %41, %arg16 : tensor<4x16xf32>
      %43 = stablehlo.add %41, %42 : tensor<4x16xf32>
      %44 = stablehlo.dot_general %43, %arg15, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %45 = stablehlo.transpose %44, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %46 = stablehlo.dot_general %43, %arg14, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
      %47 = stablehlo.add %37, %46 : tensor<4x8xf32>
      mpmd.return %39, %45, %47 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>)
    %23 = mpmd.transfer %22#2 : (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %24:2 = mpmd.fragment<mesh="m1", origin=["f1"(1)]> (%10, %19#1, %19#2, %6, %23) (%arg14: tensor<4x8xf32>, %arg15: tensor<4x16xf32>, %arg16: tensor<4x16xf32>, %arg17: tensor<16x8xf32>, %arg18: tensor<4x8xf32>) {
      %37 = stablehlo.dot_general %arg18, %arg15, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %38 = stablehlo.transpose %37, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %39 = stablehlo.dot_general %arg18, %arg17, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %40 = stablehlo.multiply %39, %arg16 : tensor<4x16xf32>
      %41 = stablehlo.multiply %40, %arg15 : tensor<4x16xf32>
      %42 = stablehlo.add %40, %41 : tensor<4x16xf32>
      %43 = stablehlo.dot_general %42, %arg14, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %44 = stablehlo.transpose %43, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      mpmd.return %38, %44 : tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %25:3 = mpmd.fragment<mesh="m1", origin=["f1"]> (%6, %5, %12) (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %37 = stablehlo.dot_general %arg16, %arg15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %38 = stablehlo.tanh %37 : tensor<4x16xf32>
      %39 = stablehlo.subtract %cst, %38 : tensor<4x16xf32>
      %40 = stablehlo.dot_general %38, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %41 = stablehlo.add %arg16, %40 : tensor<4x8xf32>
      mpmd.return %41, %38, %39 : tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>)
    %26 = mpmd.transfer %25#0 : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %27:4 = mpmd.fragment<mesh="m2", origin=["f2"]> (%15#0, %15#1, %26, %2, %15#2, %21#0) (%arg14: tensor<16x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<4x8xf32>, %arg17: tensor<4x8xf32>, %arg18: tensor<f32>, %arg19: tensor<f32>) {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x16xf32>
      %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %37 = stablehlo.dot_general %arg16, %arg15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %38 = stablehlo.tanh %37 : tensor<4x16xf32>
      %39 = stablehlo.subtract %cst_0, %38 : tensor<4x16xf32>
      %40 = stablehlo.dot_general %38, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %41 = stablehlo.add %arg16, %40 : tensor<4x8xf32>
      %42 = stablehlo.subtract %41, %arg17 : tensor<4x8xf32>
      %43 = stablehlo.multiply %42, %42 : tensor<4x8xf32>
      %44 = stablehlo.multiply %42, %cst : tensor<4x8xf32>
      %45 = stablehlo.reduce(%43 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %46 = stablehlo.divide %45, %cst_1 : tensor<f32>
      %47 = stablehlo.add %arg18, %arg19 : tensor<f32>
      %48 = stablehlo.add %47, %46 : tensor<f32>
      mpmd.return %38, %39, %44, %48 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x8xf32>, tensor<f32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>) -> (!mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>)
    %28:3 = mpmd.fragment<mesh="m2", origin=["f2"(1)]> (%15#1, %26, %27#0, %27#1, %15#0, %27#2) (%arg14: tensor<8x16xf32>, %arg15: tensor<4x8xf32>, %arg16: tensor<4x16xf32>, %arg17: tensor<4x16xf32>, %arg18: tensor<16x8xf32>, %arg19: tensor<4x8xf32>) {
      %cst = stablehlo.constant dense<3.125000e-02> : tensor<4x8xf32>
      %37 = stablehlo.multiply %arg19, %cst : tensor<4x8xf32>
      %38 = stablehlo.dot_general %37, %arg16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %39 = stablehlo.transpose %38, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %40 = stablehlo.dot_general %37, %arg18, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %41 = stablehlo.multiply %40, %arg17 : tensor<4x16xf32>
      %42 = stablehlo.multiply %41, %arg16 : tensor<4x16xf32>
      %43 = stablehlo.add %41, %42 : tensor<4x16xf32>
      %44 = stablehlo.dot_general %43, %arg15, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %45 = stablehlo.transpose %44, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %46 = stablehlo.dot_general %43, %arg14, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
      %47 = stablehlo.add %37, %46 : tensor<4x8xf32>
      mpmd.return %39, %45, %47 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<4x8xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>)
    %29 = mpmd.transfer %28#2 : (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>
    %30:2 = mpmd.fragment<mesh="m1", origin=["f1"(1)]> (%12, %25#1, %25#2, %6, %29) (%arg14: tensor<4x8xf32>, %arg15: tensor<4x16xf32>, %arg16: tensor<4x16xf32>, %arg17: tensor<16x8xf32>, %arg18: tensor<4x8xf32>) {
      %37 = stablehlo.dot_general %arg18, %arg15, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %38 = stablehlo.transpose %37, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %39 = stablehlo.dot_general %arg18, %arg17, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %40 = stablehlo.multiply %39, %arg16 : tensor<4x16xf32>
      %41 = stablehlo.multiply %40, %arg15 : tensor<4x16xf32>
      %42 = stablehlo.add %40, %41 : tensor<4x16xf32>
      %43 = stablehlo.dot_general %42, %arg14, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
      %44 = stablehlo.transpose %43, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      mpmd.return %38, %44 : tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<4x16xf32>, sharding=<@mesh, [{"data"}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"data"}, {}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %31:4 = mpmd.fragment<mesh="m1", origin=["update1"]> (%18#0, %24#0, %18#1, %24#1, %30#0, %30#1, %6, %5, %1, %0) (%arg14: tensor<16x8xf32>, %arg15: tensor<16x8xf32>, %arg16: tensor<8x16xf32>, %arg17: tensor<8x16xf32>, %arg18: tensor<16x8xf32>, %arg19: tensor<8x16xf32>, %arg20: tensor<16x8xf32>, %arg21: tensor<8x16xf32>, %arg22: tensor<16x8xf32>, %arg23: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<0.899999976> : tensor<16x8xf32>
      %cst_0 = stablehlo.constant dense<0.899999976> : tensor<8x16xf32>
      %cst_1 = stablehlo.constant dense<0.00999999977> : tensor<16x8xf32>
      %cst_2 = stablehlo.constant dense<0.00999999977> : tensor<8x16xf32>
      %37 = stablehlo.add %arg14, %arg15 : tensor<16x8xf32>
      %38 = stablehlo.add %arg16, %arg17 : tensor<8x16xf32>
      %39 = stablehlo.add %37, %arg18 : tensor<16x8xf32>
      %40 = stablehlo.add %38, %arg19 : tensor<8x16xf32>
      %41 = stablehlo.multiply %arg22, %cst : tensor<16x8xf32>
      %42 = stablehlo.add %41, %39 : tensor<16x8xf32>
      %43 = stablehlo.multiply %arg23, %cst_0 : tensor<8x16xf32>
      %44 = stablehlo.add %43, %40 : tensor<8x16xf32>
      %45 = stablehlo.multiply %42, %cst_1 : tensor<16x8xf32>
      %46 = stablehlo.subtract %arg20, %45 : tensor<16x8xf32>
      %47 = stablehlo.multiply %44, %cst_2 : tensor<8x16xf32>
      %48 = stablehlo.subtract %arg21, %47 : tensor<8x16xf32>
      mpmd.return %46, %48, %42, %44 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    %32 = mpmd.transfer %31#3 : (!mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host">
    %33 = mpmd.transfer %31#1 : (!mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host">
    %34 = mpmd.transfer %31#2 : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host">
    %35 = mpmd.transfer %31#0 : (!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>) -> !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host">
    %36:4 = mpmd.fragment<mesh="m2", origin=["update2"]> (%16#0, %22#0, %16#1, %22#1, %28#0, %28#1, %15#0, %15#1, %arg6, %arg7) (%arg14: tensor<16x8xf32>, %arg15: tensor<16x8xf32>, %arg16: tensor<8x16xf32>, %arg17: tensor<8x16xf32>, %arg18: tensor<16x8xf32>, %arg19: tensor<8x16xf32>, %arg20: tensor<16x8xf32>, %arg21: tensor<8x16xf32>, %arg22: tensor<16x8xf32>, %arg23: tensor<8x16xf32>) {
      %cst = stablehlo.constant dense<0.899999976> : tensor<16x8xf32>
      %cst_0 = stablehlo.constant dense<0.899999976> : tensor<8x16xf32>
      %cst_1 = stablehlo.constant dense<0.00999999977> : tensor<16x8xf32>
      %cst_2 = stablehlo.constant dense<0.00999999977> : tensor<8x16xf32>
      %37 = stablehlo.add %arg14, %arg15 : tensor<16x8xf32>
      %38 = stablehlo.add %arg16, %arg17 : tensor<8x16xf32>
      %39 = stablehlo.add %37, %arg18 : tensor<16x8xf32>
      %40 = stablehlo.add %38, %arg19 : tensor<8x16xf32>
      %41 = stablehlo.custom_call @annotate_device_placement(%arg22) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %42 = stablehlo.custom_call @annotate_device_placement(%arg23) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      %43 = stablehlo.multiply %41, %cst : tensor<16x8xf32>
      %44 = stablehlo.add %43, %39 : tensor<16x8xf32>
      %45 = stablehlo.multiply %42, %cst_0 : tensor<8x16xf32>
      %46 = stablehlo.add %45, %40 : tensor<8x16xf32>
      %47 = stablehlo.multiply %44, %cst_1 : tensor<16x8xf32>
      %48 = stablehlo.subtract %arg20, %47 : tensor<16x8xf32>
      %49 = stablehlo.multiply %46, %cst_2 : tensor<8x16xf32>
      %50 = stablehlo.subtract %arg21, %49 : tensor<8x16xf32>
      %51 = stablehlo.custom_call @annotate_device_placement(%48) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %52 = stablehlo.custom_call @annotate_device_placement(%50) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      %53 = stablehlo.custom_call @annotate_device_placement(%44) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %54 = stablehlo.custom_call @annotate_device_placement(%46) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      %55 = stablehlo.custom_call @annotate_device_placement(%51) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %56 = stablehlo.custom_call @annotate_device_placement(%52) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      %57 = stablehlo.custom_call @annotate_device_placement(%53) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %58 = stablehlo.custom_call @annotate_device_placement(%54) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      mpmd.return %55, %56, %57, %58 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>
    } : (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>) -> (!mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>)
    return %35, %33, %36#0, %36#1, %34, %32, %36#2, %36#3, %27#3 : !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host">, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host">, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>, memory_kind="pinned_host">, !mpmd.mesh_tensor<"m1", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>, memory_kind="pinned_host">, !mpmd.mesh_tensor<"m2", tensor<16x8xf32>, sharding=<@mesh, [{"model"}, {}]>>, !mpmd.mesh_tensor<"m2", tensor<8x16xf32>, sharding=<@mesh, [{}, {"model"}]>>, !mpmd.mesh_tensor<"m2", tensor<f32>, sharding=<@mesh, []>>
  }
}
