"""Random programs with asynchronous chains in both forms, and a comparison of their meaning.

jaxlib reads all of them. Wrapped computations are plain, or have something that sugar cannot
express: operands in another order, unused or repeated parameters, metadata, a frontend
attribute, a name that other callers use, more instructions than one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from sdykit import hlo
from sdykit.hlo.async_ops import ASYNC_SUFFIXES
from sdykit.hlo.attributes import unquoted

ARRAY, PART = "f32[8,4]{1,0}", "f32[2,4]{1,0}"
LIMITS = "slice={[0:2], [0:4]}"
TARGET = 'custom_call_target="f", api_version=API_VERSION_STATUS_RETURNING'
NAMED = 'custom_call_target="g", called_computations={%helper}'


class Operation(NamedTuple):
    """An operation that a start may wrap."""

    opcode: str
    operands: int
    """The number of its operands."""
    result: str = ARRAY
    attributes: str = ""


class Flight(NamedTuple):
    """A chain that has no done yet."""

    name: str
    """The name of the last instruction."""
    shape: str
    result: str
    sugar: str
    """The opcode that updates and done may name."""
    thread: str


OPERATIONS = (
    Operation("sine", 1),
    Operation("add", 2),
    Operation("subtract", 2),
    Operation("clamp", 3),
    Operation("slice", 1, PART, LIMITS),
    Operation("custom-call", 2, f"({ARRAY}, {PART})", TARGET),
    Operation("custom-call", 0, ARRAY, TARGET),
    Operation("custom-call", 1, ARRAY, NAMED),
    Operation("call", 1, ARRAY, "to_apply=%helper"),
    Operation("fusion", 1, ARRAY, "kind=kLoop, calls=%helper"),
)
ODDITIES = ("swapped", "repeated", "unused", "metadata", "attribute", "parameter", "longer")
EXTRAS = (
    'metadata={op_name="a\\"b, c=d" source_line=3}',
    'frontend_attributes={x="y",z={"a":[1,2]}}',
)
GROUP = 'frontend_attributes={_collectives_group=""}'
SPACE = re.compile(r"\s+|/\*.*?\*/", re.DOTALL)
DEFAULT_LAYOUT = re.compile(r"\{(1,)?0\}|\{\}")
HELPER = f"""\
%helper {{
  %of_helper = {ARRAY} parameter(0)
  ROOT %abs = {ARRAY} abs({ARRAY} %of_helper)
}}

"""


@dataclass
class Writer:
    """Writes one program."""

    random: Random
    computations: list[str] = field(default_factory=lambda: [HELPER])
    lines: list[str] = field(default_factory=list)
    flights: list[Flight] = field(default_factory=list)
    names: int = 0

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}.{self.names}"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def extras(self) -> str:
        chosen = [text for text in EXTRAS if self.chance(0.2)]
        return "".join(f", {text}" for text in chosen)

    def control(self, arrays: list[str]) -> str:
        if not self.chance(0.15):
            return ""
        names = dict.fromkeys(self.random.choices(arrays, k=2))
        return f", control-predecessors={{{', '.join(f'%{name}' for name in names)}}}"

    def program(self) -> str:
        arrays = ["x", "y"]
        self.lines += [f"%x = {ARRAY} parameter(0)", f"%y = {ARRAY} parameter(1)"]
        for _ in range(self.random.randint(1, 14)):
            step = self.random.choice((self.start, self.start, self.update, self.done, self.plain))
            step(arrays)
        while self.flights:
            self.done(arrays)
        body = "\n".join(f"  {line}" for line in self.lines)
        entry = f"ENTRY %main {{\n{body}\n  ROOT %result = {ARRAY} negate(%{arrays[-1]})\n}}\n"
        return "HloModule random, is_scheduled=true\n\n" + "".join(self.computations) + entry

    def plain(self, arrays: list[str]) -> None:
        name = self.fresh("plain")
        self.lines.append(f"%{name} = {ARRAY} cosine(%{self.random.choice(arrays)})")
        arrays.append(name)

    def start(self, arrays: list[str]) -> None:
        operation = self.random.choice(OPERATIONS)
        operands = self.random.choices(arrays, k=operation.operands)
        name = self.fresh("start")
        oddity = self.random.choice(ODDITIES) if self.chance(0.4) else ""
        sugar = not oddity and self.chance(0.5)
        thread = self.random.choice(("", "", "sparsecore", "host"))
        if oddity == "unused":
            operands.append(self.random.choice(arrays))
        context = self.random.choices(["s32[]", "u32[]{:S(2)}"], k=self.random.randint(0, 2))
        first = f"({', '.join([ARRAY] * len(operands))})"
        shape = f"({', '.join([first, operation.result, *context])})"
        parts = [f'async_execution_thread="{thread}"'] if thread else []
        if sugar:
            parts += [operation.attributes] if operation.attributes else []
            opcode = f"{operation.opcode}-start"
        else:
            called = self.wrapped(operation, len(operands), oddity, thread)
            parts.insert(self.random.randint(0, len(parts)), f"calls=%{called}")
            opcode = "async-start"
        text = "".join(f", {part}" for part in parts)
        names = ", ".join(f"{ARRAY} %{x}" if self.chance(0.2) else f"%{x}" for x in operands)
        extras = f", {GROUP}" if oddity == "longer" else self.extras()
        more = f"{text}{self.control(arrays)}{extras}"
        self.lines.append(f"%{name} = {shape} {opcode}({names}){more}")
        root = "" if oddity in {"parameter", "longer"} else operation.opcode
        self.flights.append(Flight(name, shape, operation.result, root, thread))

    def wrapped(self, operation: Operation, count: int, oddity: str, thread: str) -> str:
        """Add the computation of a start; return its name."""
        name, names = self.fresh("wrapped"), [self.fresh("p") for _ in range(count)]
        lines = [f"%{each} = {ARRAY} parameter({at})" for at, each in enumerate(names)]
        if oddity == "parameter" and names:
            lines[0] += ', metadata={op_name="p"}'
        used = names[:-1] if oddity == "unused" else list(names)
        if oddity == "swapped":
            used.reverse()
        if oddity == "repeated" and len(used) > 1:
            used[1] = used[0]
        if oddity == "longer" and used:
            lines.append(f"%{name}.more = {ARRAY} tanh(%{used[0]})")
            used[0] = f"{name}.more"
        own = f", {operation.attributes}" if operation.attributes else ""
        own += {"metadata": f", {EXTRAS[0]}", "attribute": f", {EXTRAS[1]}"}.get(oddity, "")
        root = f"{operation.opcode}({', '.join(f'%{each}' for each in used)}){own}"
        lines.append(f"ROOT %{name}.root = {operation.result} {root}")
        says = f', execution_thread="{thread}"' if thread and self.chance(0.5) else ""
        body = "".join(f"  {line}\n" for line in lines)
        self.computations.append(f"%{name} {{\n{body}}}{says}\n\n")
        return name

    def update(self, arrays: list[str]) -> None:
        if self.flights:
            at = self.random.randrange(len(self.flights))
            flight, name = self.flights[at], self.fresh("update")
            self._follow("update", name, flight.shape, flight, arrays)
            self.flights[at] = flight._replace(name=name)

    def done(self, arrays: list[str]) -> None:
        if self.flights:
            flight = self.flights.pop(self.random.randrange(len(self.flights)))
            name = self.fresh("done")
            self._follow("done", name, flight.result, flight, arrays)
            if flight.result == ARRAY:
                arrays.append(name)

    def _follow(self, kind: str, name: str, shape: str, flight: Flight, arrays: list[str]) -> None:
        sugar = flight.sugar and self.chance(0.5)
        opcode = f"{flight.sugar}-{kind}" if sugar else f"async-{kind}"
        again = flight.thread and self.chance(0.3)
        more = f', async_execution_thread="{flight.thread}"' if again else ""
        more += self.control(arrays) + self.extras()
        self.lines.append(f"%{name} = {shape} {opcode}(%{flight.name}){more}")


def sugar_programs() -> st.SearchStrategy[str]:
    """Return a strategy for texts of programs."""
    return st.integers(0, 2**32).map(lambda seed: Writer(Random(seed)).program())


def meaning(module: hlo.Module) -> object:
    """Return a key that is equal for programs equal but for names in wrapped computations.

    Numbers stand for the names of and in the computations that starts wrap. A default layout is
    the same as none.
    """
    starts = [op for each in module for op in each if op.opcode == "async-start"]
    wrapped = {each: each.name for op in starts for each in op.called()}
    others = [each for each in module.computations if each not in wrapped]
    attributes = sorted(module.attributes.items())
    return attributes, module.entry.name, [_body(each, named=True) for each in others]


def _body(computation: hlo.Computation, *, named: bool) -> object:
    ops = computation.instructions
    names = {op: op.name if named else str(at) for at, op in enumerate(ops)}
    thread = unquoted(computation.attributes.get("execution_thread", "main"))
    rest = {key for key in computation.attributes if key != "execution_thread"}
    return (
        computation.name if named else "",
        thread,
        rest,
        names[computation.root],
        [_instruction(op, names) for op in ops],
    )


def _instruction(op: hlo.Instruction, names: dict[hlo.Instruction, str]) -> object:
    attributes = dict[str, object](op.attributes)
    if op.opcode == "async-start":
        attributes["calls"] = [_body(each, named=False) for each in op.called()]
    return (
        names[op],
        DEFAULT_LAYOUT.sub("", SPACE.sub("", op.shape)),
        op.opcode,
        op.literal,
        [names[operand] for operand in op.operands],
        [names[each] for each in op.control_predecessors],
        sorted(attributes.items(), key=lambda item: item[0]),
    )


def sugar_in(text: str) -> int:
    """Return the number of starts that are printed as sugar."""
    ops = [line.split("(")[-2] for line in text.splitlines() if "-start(" in line]
    return sum(not op.endswith("async-start") for op in ops if op.endswith(ASYNC_SUFFIXES))
