"""Which op an opcode is, and which attributes it has: the table that is read both ways."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.hlo.mlir import custom_call
from sdykit.hlo.mlir import fields as forms
from sdykit.hlo.mlir.fields import Field


@dataclass(frozen=True)
class Rule:
    """One opcode."""

    opcode: str
    op: str
    """With its dialect."""
    fields: tuple[Field, ...] = ()
    region: str | None = None
    """The attribute whose computation is the region of the op."""

    @property
    def names(self) -> frozenset[str]:
        """The attributes of the instruction that the fields stand for."""
        return frozenset([name for field in self.fields for name in field.names])

    @property
    def uses(self) -> frozenset[str]:
        """The attributes of the op that the fields stand for."""
        return frozenset([use for field in self.fields for use in field.uses])


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
"""What StableHLO has no op for."""


def _plain(opcode: str, dialect: str) -> Rule:
    return Rule(opcode, f"{dialect}.{opcode.replace('-', '_')}")


_RULES = (
    *[_plain(opcode, "stablehlo") for opcode in _STABLEHLO],
    *[_plain(opcode, "mhlo") for opcode in _MHLO],
    Rule(
        "compare",
        "stablehlo.compare",
        (
            forms.enum("direction", "comparison_direction", "comparison_direction"),
            forms.enum("type", "compare_type", "comparison_type"),
        ),
    ),
    Rule(
        "broadcast",
        "stablehlo.broadcast_in_dim",
        (forms.sizes("dimensions", "broadcast_dimensions"),),
    ),
    Rule("transpose", "stablehlo.transpose", (forms.sizes("dimensions", "permutation"),)),
    Rule("reverse", "stablehlo.reverse", (forms.sizes("dimensions", "dimensions"),)),
    Rule("slice", "stablehlo.slice", (forms.slices(),)),
    Rule("pad", "stablehlo.pad", (forms.padding(),)),
    Rule("concatenate", "stablehlo.concatenate", (forms.one_size("dimensions", "dimension"),)),
    Rule("iota", "stablehlo.iota", (forms.integer("iota_dimension", "iota_dimension", "i64"),)),
    Rule(
        "get-tuple-element",
        "stablehlo.get_tuple_element",
        (forms.integer("index", "index", "i32"),),
    ),
    Rule("tuple", "stablehlo.tuple"),
    Rule(
        "get-dimension-size",
        "stablehlo.get_dimension_size",
        (forms.one_size("dimensions", "dimension"),),
    ),
    Rule(
        "reduce-precision",
        "stablehlo.reduce_precision",
        (
            forms.integer("exponent_bits", "exponent_bits", "i32"),
            forms.integer("mantissa_bits", "mantissa_bits", "i32"),
        ),
    ),
    Rule(
        "dynamic-slice",
        "stablehlo.dynamic_slice",
        (forms.sizes("dynamic_slice_sizes", "slice_sizes"),),
    ),
    Rule("dot", "stablehlo.dot_general", (forms.contraction(), forms.precision())),
    Rule(
        "reduce",
        "stablehlo.reduce",
        (forms.sizes("dimensions", "dimensions"),),
        region="to_apply",
    ),
    Rule("map", "stablehlo.map", (forms.sizes("dimensions", "dimensions"),), region="to_apply"),
    Rule(
        "sort",
        "stablehlo.sort",
        (forms.one_size("dimensions", "dimension"), forms.truth("is_stable", "is_stable")),
        region="to_apply",
    ),
    Rule("custom-call", "stablehlo.custom_call", custom_call.fields()),
    Rule("call", "func.call"),
    Rule("opt-barrier", "stablehlo.optimization_barrier"),
    Rule("constant", "stablehlo.constant"),
)

BY_OPCODE = {rule.opcode: rule for rule in _RULES}
BY_OP = {
    name: rule for rule in _RULES for name in (rule.op, rule.op.replace("stablehlo.", "mhlo."))
}
BY_OP.update({f"{dialect}.dot": BY_OPCODE["dot"] for dialect in ("stablehlo", "mhlo")})
