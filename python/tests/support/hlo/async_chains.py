"""Random legal HLO programs with asynchronous chains, for the verifier and the analysis.

Shapes are nested tuples of array shapes. Chains overlap, have several operands and outputs,
operands that are tuples or repeated, context, updates, and wrapped computations that forward
parameters; between them are instructions that copy nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from hypothesis import strategies as st

ShapeTree: TypeAlias = "str | tuple[ShapeTree, ...]"
ARRAYS = ("f32[4]", "f32[2,3]", "s32[]", "bf16[8]{0}", "pred[]", "u8[3]")
CALL = ', custom_call_target="f"'


def write(shape: ShapeTree) -> str:
    """Return a shape as HLO text."""
    return shape if isinstance(shape, str) else f"({', '.join(map(write, shape))})"


def leaves(shape: ShapeTree) -> list[tuple[tuple[int, ...], str]]:
    """Return the arrays in a shape with their indices."""
    if isinstance(shape, str):
        return [((), shape)]
    return [((at, *index), leaf) for at, part in enumerate(shape) for index, leaf in leaves(part)]


@dataclass
class Value:
    name: str
    shape: ShapeTree


@dataclass
class Flight:
    """A chain that has no done yet."""

    name: str
    shape: tuple[ShapeTree, ...]


@dataclass
class Builder:
    random: Random
    computations: list[str] = field(default_factory=list)
    names: int = 0

    def name(self, base: str) -> str:
        self.names += 1
        return f"{base}.{self.names}"

    def shape(self, depth: int = 0) -> ShapeTree:
        if depth < 2 and self.random.random() < 0.3:
            return tuple(self.shape(depth + 1) for _ in range(self.random.randint(0, 3)))
        return self.random.choice(ARRAYS)

    def computation(self, steps: int, *, entry: bool, thread: str = "") -> tuple[str, ShapeTree]:
        """Add a computation with parameters and chains; return its name and its result's shape."""
        body = Body(self)
        for at in range(2):
            body.add("parameter", self.shape(), str(at))
        for _ in range(steps):
            self.random.choice(STEPS)(body)
        body.finish_all()
        root = body.any()
        body.add("tuple", (root.shape, root.shape), f"%{root.name}, %{root.name}")
        name = self.name("main" if entry else "called")
        lines = "\n".join(f"  {line}" for line in body.lines[:-1])
        text = f"%{name} {{\n{lines}\n  ROOT {body.lines[-1]}\n}}{thread}\n"
        self.computations.append(f"ENTRY {text}" if entry else text)
        return name, body.values[-1].shape

    def wrapped(self, operands: list[ShapeTree], thread: str) -> tuple[str, ShapeTree, str]:
        """Add a computation to wrap; return its name, its result's shape, and the start's text."""
        kinds = ("plain", "aliasing", "elements", "group", "identity") if operands else ("plain",)
        kind = self.random.choice(kinds)
        body = Body(self)
        for at, shape in enumerate(operands):
            body.add("parameter", shape, str(at))
        of_start = ""
        if kind == "plain":
            body.call_on(body.values)
        elif kind == "aliasing":
            body.alias(body.values)
        elif kind == "elements":
            body.take()
            self.random.choice((body.tuple, lambda: body.call_on(body.values)))()
        elif kind == "group":
            of_start = ', frontend_attributes={_collectives_group="",x="y"}'
            for step in (body.any_unary, body.take, body.any_unary, body.tuple):
                step()
        result = body.values[-1].shape
        name = self.name("wrapped")
        lines = "\n".join(f"  {line}" for line in body.lines[:-1])
        self.computations.append(f"%{name} {{\n{lines}\n  ROOT {body.lines[-1]}\n}}{thread}\n")
        return name, result, of_start

    def aliased(self, parameters: list[Value]) -> tuple[ShapeTree, str]:
        """Draw a result shape, and the attribute that aliases some arrays of it with parameters."""
        places = [
            (at, index, leaf)
            for at, value in enumerate(parameters)
            for index, leaf in leaves(value.shape)
        ]
        places = [place for place in places if self.random.random() < 0.6][:3]
        result = (*(leaf for _, _, leaf in places), self.shape())
        entries = [
            f"{{{at}}}: ({operand}, {{{','.join(map(str, index))}}})"
            for at, (operand, index, _) in enumerate(places)
        ]
        text = f", output_to_operand_aliasing={{{', '.join(entries)}}}"
        return result, text if entries else ""


@dataclass
class Body:
    """A computation that is being written."""

    builder: Builder
    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    flights: list[Flight] = field(default_factory=list)

    @property
    def random(self) -> Random:
        return self.builder.random

    def any(self) -> Value:
        return self.random.choice(self.values)

    def write(self, opcode: str, shape: ShapeTree, operands: str, attributes: str = "") -> str:
        name = self.builder.name(opcode)
        self.lines.append(f"%{name} = {write(shape)} {opcode}({operands}){attributes}")
        return name

    def add(self, opcode: str, shape: ShapeTree, operands: str, attributes: str = "") -> None:
        self.values.append(Value(self.write(opcode, shape, operands, attributes), shape))

    def call_on(self, operands: list[Value], attributes: str = "") -> None:
        names = ", ".join(f"%{each.name}" for each in operands)
        self.add("custom-call", self.builder.shape(), names, f"{CALL}{attributes}")

    def any_unary(self) -> None:
        self.call_on([self.any()])

    def same(self) -> None:
        value = self.any()
        if is_array(value.shape) and self.random.random() < 0.5:
            self.add("bitcast", value.shape, f"%{value.name}")
        else:
            self.add("opt-barrier", value.shape, f"%{value.name}")

    def tuple(self) -> None:
        parts = [self.any() for _ in range(self.random.randint(1, 3))]
        shape = tuple(part.shape for part in parts)
        self.add("tuple", shape, ", ".join(f"%{part.name}" for part in parts))

    def take(self) -> None:
        tuples = [value for value in self.values if not is_array(value.shape) and value.shape]
        if tuples:
            self.element(self.random.choice(tuples))

    def element(self, value: Value) -> None:
        at = self.random.randrange(len(value.shape))
        self.add("get-tuple-element", value.shape[at], f"%{value.name}", f", index={at}")

    def alias(self, operands: list[Value] | None = None) -> None:
        operands = operands or [self.any(), self.any()]
        result, text = self.builder.aliased(operands)
        names = ", ".join(f"%{each.name}" for each in operands)
        self.add("custom-call", result, names, f"{CALL}{text}")

    def start(self) -> None:
        operands = [self.any() for _ in range(self.random.choice((0, 1, 1, 2, 3)))]
        shapes = [each.shape for each in operands]
        thread = self.random.choice(("", "sparsecore", "host"))
        of_computation = f', execution_thread="{thread}"' if thread else ""
        name, result, text = self.builder.wrapped(shapes, of_computation)
        if thread:
            text += f', async_execution_thread="{thread}"'
        context = [self.random.choice(ARRAYS) for _ in range(self.random.randint(0, 2))]
        shape = (tuple(shapes), result, *context)
        names = ", ".join(f"%{each.name}" for each in operands)
        start = self.write("async-start", shape, names, f", calls=%{name}{text}")
        self.flights.append(Flight(start, shape))

    def update(self) -> None:
        if self.flights:
            flight = self.random.choice(self.flights)
            flight.name = self.write("async-update", flight.shape, f"%{flight.name}")

    def land(self) -> None:
        if self.flights:
            at = self.random.randrange(len(self.flights))
            flight = self.flights.pop(at)
            self.add("async-done", flight.shape[1], f"%{flight.name}")

    def finish_all(self) -> None:
        while self.flights:
            self.land()

    def call(self) -> None:
        if len(self.builder.computations) < 8 and self.random.random() < 0.2:
            name, shape = self.builder.computation(4, entry=False)
            self.add("custom-call", shape, "", f"{CALL}, called_computations={{%{name}}}")


STEPS = (
    *(Body.any_unary, Body.same, Body.tuple, Body.take, Body.take, Body.alias, Body.call),
    *(Body.start, Body.start, Body.start, Body.update, Body.update, Body.land, Body.land),
)


def is_array(shape: ShapeTree) -> bool:
    return isinstance(shape, str)


def program(random: Random) -> str:
    builder = Builder(random)
    builder.computation(random.randint(1, 24), entry=True)
    scheduled = random.choice(("", ", is_scheduled=true"))
    return f"HloModule random{scheduled}\n\n" + "\n".join(builder.computations)


def chain_programs() -> st.SearchStrategy[str]:
    """Return a strategy for texts of programs, most with several chains."""
    return st.integers(0, 2**32).map(lambda seed: program(Random(seed)))
