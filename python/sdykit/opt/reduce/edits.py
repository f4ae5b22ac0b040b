"""The edits that make a module smaller: each has sites, and is tried on many of them at once.

An edit does not check its result: the caller verifies the module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sdykit.mlir import ir
from sdykit.opt.reduce import signatures, values

Size = tuple[int, int, int]


@dataclass(frozen=True)
class Edit:
    """A kind of change."""

    title: str
    """A description of the edit, for progress messages."""
    sites: Callable[[ir.Module], Sequence[Any]]
    """A function that returns the sites of the edit in a module."""
    apply: Callable[[Sequence[Any]], None]
    """A function that applies the edit at some of these sites."""


def size(module: ir.Module) -> Size:
    """Return the size of a module: ops other than constants, all ops, and bytes of text."""
    names = [op.name for op in ops_within(module.operation)]
    others = sum(not values.is_constant(name) for name in names)
    return others, len(names), len(text_of_module(module.operation))


def text_of_module(module: ir.Operation) -> bytes:
    """Return the text of a verified module."""
    text = module.get_asm(binary=True, assume_verified=True)
    assert isinstance(text, bytes)
    return text


def ops_within(root: ir.Operation) -> list[ir.Operation]:
    """Return the ops below `root`, outer before inner, in the order of the text."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found[1:]


def _erasable(module: ir.Module) -> list[ir.Operation]:
    """Return all ops except the last ones of blocks, which are terminators; outer before inner."""
    found = [op.operation for op in module.body.operations]
    pending = found.copy()
    while pending:
        op = pending.pop()
        for block in [block for region in op.regions for block in region]:
            inner = [each.operation for each in block.operations]
            found += inner if op.name == "builtin.module" else inner[:-1]
            pending += inner
    return found


def _symbols(module: ir.Module) -> list[ir.Operation]:
    return [op.operation for op in module.body.operations]


def _erase_all(ops: Sequence[ir.Operation]) -> None:
    for op in ops:
        op.erase()


def _erase_unused(ops: Sequence[ir.Operation]) -> None:
    """Erase ops that nothing uses, users first, so that whole chains are erased."""
    for op in reversed(ops):
        if all(next(iter(result.uses), None) is None for result in op.results):
            op.erase()


def _erase_replacing(replacement: values.Replacement) -> Callable[[Sequence[ir.Operation]], None]:
    """Return an edit that replaces the results of ops by other values, and erases the ops."""

    def apply(ops: Sequence[ir.Operation]) -> None:
        replaced = [op for op in ops if values.replace_results(op, replacement)]
        for op in reversed(replaced):  # Inner ones first.
            op.erase()

    return apply


def _with_region(module: ir.Module) -> list[ir.Operation]:
    return [op for op in ops_within(module.operation) if values.can_unwrap(op)]


def _unwrap_all(ops: Sequence[ir.Operation]) -> None:
    for op in reversed(ops):
        values.unwrap(op)


Attribute = tuple[ir.Operation, str]


def _attributes(of_dialects: bool) -> Callable[[ir.Module], list[Attribute]]:
    def sites(module: ir.Module) -> list[Attribute]:
        return [
            (op, name)
            for op in [module.operation, *ops_within(module.operation)]
            for name in sorted(op.attributes)
            if ("." in name) == of_dialects
        ]

    return sites


def _remove_attributes(sites: Sequence[Attribute]) -> None:
    for op, name in sites:
        del op.attributes[name]


EDITS = (
    Edit("erase functions", _symbols, _erase_all),
    Edit("erase bodies of functions", signatures.with_body, signatures.erase_bodies),
    Edit("erase unused ops", _erasable, _erase_unused),
    Edit("replace ops by operands", _erasable, _erase_replacing(values.operand_like)),
    Edit("replace ops by arguments", _erasable, _erase_replacing(values.argument_like)),
    Edit("replace ops by constants", _erasable, _erase_replacing(values.constant_like)),
    Edit("replace ops by the ops of their regions", _with_region, _unwrap_all),
    Edit("remove results of functions", signatures.results, signatures.remove_results),
    Edit("remove arguments of functions", signatures.unused_arguments, signatures.remove_arguments),
    Edit("remove attributes of dialects", _attributes(True), _remove_attributes),
    Edit("remove attributes of arguments", signatures.attributes, signatures.remove_attributes),
    Edit("remove attributes", _attributes(False), _remove_attributes),
)
"""The edits in the order in which they are tried: those that remove much come first."""
