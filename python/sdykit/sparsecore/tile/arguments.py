"""The arguments of tile programs, and a program as text together with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.tile.spec import TileSpec

Role = Literal[
    "input",
    "output",
    "in_place",
    "workspace",
    "status",
    "launch",
    "counters",
    "place",
    "offsets",
]


@dataclass(frozen=True, slots=True)
class TileArgument:
    """An argument of the entry function.

    Attributes:
        name: the name of the argument, also in errors.
        dtype: the element type, as numpy names it.
        shape: the sizes; a name stands for a size that the caller's arrays decide: `entries`,
            `rows`, `pointers`, `valency` or `launches`. In layout ids, `entries` is the size of `ids`.
        role: how the argument is used. A workspace is for the program alone, and may hold anything.
            The caller sets the status to zero; after a run, its first element is the number of a
            message. Counters are set to zero, too; see `sparsecore-count`. `launch` is the id of the
            execution, the same on all devices. `place` and `offsets` are of programs that run for all
            devices of a process, see `shared_memory`: an array that the caller passes is then that of
            the first device, and a workspace is of all devices together.
        quantization: how `sparsecore-quantize` quantizes elements that are read.
        work: the approximate number of bytes of memory traffic for an element.
        is_aligned: whether it begins at a multiple of 64 bytes.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    role: Role = "input"
    quantization: Quantization | None = None
    work: int = 0
    is_aligned: bool = False

    @property
    def type(self) -> str:
        """The type of the argument, as MLIR text."""
        sizes = "".join(f"{'?' if isinstance(size, str) else size}x" for size in self.shape)
        return f"memref<{sizes}{_ELEMENTS[self.dtype]}>"


_ELEMENTS = {
    "bfloat16": "bf16",
    "float32": "f32",
    "int8": "i8",
    "int32": "i32",
    "int64": "i64",
}
ELEMENT_BYTES = {"bfloat16": 2, "float32": 4, "int8": 1, "int32": 4, "int64": 8}
"""The size of an element in bytes, by its dtype."""


@dataclass(frozen=True, slots=True)
class TileProgram:
    """A tile program.

    Attributes:
        text: the text of the MLIR module.
        arguments: the arguments of the entry function, in order.
    """

    text: str
    arguments: tuple[TileArgument, ...]


STATUS = TileArgument("status", "int64", (8,), "status")
"""The status, the last argument of all programs except for launch and counters."""


LAUNCHES = TileArgument("launches", "int32", ("launches",))
"""The ids of the launches of all devices, one after another: the low word of each, and the high one."""
LAUNCH = TileArgument("launch", "int64", (1,), "launch")
"""The id of the launch that the device executes."""


PLACE = TileArgument("place", "int32", (2,), "place")
"""The number of the group of devices that run the program together, and that of the device in it."""
OFFSETS = "offsets"
"""The name of the argument with the distances of the arrays of each device from those of the first."""


def passed_arrays(arguments: Iterable[TileArgument]) -> list[TileArgument]:
    """Return the arguments that are arrays of the caller, of a program for all devices of a process."""
    return [each for each in arguments if each.role in ("place", "input", "output", "in_place")]


def last_arguments(spec: TileSpec, arguments: Iterable[TileArgument]) -> list[TileArgument]:
    """Return the arguments after all others, which are given: they are no arrays of a call."""
    if spec.transport == "memory":
        shape = (len(passed_arrays(arguments)), spec.num_devices)
        return [TileArgument(OFFSETS, "int64", shape, "offsets"), STATUS]
    return [STATUS, LAUNCH] if spec.verify_launch else [STATUS]


def samples_passed(spec: TileSpec) -> int:
    """Return the number of samples in the arrays that a device passes: its own, or those of all."""
    return spec.samples // spec.num_devices if spec.transport == "memory" else spec.samples


def sizes_of_all(spec: TileSpec, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the sizes that arguments name, with the entries and row pointers of all devices.

    Args:
        spec: the spec of the program.
        sizes: the sizes of the arrays that a device passes.
    """
    times = spec.num_devices if spec.transport == "memory" else 1
    scaled = ("entries", "pointers")
    return {name: size * times if name in scaled else size for name, size in sizes.items()}


def source_arguments(spec: TileSpec, work: int = 0) -> list[TileArgument]:
    """Return the arguments that hold the entries, of all devices one after another.

    Args:
        spec: the spec of the program.
        work: the number of bytes of memory traffic for an entry of this device.
    """
    is_shared = spec.transport == "memory"
    share = work if is_shared else work // spec.num_devices
    arguments = [LAUNCHES] if spec.verify_launch else []
    if is_shared:
        arguments.append(PLACE)
    elif spec.num_devices > 1:
        arguments.append(TileArgument("device", "int32", ()))
    if spec.layout == "ids":
        samples = samples_passed(spec)
        arguments.append(TileArgument("ids", "int32", (samples, "valency"), work=share))
        if spec.gains:
            arguments.append(TileArgument("gains", "float32", (samples, "valency")))
        return arguments
    arguments += [
        TileArgument("row_pointers", "int32", ("pointers",)),
        TileArgument("embedding_ids", "int32", ("entries",), work=share),
        TileArgument("sample_ids", "int32", ("entries",)),
        TileArgument("gains", "float32", ("entries",)),
    ]
    if spec.minibatches:
        arguments.append(TileArgument("num_minibatches", "int32", (1,)))
    return arguments
