"""From the ops of a kernel's function to those of a tile program."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.types import find_type
from sdykit.sparsecore.mosaic.buffers import Buffers
from sdykit.sparsecore.mosaic.kernel import Function, Kernel
from sdykit.sparsecore.mosaic.layout import SEMAPHORE_BYTES, Layout
from sdykit.sparsecore.mosaic.lowering.counts import Counts
from sdykit.sparsecore.mosaic.lowering.independence import Touch
from sdykit.sparsecore.mosaic.lowering.large import Tracker
from sdykit.sparsecore.mosaic.lowering.numbers import Number, row_major, times
from sdykit.sparsecore.mosaic.lowering.poison import Poison
from sdykit.sparsecore.mosaic.lowering.registry import LOWERINGS, NotLowered
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.mosaic.reports import NOBODY
from sdykit.sparsecore.mosaic.spinning import root_of
from sdykit.sparsecore.mosaic.types import MemRef, memref_of
from sdykit.sparsecore.tile.builder.ops import Builder

STOP = "sc_stop"
"""The function that ends a subcore after a failure."""

SEMAPHORE_WORDS = 2
"""Numbers that a semaphore takes in memory: its count, and the place of the last transfer on it."""

_KEPT = ("arith.", "math.", "vector.")
"""Dialects whose ops on scalars and vectors are the same in tile programs."""


@dataclass
class Emitter:
    """Adds the ops of one function's subcores to a tile program, within one iteration of a phase.

    Attributes:
        b: the builder that ops are added with, at the current insertion point.
        kernel: the kernel.
        function: the function of the kernel that is lowered.
        layout: the places of the function's buffers.
        lanes: the number of lanes of the chip's vectors.
        agent: the number of the subcore among all agents of the kernel, of type index.
        memory: the subcore's memory in each space, bytes.
        inputs: the number of each argument that no result is aliased with, by its buffer.
        status: the argument of the entry function that failures are reported in, `memref<8xi64>`.
        device: the argument that has the number of the device, `memref<1xi32>`; None if none has.
        count: what adds an op to the counters, before it is lowered; None: nothing is counted.
        is_together: whether subcores may wait for each other: then the runtime has their semaphores,
            and makes their transfers.
        poison: what is in memory that was never written, and in undefined lanes, in a kernel whose
            accesses are checked; None: they are not.
        declared: the names that functions of the runtime are called by, by what they are and the types
            of their operands.
        messages: the numbers of the reports that the program can end with. The text of one is what
            `Report.encode` returns, with `{k}` for the k-th number after its own in the status.
        semaphores: those that the region, or the function, which is being lowered has made: the
            values, and the places that made them.
        checked: starts, sizes and bounds that have been checked on all ways to here.
        touches: the loads and stores that are checked, in order.
        is_spinning: whether a loop is being lowered that only another subcore can end.
        is_adding: whether the loads and stores that are added are together additions.
        current: the op that is being lowered.
    """

    b: Builder
    kernel: Kernel
    function: Function
    layout: Layout
    lanes: int
    agent: ir.Value
    memory: Mapping[str, ir.Value]
    inputs: Mapping[ir.Value, int]
    status: ir.Value
    device: ir.Value | None = None
    is_together: bool = False
    poison: Poison | None = None
    count: Callable[[Emitter, ir.Operation], None] | None = None
    declared: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    messages: dict[str, int] = field(default_factory=dict)
    semaphores: list[tuple[ir.Value, int]] = field(default_factory=list)
    checked: set[tuple[Number, Number, Number]] = field(default_factory=set)
    touches: list[Touch] = field(default_factory=list)
    is_spinning: bool = False
    is_adding: bool = False
    current: ir.Operation | None = None
    _values: dict[ir.Value, ir.Value | View] = field(default_factory=dict)
    _positions: dict[ir.Value, ir.Value] = field(default_factory=dict)
    _known_types: dict[ir.Type, bool] = field(default_factory=dict)

    @cached_property
    def counts(self) -> Counts:
        """What is known of the semaphores' counts."""
        return Counts(self.b)

    @cached_property
    def buffers(self) -> Buffers:
        """The numbers of the kernel's memory."""
        return Buffers(self.kernel)

    def number_of(self, memref: ir.Value) -> int:
        """Return the number of the memory that a memref of the kernel is a view of, or `NOBODY`."""
        root = root_of(memref)
        return NOBODY if root is None else self.buffers.of(root)

    @cached_property
    def large(self) -> Tracker:
        """The vectors of many elements."""
        return Tracker(self)

    # What values of the kernel became.

    def value(self, value: ir.Value) -> ir.Value:
        """Return what a scalar or vector of the kernel became."""
        if value in self.large.values:
            return self._checked(value, self.large.whole(value))
        found = self._values[value]
        assert isinstance(found, ir.Value)
        return found

    def values(self, values: Sequence[ir.Value]) -> list[ir.Value]:
        """Return what several scalars or vectors became."""
        return [self.value(each) for each in values]

    def view(self, value: ir.Value) -> View:
        """Return what a memref of the kernel became."""
        found = self._values[value]
        assert isinstance(found, View)
        return found

    def set(self, value: ir.Value, new: ir.Value | View) -> None:
        """Set what a value of the kernel becomes.

        Raises:
            NotLowered: code generation has no such values: of f16, or of very many elements.
        """
        self._values[value] = self._checked(value, new) if isinstance(new, ir.Value) else new

    def set_all(self, values: Sequence[ir.Value], new: Sequence[ir.Value | View]) -> None:
        """Set what several values become."""
        for value, each in zip(values, new, strict=True):
            self.set(value, each)

    def _checked(self, value: ir.Value, new: ir.Value) -> ir.Value:
        if not self._can_be_value(new.type):
            raise NotLowered(f"values of type '{value.type}'", self._place_of(value))
        return new

    def has_vectors_of(self, element: ir.Type) -> bool:
        """Return whether code generation has vectors of such elements."""
        return self._can_be_value(ir.VectorType.get([1], element))

    def _can_be_value(self, type_: ir.Type) -> bool:
        found = self._known_types.get(type_)
        if found is None:
            found = self._known_types[type_] = find_type(type_) is not None
        return found

    def _place_of(self, value: ir.Value) -> str:
        owner = value.owner
        return self.kernel.places.text(owner.owner if isinstance(owner, ir.Block) else owner)

    def number(self, value: ir.Value) -> Number:
        """Return an integer of the kernel as a position: a number if it is a constant."""
        owner = value.owner
        if not isinstance(owner, ir.Block) and owner.name == "arith.constant":
            return ir.IntegerAttr(owner.attributes["value"]).value
        new = self.value(value)
        if new.type == self.b.index:
            return new
        if new not in self._positions:
            # Where the integer is defined, so that all its users can share it.
            block = new.owner if isinstance(new.owner, ir.Block) else None
            after = ir.InsertionPoint.at_block_begin(block) if block else _after(new)
            with after:
                self._positions[new] = self.b.to_index(new)
        return self._positions[new]

    def numbers(self, values: Sequence[ir.Value]) -> list[Number]:
        """Return several integers as positions."""
        return [self.number(each) for each in values]

    def placed(self, value: ir.Value) -> View:
        """Return the buffer that an allocation or a scratch argument is, at its fixed place."""
        memref, place = memref_of(value.type), self.layout.places[value]
        sizes = tuple(size for size in memref.shape if size is not None)
        if memref.is_semaphore and self.is_together:  # It is a number.
            first, strides = place.offset // SEMAPHORE_BYTES, row_major(self.b, sizes)
            return View(self.status, first, sizes, strides, memref.element, memref.space, 64)
        count, stored, strides = math.prod(sizes), stored_type(memref), row_major(self.b, sizes)
        if memref.is_semaphore:
            count *= SEMAPHORE_WORDS
            strides = tuple(times(self.b, each, SEMAPHORE_WORDS) for each in strides)
        memory = self.memory[place.space]
        space = ir.MemRefType(memory.type).memory_space
        type_ = self.b.type(f"memref<{count}x{stored}, {space}>")
        buffer = self.b.op("memref.view", [memory, self.b.at(place.offset)], [type_]).result
        bits = 64 if memref.is_semaphore else memref.bits
        return View(buffer, 0, sizes, strides, memref.element, memref.space, bits)

    # Failures.

    def fail_unless(self, condition: ir.Value, kind: int, *numbers: Number) -> None:
        """Add: unless a condition holds, the kernel fails and the subcore does not go on.

        Args:
            condition: an `i1`.
            kind: the kind of the report, see `sdykit.sparsecore.mosaic.reports`.
            numbers: the fields of the report, in order; at most 7 are not known here.
        """

        def fail() -> tuple[()]:
            self.fail(kind, *numbers)
            return ()

        self.b.choose(condition, tuple, fail)

    def fail(self, kind: int, *numbers: Number) -> None:
        """Add: the kernel fails and the subcore does not go on; see `fail_unless`."""
        b = self.b
        values = [each for each in numbers if not isinstance(each, int)]
        places = iter(range(1, len(values) + 1))
        words = [str(each) if isinstance(each, int) else f"{{{next(places)}}}" for each in numbers]
        text = " ".join([str(kind), *words])
        message = self.messages.setdefault(text, len(self.messages) + 1)
        for at, each in enumerate((message, *values)):
            b.store(b.to_integer(b.at(each), "i64"), self.status, at)
        b.op("func.call", [], callee=f"@{STOP}")

    def call(
        self, function: str, operands: Sequence[ir.Value | int], *, has_result: bool = False
    ) -> ir.Value | None:
        """Call a function of the runtime; return its result, an i64, if it has one.

        Args:
            function: its name.
            operands: memrefs, and integers, which are passed as i64.
            has_result: whether it returns something.
        """
        b, i64 = self.b, self.b.type("i64")
        values = [self._operand(each) for each in operands]
        key = (function, tuple(str(value.type) for value in values))
        name = self.declared.setdefault(key, f"{function}_{len(self.declared)}")
        results = [i64] if has_result else []
        op = b.op("func.call", values, results, callee=f"@{name}")
        return op.result if has_result else None

    def _operand(self, operand: ir.Value | int) -> ir.Value:
        if isinstance(operand, int):
            return self.b.constant(str(operand), "i64")
        return self.b.to_integer(operand, "i64") if operand.type == self.b.index else operand

    # Ops.

    def op(self, op: ir.Operation) -> None:
        """Add what an op of the kernel means.

        Raises:
            NotLowered: it has no lowering yet.
        """
        lowering = LOWERINGS.get(op.name)
        self.current = op
        if self.count is not None:
            self.count(self, op)
        if self.large.take(op):
            return
        if lowering is not None:
            lowering(self, op)
        elif op.name.startswith(_KEPT) and not len(op.regions):
            self._keep(op)
        else:
            raise self.not_lowered(op)

    def lower_as(self, name: str, op: ir.Operation) -> None:
        """Add what an op means, by the lowering of another name: of a form of it.

        Raises:
            NotLowered: there is no such lowering yet.
        """
        lowering = LOWERINGS.get(name)
        if lowering is None:
            raise NotLowered(f"'{name}'", self.kernel.places.text(op))
        lowering(self, op)

    def lowered(self, op: ir.Operation) -> ir.Value:
        """Return what the result of an op becomes whose operands are of the tile program; it goes."""
        for operand in op.operands:
            self._values[operand] = operand
        LOWERINGS[op.name](self, op)
        found = self._values.pop(op.results[0])
        op.erase()
        assert isinstance(found, ir.Value)
        return found

    @contextmanager
    def at_op(self, op: ir.Operation) -> Iterator[None]:
        """Add ops that belong to an op before the one which is being lowered."""
        before, self.current = self.current, op
        yield
        self.current = before

    def not_lowered(self, op: ir.Operation, why: str = "") -> NotLowered:
        """Return the exception that an op has no lowering, or not one for what it asks for."""
        return NotLowered(f"'{op.name}'{' ' + why if why else ''}", self.kernel.places.text(op))

    @contextmanager
    def inner_block(self) -> Iterator[None]:
        """Add a block that may run never or several times: what is known in it is not known after.

        Counts must have been stored before the op that has the block is added.
        """
        before = set(self.checked)
        yield
        self.counts.store_all()
        self.checked = before

    def block(self, block: ir.Block) -> list[ir.Value | View]:
        """Add the ops of a block; return what the operands of its terminator became."""
        *ops, last = [view.operation for view in block.operations]
        for op in ops:
            self.op(op)
        return [
            self.value(operand) if operand in self.large.values else self._values[operand]
            for operand in last.operands
        ]

    def scalars(self, block: ir.Block) -> list[ir.Value]:
        """Add the ops of a block whose terminator has scalars and vectors as operands; return them."""
        found = self.block(block)
        return [each for each in found if isinstance(each, ir.Value)]

    def _keep(self, op: ir.Operation) -> None:
        new = op.clone(ip=ir.InsertionPoint.current)
        for at, operand in enumerate(op.operands):
            new.operands[at] = self.value(operand)
        self.set_all(list(op.results), list(new.results))


def stored_type(memref: MemRef) -> str:
    """Return MLIR's name of what an element is in memory: a count, a byte, or the element itself."""
    if memref.is_semaphore:
        return "i64"
    return "i8" if memref.bits < 8 else memref.element


def _after(value: ir.Value) -> ir.InsertionPoint:
    """Return the place after the op that defines a value."""
    assert not isinstance(value.owner, ir.Block)
    return ir.InsertionPoint.after(value.owner)
