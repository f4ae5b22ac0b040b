"""The values of a running program: buffers that can be donated once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sdykit.mlir import ir
from sdykit.mpmd.errors import describe, fail_at, place


class Token:
    """The value of a `!stablehlo.token`; the program order alone orders effects."""


@dataclass(slots=True, eq=False)
class Buffer:
    """A value. Ops that only rename a value, such as `mpmd.named_tensor`, share its buffer."""

    array: Any
    """A `jax.Array` on one device, of the global shape; or a `Token`."""
    source: str
    """The origin of the value, for messages: `argument #0 of @main`."""
    donatable: bool = True
    """Whether ops may consume it; false for unmarked arguments of the interpreted function."""
    memory_kind: str | None = None
    """The memory kind that its producer is marked with; None if unknown, as after transfers."""
    donated_to: str | None = None
    """The op that consumed it, for messages; None while it is alive."""


def read(buffer: Buffer, op: ir.Operation, index: int) -> Buffer:
    """Return the buffer for an op that reads it as its operand `index`.

    Raises:
        ExecutionError: it has been donated.
    """
    if buffer.donated_to is not None:
        fail_at(
            op,
            f"value donated to {buffer.donated_to} is read again by operand #{index} of"
            f" {describe(op)}; it was {buffer.source}",
        )
    return buffer


def donate(buffer: Buffer, op: ir.Operation, index: int) -> None:
    """Mark a buffer as consumed by the operand `index` of an op.

    Raises:
        ExecutionError: the program may not consume it, or the op has consumed it as another
            operand.
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
    """Return the origin of a result, for messages."""
    return f"result #{index} of {describe(op)} at {place(op)}"
