"""Structure: loops, conditions, and ops that mean nothing when a kernel runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.independence import is_independent
from sdykit.sparsecore.mosaic.lowering.interrupts import check_interrupts
from sdykit.sparsecore.mosaic.lowering.registry import lowers
from sdykit.sparsecore.mosaic.reports import NOBODY, Deadlock, NotAMultiple, Waits
from sdykit.sparsecore.mosaic.spinning import reads_memory, spin_of


@lowers("tpu.trace_start", "tpu.trace_stop", "tpu.trace_value", "tpu.delay")
def _nothing(_e: Emitter, _op: ir.Operation) -> None:
    """Add nothing."""


@lowers("tpu.assume_multiple")
def _assume_multiple(e: Emitter, op: ir.Operation) -> None:
    value = e.value(op.operands[0])
    e.set(op.results[0], value)
    if e.poison is None:
        return
    multiple = ir.IntegerAttr(op.attributes["multiple"]).value
    rest = e.b.integers("arith.remsi", value, e.b.constant(str(multiple), value.type))
    holds = e.b.compare("eq", rest, e.b.constant("0", value.type))
    place, number = e.kernel.places.of(op), e.number(op.operands[0])
    e.fail_unless(holds, NotAMultiple.kind, e.agent, place, number, multiple)


@lowers("scf.for")
def _for(e: Emitter, op: ir.Operation) -> None:
    attributes = {"unsignedCmp": "unit"} if "unsignedCmp" in op.attributes else {}
    arguments = [list(op.regions[0].blocks[0].arguments)]
    before = len(e.touches)
    new = _copy_with_regions(e, op, arguments, attributes, partial(check_interrupts, e, op))
    is_compared = e.poison is not None and "sc.parallel_access" in op.attributes
    if is_compared and not is_independent(new, e.touches[before:]):
        _compare_iterations(e, op, new)


def _compare_iterations(e: Emitter, op: ir.Operation, new: ir.Operation) -> None:
    """Let the runtime compare what the iterations of a loop touch."""
    with ir.InsertionPoint(new):
        e.call("sc_loop_begin", [e.kernel.places.of(op)])
    with ir.InsertionPoint.at_block_begin(new.regions[0].blocks[0]):
        e.call("sc_loop_next", [])
    e.call("sc_loop_end", [])


@lowers("scf.while")
def _while(e: Emitter, op: ir.Operation) -> None:
    spin, place = spin_of(op, is_alone=e.kernel.is_free), e.kernel.places.of(op)
    arguments = [list(region.blocks[0].arguments) for region in op.regions]
    if spin is None:

        def first() -> None:
            check_interrupts(e, op)
            if not e.kernel.is_free and reads_memory(op):
                e.call("sc_let_others", [place])

        _copy_with_regions(e, op, arguments, {}, first)
        return
    memory = NOBODY if spin.memory is None else e.buffers.of(spin.memory)
    if e.kernel.is_free:
        _copy_with_regions(e, op, arguments, {}, _end_after(e, spin.iterations, place, memory))
        return
    is_inner, e.is_spinning = e.is_spinning, True
    _copy_with_regions(e, op, arguments, {}, partial(e.call, "sc_spin", [memory, place]))
    e.is_spinning = is_inner
    if not is_inner:
        e.call("sc_spin_end", [])


def _end_after(e: Emitter, iterations: int, place: int, memory: int) -> Callable[[], object]:
    """Return a function that adds, to an iteration, the failure of a loop that has repeated too often to end."""
    b = e.b
    counter = b.spmem([1], "i64")
    b.store(b.constant("0", "i64"), counter, 0)

    def count() -> None:
        found = b.load_index(counter, 0)
        waiting = (e.agent, place, int(Waits.LOOP), 0, 0, memory)
        e.fail_unless(b.compare("slt", found, iterations), Deadlock.kind, NOBODY, NOBODY, *waiting)
        b.store(b.to_integer(b.add(found, 1), "i64"), counter, 0)

    return count


@lowers("scf.if")
def _if(e: Emitter, op: ir.Operation) -> None:
    _copy_with_regions(e, op, [[], []], {})


def _copy_with_regions(
    e: Emitter,
    op: ir.Operation,
    arguments: Sequence[Sequence[ir.Value]],
    attributes: dict[str, str],
    first: Callable[[], object] | None = None,
) -> ir.Operation:
    """Add the same op with what its regions mean, and return it.

    Args:
        e: the emitter.
        op: the op of the kernel.
        arguments: those of each region.
        attributes: of the new op.
        first: adds what comes first in the last region.
    """
    types = [result.type for result in op.results]
    if any(isinstance(type_, ir.MemRefType) for type_ in types):
        raise e.not_lowered(op, "that carries a memref")
    e.counts.store_all()
    operands = e.values(list(op.operands))
    new = e.b.op_with_regions(op.name, operands, types, len(op.regions), **attributes)
    is_last = [*[False] * (len(op.regions) - 1), True]
    regions = zip(op.regions, new.regions, arguments, is_last, strict=True)
    for old, region, own, begins in regions:
        block = ir.Block.create_at_start(region, [each.type for each in own])
        with ir.InsertionPoint(block):
            if not len(old.blocks):  # An `scf.if` without a second branch.
                e.b.op("scf.yield", [])
                continue
            e.set_all(own, list(block.arguments))
            if begins and first is not None:
                first()
            inner = old.blocks[0]
            last = [view.operation for view in inner.operations][-1]
            with e.inner_block():
                yielded = e.scalars(inner)
            e.b.op(last.name, yielded)
    e.set_all(list(op.results), list(new.results))
    return new


@lowers("tpu.core_id", "tpu.subcore_id")
def _id(e: Emitter, op: ir.Operation) -> None:
    dimension = ("tpu.core_id", "tpu.subcore_id").index(op.name)
    if dimension >= len(e.function.indices):
        raise e.not_lowered(op, "of a scalar subcore")
    e.set(op.results[0], e.value(e.function.indices[dimension]))


@lowers("tpu.device_id")
def _device_id(e: Emitter, op: ir.Operation) -> None:
    if e.device is None:
        raise e.not_lowered(op, "that the call does not pass")
    e.set(op.results[0], e.b.load(e.device, 0))
