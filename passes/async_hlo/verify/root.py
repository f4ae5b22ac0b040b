"""Which operation gives what a function returns.

What HLO has as one tuple may be several values in MLIR. `get_tuple_element` and `tuple` with
the attribute `hlo.implied`, which no HLO instruction stands for, go from one to the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sdykit.mlir import ir
from sdykit.passes.async_hlo._mlir import names


def is_part(op: ir.Operation) -> bool:
    """Tell whether an operation takes tuples apart, or puts one together without HLO knowing."""
    return op.name in names.GET_ELEMENT or names.IMPLIED in op.attributes


def root_of(body: Sequence[ir.Operation], returned: Sequence[ir.Value]) -> ir.Operation | None:
    """Find the operation whose results, all and in order, are what is returned.

    Args:
        body: the operations of a function.
        returned: what it returns; it may be its one tuple, element by element.

    Returns:
        The operation, or None: the function returns arguments, or puts results together.
        A tuple of one element is not told from its element.
    """
    values = list(_taken_apart(returned))
    if not values:
        without = [op for op in body if not len(op.results) or names.ROOT in op.attributes]
        return without[-1] if without else None
    first = _definition(values[0])
    if first is None:
        return None
    if _is_implied(first, names.GET_ELEMENT) and _are_all_elements(values, first.operands[0]):
        return _definition(first.operands[0])
    return first if list(first.results) == values else None


def _taken_apart(values: Iterable[ir.Value]) -> Iterator[ir.Value]:
    """Give what implied tuples are made of instead of them."""
    for value in values:
        op = _definition(value)
        if op is not None and _is_implied(op, names.TUPLE):
            yield from _taken_apart(op.operands)
        else:
            yield value


def _are_all_elements(values: Sequence[ir.Value], whole: ir.Value) -> bool:
    return len(values) == ir.TupleType(whole.type).num_types and all(
        _is_element(value, whole, number) for number, value in enumerate(values)
    )


def _is_element(value: ir.Value, whole: ir.Value, number: int) -> bool:
    op = _definition(value)
    return (
        op is not None
        and _is_implied(op, names.GET_ELEMENT)
        and op.operands[0] == whole
        and ir.IntegerAttr(op.attributes["index"]).value == number
    )


def _is_implied(op: ir.Operation, opcodes: tuple[str, ...]) -> bool:
    return op.name in opcodes and names.IMPLIED in op.attributes


def _definition(value: ir.Value) -> ir.Operation | None:
    return None if isinstance(value.owner, ir.Block) else value.owner.operation
