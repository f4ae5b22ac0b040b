"""Translation of phases: the function that runs iterations, and the one that counts them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sdykit.core.sparsecore.names import RUNTIME, TOGETHER
from sdykit.mlir import ir
from sdykit.sparsecore.codegen.compiled import ALIGNMENT
from sdykit.sparsecore.codegen.emission.emitter import ONCE, Emitter, is_constant
from sdykit.sparsecore.codegen.emission.loops import counted_loop
from sdykit.sparsecore.codegen.emission.memory import row_major
from sdykit.sparsecore.codegen.emission.types import INDEX, Type
from sdykit.sparsecore.codegen.emission.values import Lowered, Value
from sdykit.sparsecore.codegen.entry.function import Entry
from sdykit.sparsecore.codegen.entry.llvm_functions import Body, find_written, loads, used_in
from sdykit.sparsecore.codegen.entry.together import (
    DECLARATIONS,
    Together,
    allocate_packed,
    read_together,
)
from sdykit.sparsecore.codegen.runtime_functions import HEADER_BYTES
from sdykit.sparsecore.codegen.translation import HANDLERS
from sdykit.sparsecore.codegen.translation.op_attributes import segments
from sdykit.sparsecore.codegen.translation.translator import (
    Translator,
    Types,
    only_block,
)

_INDEX = Type(INDEX)
Bounds = tuple[str, str, str]
"""Lower bound, upper bound (exclusive) and step of one dimension, as LLVM operands."""


@dataclass(frozen=True, slots=True)
class PhaseCode:
    """The LLVM functions of a phase.

    Attributes:
        text: the definitions of the functions.
        scratch_bytes: the number of bytes of the arena that the phase uses.
        written: the numbers of the arguments that the phase may write to.
    """

    text: str
    scratch_bytes: int
    written: frozenset[int]


@dataclass(frozen=True)
class PhaseBuilder:
    """Makes the LLVM functions of the phases of one entry function.

    Attributes:
        entry: the entry function.
        functions: the functions of the module, by name.
        types: the translated types of the module.
        declarations: the declarations of the LLVM functions that are called, by name; `build` adds
            to them.
        bodies: the name of each function that runs iterations, by its definition; `build` adds to
            them, so that equal phases share one.
    """

    entry: Entry
    functions: Mapping[str, ir.Operation]
    types: Types
    declarations: dict[str, str]
    bodies: dict[str, str] = field(default_factory=dict)

    @cached_property
    def calls_runtime(self) -> bool:
        """Whether phases have agents, or functions of the runtime are declared."""
        return any(TOGETHER in phase.attributes for phase in self.entry.phases) or any(
            RUNTIME in function.attributes for function in self.functions.values()
        )

    @cached_property
    def _needed(self) -> list[list[ir.Operation]]:
        return self.entry.needed_by_phases()

    @cached_property
    def _constants(self) -> dict[ir.Value, Lowered]:
        t = Translator(Emitter(self.declarations), HANDLERS, self.functions, self.types)
        for op in self.entry.constants:
            t.op(op)
        return {op.results[0]: t[op.results[0]] for op in self.entry.constants}

    def build(self, number: int) -> PhaseCode:
        """Translate a phase; phases that do the same, such as passes of a sort, share a body.

        Args:
            number: the number of the phase.

        Raises:
            CodegenError: an op in it cannot be translated.
        """
        body, t, together = self._body(number)
        name = f"phase_{number}.body"
        known = self.bodies.setdefault(body.define("body"), name)
        texts = [] if known != name else [body.define(name)]
        buffers = {f"%a{k}": k for k in range(len(self.entry.arguments))}
        targets = frozenset(buffers[name] for name in find_written(body.text, buffers))
        if together is None:
            size = t.scratch_bytes
            texts += [body.wrap(known, f"phase_{number}", t.scratch), self._size(number)]
        else:
            size, targets = together.scratch_bytes, targets | together.outputs
            self.declarations.setdefault(together.runner, DECLARATIONS[together.runner])
            agent = body.wrap(known, f"phase_{number}.agent", t.scratch, t.shared)
            texts += [agent, together.functions(number, self.entry, targets)]
        return PhaseCode("\n".join(texts), size, targets)

    def _body(self, number: int) -> tuple[Body, Translator, Together | None]:
        phase, e = self.entry.phases[number], Emitter(self.declarations)
        has_agents = TOGETHER in phase.attributes
        frame = e.reserve()
        t = self._start(e, self._needed[number], self._buffers())
        if has_agents:
            t.scratch_bytes = HEADER_BYTES
            t.arena = t.allocate(0)
        dimensions = _dimensions(t, phase)
        counts = [trip_count(e, bounds) for bounds in dimensions[1:]]
        block = only_block(phase, phase.regions[0])

        def iteration(linear: str, _: list[Lowered]) -> list[Lowered]:
            t.iteration = linear
            t.set_all(block.arguments, _counters(e, linear, dimensions, counts))
            t.block(block)
            return []

        counted_loop(e, ("%begin", "%end", "1"), [], iteration)
        if e.has_nontemporal:
            # Locks do not order such stores with those that follow, so the phase does.
            e.do("fence seq_cst")
        e.do("ret void")
        e.fill(frame, allocate_packed(t))
        text = e.text
        used = used_in(text)
        parameters = {name: words for name, words in self._parameters(t) if name in used}
        body = Body(text, {**parameters, "%begin": "i64", "%end": "i64"})
        if not has_agents:
            return body, t, None
        return body, t, read_together(phase, [trip_count(e, dimensions[0]), *counts], t, text)

    def _parameters(self, t: Translator) -> Iterator[tuple[str, str]]:
        """Yield all possible parameters: the name, and the type with its attributes.

        Of what an agent sees, others may write all while it waits.
        """
        for number, argument in enumerate(self.entry.arguments):
            words = ["ptr"]
            if argument.noalias and not t.arena:
                words.append("noalias")
            if argument.aligned:
                words.append(f"align {ALIGNMENT}")
            yield f"%a{number}", " ".join(words)
        yield from ((f"%d{number}", "i64") for number in range(self.entry.dim_count))
        noalias = "" if t.arena else "noalias "
        for number in range(len(t.scratch)):
            yield f"%s{number}", f"ptr {noalias}align {ALIGNMENT}"
        for number in range(len(t.shared)):
            yield f"%h{number}", f"ptr align {ALIGNMENT}"

    def _buffers(self) -> list[str]:
        return [f"%a{number}" for number in range(len(self.entry.arguments))]

    def _size(self, number: int) -> str:
        """Write the function that returns the product of the trip counts, or -1 for a bad step."""
        phase, e = self.entry.phases[number], Emitter(self.declarations)
        line = e.reserve()
        buffers = ["null"] * len(self.entry.arguments)
        t = self._start(e, self.entry.needed_for(phase.operands), buffers)
        total, is_bad = "1", "false"
        for bounds in _dimensions(t, phase):
            total = e.multiply(total, trip_count(e, bounds))
            if not is_constant(bounds[2]) or int(bounds[2]) < 1:
                is_bad_step = e.set(f"icmp slt i64 {bounds[2]}, 1")
                is_bad = e.set(f"or i1 {is_bad}, {is_bad_step}")
        if is_bad != "false":
            total = e.set(f"select i1 {is_bad}, i64 -1, i64 {total}")
        e.do(f"ret i64 {total}")
        e.fill(line, loads(e.text))
        return f"define i64 @phase_{number}_size(ptr %dims) {ONCE} {{\n{e.text}\n}}"

    def _start(self, e: Emitter, ops: Sequence[ir.Operation], buffers: Sequence[str]) -> Translator:
        """Begin a function: lower the arguments, and translate ops that are computed from them."""
        t = Translator(e, HANDLERS, self.functions, self.types, self._constants)
        remaining = (f"%d{number}" for number in itertools.count())
        lowered = []
        for layout, buffer in zip(self.entry.layouts, buffers, strict=True):
            sizes = [next(remaining) if size is None else str(size) for size in layout.sizes]
            lowered.append(row_major(e, layout, buffer, sizes))
        t.set_all(self.entry.block.arguments, lowered)
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
    """Return the number of iterations of a loop; undefined if its step is not positive."""
    lower, upper, step = bounds
    if (lower, step) == ("0", "1") and is_constant(upper):
        return str(max(0, int(upper)))
    is_entered = e.set(f"icmp slt i64 {lower}, {upper}")
    span = e.set(f"sub i64 {upper}, {lower}")
    if step != "1":
        divisor = e.call("llvm.smax.i64", "i64", [f"i64 {step}", "i64 1"], ["i64", "i64"])
        last = e.set(f"udiv i64 {e.set(f'sub i64 {span}, 1')}, {divisor}")
        span = e.set(f"add i64 {last}, 1")
    return e.set(f"select i1 {is_entered}, i64 {span}, i64 0")


def _counters(
    e: Emitter, linear: str, dimensions: Sequence[Bounds], counts: Sequence[str]
) -> list[Lowered]:
    """Compute the counters of an iteration from its number; the last dimension counts fastest."""
    numbers = []
    for count in reversed(counts):
        numbers.append(e.set(f"urem i64 {linear}, {count}"))
        linear = e.set(f"udiv i64 {linear}, {count}")
    numbers.append(linear)
    return [
        Value(_INDEX, e.add(lower, e.multiply(number, step)))
        for (lower, _, step), number in zip(dimensions, reversed(numbers), strict=True)
    ]
