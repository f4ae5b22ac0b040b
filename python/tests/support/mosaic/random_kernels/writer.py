"""The text of a kernel while it is written: lines, and the values that can be used."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Memory:
    """A memref.

    Attributes:
        name: the value.
        shape: its sizes.
        element: its elements.
        space: where it is.
    """

    name: str
    shape: tuple[int, ...]
    element: str
    space: str

    @property
    def type(self) -> str:
        """The type of the memref."""
        sizes = "".join(f"{size}x" for size in self.shape)
        return f"memref<{sizes}{self.element}, #tpu.memory_space<{self.space}>>"


@dataclass
class Writer:
    """A kernel's body so far.

    Attributes:
        rng: where choices come from.
        lanes: elements of 32 bits in a vector.
        lines: its lines.
        values: names of values that can be used here, by type.
        memory: memrefs of the subcore that can be used here.
        depth: how many loops and conditions are open.
    """

    rng: random.Random
    lanes: int
    lines: list[str] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)
    memory: list[Memory] = field(default_factory=list)
    depth: int = 0
    _count: int = 0

    @property
    def floats(self) -> str:
        """The type of a vector of f32."""
        return f"vector<{self.lanes}xf32>"

    @property
    def integers(self) -> str:
        """The type of a vector of i32."""
        return f"vector<{self.lanes}xi32>"

    @property
    def mask(self) -> str:
        """The type of a vector of i1."""
        return f"vector<{self.lanes}xi1>"

    @property
    def halves(self) -> str:
        """The type of a vector of bf16."""
        return f"vector<{2 * self.lanes}xbf16>"

    @property
    def bytes(self) -> str:
        """The type of a vector of i8."""
        return f"vector<{4 * self.lanes}xi8>"

    @property
    def shorts(self) -> str:
        """The type of a vector of i16."""
        return f"vector<{2 * self.lanes}xi16>"

    def name(self) -> str:
        """Return a new name."""
        self._count += 1
        return f"%v{self._count}"

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append("  " * (self.depth + 2) + text)

    def set(self, text: str, *types: str) -> str:
        """Add an op of these results; they can be used from here on. Return the first."""
        names = [self.name() for _ in types]
        self.line(f"{', '.join(names)} = {text}")
        for name, type_ in zip(names, types, strict=True):
            self.add(name, type_)
        return names[0]

    def add(self, name: str, type_: str) -> None:
        """Let a value be used."""
        self.values.setdefault(type_, []).append(name)

    def pick(self, type_: str) -> str:
        """Return a value of a type, mostly a recent one."""
        known = self.values.get(type_)
        if not known or self.rng.random() < 0.05:
            return self.constant(type_)
        return known[max(self.rng.randrange(len(known)), self.rng.randrange(len(known)))]

    def constant(self, type_: str) -> str:
        """Add a random constant, and return it."""
        shape, _, element = type_.removeprefix("vector<").removesuffix(">").rpartition("x")
        count = int(shape) if shape else 1
        items = [self._literal(element) for _ in range(count)]
        text = f"dense<[{', '.join(items)}]>" if shape else items[0]
        if type_ == "i1":
            return self.set(f"arith.constant {text}", type_)
        return self.set(f"arith.constant {text} : {type_}", type_)

    def _literal(self, element: str) -> str:
        if element == "i1":
            return self.rng.choice(["true", "false"])
        if element in {"f32", "bf16"}:
            corner = ["0.0", "-0.0", "1.0", "-1.5", "3.0e+38", "1.0e-40", "2.5", "1.0e+10"]
            near = f"{self.rng.uniform(-9, 9):.4f}"
            return self.rng.choice(corner) if self.rng.random() < 0.3 else near
        bits = 64 if element == "index" else int(element[1:])
        corner = [0, 1, -1, 2, bits, 1 << (bits - 1), (1 << (bits - 1)) - 1]
        number = self.rng.choice(corner) if self.rng.random() < 0.3 else self.rng.randint(-50, 50)
        return str(number - (1 << bits) if number >> (bits - 1) == 1 else number)

    def number(self, value: int, type_: str = "i32") -> str:
        """Add a constant that is no operand of others, and return it."""
        name = self.name()
        self.line(f"{name} = arith.constant {value} : {type_}")
        return name

    def below(self, limit: int) -> str:
        """Return an i32 of `[0, limit)`: a constant, or the remainder of any number."""
        if limit == 1 or self.rng.random() < 0.3:
            return self.number(self.rng.randrange(limit))
        name, any_, size = self.name(), self.pick("i32"), self.number(limit)
        self.line(f"{name} = arith.remui {any_}, {size} : i32")
        return name

    def index(self, i32: str) -> str:
        """Return an i32 as index."""
        name = self.name()
        self.line(f"{name} = arith.index_cast {i32} : i32 to index")
        return name

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Forget, at the end, the values and memrefs that were made in it."""
        values, memory = {type_: list(names) for type_, names in self.values.items()}, self.memory
        self.memory = list(memory)
        self.depth += 1
        yield
        self.depth -= 1
        self.values, self.memory = values, memory

    @contextmanager
    def without(self, *used: Memory) -> Iterator[None]:
        """Let nobody touch memrefs."""
        before = self.memory
        self.memory = [each for each in before if each not in used]
        yield
        self.memory = before
