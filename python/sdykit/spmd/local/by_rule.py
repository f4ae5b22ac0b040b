"""Ops that are run on parts of their tensors as their sharding rules allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sdykit.core.sdy.rules import REDUCTION
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.axes import Axes
from sdykit.passes.sdy._propagation.steps import Rule, rule_of
from sdykit.spmd.devices.layout import Layout, whole
from sdykit.spmd.errors import fail_at
from sdykit.spmd.local.copies import copy_callees, copy_of
from sdykit.spmd.local.factors import Divider, Division, elementwise_rule
from sdykit.spmd.local.layouts import shape_of
from sdykit.spmd.local.moving import Part
from sdykit.spmd.local.program import LocalProgram
from sdykit.spmd.local.results import Reduced
from sdykit.spmd.outside import need_of_outside

_NOT_ELEMENTWISE = ("chlo.top_k", "chlo.ragged_dot")


@dataclass(frozen=True)
class Step:
    """An op that is being made local.

    Attributes:
        op: the op.
        division: how its work is divided.
        operands: its operands, of which each device holds the parts that it needs.
        types: the types of its results on a device.
    """

    op: ir.Operation
    division: Division
    operands: tuple[Part, ...]
    types: tuple[ir.Type, ...]

    def axes(self, tensor: int, dim: int) -> Axes:
        """Return the axes that divide a dimension of a tensor; operands are counted first."""
        return self.division.layouts[tensor].dims[dim]


def copied(step: Step, attributes: dict[str, ir.Attribute] | None = None) -> list[ir.Value]:
    """Copy an op with the operands and result types of a device, and with other attributes."""
    return copy_of(step.op, [each.value for each in step.operands], step.types, attributes)


def _no_reductions(op: ir.Operation) -> list[str | None]:
    return [None] * len(op.results)


@dataclass(frozen=True)
class Kind:
    """How ops of a kind are run on parts.

    Attributes:
        build: makes the local ops.
        allowed: whether the op can be run on parts along a factor that its rule passes through, or
            reduces.
        may_pad: whether it can be, if the parts have padding.
        reductions: the reduction of each result that combines what devices make of their parts; None
            if there is none.
    """

    build: Callable[[Step], list[ir.Value]] = copied
    allowed: Callable[[ir.Operation, Rule, int], bool] = lambda op, rule, factor: True
    may_pad: Callable[[ir.Operation, Rule, int], bool] = lambda op, rule, factor: (
        rule.kind(factor) != REDUCTION
    )
    reductions: Callable[[ir.Operation], list[str | None]] = _no_reductions


PLAIN = Kind()
"""Only types change."""

KINDS: dict[str, Kind] = {}
"""The kinds of ops that are not plain, by name."""


def localise(program: LocalProgram, op: ir.Operation) -> list[Part]:
    """Make an op local by its sharding rule; without one it is run on whole tensors."""
    _check_runnable(op)
    rule = _rule(program, op)
    if rule is None:
        return _whole(program, op)
    kind = KINDS.get(op.name, PLAIN)
    reductions = kind.reductions(op)
    is_reducible = None not in reductions
    declared = [program.layouts.of(result) for result in op.results]
    parts = program.operands(op)
    divider = Divider(
        rule,
        [shape_of(each) for each in (*op.operands, *op.results)],
        [*(part.layout for part in parts), *declared],
        lambda factor: (
            (is_reducible or rule.kind(factor) != REDUCTION) and kind.allowed(op, rule, factor)
        ),
        lambda factor: kind.may_pad(op, rule, factor),
    )
    division = divider.division()
    _note_whole(program, op, division, declared)
    operands = tuple(
        _operand(program, op, number, part, layout)
        for number, (part, layout) in enumerate(zip(parts, division.layouts, strict=False))
    )
    layouts = division.layouts[len(operands) :]
    types = tuple(
        program.local_type(result.type, layout)
        for result, layout in zip(op.results, layouts, strict=True)
    )
    values = kind.build(Step(op, division, operands, types))
    copy_callees(program, op)
    combined = Reduced(division.reduced, _done(divider, division))
    return [
        combined.result(program, op, Part(value, shape_of(result), layout), wanted, how)
        for value, result, layout, wanted, how in zip(
            values, op.results, layouts, declared, reductions, strict=True
        )
    ]


def _rule(program: LocalProgram, op: ir.Operation) -> Rule | None:
    view = program.rule_of(op)
    if view is not None:
        return rule_of(view)
    if not op.name.startswith("chlo.") or op.name in _NOT_ELEMENTWISE:
        return None
    shapes = {shape_of(value) for value in (*op.operands, *op.results)}
    if len(shapes) != 1:
        return None
    return elementwise_rule(shapes.pop(), len(op.operands), len(op.results))


def _operand(
    program: LocalProgram, op: ir.Operation, number: int, part: Part, layout: Layout
) -> Part:
    if program.is_explicit and not part.layout.divided_alike(layout):
        program.note(
            op,
            f"operand of {op.name}",
            f"cannot be run on the parts of operand #{number} that devices hold: it is gathered, which"
            " no collective in the program stands for",
        )
    return program.converted_quietly(part, layout)


def _done(divider: Divider, division: Division) -> Axes:
    """Return the axes of factors that the op reduces, but on whole tensors."""
    found: Axes = ()
    for factor in division.whole:
        if division.rule.kind(factor) == REDUCTION:
            found += divider.wanted(factor)
    return found


def _note_whole(
    program: LocalProgram, op: ir.Operation, division: Division, declared: Sequence[Layout]
) -> None:
    """Note where an op is run on larger parts than its shardings ask for."""
    if division.whole:
        program.note(
            op,
            f"whole {op.name}",
            "is run on whole tensors where its dimensions are divided so that devices would have to"
            " exchange elements: they are gathered, which costs more than a partitioner's exchange",
        )
        return
    layouts = division.layouts[len(op.operands) :]
    pairs = zip(layouts, declared, strict=True)
    if not program.is_explicit and not all(one.divided_alike(other) for one, other in pairs):
        program.note(
            op,
            f"larger {op.name}",
            "is run on larger parts than its results are divided into, and these are cut out: its"
            " sharding rule does not divide them so, or its tensors are divided in different ways",
        )


def _whole(program: LocalProgram, op: ir.Operation) -> list[Part]:
    """Make an op that each device runs on whole tensors."""
    operands = program.operands(op)
    declared = [program.layouts.of(result) for result in op.results]
    if any(not each.is_whole for each in (*(part.layout for part in operands), *declared)):
        program.note(
            op,
            f"no rule {op.name}",
            "has no sharding rule: it is run on whole tensors, which are gathered",
        )
    values = [program.converted_quietly(part, whole(len(part.shape))).value for part in operands]
    results = copy_of(op, values, [result.type for result in op.results])
    copy_callees(program, op)
    return [
        program.converted(Part(value, shape_of(result), whole(len(shape_of(result)))), layout, op)
        for value, result, layout in zip(results, op.results, declared, strict=True)
    ]


def _check_runnable(op: ir.Operation) -> None:
    problem = need_of_outside(op)
    if problem is not None:
        fail_at(op, problem)
    if op.name == "stablehlo.rng":
        fail_at(
            op,
            "'stablehlo.rng' op makes other numbers on each device; use jax.random, which"
            " computes them from a key",
        )
    for value in (*op.operands, *op.results):
        if isinstance(value.type, ir.RankedTensorType) and not value.type.has_static_shape:
            fail_at(op, f"'{op.name}' op has a tensor of dynamic shape: {value.type}")
