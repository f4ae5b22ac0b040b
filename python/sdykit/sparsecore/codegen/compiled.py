"""Compiled programs: arguments, phases, machine code."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property

from sdykit.sparsecore.codegen.errors import RunError

ALIGNMENT = 64
"""Alignment in bytes, a cache line: of a worker's arena, of each buffer in it, and of the arguments
that a program assumes to be aligned."""


def aligned(size: int) -> int:
    """Return a number of bytes, rounded up to whole cache lines."""
    return -(-size // ALIGNMENT) * ALIGNMENT


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the entry function: a row-major buffer.

    Attributes:
        dtype: MLIR's name of the element type: `f32`, `bf16`, `i1` (a byte for each), ...
        shape: the size of each dimension; None for a dynamic one.
        noalias: whether the program assumes that no other argument shares memory with it.
        aligned: whether the program assumes that it begins at a multiple of 64 bytes.
        written: whether the program may write to it.
        name: its name in error messages; may be empty.
        is_status: whether the program reports errors in it; the caller provides it, zeroed.
        is_launch: whether it is the id of the launch; the caller provides it.
        is_settings: whether it has the settings of the machine that runs agents; the caller provides it.
        is_place: whether devices pass their numbers in it to a program that runs for several.
        is_offsets: whether it has the distances of their arrays; the caller provides it.
        is_workspace: whether it is for the program alone; the caller provides it.
        work: bytes of memory traffic that one element stands for; None if the program does not say.
    """

    dtype: str
    shape: tuple[int | None, ...]
    noalias: bool = False
    aligned: bool = False
    written: bool = False
    name: str = ""
    is_status: bool = False
    is_launch: bool = False
    is_settings: bool = False
    is_place: bool = False
    is_offsets: bool = False
    is_workspace: bool = False
    work: int | None = None


LOCKSTEP, SUBCORE = -2, -1
"""Orders of agents: each to its next switch point, again and again, or each as far as it goes."""


@dataclass(frozen=True, slots=True)
class MachineSettings:
    """What the caller of a program says about the machine that runs its agents.

    Attributes:
        order: `LOCKSTEP`, `SUBCORE`, or the seed of a random order, 0 or more.
        races: 0: races are not reported; 1: they are warned of; 2: they are errors.
        checks: 1: accesses are compared with transfers under way; 0: they are not.
    """

    order: int = LOCKSTEP
    races: int = 0
    checks: int = 0

    @property
    def words(self) -> tuple[int, int, int, int]:
        """The argument that is passed: `Settings` of native/machine/run.h. The last is the runtime's."""
        return (self.order, self.races, self.checks, 0)


@dataclass(frozen=True, slots=True)
class Interface:
    """What a caller of the machine code must know; the cache keeps it together with the object.

    Attributes:
        entry: the name of the entry function.
        arguments: the arguments of the entry function, in order.
        phase_count: the number of phases; their functions are `phase_0`, `phase_0_size` and so on.
        scratch_bytes: the size of a worker's arena in bytes; its address is a multiple of 64.
        messages: the error message of each status that the program can end with; the first is not
            used, since status 0 is success.
        serial_bytes: the memory traffic in bytes below which one thread is enough; None if the
            program does not say.
        calls_runtime: whether its phases have agents, or call functions of the runtime.
        locations: the source lines that reports of failures name by number.
    """

    entry: str
    arguments: tuple[Argument, ...]
    phase_count: int
    scratch_bytes: int
    messages: tuple[str, ...] = ()
    serial_bytes: int | None = None
    calls_runtime: bool = False
    locations: tuple[str, ...] = ()

    @property
    def status(self) -> int | None:
        """The number of the argument that is the status; None if none is."""
        return next((at for at, each in enumerate(self.arguments) if each.is_status), None)

    @property
    def settings(self) -> int | None:
        """The number of the argument that has the settings of the machine; None if none has."""
        return next((at for at, each in enumerate(self.arguments) if each.is_settings), None)

    @property
    def launch(self) -> int | None:
        """The number of the argument that is the id of the launch; None if none is."""
        return next((at for at, each in enumerate(self.arguments) if each.is_launch), None)

    @property
    def place(self) -> int | None:
        """The number of the argument with the numbers of a device; None if none has."""
        return next((at for at, each in enumerate(self.arguments) if each.is_place), None)

    @property
    def offsets(self) -> int | None:
        """The number of the argument with the distances of arrays; None if none has."""
        return next((at for at, each in enumerate(self.arguments) if each.is_offsets), None)

    @property
    def workspaces(self) -> tuple[int, ...]:
        """The numbers of the arguments whose memory the caller provides to a run."""
        return tuple(at for at, each in enumerate(self.arguments) if each.is_workspace)

    def to_json(self) -> str:
        """Return the interface as one line of JSON."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Interface:
        """Return the interface that `to_json` wrote.

        Raises:
            ValueError, KeyError, TypeError: the text is something else.
        """
        fields = json.loads(text)
        arguments = (
            Argument(**(argument | {"shape": tuple(argument["shape"])}))
            for argument in fields.pop("arguments")
        )
        texts = {name: tuple(fields.pop(name)) for name in ("messages", "locations")}
        return Interface(arguments=tuple(arguments), **texts, **fields)


_SIZE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


@dataclass(frozen=True, slots=True)
class Phase:
    """A top-level parallel loop, compiled.

    Attributes:
        name: the symbol of the function at `address`.
        address: the address of `void(void *const *buffers, const int64_t *dims, int64_t begin,
            int64_t end, void *scratch)`, which runs the iterations in [begin, end).
        size_address: the address of `int64_t(const int64_t *dims)`, which returns the number of
            iterations, or -1 if a step of the loop is not positive.
    """

    name: str
    address: int
    size_address: int

    def size(self, dims: Sequence[int]) -> int:
        """Return the number of iterations.

        Args:
            dims: the dynamic sizes of all arguments, in order.

        Raises:
            RunError: a step of the loop is not positive.
        """
        count = _SIZE(self.size_address)((ctypes.c_int64 * max(len(dims), 1))(*dims))
        if count < 0:
            raise RunError(
                f"{self.name}: with dynamic sizes {list(dims)}, a step of the loop is 0 or "
                "negative; expected positive steps"
            )
        return count


@dataclass(frozen=True)
class Program:
    """A compiled tile program.

    Its machine code stays in memory as long as the process lives.

    Attributes:
        interface: what a caller must know: arguments, messages, the size of the arena.
        phases: the phases in the order in which they run, each to its end before the next.
        module: the text of the tile program that it was compiled from.
        llvm: the LLVM IR before optimization.
        objects: the contents of the object files.
        settings: the settings of the machine for its runs, if it has an argument for them.
    """

    interface: Interface
    phases: tuple[Phase, ...]
    module: str = field(repr=False)
    llvm: str = field(repr=False)
    objects: tuple[bytes, ...] = field(repr=False)
    settings: MachineSettings = MachineSettings()

    @cached_property
    def assembly(self) -> str:
        """The machine code as assembly text."""
        from sdykit.sparsecore.codegen.machine import objects

        return objects.assembly(self.llvm)
