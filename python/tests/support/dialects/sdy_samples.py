"""A module for each `sdy` operation; what is not given here holds for all of them."""

from __future__ import annotations

_HEADER = 'sdy.mesh @mesh = <["x"=2, "y"=4]>'
_SHARDED = '%arg: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}'
_NAMED = (
    'sdy.named_computation<"f">(%arg) in_shardings=[<@mesh, [{"x"}, {}]>]'
    " out_shardings=[<@mesh, [{}, {}]>] (%b: tensor<8x8xf32>)"
    " { sdy.return %b : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>"
)

SAMPLES: dict[str, str] = {
    "all_gather": 'sdy.all_gather [{"x"}, {}] %arg out_sharding=<@mesh, [{}, {}]>',
    "all_reduce": 'sdy.all_reduce {"y"} %arg out_sharding=<@mesh, [{"x"}, {}]>',
    "all_slice": 'sdy.all_slice [{}, {"y"}] %arg out_sharding=<@mesh, [{"x"}, {"y"}]>',
    "all_to_all": 'sdy.all_to_all [{"x"}: 0->1] %arg out_sharding=<@mesh, [{}, {"x"}]>',
    "collective_permute": 'sdy.collective_permute %arg out_sharding=<@mesh, [{"y":(1)2}, {}]>',
    "constant": "sdy.constant dense<1.0>",
    "data_flow_edge": "sdy.data_flow_edge %arg sharding=<@mesh, [{?}, {}]>",
    "func_data_flow_edge": "sdy.func_data_flow_edge %arg",
    "manual_computation": (
        'sdy.manual_computation(%arg) in_shardings=[<@mesh, [{"x"}, {}]>]'
        ' out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>)'
        " { sdy.return %b : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>"
    ),
    "mesh": 'sdy.mesh @other = <["x"=8]>',
    "named_computation": _NAMED,
    "propagation_barrier": "sdy.propagation_barrier %arg allowed_direction=FORWARD",
    "reduce_scatter": 'sdy.reduce_scatter [{}, {"y"}] %arg out_sharding=<@mesh, [{"x"}, {"y"}]>',
    "replicated_to_unreduced": (
        'sdy.replicated_to_unreduced {"y"} %arg out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}>'
    ),
    "reshard": 'sdy.reshard %arg <@mesh, [{"y"}, {}]>',
    "return": _NAMED,
    "sharded_to_unreduced": (
        'sdy.sharded_to_unreduced [{"x"}, {}] %arg out_sharding=<@mesh, [{}, {}], unreduced={"x"}>'
    ),
    "sharding_constraint": 'sdy.sharding_constraint %arg <@mesh, [{"y"}, {?}]>',
    "sharding_group": "sdy.sharding_group %arg group_id=3",
}
"""By the name of the operation without `sdy.`."""


def module_text(name: str) -> str:
    """Return a module that holds the operation."""
    line = SAMPLES[name]
    if name == "mesh":
        return f"{_HEADER}\n{line}"
    if " -> " not in line:
        line += " : tensor<8x8xf32>"
    result = "" if name == "sharding_group" else "%0 = "
    return f"{_HEADER}\nfunc.func @main({_SHARDED}) {{\n  {result}{line}\n  return\n}}"
