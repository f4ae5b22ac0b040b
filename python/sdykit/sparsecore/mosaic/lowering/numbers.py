"""Positions and sizes: numbers that are known when a kernel is compiled, or values of type index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder

Number = int | ir.Value


def plus(b: Builder, left: Number, right: Number) -> Number:
    """Return the sum of two numbers."""
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    if isinstance(left, int):
        left, right = right, left
    return left if isinstance(right, int) and right == 0 else b.add(left, right)


def minus(b: Builder, left: Number, right: Number) -> Number:
    """Return the difference of two numbers."""
    if isinstance(left, int) and isinstance(right, int):
        return left - right
    return left if isinstance(right, int) and right == 0 else b.sub(left, right)


def times(b: Builder, left: Number, right: Number) -> Number:
    """Return the product of two numbers."""
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    if isinstance(left, int):
        left, right = right, left
    if isinstance(right, int) and right in (0, 1):
        return left if right else 0
    return b.mul(left, right)


def total(b: Builder, numbers: Iterable[Number]) -> Number:
    """Return the sum of some numbers."""
    fixed, result = 0, None
    for each in numbers:
        if isinstance(each, int):
            fixed += each
        else:
            result = each if result is None else b.add(result, each)
    return fixed if result is None else plus(b, result, fixed)


def product(b: Builder, numbers: Iterable[Number]) -> Number:
    """Return the product of some numbers."""
    result: Number = 1
    for each in numbers:
        result = times(b, result, each)
    return result


def dot(b: Builder, indices: Sequence[Number], strides: Sequence[Number]) -> Number:
    """Return the sum of the products of indices and strides."""
    return total(b, (times(b, *pair) for pair in zip(indices, strides, strict=True)))


def row_major(b: Builder, sizes: Sequence[Number]) -> tuple[Number, ...]:
    """Return the strides of a row-major buffer of these sizes."""
    strides: list[Number] = []
    stride: Number = 1
    for size in reversed(sizes):
        strides.append(stride)
        stride = times(b, stride, size)
    return tuple(reversed(strides))
