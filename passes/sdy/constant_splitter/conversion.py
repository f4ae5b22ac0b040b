"""Conversion of the constants of StableHLO into those of sdy."""

from __future__ import annotations

from contextlib import suppress

from sdykit.mlir import ir, rewrite
from sdykit.passes.sdy.constant_splitter.ops import CONSTANT

_STABLEHLO_CONSTANT = "stablehlo.constant"


def convert_constants(module: ir.Operation) -> None:
    """Turn each `stablehlo.constant` into a `sdy.constant`, which no folding merges.

    As in C++ it is a dialect conversion, which also folds ops, and skips unreachable blocks.
    """
    patterns = rewrite.RewritePatternSet(module.context)
    patterns.add(_STABLEHLO_CONSTANT, _convert)
    target = rewrite.ConversionTarget(module.context)
    target.add_illegal_op(_STABLEHLO_CONSTANT)
    rewrite.apply_partial_conversion(module, target, patterns.freeze())


def _convert(op: ir.OpView, rewriter: rewrite.PatternRewriter) -> None:
    old = op.operation
    try:
        new = ir.Operation.create(
            CONSTANT,
            results=[old.result.type],
            attributes=dict(old.attributes.items()),
            loc=old.location,
            ip=rewriter.ip,
        )
    except TypeError:  # The bindings have no class for dense complex numbers.
        new = _parsed(old)
        rewriter.ip.insert(new)
    rewriter.replace_op(old, new)


def _parsed(constant: ir.Operation) -> ir.Operation:
    """Make a `sdy.constant` by way of text: the bindings cannot hold the value."""
    # A clone, since printing an op of a module takes as long as the module. It is printed without
    # its other attributes: shardings name meshes that are not there.
    bare = constant.clone(ip=False)
    others: dict[str, ir.Attribute] = {}
    for name in constant.attributes:
        if name != "value":
            with suppress(TypeError):
                others[name] = constant.attributes[name]
                del bare.attributes[name]
    text = bare.get_asm(print_generic_op_form=True, enable_debug_info=True, use_local_scope=True)
    text = str(text).replace(f'"{_STABLEHLO_CONSTANT}"', f'"{CONSTANT}"', 1)
    made = ir.Operation.parse(text).operation
    for name, attribute in others.items():
        made.attributes[name] = attribute
    return made
