"""A tile program: the module, and what its arguments are for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.tile.spec import TileSpec

Role = Literal["input", "output", "in_place", "workspace", "status", "counters"]


@dataclass(frozen=True, slots=True)
class TileArgument:
    """An argument of the entry function.

    Attributes:
        name: as errors call it.
        dtype: numpy's name of it.
        shape: a size, or a text for one that the caller's arrays give: `entries`, `rows`,
            `pointers` or `valency`; with layout ids, `entries` is the size of `ids`.
        role: who writes it. A workspace is for the program alone, and may hold anything. The
            status is zero before; afterwards its first element is the number of a message.
            Counters are zero before, too; see `sparsecore-count`.
        quantization: what `sparsecore-quantize` does to its elements when they are read.
        work: bytes of memory traffic that an element stands for, about.
        is_aligned: begins at a multiple of 64 bytes.
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
        """MLIR's type of it."""
        sizes = "".join(f"{'?' if isinstance(size, str) else size}x" for size in self.shape)
        return f"memref<{sizes}{_ELEMENTS[self.dtype]}>"


_ELEMENTS = {
    "bfloat16": "bf16",
    "float32": "f32",
    "int8": "i8",
    "int32": "i32",
    "int64": "i64",
}


@dataclass(frozen=True, slots=True)
class TileProgram:
    """A tile program.

    Attributes:
        text: of the MLIR module.
        arguments: in order.
    """

    text: str
    arguments: tuple[TileArgument, ...]


STATUS = TileArgument("status", "int64", (8,), "status")
"""The last argument of all programs, but for counters."""


def source_arguments(spec: TileSpec, work: int) -> list[TileArgument]:
    """Give the arguments that say what is looked up, of all devices one after another.

    Args:
        spec: of the program.
        work: bytes of memory traffic for an entry of this device.
    """
    share = work // spec.num_devices
    arguments = []
    if spec.num_devices > 1:
        arguments.append(TileArgument("device", "int32", ()))
    if spec.layout == "ids":
        arguments.append(TileArgument("ids", "int32", (spec.samples, "valency"), work=share))
        if spec.gains:
            arguments.append(TileArgument("gains", "float32", (spec.samples, "valency")))
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
