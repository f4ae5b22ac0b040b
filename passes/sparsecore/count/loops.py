"""The loops that counters are kept apart by, and where the counters of an iteration are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from sdykit.core import fail
from sdykit.core.sparsecore.names import AXES, CHECK, OPERATION, SIZES
from sdykit.core.sparsecore.views import Number
from sdykit.mlir import ir
from sdykit.passes.sparsecore._instrument.numbers import compute, value_of
from sdykit.passes.sparsecore._programs.values import integer_of

_COUNTED = ("scf.parallel", "scf.for")


@dataclass(frozen=True)
class Axis:
    """A dimension that counters are kept apart by.

    Attributes:
        name: the name of the dimension, such as `tile`.
        size: the maximum number of iterations.
        number: the number of the iteration.
    """

    name: str
    size: int
    number: ir.Value


Nest = tuple[Axis, ...]
"""The axes of the counted loops around an op, outermost first."""


def blocks_in(phase: ir.Operation, sizes: Mapping[str, int]) -> Iterator[tuple[ir.Block, Nest]]:
    """Yield the blocks in a phase that are counted by their ops, each with the axes around it.

    Args:
        phase: the phase.
        sizes: the value of each name in `sparsecore.sizes`.

    Raises:
        PassFailure: a counted loop has no constant bounds and no known size, or does not count
            from 0 in steps of 1.
    """
    yield from _blocks_in(phase, sizes, _axes_of(phase, sizes))


def _blocks_in(
    op: ir.Operation, sizes: Mapping[str, int], nest: Nest
) -> Iterator[tuple[ir.Block, Nest]]:
    for region in op.regions:
        for block in region:
            yield block, nest
            for view in block:
                inner = view.operation
                if CHECK in inner.attributes or OPERATION in inner.attributes:
                    continue
                axes = _axes_of(inner, sizes) if AXES in inner.attributes else ()
                yield from _blocks_in(inner, sizes, (*nest, *axes))


def _axes_of(loop: ir.Operation, sizes: Mapping[str, int]) -> Nest:
    """Return the axes of a loop; those of a phase without names are `axis 0` and so on."""
    if loop.name not in _COUNTED:
        fail(loop, f"has the attribute '{AXES}'; expected it on {' or '.join(_COUNTED)}")
    rank = len(loop.operands) // 3 if loop.name == "scf.parallel" else 1
    lower, upper, steps = (list(loop.operands)[k * rank : (k + 1) * rank] for k in range(3))
    starts, strides = ([integer_of(value) for value in part] for part in (lower, steps))
    if any(value != 0 for value in starts) or any(value != 1 for value in strides):
        fail(loop, f"is counted from {starts} in steps of {strides}; expected from 0 in steps of 1")
    names = _names_of(loop, rank)
    numbers = list(loop.regions[0].blocks[0].arguments)[:rank]
    found = []
    for name, bound, number in zip(names, upper, numbers, strict=True):
        size = integer_of(bound)
        size = sizes.get(name) if size is None else size
        if size is None:
            fail(
                loop,
                f"is counted and ends at no constant; expected the maximum of '{name}' in '{SIZES}' "
                "of the entry function",
            )
        found.append(Axis(name, size, number))
    return tuple(found)


def _names_of(loop: ir.Operation, rank: int) -> list[str]:
    if AXES not in loop.attributes:
        return [f"axis {number}" for number in range(rank)]
    found = loop.attributes[AXES]
    texts = list(found) if isinstance(found, ir.ArrayAttr) else []
    names = [each.value for each in texts if isinstance(each, ir.StringAttr)]
    if len(names) != rank:
        fail(
            loop,
            f"has the attribute '{AXES}' = {found}; expected {rank} name{'s' * (rank > 1)} in an array",
        )
    return names


def rows_of(nest: Nest) -> int:
    """Return the number of iterations that have counters of their own."""
    return prod(axis.size for axis in nest)


def row_of(nest: Nest, first: int) -> ir.Value:
    """Add code that computes the row of an iteration, where its innermost loop begins; return it.

    Args:
        nest: the axes of the iteration.
        first: the row of the first iteration of all.
    """
    block = nest[-1].number.owner
    assert isinstance(block, ir.Block)
    with ir.InsertionPoint.at_block_begin(block), block.owner.location:
        row: Number = 0
        for axis in nest:
            row = compute("arith.addi", axis.number, compute("arith.muli", row, axis.size))
        return value_of(compute("arith.addi", row, first))


def attribute_of(nests: Sequence[Nest]) -> ir.ArrayAttr:
    """Return names and sizes of the axes of each nest as an attribute; to be called in a context."""
    bits = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get(
        [
            ir.ArrayAttr.get(
                [
                    ir.DictAttr.get(
                        {
                            "name": ir.StringAttr.get(axis.name),
                            "size": ir.IntegerAttr.get(bits, axis.size),
                        }
                    )
                    for axis in nest
                ]
            )
            for nest in nests
        ]
    )
