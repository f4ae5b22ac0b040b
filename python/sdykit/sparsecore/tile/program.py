"""A tile program: the module, and what its arguments are for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["input", "output", "in_place", "workspace", "status"]


@dataclass(frozen=True, slots=True)
class TileArgument:
    """An argument of the entry function.

    Attributes:
        name: as errors call it.
        dtype: numpy's name of it.
        shape: a size, or a text for one that the caller's arrays give: `entries`, `rows` or
            `pointers`.
        role: who writes it. A workspace is for the program alone, and may hold anything. The
            status is zero before; afterwards its first element is the number of a message.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    role: Role = "input"

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
"""The argument that checks add, as the last one."""


def buffer_arguments(*, minibatches: bool) -> list[TileArgument]:
    """Give the arguments that preprocessing fills."""
    arguments = [
        TileArgument("row_pointers", "int32", ("pointers",)),
        TileArgument("embedding_ids", "int32", ("entries",)),
        TileArgument("sample_ids", "int32", ("entries",)),
        TileArgument("gains", "float32", ("entries",)),
    ]
    if minibatches:
        arguments.append(TileArgument("num_minibatches", "int32", (1,)))
    return arguments
