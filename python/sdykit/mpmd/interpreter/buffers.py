"""What the values of a running program are: buffers that can be given away once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sdykit.mlir import ir
from sdykit.mpmd.errors import describe, fail_at, place


class Token:
    """The value of a `!stablehlo.token`; the program order alone orders effects."""


@dataclass(slots=True, eq=False)
class Buffer:
    """A value; ops that only rename theirs, such as `mpmd.named_tensor`, share it."""

    array: Any
    """A `jax.Array` on one device, of the global shape; or a `Token`."""
    source: str
    """Where it comes from, for messages: `argument #0 of @main`."""
    donatable: bool = True
    """False for arguments of the function that is run, unless it marks them."""
    memory_kind: str | None = None
    """What the producer's mark says; None where nothing says it, as for transfers."""
    donated_to: str | None = None
    """What consumed it, for messages; None while it is alive."""


def read(buffer: Buffer, op: ir.Operation, index: int) -> Buffer:
    """Give the buffer to an op that reads it as its operand `index`.

    Raises:
        InterpretError: it has been donated.
    """
    if buffer.donated_to is not None:
        fail_at(
            op,
            f"value donated to {buffer.donated_to} is read again by operand #{index} of"
            f" {describe(op)}; it was {buffer.source}",
        )
    return buffer


def donate(buffer: Buffer, op: ir.Operation, index: int) -> None:
    """Let an op consume its operand `index`.

    Raises:
        InterpretError: it is not the program's to give away, or the op has consumed it
            as another operand.
    """
    if not buffer.donatable:
        fail_at(
            op,
            f"operand #{index} of {describe(op)} is donated, but it is {buffer.source}, which"
            " the function does not mark with jax.buffer_donor or tf.aliasing_output",
        )
    if buffer.donated_to is not None:
        fail_at(
            op, f"{buffer.source} is donated twice by {describe(op)}, again as operand #{index}"
        )
    buffer.donated_to = f"{describe(op)} at {place(op)}"


def result_source(op: ir.Operation, index: int) -> str:
    """Say where a result comes from."""
    return f"result #{index} of {describe(op)} at {place(op)}"
