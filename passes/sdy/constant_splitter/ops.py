"""The ops that make constants out of constants, by name and by the shapes they work on."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.dialects import sdy
from sdykit.mlir import ir

CONSTANT = sdy.ConstantOp.OPERATION_NAME
IOTA = "stablehlo.iota"
BROADCAST = "stablehlo.broadcast_in_dim"
NAMED_COMPUTATION = sdy.NamedComputationOp.OPERATION_NAME
SHARDING_GROUP = sdy.ShardingGroupOp.OPERATION_NAME

# The bindings cannot ask an op for its traits and interfaces, so tables list the ops that are
# pure and element-wise. To derive them for another jaxlib: build each registered op with constant
# operands and two users, run the C++ splitter, and see whether there are two of it afterwards. A
# test compares the tables with that.

_ANY_SHAPE = {
    "arith": """
        addf addi addui_extended andi bitcast cmpf cmpi convertf divf extf extsi extui
        floordivsi flush_denormals fptosi fptoui index_cast index_castui maximumf maxnumf
        maxsi maxui minimumf minnumf minsi minui mulf muli mulsi_extended mului_extended
        negf ori remf scaling_extf scaling_truncf select shli shrsi shrui sitofp subf subi
        subui_extended truncf trunci uitofp xori""",
    "chlo": """
        _asin_acos_kernel acos acosh asin asinh atan atanh bessel_i1e broadcast_add
        broadcast_and broadcast_atan2 broadcast_compare broadcast_complex broadcast_divide
        broadcast_maximum broadcast_minimum broadcast_multiply broadcast_next_after
        broadcast_or broadcast_polygamma broadcast_power broadcast_remainder
        broadcast_select broadcast_shift_left broadcast_shift_right_arithmetic
        broadcast_shift_right_logical broadcast_subtract broadcast_xor broadcast_zeta conj
        cosh digamma erf erf_inv erfc is_inf is_neg_inf is_pos_inf lgamma sinh square
        tan""",
    "complex": """
        abs add angle atan2 conj cos div eq exp expm1 im log log1p mul neg neq pow powi re
        rsqrt sign sin sqrt sub tan tanh""",
    "math": """
        absf absi acos acosh asin asinh atan atan2 atanh cbrt ceil clampf copysign cos cosh
        ctlz ctpop cttz erf erfc exp exp2 expm1 floor fma fpowi ipowi isfinite isinf isnan
        isnormal log log10 log1p log2 powf round roundeven rsqrt sin sincos sinh sqrt tan
        tanh trunc""",
    "mhlo": """
        abs add and atan2 cbrt ceil clamp compare complex convert copy cosine
        count_leading_zeros divide erf exponential exponential_minus_one floor imag
        is_finite log log_plus_one logistic maximum minimum mulhi multiply negate not or
        popcnt power real reduce_precision remainder round_nearest_afz round_nearest_even
        rsqrt select shift_left shift_right_arithmetic shift_right_logical sign sine sqrt
        stochastic_convert subtract tan tanh uniform_dequantize uniform_quantize xor""",
    "sdy": "propagation_barrier reshard",
    "vector": "fma",
}

_NO_DIMENSION_FIXED = """
    abs cbrt ceil convert cosine count_leading_zeros exponential exponential_minus_one floor
    imag is_finite log log_plus_one logistic negate not popcnt real reduce_precision
    round_nearest_afz round_nearest_even rsqrt sign sine slice sqrt tan tanh
    uniform_dequantize uniform_quantize"""

_STATIC_OPERANDS = """
    add and atan2 broadcast_in_dim clamp compare complex divide maximum minimum multiply or
    power remainder reshape select shift_left shift_right_arithmetic shift_right_logical
    subtract xor"""


def _full_names(dialect: str, ops: str) -> frozenset[str]:
    return frozenset(f"{dialect}.{op}" for op in ops.split())


PURE = frozenset[str]().union(*(_full_names(*item) for item in _ANY_SHAPE.items()))
"""Pure whatever the shapes."""

PURE_UNLESS_FIXING = _full_names("stablehlo", _NO_DIMENSION_FIXED)
"""Pure if no dimension is static in the result that is dynamic in the operand."""

PURE_ON_STATIC = _full_names("stablehlo", _STATIC_OPERANDS)
"""Pure if all operands have static shapes."""

PURE_IF_STATIC = PURE_ON_STATIC | PURE_UNLESS_FIXING
"""Pure, at least, if all operands have static shapes."""

BITCAST = "stablehlo.bitcast_convert"
"""Element-wise and pure if the result has the shape of the operand."""

CONSTANT_PRESERVING = PURE | PURE_UNLESS_FIXING | PURE_ON_STATIC | {BITCAST}
"""The ops that can make a constant out of constants; `keeps_constants` checks their shapes."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The properties of a type's shape that matter here."""

    is_scalar: bool
    """Whether it is a tensor without dimensions; a bare number, which has no shape, is not."""
    is_static: bool
    """Whether all dimensions are known."""


class Shapes(dict[ir.Type, Shape]):
    """The shapes of types, each computed once."""

    def __missing__(self, type_: ir.Type) -> Shape:
        shape = Shape(False, False)
        if isinstance(type_, ir.ShapedType) and type_.has_rank:
            shape = Shape(type_.rank == 0, type_.has_static_shape)
        self[type_] = shape
        return shape


def keeps_constants(op: ir.Operation, name: str, shapes: Shapes) -> bool:
    """Return whether an op, whose name is in `CONSTANT_PRESERVING`, is pure with its shapes."""
    if name in PURE:
        return True
    if name in PURE_IF_STATIC and all(shapes[value.type].is_static for value in op.operands):
        return True
    if name in PURE_ON_STATIC:
        return False
    operand, result = _shaped(op.operands[0]), _shaped(op.results[0])
    if name == BITCAST:
        return operand.shape == result.shape
    return not any(
        operand.is_dynamic_dim(dim) and not result.is_dynamic_dim(dim) for dim in range(result.rank)
    )


def _shaped(value: ir.Value) -> ir.ShapedType:
    return ir.ShapedType(value.type)
