"""Comparing the bodies of fragments."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress

from sdykit.mlir import ir

Instead = Mapping[ir.Operation, Mapping[str, Hashable]]
"""For some attributes of some ops, by name: what to compare in their place."""


_AT_EACH_END = 4
_BETWEEN = 6
"""So many ops at the start and the end, and between, are enough to tell most bodies apart."""

_TELLING = ("stablehlo.constant", "stablehlo.slice")


def glance(body: ir.Block) -> Hashable:
    """Describe some ops of a body: what differs in them is not equivalent."""
    seen: list[Hashable] = []
    ops = body.operations
    for position in _sampled(len(ops)):
        op = ops[position].operation
        seen.append(op.name)
        # Constants and slices tell much. What `instead` is for is no attribute of their own.
        if op.name in _TELLING:
            with suppress(TypeError):  # The bindings have no class for dense complex numbers.
                pairs = op.attributes.items()
                seen.extend([hash(attribute) for name, attribute in pairs if "." not in name])
    return tuple(seen)


@functools.cache
def _sampled(count: int) -> Sequence[int]:
    ends = [*range(min(_AT_EACH_END, count)), *range(max(count - _AT_EACH_END, 0), count)]
    between = [count * part // (_BETWEEN + 1) for part in range(1, _BETWEEN + 1)]
    return sorted({*ends, *(at for at in between if at < count)})


def body_key(fragment: ir.Operation, instead: Instead) -> Hashable:
    """Give a key that two fragments share if, and only if, their bodies are equivalent.

    Equivalent are bodies that differ at most in locations and the names of values. What
    `instead` has for an attribute is compared in its place.
    """
    ops: list[ir.Operation] = []
    append, advance = ops.append, ir.WalkResult.ADVANCE

    def collect(op: ir.Operation) -> ir.WalkResult:
        append(op)
        return advance

    fragment.walk(collect, ir.WalkOrder.PRE_ORDER)
    return _Key(instead).of(ops)


class _Numbers(dict[int, int]):
    """Numbers things by their addresses, in the order in which they are met first."""

    def __missing__(self, address: int) -> int:
        number = self[address] = len(self)
        return number


class _Key:
    """Makes the key of one body.

    Values and blocks are numbered. Attributes and types are unique in their context: their
    addresses, which are their hashes, stand for them.
    """

    def __init__(self, instead: Instead) -> None:
        self._instead = instead
        self._numbers = _Numbers()
        self._has_successors = False

    def of(self, ops: Sequence[ir.Operation]) -> Hashable:
        """Give the key of a fragment: itself and all ops in it, before those in their regions."""
        # Most of the time that the pass takes is spent in this loop: 3 us an op. What is
        # appended could be read back: a name, numbers of operands, pairs of attributes, None,
        # pairs of results, and a tuple for each region.
        numbers, instead = self._numbers, self._instead
        number = numbers.__getitem__
        key: list[Hashable] = [self._region(region) for region in ops[0].regions]
        append, extend = key.append, key.extend
        for op in ops[1:]:
            append(op.name)
            extend(map(number, map(hash, op.operands)))
            own = instead.get(op, {}) if instead else {}
            try:
                for name, attribute in op.attributes.items():
                    append(name)
                    append(own.get(name) or hash(attribute))
            except TypeError:  # The bindings have no class for dense complex numbers.
                append(_printed(op, own))
            append(None)
            for value in op.results:
                # It has a number already if a block that stands before uses it.
                append(numbers[hash(value)])
                append(hash(value.type))
            for region in op.regions:
                append(self._region(region))
            if self._has_successors:
                append(tuple([numbers[hash(block)] for block in op.successors]))
        return tuple(key)

    def _region(self, region: ir.Region) -> Hashable:
        """Describe the blocks of a region, but for the ops in them: those follow."""
        return tuple([self._block(block) for block in region])

    def _block(self, block: ir.Block) -> Hashable:
        if len(block.successors):
            self._has_successors = True
        arguments = [(self._numbers[hash(each)], hash(each.type)) for each in block.arguments]
        return self._numbers[hash(block)], tuple(arguments), len(block.operations)


def _printed(op: ir.Operation, own: Mapping[str, Hashable]) -> Hashable:
    """Give the text of an op, and what is compared in the place of attributes."""
    # A clone stands alone: to print an op within a module takes as long as the module.
    clone = op.clone(ip=False)
    for name in own:
        del clone.attributes[name]
    text = clone.get_asm(print_generic_op_form=True, use_local_scope=True)
    return str(text), tuple(own.items())
