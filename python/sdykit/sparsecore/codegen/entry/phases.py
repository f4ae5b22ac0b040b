"""Translating phases: the body of each, and what tells its size."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.compiled import ALIGNMENT
from sdykit.sparsecore.codegen.emission.emitter import ONCE, Emitter, is_constant
from sdykit.sparsecore.codegen.emission.loops import counted_loop
from sdykit.sparsecore.codegen.emission.memory import row_major
from sdykit.sparsecore.codegen.emission.types import INDEX, Type
from sdykit.sparsecore.codegen.emission.values import Held, Value
from sdykit.sparsecore.codegen.entry.function import Entry
from sdykit.sparsecore.codegen.entry.llvm_functions import Body, loads, used_in, written
from sdykit.sparsecore.codegen.translation import HANDLERS
from sdykit.sparsecore.codegen.translation.op_attributes import segments
from sdykit.sparsecore.codegen.translation.translator import (
    Translator,
    Types,
    only_block,
)

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
        bodies: where it is noted what runs the iterations of phases: definition to name.
    """

    entry: Entry
    functions: Mapping[str, ir.Operation]
    types: Types
    declarations: dict[str, str]
    bodies: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _needed(self) -> list[list[ir.Operation]]:
        return self.entry.needed_by_phases()

    @cached_property
    def _constants(self) -> dict[ir.Value, Held]:
        t = Translator(Emitter(self.declarations), HANDLERS, self.functions, self.types)
        for op in self.entry.constants:
            t.op(op)
        return {op.results[0]: t[op.results[0]] for op in self.entry.constants}

    def build(self, number: int) -> PhaseCode:
        """Translate a phase. Of phases that do the same, such as passes of a sort, one has a body.

        Raises:
            CodegenError: an op in it cannot be translated.
        """
        body, t = self._body(number)
        name = f"phase_{number}.body"
        known = self.bodies.setdefault(body.define("body"), name)
        texts = [] if known != name else [body.define(name)]
        texts += [body.wrap(known, f"phase_{number}", t.scratch), self._size(number)]
        buffers = {f"%a{k}": k for k in range(len(self.entry.arguments))}
        targets = frozenset(buffers[name] for name in written(body.text, buffers))
        return PhaseCode("\n".join(texts), t.scratch_bytes, targets)

    def _body(self, number: int) -> tuple[Body, Translator]:
        phase, e = self.entry.phases[number], Emitter(self.declarations)
        t = self._start(e, self._needed[number], self._buffers())
        dimensions = _dimensions(t, phase)
        counts = [trip_count(e, bounds) for bounds in dimensions[1:]]
        block = only_block(phase, phase.regions[0])

        def iteration(linear: str, _: list[Held]) -> list[Held]:
            t.iteration = linear
            t.set_all(block.arguments, _counters(e, linear, dimensions, counts))
            t.block(block)
            return []

        counted_loop(e, ("%begin", "%end", "1"), [], iteration)
        if e.has_nontemporal:
            # No lock orders such stores with those that follow: the phase has to.
            e.do("fence seq_cst")
        e.do("ret void")
        text = e.text
        used = used_in(text)
        parameters = {name: words for name, words in self._parameters(t) if name in used}
        return Body(text, {**parameters, "%begin": "i64", "%end": "i64"}), t

    def _parameters(self, t: Translator) -> Iterator[tuple[str, str]]:
        """Give names, and types with attributes."""
        for number, argument in enumerate(self.entry.arguments):
            words = ["ptr"]
            if argument.noalias:
                words.append("noalias")
            if argument.aligned:
                words.append(f"align {ALIGNMENT}")
            yield f"%a{number}", " ".join(words)
        yield from ((f"%d{number}", "i64") for number in range(self.entry.dim_count))
        for number in range(len(t.scratch)):
            yield f"%s{number}", f"ptr noalias align {ALIGNMENT}"

    def _buffers(self) -> list[str]:
        return [f"%a{number}" for number in range(len(self.entry.arguments))]

    def _size(self, number: int) -> str:
        """Multiply the trip counts; -1 if a step is not positive."""
        phase, e = self.entry.phases[number], Emitter(self.declarations)
        place = e.place()
        nowhere = ["null"] * len(self.entry.arguments)
        t = self._start(e, self.entry.needed_for(phase.operands), nowhere)
        total, is_wrong = "1", "false"
        for bounds in _dimensions(t, phase):
            total = e.multiply(total, trip_count(e, bounds))
            if not is_constant(bounds[2]) or int(bounds[2]) < 1:
                stuck = e.set(f"icmp slt i64 {bounds[2]}, 1")
                is_wrong = e.set(f"or i1 {is_wrong}, {stuck}")
        if is_wrong != "false":
            total = e.set(f"select i1 {is_wrong}, i64 -1, i64 {total}")
        e.do(f"ret i64 {total}")
        e.fill(place, loads(e.text))
        return f"define i64 @phase_{number}_size(ptr %dims) {ONCE} {{\n{e.text}\n}}"

    def _start(self, e: Emitter, ops: Sequence[ir.Operation], buffers: Sequence[str]) -> Translator:
        """Begin a function: what arguments are held in, and what is computed out of them."""
        t = Translator(e, HANDLERS, self.functions, self.types, self._constants)
        left = (f"%d{number}" for number in itertools.count())
        held = []
        for layout, buffer in zip(self.entry.layouts, buffers, strict=True):
            sizes = [next(left) if size is None else str(size) for size in layout.sizes]
            held.append(row_major(e, layout, buffer, sizes))
        t.set_all(self.entry.block.arguments, held)
        for op in ops:
            t.op(op)
        return t


def _dimensions(t: Translator, phase: ir.Operation) -> list[Bounds]:
    lower, upper, step, _ = segments(phase)
    return [
        (t.value(a).text, t.value(b).text, t.value(c).text)
        for a, b, c in zip(lower, upper, step, strict=True)
    ]


def trip_count(e: Emitter, bounds: Bounds) -> str:
    """Count the rounds of a loop; any number if its step is not positive."""
    lower, upper, step = bounds
    if (lower, step) == ("0", "1") and is_constant(upper):
        return str(max(0, int(upper)))
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
