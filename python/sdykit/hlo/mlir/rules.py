"""The op of each opcode, and how their attributes are converted: one table for both directions."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.hlo.mlir import custom_call, fields
from sdykit.hlo.mlir.fields import Field


@dataclass(frozen=True)
class Rule:
    """How an opcode is converted."""

    opcode: str
    op: str
    """The name of the op, with its dialect."""
    fields: tuple[Field, ...] = ()
    """The conversion of the attributes."""
    region: str | None = None
    """The attribute whose computation is the region of the op."""

    @property
    def hlo_names(self) -> frozenset[str]:
        """The names of the attributes of the instruction that the fields convert."""
        return frozenset([name for field in self.fields for name in field.hlo_names])

    @property
    def mlir_names(self) -> frozenset[str]:
        """The names of the attributes of the op that the fields convert."""
        return frozenset([name for field in self.fields for name in field.mlir_names])


_STABLEHLO = (
    *("abs", "add", "and", "atan2", "cbrt", "ceil", "clamp", "complex", "convert", "cosine"),
    *("bitcast-convert", "count-leading-zeros", "divide", "dynamic-update-slice", "exponential"),
    *("exponential-minus-one", "floor", "imag", "is-finite", "log", "log-plus-one", "logistic"),
    *("maximum", "minimum", "multiply", "negate", "not", "or", "partition-id", "popcnt", "power"),
    *("after-all", "real", "remainder", "replica-id", "reshape", "round-nearest-afz"),
    *("round-nearest-even", "rsqrt", "select", "shift-left", "shift-right-arithmetic"),
    *("shift-right-logical", "sign", "sine", "sqrt", "subtract", "tan", "tanh", "xor"),
)
_MHLO = (
    *("acos", "acosh", "add-dependency", "asin", "asinh", "atanh", "bitcast", "copy", "cosh"),
    *("erf", "sinh", "stochastic-convert"),
)
"""Opcodes that StableHLO has no op for."""


def _plain(opcode: str, dialect: str) -> Rule:
    return Rule(opcode, f"{dialect}.{opcode.replace('-', '_')}")


_RULES = (
    *[_plain(opcode, "stablehlo") for opcode in _STABLEHLO],
    *[_plain(opcode, "mhlo") for opcode in _MHLO],
    Rule(
        "compare",
        "stablehlo.compare",
        (
            fields.enum("direction", "comparison_direction", "comparison_direction"),
            fields.enum("type", "compare_type", "comparison_type"),
        ),
    ),
    Rule(
        "broadcast",
        "stablehlo.broadcast_in_dim",
        (fields.sizes("dimensions", "broadcast_dimensions"),),
    ),
    Rule("transpose", "stablehlo.transpose", (fields.sizes("dimensions", "permutation"),)),
    Rule("reverse", "stablehlo.reverse", (fields.sizes("dimensions", "dimensions"),)),
    Rule("slice", "stablehlo.slice", (fields.slices(),)),
    Rule("pad", "stablehlo.pad", (fields.padding(),)),
    Rule("concatenate", "stablehlo.concatenate", (fields.one_size("dimensions", "dimension"),)),
    Rule("iota", "stablehlo.iota", (fields.integer("iota_dimension", "iota_dimension", "i64"),)),
    Rule(
        "get-tuple-element",
        "stablehlo.get_tuple_element",
        (fields.integer("index", "index", "i32"),),
    ),
    Rule("tuple", "stablehlo.tuple"),
    Rule(
        "get-dimension-size",
        "stablehlo.get_dimension_size",
        (fields.one_size("dimensions", "dimension"),),
    ),
    Rule(
        "reduce-precision",
        "stablehlo.reduce_precision",
        (
            fields.integer("exponent_bits", "exponent_bits", "i32"),
            fields.integer("mantissa_bits", "mantissa_bits", "i32"),
        ),
    ),
    Rule(
        "dynamic-slice",
        "stablehlo.dynamic_slice",
        (fields.sizes("dynamic_slice_sizes", "slice_sizes"),),
    ),
    Rule("dot", "stablehlo.dot_general", (fields.contraction(), fields.precision())),
    Rule(
        "reduce",
        "stablehlo.reduce",
        (fields.sizes("dimensions", "dimensions"),),
        region="to_apply",
    ),
    Rule("map", "stablehlo.map", (fields.sizes("dimensions", "dimensions"),), region="to_apply"),
    Rule(
        "sort",
        "stablehlo.sort",
        (fields.one_size("dimensions", "dimension"), fields.boolean("is_stable", "is_stable")),
        region="to_apply",
    ),
    Rule("custom-call", "stablehlo.custom_call", custom_call.all_fields()),
    Rule("call", "func.call"),
    Rule("opt-barrier", "stablehlo.optimization_barrier"),
    Rule("constant", "stablehlo.constant"),
)

BY_OPCODE = {rule.opcode: rule for rule in _RULES}
BY_OP = {
    name: rule for rule in _RULES for name in (rule.op, rule.op.replace("stablehlo.", "mhlo."))
}
BY_OP.update({f"{dialect}.dot": BY_OPCODE["dot"] for dialect in ("stablehlo", "mhlo")})
