"""What compilation gives: phases, arguments, machine code."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property

from sdykit.sparsecore.codegen.errors import RunError

ALIGNMENT = 64
"""Of a worker's arena, of everything in it, and of arguments that a program takes to be aligned;
in bytes: a cache line."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the entry function: a row-major buffer.

    Attributes:
        dtype: as MLIR writes it: `f32`, `bf16`, `i1` (a byte each), ...
        shape: None stands for a dynamic size.
        noalias: the program takes it to share no memory with other arguments.
        aligned: the program takes it to be aligned to 64 bytes.
        written: the program may write to it.
        name: for errors; may be empty.
        is_status: where the program reports errors; a caller provides it, zeroed.
        work: bytes of memory traffic that one of its elements stands for; None: not said.
    """

    dtype: str
    shape: tuple[int | None, ...]
    noalias: bool = False
    aligned: bool = False
    written: bool = False
    name: str = ""
    is_status: bool = False
    work: int | None = None


@dataclass(frozen=True, slots=True)
class Interface:
    """What a caller of the machine code must know; it lies beside the object in the cache.

    Attributes:
        entry: name of the entry function.
        arguments: in order.
        phase_count: the functions are `phase_0`, `phase_0_size` and so on.
        scratch_bytes: size of a worker's arena; its address is a multiple of 64.
        messages: by the status that a program ends with; the first is not used.
        serial_bytes: less memory traffic than this is for one thread; None: not said.
    """

    entry: str
    arguments: tuple[Argument, ...]
    phase_count: int
    scratch_bytes: int
    messages: tuple[str, ...] = ()
    serial_bytes: int | None = None

    @property
    def status(self) -> int | None:
        """Which argument is the status; None: there is none."""
        return next((at for at, each in enumerate(self.arguments) if each.is_status), None)

    def to_json(self) -> str:
        """Write it as one line of JSON."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Interface:
        """Read what `to_json` wrote.

        Raises:
            ValueError, KeyError, TypeError: it is something else.
        """
        fields = json.loads(text)
        arguments = (
            Argument(**(argument | {"shape": tuple(argument["shape"])}))
            for argument in fields.pop("arguments")
        )
        messages = tuple(fields.pop("messages"))
        return Interface(arguments=tuple(arguments), messages=messages, **fields)


_SIZE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


@dataclass(frozen=True, slots=True)
class Phase:
    """A top-level parallel loop, compiled.

    Attributes:
        name: its symbol.
        address: of `void(void *const *buffers, const int64_t *dims, int64_t begin, int64_t end,
            void *scratch)`, which runs the iterations from `begin` to before `end`.
        size_address: of `int64_t(const int64_t *dims)`: the number of iterations; -1: a step of
            the loop is not positive.
    """

    name: str
    address: int
    size_address: int

    def size(self, dims: Sequence[int]) -> int:
        """Compute the number of iterations.

        Args:
            dims: the dynamic sizes of all arguments, in order.

        Raises:
            RunError: a step of the loop is not positive.
        """
        count = _SIZE(self.size_address)((ctypes.c_int64 * max(len(dims), 1))(*dims))
        if count < 0:
            raise RunError(f"{self.name}: a step of the loop is not positive")
        return count


@dataclass(frozen=True)
class Program:
    """A compiled tile program.

    Its machine code stays in memory as long as the process lives.

    Attributes:
        interface: arguments and sizes.
        phases: to be run in order, each to its end before the next.
        module: the text of the tile program that it was compiled from.
        llvm: the LLVM IR, as it was handed to the optimizer.
        objects: the object files.
    """

    interface: Interface
    phases: tuple[Phase, ...]
    module: str = field(repr=False)
    llvm: str = field(repr=False)
    objects: tuple[bytes, ...] = field(repr=False)

    @cached_property
    def assembly(self) -> str:
        """The machine code as text."""
        from sdykit.sparsecore.codegen.machine import objects

        return objects.assembly(self.llvm)
