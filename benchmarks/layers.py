"""A module of any size, made like those that frontends lower: layers with shardings.

Attention and MLP layers with a constraint on about every tenth op; every fourth layer adds
a loop, a manual region with collectives, control flow, and sharding groups. Constants are
partly shared by all layers, partly made where they are used; some meshes are inlined.
"""

from __future__ import annotations

from string import Template

TYPES = {
    "act": "tensor<8x16x64xf32>",
    "scores": "tensor<8x16x16xf32>",
    "rows": "tensor<8x16xf32>",
    "weight": "tensor<64x64xf32>",
    "scalar": "tensor<f32>",
    "index": "tensor<i32>",
}

_HEAD = """\
module @layers attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  func.func private @gelu(%arg0: $act) -> $act {
    %cst = stablehlo.constant dense<5.0e-01> : $scalar
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : ($scalar) -> $act
    %1 = stablehlo.tanh %arg0 : $act
    %2 = stablehlo.add %1, %0 : $act
    %3 = stablehlo.multiply %2, %arg0 : $act
    return %3 : $act
  }
"""

_SHARED = """\
    %zero = stablehlo.constant dense<0.0> : $scalar
    %low = stablehlo.constant dense<-1.0e+09> : $scalar
    %mask = stablehlo.broadcast_in_dim %low, dims = [] : ($scalar) -> $scores
    %three = stablehlo.constant dense<3> : $index
"""

_LAYER = """\
    %a$i = stablehlo.multiply %x$i, %x$i : $act
    %b$i = stablehlo.reduce(%a$i init: %zero) applies stablehlo.add across dimensions = [2] : ($act, $scalar) -> $rows
    %c$i = stablehlo.constant dense<6.4e+01> : $rows
    %d$i = stablehlo.divide %b$i, %c$i : $rows
    %e$i = stablehlo.constant dense<1.0e-06> : $scalar
    %f$i = stablehlo.broadcast_in_dim %e$i, dims = [] : ($scalar) -> $rows
    %g$i = stablehlo.add %d$i, %f$i : $rows
    %h$i = stablehlo.rsqrt %g$i : $rows
    %j$i = stablehlo.broadcast_in_dim %h$i, dims = [0, 1] : ($rows) -> $act
    %k$i = stablehlo.multiply %x$i, %j$i : $act
    %l$i = stablehlo.dot_general %k$i, %q$i, contracting_dims = [2] x [0] : ($act, $weight) -> $act
    %m$i = sdy.sharding_constraint %l$i <$mesh, [{"data"}, {}, {"model"}]> : $act
    %n$i = stablehlo.dot_general %m$i, %k$i, batching_dims = [0] x [0], contracting_dims = [2] x [2] : ($act, $act) -> $scores
    %o$i = stablehlo.iota dim = 1 : tensor<8x16x16xi32>
    %p$i = stablehlo.iota dim = 2 : tensor<8x16x16xi32>
    %r$i = stablehlo.compare GE, %o$i, %p$i : (tensor<8x16x16xi32>, tensor<8x16x16xi32>) -> tensor<8x16x16xi1>
    %s$i = stablehlo.select %r$i, %n$i, %mask : tensor<8x16x16xi1>, $scores
    %t$i = stablehlo.exponential %s$i {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {?}, {?}]>]>} : $scores
    %u$i = stablehlo.reduce(%t$i init: %zero) applies stablehlo.add across dimensions = [2] : ($scores, $scalar) -> $rows
    %v$i = stablehlo.broadcast_in_dim %u$i, dims = [0, 1] : ($rows) -> $scores
    %w$i = stablehlo.divide %t$i, %v$i : $scores
    %aa$i = stablehlo.dot_general %w$i, %k$i, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ($scores, $act) -> $act
    %ab$i = stablehlo.add %aa$i, %x$i : $act
    %ac$i = sdy.sharding_constraint %ab$i <@mesh, [{"data"}, {?}, {}]> : $act
    %ad$i = stablehlo.dot_general %ac$i, %q$i, contracting_dims = [2] x [1] : ($act, $weight) -> $act
    %ae$i = call @gelu(%ad$i) : ($act) -> $act
    %af$i = sdy.sharding_constraint %ae$i <@mesh, [{"data"}, {}, {"model"}]> : $act
    %ag$i = stablehlo.maximum %af$i, %ad$i : $act
    %y$i = stablehlo.add %ag$i, %ac$i : $act
"""

_PLAIN_END = """\
    sdy.sharding_group %k$i group_id=$i : $act
    sdy.sharding_group %y$i group_id=$i : $act
    %x$next = sdy.sharding_constraint %y$i <@mesh, [{"data"}, {}, {}]> : $act
"""

_RICH_END = """\
    %ba$i = stablehlo.constant dense<0> : $index
    %bb$i:2 = stablehlo.while(%wa = %y$i, %wb = %ba$i) : $act, $index attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {?}, {?}]>, <@mesh, []>]>}
    cond {
      %wc = stablehlo.compare LT, %wb, %three : ($index, $index) -> tensor<i1>
      stablehlo.return %wc : tensor<i1>
    } do {
      %wd = stablehlo.constant dense<1> : $index
      %we = stablehlo.add %wb, %wd : $index
      %wf = stablehlo.tanh %wa : $act
      %wg = sdy.sharding_constraint %wf <@mesh, [{"data"}, {"model"}, {}]> : $act
      stablehlo.return %wg, %we : $act, $index
    }
    %bc$i = sdy.manual_computation(%bb$i#0) in_shardings=[<@mesh, [{"data"}, {}, {"model"}]>] out_shardings=[<@mesh, [{"data"}, {}, {}]>] manual_axes={"data", "model"} (%ma: tensor<2x16x32xf32>) {
      %mb = stablehlo.multiply %ma, %ma : tensor<2x16x32xf32>
      %mc = "stablehlo.all_gather"(%mb) {all_gather_dim = 2 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "data", size = 4>, #stablehlo.mesh_axis<name = "model", size = 2>]>, axes = [#stablehlo.axis_ref<name = "model">]>} : (tensor<2x16x32xf32>) -> tensor<2x16x64xf32>
      sdy.return %mc : tensor<2x16x64xf32>
    } : ($act) -> $act
    %bd$i = "stablehlo.case"(%bb$i#1) ({
      stablehlo.return %bc$i : $act
    }, {
      %ca = stablehlo.negate %bc$i : $act
      stablehlo.return %ca : $act
    }) : ($index) -> $act
    %be$i:2 = stablehlo.optimization_barrier %bd$i, %w$i : $act, $scores
    sdy.sharding_group %be$i#0 group_id=$i : $act
    %bf$i = sdy.sharding_constraint %be$i#0 <@mesh, [{"data"}, {}, {}]> : $act
    %x$next = sdy.sharding_constraint %bf$i <@mesh, [{"data"}, {"model"}, {}]> : $act
"""

_OPS_PER_FOUR_LAYERS = 162


def layers_module(ops: int) -> str:
    """Return the text of a module of about `ops` operations."""
    count = max(1, round(4 * ops / _OPS_PER_FOUR_LAYERS))
    weights = "".join(
        f', %q{at}: $weight {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"model"}}]>}}'
        for at in range(count)
    )
    parts = [_HEAD, f"  func.func public @main(%x0: $act{weights}) -> ($act) {{\n", _SHARED]
    parts += [_layer(at) for at in range(count)]
    parts.append(f"    return %x{count} : $act\n  }}\n}}\n")
    return Template("".join(parts)).substitute(TYPES)


def _layer(at: int) -> str:
    mesh = 'mesh<["data"=4, "model"=2]>' if at % 8 == 5 else "@mesh"
    end = _RICH_END if at % 4 == 3 else _PLAIN_END
    return Template(_LAYER + end).safe_substitute(i=at, next=at + 1, mesh=mesh)
