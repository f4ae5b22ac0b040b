"""The ops without a rule that nothing warns of: they have no dimensions that correspond."""

from __future__ import annotations

from typing import Final

NO_RULE: Final = frozenset(
    [
        "builtin.module",
        "func.func",
        "func.call",
        "func.return",
        "sdy.constant",
        "sdy.data_flow_edge",
        "sdy.func_data_flow_edge",
        "sdy.manual_computation",
        "sdy.named_computation",
        "sdy.mesh",
        "sdy.propagation_barrier",
        "sdy.sharding_group",
        "sdy.reshard",
        "sdy.return",
        "stablehlo.after_all",
        "stablehlo.case",
        "stablehlo.constant",
        "stablehlo.create_token",
        "stablehlo.get_tuple_element",
        "stablehlo.infeed",
        "stablehlo.iota",
        "stablehlo.outfeed",
        "stablehlo.optimization_barrier",
        "stablehlo.partition_id",
        "stablehlo.recv",
        "stablehlo.return",
        "stablehlo.send",
        "stablehlo.while",
    ]
)
