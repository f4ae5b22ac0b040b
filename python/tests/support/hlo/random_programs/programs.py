"""Random HLO programs that XLA's CPU client compiles, drawn by hypothesis.

Element-wise operations, dot products, reductions, sorts (whose results are tuples), and
operations that move data, on small arrays of several element types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod

import numpy as np
from hypothesis import strategies as st

HELPERS = """\
%sum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %add = f32[] add(%x, %y)
}

%largest (x: s32[], y: s32[]) -> s32[] {
  %x = s32[] parameter(0)
  %y = s32[] parameter(1)
  ROOT %maximum = s32[] maximum(%x, %y)
}

%before (a: f32[], b: f32[], c: s32[], d: s32[]) -> pred[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  %c = s32[] parameter(2)
  %d = s32[] parameter(3)
  ROOT %compare = pred[] compare(%a, %b), direction=LT, type=TOTALORDER
}
"""
UNARY = {
    "f32": ("negate", "abs", "sine", "tanh", "floor", "exponential", "sign"),
    "s32": ("negate", "abs", "not", "popcnt", "sign"),
    "pred": ("not",),
}
BINARY = {
    "f32": ("add", "subtract", "multiply", "divide", "maximum", "minimum"),
    "s32": ("add", "subtract", "multiply", "maximum", "and", "xor", "shift-left"),
    "pred": ("and", "or", "xor"),
}
DTYPES = {"f32": np.float32, "s32": np.int32, "pred": np.bool_}
SIZES = st.integers(1, 4)
MAX_ELEMENTS = 64


@dataclass(frozen=True)
class Value:
    """An instruction of the entry computation."""

    name: str
    dtype: str
    dims: tuple[int, ...]

    @property
    def shape(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.dims))}]"


@dataclass
class Builder:
    """Draws the instructions of a program one by one."""

    draw: st.DrawFn
    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    parameters: list[Value] = field(default_factory=list)
    names: int = 0

    def name(self, opcode: str) -> str:
        self.names += 1
        return f"{opcode}.{self.names}"

    def emit(
        self,
        opcode: str,
        dtype: str,
        dims: tuple[int, ...],
        operands: list[Value] | str,
        attributes: str = "",
    ) -> Value:
        value = Value(self.name(opcode), dtype, dims)
        if not isinstance(operands, str):
            operands = ", ".join(f"%{each.name}" for each in operands)
        text = f", {attributes}" if attributes else ""
        self.lines.append(f"%{value.name} = {value.shape} {opcode}({operands}){text}")
        self.values.append(value)
        return value

    def parameter(self) -> None:
        dims = tuple(self.draw(st.lists(SIZES, max_size=3)))
        dtype = self.draw(st.sampled_from(("f32", "f32", "s32")))
        number = len(self.parameters)
        self.parameters.append(self.emit("parameter", dtype, dims, str(number)))

    def find(self, fits: Callable[[Value], bool]) -> Value | None:
        found = [value for value in self.values if fits(value)]
        return self.draw(st.sampled_from(found)) if found else None

    def pick(self) -> Value:
        return self.draw(st.sampled_from(self.values))

    def like(self, other: Value) -> Value:
        return self.draw(st.sampled_from([v for v in self.values if v.shape == other.shape]))

    def unary(self) -> None:
        x = self.pick()
        self.emit(self.draw(st.sampled_from(UNARY[x.dtype])), x.dtype, x.dims, [x])

    def binary(self) -> None:
        x = self.pick()
        y = self.like(x)
        self.emit(self.draw(st.sampled_from(BINARY[x.dtype])), x.dtype, x.dims, [x, y])

    def compare(self) -> None:
        x = self.find(lambda v: v.dtype != "pred")
        if x is not None:
            y = self.like(x)
            direction = self.draw(st.sampled_from(("LT", "GE", "EQ", "NE")))
            self.emit("compare", "pred", x.dims, [x, y], f"direction={direction}")

    def select(self) -> None:
        which = self.find(lambda v: v.dtype == "pred")
        x = self.find(lambda v: which is not None and v.dims == which.dims)
        if which is not None and x is not None:
            y = self.like(x)
            self.emit("select", x.dtype, x.dims, [which, x, y])

    def convert(self) -> None:
        x = self.find(lambda v: v.dtype != "f32")
        if x is not None:
            self.emit("convert", "f32", x.dims, [x])

    def iota(self) -> None:
        dims = tuple(self.draw(st.lists(SIZES, min_size=1, max_size=3)))
        at = self.draw(st.integers(0, len(dims) - 1))
        self.emit("iota", "s32", dims, "", f"iota_dimension={at}")

    def constant(self) -> None:
        number = self.draw(st.sampled_from(("0", "1", "-2.5", "1e-3", "inf")))
        self.emit("constant", "f32", (), number)

    def broadcast(self) -> None:
        x = self.find(lambda v: len(v.dims) < 3)
        size = self.draw(SIZES)
        if x is not None and prod(x.dims) * size <= MAX_ELEMENTS:
            kept = ",".join(str(i + 1) for i in range(len(x.dims)))
            self.emit("broadcast", x.dtype, (size, *x.dims), [x], f"dimensions={{{kept}}}")

    def transpose(self) -> None:
        x = self.find(lambda v: len(v.dims) > 1)
        if x is not None:
            order = self.draw(st.permutations(range(len(x.dims))))
            dims = tuple(x.dims[i] for i in order)
            text = ",".join(map(str, order))
            self.emit("transpose", x.dtype, dims, [x], f"dimensions={{{text}}}")

    def reshape(self) -> None:
        x = self.pick()
        self.emit("reshape", x.dtype, (prod(x.dims),), [x])

    def slice(self) -> None:
        x = self.find(lambda v: len(v.dims) > 0)
        if x is not None:
            limits = [self.draw(st.integers(1, size)) for size in x.dims]
            text = ", ".join(f"[0:{limit}]" for limit in limits)
            self.emit("slice", x.dtype, tuple(limits), [x], f"slice={{{text}}}")

    def reverse(self) -> None:
        x = self.find(lambda v: len(v.dims) > 0)
        if x is not None:
            self.emit("reverse", x.dtype, x.dims, [x], "dimensions={0}")

    def concatenate(self) -> None:
        x = self.find(lambda v: len(v.dims) > 0 and prod(v.dims) * 3 <= MAX_ELEMENTS)
        if x is not None:
            y = self.like(x)
            dims = (3 * x.dims[0], *x.dims[1:])
            self.emit("concatenate", x.dtype, dims, [x, y, x], "dimensions={0}")

    def dot(self) -> None:
        x = self.find(lambda v: v.dtype == "f32" and len(v.dims) == 2)
        y = self.find(lambda v: x is not None and v.dtype == "f32" and v.dims[:1] == x.dims[1:])
        if x is not None and y is not None and prod((x.dims[0], *y.dims[1:])) <= MAX_ELEMENTS:
            contracted = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
            self.emit("dot", "f32", (x.dims[0], *y.dims[1:]), [x, y], contracted)

    def reduce(self) -> None:
        x = self.find(lambda v: v.dtype != "pred" and len(v.dims) > 0)
        if x is not None:
            start = self.emit("constant", x.dtype, (), "0")
            called = "sum" if x.dtype == "f32" else "largest"
            at = self.draw(st.integers(0, len(x.dims) - 1))
            dims = (*x.dims[:at], *x.dims[at + 1 :])
            attributes = f"dimensions={{{at}}}, to_apply=%{called}"
            self.emit("reduce", x.dtype, dims, [x, start], attributes)

    def sort(self) -> None:
        x = self.find(lambda v: v.dtype == "f32" and len(v.dims) > 0)
        if x is None:
            return
        dims = ",".join(map(str, x.dims))
        keys = self.emit("iota", "s32", x.dims, "", "iota_dimension=0")
        name, shape = self.name("sort"), f"(f32[{dims}], s32[{dims}])"
        attributes = "dimensions={0}, is_stable=true, to_apply=%before"
        self.lines.append(f"%{name} = {shape} sort(%{x.name}, %{keys.name}), {attributes}")
        for at, dtype in enumerate(("f32", "s32")):
            self.emit("get-tuple-element", dtype, x.dims, f"%{name}", f"index={at}")


STEPS = (
    *(Builder.unary, Builder.binary, Builder.binary, Builder.compare, Builder.select),
    *(Builder.convert, Builder.iota, Builder.constant, Builder.broadcast, Builder.broadcast),
    *(Builder.transpose, Builder.reshape, Builder.slice, Builder.reverse, Builder.concatenate),
    *(Builder.dot, Builder.dot, Builder.reduce, Builder.sort),
)


@dataclass(frozen=True)
class Program:
    """HLO text, and arguments for it."""

    text: str
    inputs: list[np.ndarray]
    opcodes: tuple[str, ...]
    """The opcodes in the entry computation, each once."""


@st.composite
def programs(draw: st.DrawFn) -> Program:
    builder = Builder(draw)
    for _ in range(draw(st.integers(1, 4))):
        builder.parameter()
    builder.unary()
    for _ in range(draw(st.integers(1, 14))):
        draw(st.sampled_from(STEPS))(builder)
    results = [builder.values[-1]]
    results += draw(st.lists(st.sampled_from(builder.values), max_size=3))
    shapes, names = ", ".join(v.shape for v in results), ", ".join(f"%{v.name}" for v in results)
    builder.lines.append(f"ROOT %result = ({shapes}) tuple({names})")
    inputs = [_array(each, seed) for seed, each in enumerate(builder.parameters)]
    body = "\n".join(f"  {line}" for line in builder.lines)
    opcodes = dict.fromkeys(line.partition("(%")[0].split()[-1] for line in builder.lines)
    return Program(
        f"HloModule random\n\n{HELPERS}\nENTRY %main {{\n{body}\n}}\n",
        inputs,
        tuple(opcode for opcode in opcodes if opcode.replace("-", "").isalpha()),
    )


def _array(value: Value, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if value.dtype == "f32":
        return rng.standard_normal(value.dims).astype(np.float32)
    return rng.integers(-100, 100, value.dims).astype(DTYPES[value.dtype])
