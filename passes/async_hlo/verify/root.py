"""Find the operation whose results a function returns.

What HLO has as one tuple may be several values in MLIR. `get_tuple_element` and `tuple` with
the attribute `hlo.implied`, which no HLO instruction stands for, go from one to the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sdykit.mlir import ir
from sdykit.passes.async_hlo._mlir import names


def is_part(op: ir.Operation) -> bool:
    """Return whether an operation unpacks a tuple, or packs one that HLO has no instruction for."""
    return op.name in names.GET_ELEMENT or names.IMPLIED in op.attributes


def root_of(body: Sequence[ir.Operation], returned: Sequence[ir.Value]) -> ir.Operation | None:
    """Return the operation whose results, all and in order, a function returns.

    Args:
        body: the operations of the function, without its terminator.
        returned: the values that it returns: the results, or the elements of a result that is
            a tuple.

    Returns:
        The operation; None if the function returns arguments, or results of several operations.
        A tuple of one element counts as that element.
    """
    values = list(_flattened(returned))
    if not values:
        without = [op for op in body if not len(op.results) or names.ROOT in op.attributes]
        return without[-1] if without else None
    first = _definition(values[0])
    if first is None:
        return None
    if _is_implied(first, names.GET_ELEMENT) and _are_all_elements(values, first.operands[0]):
        return _definition(first.operands[0])
    return first if list(first.results) == values else None


def _flattened(values: Iterable[ir.Value]) -> Iterator[ir.Value]:
    """Yield the values, implied tuples as their elements."""
    for value in values:
        op = _definition(value)
        if op is not None and _is_implied(op, names.TUPLE):
            yield from _flattened(op.operands)
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
