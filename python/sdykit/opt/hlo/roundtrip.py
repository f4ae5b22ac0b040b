"""`-verify-roundtrip` of HLO: the printed program must read back as an equal program."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sdykit import hlo
from sdykit.errors import PassFailure
from sdykit.hlo.async_ops import START, wrapped

Name = Callable[[hlo.Instruction], object]


def check_roundtrip(module: hlo.Module) -> None:
    """Print a program with sugar and without, read both texts, and compare the programs.

    Names inside the computations that asynchronous chains run may change, for sugar omits them.

    Raises:
        PassFailure: one of them cannot be read or is another program.
    """
    for form, sugar in (("with sugar", True), ("without sugar", False)):
        text = hlo.to_text(module, syntax_sugar=sugar)
        try:
            again = hlo.read(text, f"<printed {form}>")
        except hlo.HloError as error:
            raise PassFailure(f"round trip {form}: cannot be read: {error}") from None
        difference = first_difference(module, again)
        if difference:
            raise PassFailure(f"round trip {form}: reads back as another program: {difference}")


def first_difference(old: hlo.Module, new: hlo.Module) -> str:
    """Describe where two programs first differ; return an empty text if they are equal.

    Names inside wrapped computations are not compared.
    """
    before, after = _head(old), _head(new)
    if before != after:
        return f"{before} became {after}"
    return _first_change(list(_facts(old)), list(_facts(new)))


def _head(module: hlo.Module) -> object:
    return module.name, module.attributes, module.sections, module.entry.name


def _first_change(before: list[object], after: list[object]) -> str:
    for one, other in zip(before, after, strict=False):
        if one != other:
            return f"{one} became {other}"
    return "" if len(before) == len(after) else f"{len(before)} lines became {len(after)}"


def _facts(module: hlo.Module) -> Iterator[object]:
    """Yield what is compared of a program, line by line; a wrapped computation at its start."""
    starts = [op for computation in module for op in computation if op.opcode == START]
    wrapped_ones = {wrapped(op) for op in starts}
    for computation in module:
        if computation in wrapped_ones:
            continue
        yield computation.name, computation.attributes, computation.root.name
        for op in computation:
            yield _fact(op, lambda each: each.name)
            called = wrapped(op) if op.opcode == START else None
            if called is not None:
                yield from _inner_facts(called)


def _inner_facts(computation: hlo.Computation) -> Iterator[object]:
    position = {op: number for number, op in enumerate(computation)}
    # A computation that does not name its thread runs on that of the start.
    yield position[computation.root]
    for op in computation:
        yield _fact(op, lambda each: position[each])


def _fact(op: hlo.Instruction, name: Name) -> object:
    attributes = dict(op.attributes)
    if op.opcode == START:
        attributes.pop("calls", None)
    operands = [name(each) for each in op.operands]
    waits_for = [name(each) for each in op.control_predecessors]
    return name(op), op.shape, op.opcode, operands, attributes, op.literal, waits_for
