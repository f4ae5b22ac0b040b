// Lowered by JAX 0.10.2; written by generate.py.
module @jit_solve attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg2: tensor<i32>) -> (tensor<32x8xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<32xf32> {jax.result_info = "result[1]"}, tensor<i32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<[0.000000e+00, 0.0322580636, 0.0645161271, 0.0967741906, 0.129032254, 0.161290318, 0.193548381, 0.225806445, 0.258064508, 0.290322572, 0.322580636, 0.354838699, 0.387096763, 0.419354826, 0.45161289, 0.483870953, 5.161290e-01, 0.54838711, 0.580645144, 0.612903237, 0.645161271, 0.677419364, 0.709677398, 0.741935492, 0.774193525, 0.806451618, 0.838709652, 0.870967745, 0.903225779, 0.935483872, 0.967741906, 1.000000e+00]> : tensor<32xf32>
    %cst_0 = stablehlo.constant dense<[0.000000e+00, 0.0322580636, 0.0645161271, 0.0967741906, 0.129032254, 0.161290318, 0.193548381, 0.225806445, 0.258064508, 0.290322572, 0.322580636, 0.354838699, 0.387096763, 0.419354826, 0.45161289, 0.483870953, 5.161290e-01, 0.54838711, 0.580645144, 0.612903237, 0.645161271, 0.677419364, 0.709677398, 0.741935492, 0.774193525, 0.806451618, 0.838709652, 0.870967745, 0.903225779, 0.935483872, 0.967741906, 1.000000e+00]> : tensor<32xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %3 = stablehlo.multiply %0, %2 : tensor<32x32xf32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{"data"}, {}]> : tensor<32x32xf32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<32x32xf32>
    %7 = stablehlo.multiply %0, %6 : tensor<32x32xf32>
    %8 = sdy.sharding_constraint %7 <@mesh, [{}, {"model"}]> : tensor<32x32xf32>
    %9 = stablehlo.iota dim = 0 : tensor<32xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %11 = stablehlo.iota dim = 0 : tensor<32xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [1] : (tensor<32xi32>) -> tensor<1x32xi32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<32x1xi32>) -> tensor<32x32xi32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x32xi32>) -> tensor<32x32xi32>
    %15 = stablehlo.compare EQ, %13, %14, SIGNED : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = call @_where(%15, %0, %cst_2) : (tensor<32x32xi1>, tensor<32x32xf32>, tensor<f32>) -> tensor<32x32xf32>
    %17 = stablehlo.add %4, %8 : tensor<32x32xf32>
    %18 = stablehlo.add %17, %16 : tensor<32x32xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %20 = stablehlo.add %19, %cst : tensor<32xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %22:7 = stablehlo.while(%iterArg = %arg0, %iterArg_7 = %arg1, %iterArg_8 = %arg2, %iterArg_9 = %cst_0, %iterArg_10 = %21, %iterArg_11 = %cst_5, %iterArg_12 = %c) : tensor<32x32xf32>, tensor<32x8xf32>, tensor<i32>, tensor<32xf32>, tensor<32x8xf32>, tensor<f32>, tensor<i32>
    cond {
      %c_13 = stablehlo.constant dense<100> : tensor<i32>
      %30 = stablehlo.compare LT, %iterArg_12, %c_13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %cst_14 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %31 = stablehlo.compare GT, %iterArg_11, %cst_14, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %32 = stablehlo.and %30, %31 : tensor<i1>
      stablehlo.return %32 : tensor<i1>
    } do {
      %30 = stablehlo.dot_general %iterArg, %iterArg_10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
      %31 = stablehlo.subtract %iterArg_7, %30 : tensor<32x8xf32>
      %32 = sdy.sharding_constraint %31 <@mesh, [{"data", ?}p1, {?}p2]> : tensor<32x8xf32>
      %33 = stablehlo.transpose %iterArg, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
      %34 = stablehlo.dot_general %33, %32, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
      %c_13 = stablehlo.constant dense<0> : tensor<i32>
      %c_14 = stablehlo.constant dense<2> : tensor<i32>
      %35 = stablehlo.clamp %c_13, %iterArg_8, %c_14 : tensor<i32>
      %36 = "stablehlo.case"(%35) ({
        stablehlo.return %34 : tensor<32x8xf32>
      }, {
        %45 = func.call @norm(%34) : (tensor<32x8xf32>) -> tensor<f32>
        %cst_18 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
        %46 = stablehlo.add %cst_18, %45 : tensor<f32>
        %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
        %48 = stablehlo.divide %34, %47 : tensor<32x8xf32>
        stablehlo.return %48 : tensor<32x8xf32>
      }, {
        %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %45 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
        %46 = stablehlo.broadcast_in_dim %iterArg_9, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
        %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
        %48 = stablehlo.multiply %45, %47 : tensor<32x32xf32>
        %49 = sdy.sharding_constraint %48 <@mesh, [{"data"}, {}]> : tensor<32x32xf32>
        %50 = stablehlo.broadcast_in_dim %iterArg_9, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
        %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<32x32xf32>
        %52 = stablehlo.multiply %45, %51 : tensor<32x32xf32>
        %53 = sdy.sharding_constraint %52 <@mesh, [{}, {"model"}]> : tensor<32x32xf32>
        %54 = stablehlo.iota dim = 0 : tensor<32xi32>
        %55 = stablehlo.broadcast_in_dim %54, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
        %56 = stablehlo.iota dim = 0 : tensor<32xi32>
        %57 = stablehlo.broadcast_in_dim %56, dims = [1] : (tensor<32xi32>) -> tensor<1x32xi32>
        %58 = stablehlo.broadcast_in_dim %55, dims = [0, 1] : (tensor<32x1xi32>) -> tensor<32x32xi32>
        %59 = stablehlo.broadcast_in_dim %57, dims = [0, 1] : (tensor<1x32xi32>) -> tensor<32x32xi32>
        %60 = stablehlo.compare EQ, %58, %59, SIGNED : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
        %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %61 = func.call @_where(%60, %45, %cst_19) : (tensor<32x32xi1>, tensor<32x32xf32>, tensor<f32>) -> tensor<32x32xf32>
        %62 = stablehlo.add %49, %53 : tensor<32x32xf32>
        %63 = stablehlo.add %62, %61 : tensor<32x32xf32>
        %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %64 = stablehlo.reduce(%63 init: %cst_20) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
        %65 = stablehlo.add %64, %iterArg_9 : tensor<32xf32>
        %66 = stablehlo.broadcast_in_dim %65, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
        %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x8xf32>
        %68 = stablehlo.multiply %34, %67 : tensor<32x8xf32>
        %69 = sdy.sharding_constraint %68 <@mesh, [{"data"}, {"model"}]> : tensor<32x8xf32>
        stablehlo.return %69 : tensor<32x8xf32>
      }) : (tensor<i32>) -> tensor<32x8xf32>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %37 = stablehlo.compare GT, %iterArg_12, %c_15, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %38 = stablehlo.abs %32 : tensor<32x8xf32>
      %39 = stablehlo.convert %37 : (tensor<i1>) -> tensor<i32>
      %40 = "stablehlo.case"(%39) ({
        %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %45 = stablehlo.reduce(%38 init: %cst_18) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x8xf32>, tensor<f32>) -> tensor<f32>
        %cst_19 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
        %46 = stablehlo.divide %45, %cst_19 : tensor<f32>
        stablehlo.return %46 : tensor<f32>
      }, {
        %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %45 = stablehlo.reduce(%38 init: %cst_18) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<32x8xf32>, tensor<f32>) -> tensor<f32>
        stablehlo.return %45 : tensor<f32>
      }) : (tensor<i32>) -> tensor<f32>
      %cst_16 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %41 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
      %42 = stablehlo.multiply %41, %36 : tensor<32x8xf32>
      %43 = stablehlo.add %iterArg_10, %42 : tensor<32x8xf32>
      %c_17 = stablehlo.constant dense<1> : tensor<i32>
      %44 = stablehlo.add %iterArg_12, %c_17 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_7, %iterArg_8, %iterArg_9, %43, %40, %44 : tensor<32x32xf32>, tensor<32x8xf32>, tensor<i32>, tensor<32xf32>, tensor<32x8xf32>, tensor<f32>, tensor<i32>
    }
    %23:2 = stablehlo.optimization_barrier %22#4, %20 : tensor<32x8xf32>, tensor<32xf32>
    %24 = stablehlo.broadcast_in_dim %23#1, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x8xf32>
    %26 = stablehlo.multiply %23#0, %25 : tensor<32x8xf32>
    sdy.sharding_group %26 group_id=0 : tensor<32x8xf32>
    sdy.sharding_group %23#0 group_id=0 : tensor<32x8xf32>
    %27 = sdy.sharding_constraint %23#0 <@mesh, [{"data"}, {}]> : tensor<32x8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%26 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<32x8xf32>, tensor<f32>) -> tensor<32xf32>
    %29 = stablehlo.add %28, %23#1 : tensor<32xf32>
    return %27, %29, %22#6 : tensor<32x8xf32>, tensor<32xf32>, tensor<i32>
  }
  func.func private @_where(%arg0: tensor<32x32xi1>, %arg1: tensor<32x32xf32>, %arg2: tensor<f32>) -> tensor<32x32xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<32x32xi1>, tensor<32x32xf32>
    return %2 : tensor<32x32xf32>
  }
  func.func private @norm(%arg0: tensor<32x8xf32>) -> tensor<f32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<32x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x8xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    return %2 : tensor<f32>
  }
}
