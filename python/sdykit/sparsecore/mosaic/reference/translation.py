"""From a function's ops to a Python function, which an agent runs.

Each op becomes one line that calls what the op's table gives. Loops and conditions become those of
Python. What the agent waits for is yielded.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sdykit.mlir import ir
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.counting import Counting
from sdykit.sparsecore.mosaic.kernel import Function, Kernel
from sdykit.sparsecore.mosaic.reference import (
    accesses,
    debugging,
    memrefs,
    regions,
    synchronization,
    transfers,
)
from sdykit.sparsecore.mosaic.reference.counting import counter_of, timer_of
from sdykit.sparsecore.mosaic.reference.meanings import bind
from sdykit.sparsecore.mosaic.reference.scheduler import Run
from sdykit.sparsecore.mosaic.reference.sites import Sites
from sdykit.sparsecore.mosaic.scopes import Scopes

TABLES = (
    memrefs.OPS,
    accesses.OPS,
    transfers.OPS,
    synchronization.OPS,
    debugging.OPS,
)
"""Ops that need the subcore: its memory, its semaphores, who it is."""

_BINDERS = {name: binder for table in TABLES for name, binder in table.entries.items()}


@dataclass(frozen=True)
class Translated:
    """A function of a kernel as a Python function.

    Attributes:
        function: the function.
        run: from a subcore and its arguments, in order, to what it does.
        source: the Python source of `run`.
        places: the number of the user's line, by line of the source, counted from 1.
    """

    function: Function
    run: Callable[..., Run]
    source: str
    places: tuple[int, ...]

    @property
    def file(self) -> str:
        """The file name of the source in tracebacks."""
        return self.run.__code__.co_filename


def translate(
    kernel: Kernel, sites: Sites, counting: Counting | None = None, scopes: Scopes | None = None
) -> tuple[Translated, ...]:
    """Return the functions of a kernel as Python functions.

    Raises:
        SparseCoreError: an op cannot run on a SparseCore; the text says which, and where.
    """
    return tuple(
        Translation(function, sites, counting, scopes).translated() for function in kernel.functions
    )


@dataclass
class Translation:
    """The source of a function while it is written.

    Attributes:
        function: the function.
        sites: numbers of its memory and lines.
        counting: the counters of the kernel; None: nothing is counted.
        scopes: the scopes whose times are noted; None: none are.
        lines: lines of the source.
        places: the number of the user's line, for each of them.
        names: values that the source names: what ops do, and constants.
    """

    function: Function
    sites: Sites
    counting: Counting | None = None
    scopes: Scopes | None = None
    lines: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)
    depth: int = 1
    place: int = 0
    _values: dict[ir.Value, str] = field(default_factory=dict)

    def translated(self) -> Translated:
        """Return the whole function."""
        self.place = self.sites.place(self.function.op)
        arguments = [self.name(each) for each in self.function.body.arguments]
        self.depth = 0
        self.line(f"def run({', '.join(['me', *arguments])}):")
        self.depth = 1
        self.block(self.function.body)
        self.line("yield from ()")
        source = "\n".join(self.lines)
        file = f"<{self.function.name} of kernel {self.sites.kernel.name}>"
        try:
            exec(compile(source, file, "exec"), self.names)
        except (SyntaxError, RecursionError, MemoryError) as error:
            raise SparseCoreError(
                f"kernel '{self.sites.kernel.name}': function '{self.function.name}' is nested too "
                f"deeply for the reference machine: {error}"
            ) from error
        return Translated(self.function, self.names["run"], source, tuple(self.places))

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append("    " * self.depth + text)
        self.places.append(self.place)

    def name(self, value: ir.Value) -> str:
        """Return the variable of a value."""
        return self._values.setdefault(value, f"v{len(self._values)}")

    def list(self, values: Sequence[ir.Value]) -> str:
        """Return the variables of values, with commas between them."""
        return ", ".join(map(self.name, values))

    def assign(self, values: Sequence[ir.Value], sources: Sequence[ir.Value]) -> None:
        """Add the line that gives values to variables, all at once."""
        if len(values):
            self.line(f"{self.list(values)} = {self.list(sources)}")

    def call(self, do: Callable[..., Any], *arguments: str) -> str:
        """Return the call of a function."""
        name = f"f{len(self.names)}"
        self.names[name] = do
        return f"{name}({', '.join(arguments)})"

    def block(self, block: ir.Block) -> ir.OpView:
        """Add all ops of a block but the last one, which is returned."""
        *ops, last = block.operations
        for op in ops:
            self.op(op)
        return last

    def op(self, op: ir.OpView) -> None:
        """Add an op."""
        outer, self.place = self.place, self.sites.place(op)
        name = op.operation.name
        if name in regions.OPS.entries:
            regions.OPS.entries[name](self, op.operation.opview)
        elif name == "arith.constant":
            self._values[op.results[0]] = self.constant(bind(op)())
        else:
            self.simple(op, name)
        self.place = outer

    def constant(self, value: Any) -> str:
        """Return the name of a value that is known now."""
        name = f"c{len(self.names)}"
        self.names[name] = value
        return name

    def simple(self, op: ir.OpView, name: str) -> None:
        """Add an op without regions: one call."""
        arguments = [self.name(each) for each in op.operands]
        if self.counting is not None and self.counting.is_counted(op):
            count = counter_of(self.counting, op.operation)
            self.line(self.call(count, "me", *arguments))
        note = None if self.scopes is None else timer_of(self.scopes, op.operation)
        if note is not None:
            self.line(self.call(note, "me"))
        if name in _BINDERS:
            do = _BINDERS[name](op.operation.opview, self.sites)
            call = self.call(do, "me", *arguments)
            if inspect.isgeneratorfunction(do):
                call = f"yield from {call}"
        else:
            call = self.call(bind(op), *arguments)
        results = self.list(list(op.results))
        self.line(f"{results} = {call}" if results else call)
