"""Loops that cannot end by themselves: they only look at memory until somebody else changes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.kernel import walk
from sdykit.sparsecore.mosaic.types import is_memref

_READS = {
    **dict.fromkeys(("memref.load", "tpu.vector_load", "tpu.vector_load_idx", "tpu.sem_read"), 0),
    "tpu.fetch_and_add_sync": 0,
}
"""Ops that read memory, and which operand it is. An atomic addition that is repeated is a look, too:
that is how locks are waited for."""
_WRITES = {"memref.store": 1, "tpu.vector_store": 1, "tpu.vector_store_idx": 1}
"""Ops that write memory of the subcore alone, and which operand it is."""
_TRANSFERS = {"tpu.enqueue_dma": "target", "tpu.enqueue_indirect_dma": "target"}
"""Ops that start transfers, and the name of the operand that is written."""
_SYNCHRONIZING = {"tpu.sem_signal", "tpu.wait_dma2", "tpu.wait_indirect_dma", "tpu.wait_dma"}
"""Ops that change semaphores alone."""
_VIEWS = {
    *("tpu.memref_slice", "tpu.memref_squeeze", "tpu.memref_reshape", "tpu.memref_bitcast"),
    *("memref.cast", "tpu.erase_memref_layout", "tpu.assume_layout", "tpu.reinterpret_cast"),
}
_HARMLESS = {*_VIEWS, "memref.dim", "memref.alloca", "tpu.sem_alloc", "tpu.log_buffer"}
"""Ops with memrefs that change nothing which anybody looks at."""


@dataclass(frozen=True, slots=True)
class Spin:
    """A loop that cannot end by itself.

    Attributes:
        memory: the first memory that its condition reads: a block argument of the kernel's function,
            or the result of an allocation; None if it reads none.
        iterations: how often it repeats at most before its condition can no longer change.
    """

    memory: ir.Value | None
    iterations: int


def spin_of(loop: ir.Operation, *, is_alone: bool) -> Spin | None:
    """Return what an `scf.while` waits for; None if it may end by itself, or does more than look.

    The condition of such a loop is computed from what is the same in each iteration and from memory
    that the loop does not write. So it stays true until somebody else writes this memory.

    Args:
        loop: the loop.
        is_alone: whether nobody else can see what the subcore does; otherwise a loop that signals or
            starts transfers does more than look.
    """
    inner = [view.operation for view in walk(loop)]
    written: list[ir.Value | None] = []
    for op in inner:
        if _is_more_than_looking(op, is_alone=is_alone):
            return None
        written += _written(op)
    condition = _Condition(loop)
    if not condition.is_repeated():
        return None
    memory = [root_of(each) for each in condition.reads]
    if any(each is None for each in (*memory, *written)) or not set(memory).isdisjoint(written):
        return None
    carried = len(loop.regions[0].blocks[0].arguments)
    return Spin(memory[0] if memory else None, carried + 1)


def root_of(memref: ir.Value) -> ir.Value | None:
    """Return the block argument or allocation that a memref is a view of; None if it may be several."""
    while not isinstance(memref.owner, ir.Block):
        op = memref.owner
        if op.name not in _VIEWS:
            return memref if op.name in ("memref.alloca", "tpu.sem_alloc") else None
        memref = op.operands[0]
    return memref if memref.owner.owner.operation.name == "func.func" else None


def reads_memory(loop: ir.Operation) -> bool:
    """Return whether an op in a loop reads memory of the subcore."""
    return any(view.operation.name in _READS for view in walk(loop))


def _is_more_than_looking(op: ir.Operation, *, is_alone: bool) -> bool:
    known = _HARMLESS | _READS.keys() | _WRITES.keys()
    if is_alone:
        known |= _TRANSFERS.keys() | _SYNCHRONIZING
    if op.name in known or len(op.regions):
        return False
    return op.name == "tpu.barrier" or any(is_memref(each.type) for each in op.operands)


def _written(op: ir.Operation) -> Iterator[ir.Value | None]:
    """Yield the memory that an op writes; None if it may be any."""
    if op.name in _WRITES:
        yield root_of(op.operands[_WRITES[op.name]])
    elif op.name in _TRANSFERS:
        yield root_of(getattr(op.opview, _TRANSFERS[op.name]))


@dataclass
class _Condition:
    """What the condition of an `scf.while` is computed from.

    Attributes:
        loop: the loop.
        reads: the memrefs that are read for it.
        _value: the condition itself.
        _passed: what the first region passes to each argument of the second one.
        _arguments: what the second region passes to each argument of the first one.
        _makers: the op that makes each value of both.
    """

    loop: ir.Operation
    reads: list[ir.Value] = field(default_factory=list)
    _value: ir.Value = field(init=False)
    _passed: dict[ir.Value, ir.Value] = field(init=False)
    _arguments: dict[ir.Value, ir.Value] = field(init=False)
    _makers: dict[ir.Value, ir.Operation] = field(init=False)
    _open: set[ir.Value] = field(default_factory=set)
    _done: set[ir.Value] = field(default_factory=set)

    def __post_init__(self) -> None:
        before, after = (region.blocks[0] for region in self.loop.regions)
        ops = [[view.operation for view in block.operations] for block in (before, after)]
        self._value, *passed = ops[0][-1].operands
        self._passed = dict(zip(after.arguments, passed, strict=True))
        self._arguments = dict(zip(before.arguments, ops[1][-1].operands, strict=True))
        self._makers = {result: op for each in ops for op in each for result in op.results}

    def is_repeated(self) -> bool:
        """Return whether it is the same again when the memory that it reads is.

        It is not if a carried value is computed from the one of the iteration before.
        """
        return self._visit(self._value)

    def _visit(self, value: ir.Value) -> bool:
        """Add what a value is computed from; return whether none of it is computed from itself."""
        if value in self._done:
            return True
        if value in self._open:
            return False
        self._open.add(value)
        if not all(self._visit(each) for each in self._sources(value)):
            return False
        self._open.remove(value)
        self._done.add(value)
        return True

    def _sources(self, value: ir.Value) -> list[ir.Value]:
        if value in self._arguments:
            return self._carried(value)
        if value in self._passed:
            return [self._passed[value]]
        maker = self._makers.get(value)
        if maker is None:  # It is the same in each iteration.
            return []
        ops = [maker, *(view.operation for view in walk(maker))]
        self.reads += [op.operands[_READS[op.name]] for op in ops if op.name in _READS]
        own = _made_in(maker)
        return [each for op in ops for each in op.operands if each not in own]

    def _carried(self, value: ir.Value) -> list[ir.Value]:
        """Return what a carried value is in the next iteration; nothing if that is itself."""
        new = self._arguments[value]
        new = self._passed.get(new, new)
        return [] if new == value else [new]


def _made_in(op: ir.Operation) -> set[ir.Value]:
    """Return the values that exist only in the regions of an op."""
    found: set[ir.Value] = set()
    inner = [view.operation for view in walk(op)]
    for each in (op, *inner):
        for region in each.regions:
            for block in region.blocks:
                found |= set(block.arguments)
    for each in inner:
        found |= set(each.results)
    return found
