"""Joining a map step with the steps after it: they read where it copies from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NoReturn

from sdykit.core import fail
from sdykit.core.sparsecore.names import READS
from sdykit.core.sparsecore.steps import Step, steps_in
from sdykit.mlir import ir
from sdykit.passes.sparsecore._instrument.ops import create
from sdykit.passes.sparsecore._programs.arguments import source_of
from sdykit.passes.sparsecore._programs.buffers import buffers_of, erase_buffer
from sdykit.passes.sparsecore._programs.nesting import is_after, ops_in
from sdykit.passes.sparsecore._steps.maps import Map, map_of

_VECTOR_LOAD = "vector.load"
_LOADS = ("memref.load", _VECTOR_LOAD)
_EXPECTED = (
    f"expected {' or '.join(_LOADS)}, of single elements unless the step copies a part as a whole"
)


def join_maps(entry: ir.Operation, name: str) -> None:
    """Join the map steps of a name with the steps that read what they write; erase them.

    Raises:
        PassFailure: two steps cannot be joined; the error names both, and the buffer.
    """
    for step in [each for each in steps_in(entry) if each.name == name]:
        buffers = buffers_of(entry)
        for target in step.writes:
            found = map_of(step, target, buffers[target])
            for reader in readers_of(entry, step, target):
                _read_source(found, target, buffers, reader)
        step.op.erase()
        for target in step.writes:
            erase_buffer(buffers[target])


def readers_of(entry: ir.Operation, step: Step, buffer: str) -> list[Step]:
    """Return the steps that read a buffer; all are after the step, in its block.

    Raises:
        PassFailure: one is not, or what the step reads is written before they read the buffer.
    """
    readers: list[Step] = []
    reason: str | None = None
    for other in steps_in(entry):
        if other.op == step.op:
            continue
        if is_after(step.op, other.op) and reason is None:
            overwritten = next((name for name in other.writes if name in step.reads), None)
            if overwritten is not None:
                reason = f"step '{other.name}' writes '{overwritten}', which they would read later"
        if buffer in other.writes:
            fail_to_join(other.op, step, other, buffer, "both write it")
        if buffer not in other.reads:
            continue
        if other.op.block != step.op.block or not is_after(step.op, other.op):
            fail_to_join(other.op, step, other, buffer, "one is not after the other in its block")
        if reason is not None:
            fail_to_join(other.op, step, other, buffer, reason)
        readers.append(other)
    return readers


def fail_to_join(op: ir.Operation, first: Step, second: Step, buffer: str, why: str) -> NoReturn:
    """Report that two steps cannot be joined.

    Raises:
        PassFailure: always.
    """
    fail(
        op, f"keeps steps '{first.name}' and '{second.name}' from being joined by '{buffer}': {why}"
    )


def replace_reads(reader: Step, buffer: str, sources: Iterable[str]) -> None:
    """Replace the name of a buffer that a step reads by those of others, in place."""
    step = reader.op
    names = [ir.StringAttr(each).value for each in ir.ArrayAttr(step.attributes[READS])]
    kept = dict.fromkeys((*(name for name in names if name != buffer), *sources))
    texts = [ir.StringAttr.get(name, step.context) for name in kept]
    step.attributes[READS] = ir.ArrayAttr.get(texts, step.context)


def _read_source(found: Map, name: str, buffers: Mapping[str, ir.Value], reader: Step) -> None:
    """Load from where a map step copies from, instead of from the buffer that it writes."""
    buffer = buffers[name]
    known: list[tuple[ir.Block, ir.Value, tuple[ir.Value | None, ir.Value]]] = []
    for op in list(ops_in(reader.op)):
        if buffer not in list(op.operands):
            continue
        is_vector = op.name == _VECTOR_LOAD and len(op.operands) == 2
        if op.name not in _LOADS or (is_vector and not found.is_shift):
            fail_to_join(op, found.step, reader, name, _EXPECTED)
        place = op.operands[1]
        pairs = (pair for block, other, pair in known if (block, other) == (op.block, place))
        pair = next(pairs, None)
        if pair is None:
            with ir.InsertionPoint(op), op.location:
                pair = found.at(place)
            known.append((op.block, place, pair))
        _replace(op, *pair)
    names = {buffer: name for name, buffer in buffers.items()}
    loaded = [op.operands[0] for op in found.ops if op.name == _LOADS[0]]
    sources = (*loaded, *([] if found.source is None else [found.source]))
    replace_reads(reader, name, (names[source_of(each)] for each in sources))


def _replace(load: ir.Operation, source: ir.Value | None, value: ir.Value) -> None:
    """Replace a load by one from a place in a source, or by a value."""
    if source is not None:
        with ir.InsertionPoint(load), load.location:
            operands = [source, value, *list(load.operands)[2:]]
            value = create(load.name, operands, [load.results[0].type]).result
    load.results[0].replace_all_uses_with(value)
    load.erase()
