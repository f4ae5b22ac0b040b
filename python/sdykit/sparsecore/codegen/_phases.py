"""The functions of a phase: its body, the C function around it, and one that tells its size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.codegen._attributes import segments
from sdykit.sparsecore.codegen._emitter import Emitter
from sdykit.sparsecore.codegen._entry import Entry
from sdykit.sparsecore.codegen._handlers import HANDLERS
from sdykit.sparsecore.codegen._loops import counted_loop
from sdykit.sparsecore.codegen._memref import row_major
from sdykit.sparsecore.codegen._translator import (
    Translator,
    Types,
    only_block,
)
from sdykit.sparsecore.codegen._types import INDEX, Type
from sdykit.sparsecore.codegen._values import Held, Value
from sdykit.sparsecore.codegen._writes import written
from sdykit.sparsecore.codegen.program import ALIGNMENT

_INDEX = Type(INDEX)
Bounds = tuple[str, str, str]
"""Lower bound, upper bound (excluded) and step of one dimension."""


@dataclass(frozen=True, slots=True)
class PhaseCode:
    """LLVM functions of a phase.

    Attributes:
        text: their definitions.
        scratch_bytes: what the phase takes of the arena.
        written: numbers of the arguments that it may write to.
    """

    text: str
    scratch_bytes: int
    written: frozenset[int]


@dataclass(frozen=True)
class PhaseBuilder:
    """Makes the LLVM functions of the phases of one entry function.

    Attributes:
        entry: what is compiled.
        functions: those of the module, by name.
        types: the translated types of the module.
        declarations: where functions that are called get declared.
    """

    entry: Entry
    functions: Mapping[str, ir.Operation]
    types: Types
    declarations: dict[str, str]

    def build(self, number: int) -> PhaseCode:
        """Translate a phase.

        Raises:
            CodegenError: an op in it cannot be translated.
        """
        body, t = self._body(number)
        texts = (body, self._wrapper(number, t.scratch), self._size(number))
        buffers = {f"%a{k}": k for k in range(len(self.entry.arguments))}
        targets = frozenset(buffers[name] for name in written(body, buffers))
        return PhaseCode("\n".join(texts), t.scratch_bytes, targets)

    def _body(self, number: int) -> tuple[str, Translator]:
        """Run iterations. Buffers are arguments here, since only those can be `noalias`."""
        phase, e = self.entry.phases[number], Emitter(self.declarations)
        buffers = [f"%a{k}" for k in range(len(self.entry.arguments))]
        dims = [f"%d{k}" for k in range(self.entry.dim_count)]
        t = self._start(e, self.entry.needed_by_phase(phase), buffers, dims)
        dimensions = _dimensions(t, phase)
        counts = [trip_count(e, bounds) for bounds in dimensions[1:]]
        block = only_block(phase, phase.regions[0])

        def iteration(linear: str, _: list[Held]) -> list[Held]:
            t.set_all(block.arguments, _counters(e, linear, dimensions, counts))
            t.block(block)
            return []

        counted_loop(e, ("%begin", "%end", "1"), [], iteration)
        if e.has_nontemporal:
            # No lock orders such stores with those that follow: the phase has to.
            e.do("fence seq_cst")
        e.do("ret void")
        parameters = [
            *map(self._parameter, range(len(buffers))),
            *(f"i64 {dim}" for dim in dims),
            "i64 %begin",
            "i64 %end",
            *(f"ptr noalias align {ALIGNMENT} %s{k}" for k in range(len(t.scratch))),
        ]
        head = f"define internal void @phase_{number}.body({', '.join(parameters)})"
        return f"{head} noinline nounwind {{\n{e.text}\n}}", t

    def _parameter(self, number: int) -> str:
        argument = self.entry.arguments[number]
        words = ["ptr"]
        if argument.noalias:
            words.append("noalias")
        if argument.aligned:
            words.append(f"align {ALIGNMENT}")
        return f"{' '.join(words)} %a{number}"

    def _wrapper(self, number: int, scratch: Sequence[int]) -> str:
        e = Emitter(self.declarations)
        arguments = [
            *(f"ptr {_item(e, 'ptr', '%buffers', k)}" for k in range(len(self.entry.arguments))),
            *(f"i64 {dim}" for dim in self._load_dims(e)),
            "i64 %begin",
            "i64 %end",
        ]
        for offset in scratch:
            pointer = e.set(f"getelementptr inbounds i8, ptr %scratch, i64 {offset}")
            arguments.append(f"ptr {pointer}")
        e.do(f"call void @phase_{number}.body({', '.join(arguments)})")
        e.do("ret void")
        parameters = "ptr %buffers, ptr %dims, i64 %begin, i64 %end, ptr %scratch"
        return f"define void @phase_{number}({parameters}) nounwind {{\n{e.text}\n}}"

    def _size(self, number: int) -> str:
        """Multiply the trip counts; -1 if a step is not positive."""
        phase, e = self.entry.phases[number], Emitter(self.declarations)
        nowhere = ["null"] * len(self.entry.arguments)
        ops = self.entry.needed_for(phase.operands)
        t = self._start(e, ops, nowhere, self._load_dims(e))
        total, is_wrong = "1", "false"
        for bounds in _dimensions(t, phase):
            total = e.multiply(total, trip_count(e, bounds))
            stuck = e.set(f"icmp slt i64 {bounds[2]}, 1")
            is_wrong = e.set(f"or i1 {is_wrong}, {stuck}")
        e.do(f"ret i64 {e.set(f'select i1 {is_wrong}, i64 -1, i64 {total}')}")
        return f"define i64 @phase_{number}_size(ptr %dims) nounwind {{\n{e.text}\n}}"

    def _load_dims(self, e: Emitter) -> list[str]:
        return [_item(e, "i64", "%dims", k) for k in range(self.entry.dim_count)]

    def _start(
        self, e: Emitter, ops: Sequence[ir.Operation], buffers: Sequence[str], dims: Sequence[str]
    ) -> Translator:
        """Begin a function: what arguments are held in, and what is computed out of them."""
        t = Translator(e, HANDLERS, self.functions, self.types)
        left = iter(dims)
        held = []
        for layout, buffer in zip(self.entry.layouts, buffers, strict=True):
            sizes = [next(left) if size is None else str(size) for size in layout.sizes]
            held.append(row_major(e, layout, buffer, sizes))
        t.set_all(self.entry.block.arguments, held)
        for op in ops:
            t.op(op)
        return t


def _item(e: Emitter, type_: str, array: str, number: int) -> str:
    pointer = e.set(f"getelementptr inbounds {type_}, ptr {array}, i64 {number}")
    return e.set(f"load {type_}, ptr {pointer}")


def _dimensions(t: Translator, phase: ir.Operation) -> list[Bounds]:
    lower, upper, step, _ = segments(phase)
    return [
        (t.value(a).text, t.value(b).text, t.value(c).text)
        for a, b, c in zip(lower, upper, step, strict=True)
    ]


def trip_count(e: Emitter, bounds: Bounds) -> str:
    """Count the rounds of a loop; any number if its step is not positive."""
    lower, upper, step = bounds
    some = e.set(f"icmp slt i64 {lower}, {upper}")
    span = e.set(f"sub i64 {upper}, {lower}")
    if step != "1":
        divisor = e.call("llvm.smax.i64", "i64", [f"i64 {step}", "i64 1"], ["i64", "i64"])
        last = e.set(f"udiv i64 {e.set(f'sub i64 {span}, 1')}, {divisor}")
        span = e.set(f"add i64 {last}, 1")
    return e.set(f"select i1 {some}, i64 {span}, i64 0")


def _counters(
    e: Emitter, linear: str, dimensions: Sequence[Bounds], counts: Sequence[str]
) -> list[Held]:
    """Split the number of an iteration, the last dimension counting fastest."""
    numbers = []
    for count in reversed(counts):
        numbers.append(e.set(f"urem i64 {linear}, {count}"))
        linear = e.set(f"udiv i64 {linear}, {count}")
    numbers.append(linear)
    return [
        Value(_INDEX, e.add(lower, e.multiply(number, step)))
        for (lower, _, step), number in zip(dimensions, reversed(numbers), strict=True)
    ]
