"""Errors of one device, which end the program on all: devices are told of them with what they receive."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp

from sdykit.bridge.embedding.axes import Axes, differing_axes
from sdykit.bridge.embedding.programs.shared_errors import raise_errors
from sdykit.bridge.kernels.specs import VERSION

_FIRST_VALUE = 2
"""The word of a status that has the low half of the first value of its message."""


@dataclasses.dataclass(frozen=True)
class Status:
    """What a program that checks a device's ids found.

    Attributes:
        axes: the axes that the table is split over.
        everyone: the axes along which ids may differ: devices with replicas of the table fail, too.
        program: the text of the program.
        status: int32 `[16]`: what it returned as its status on this device.
        where: the prefix of messages.
    """

    axes: Axes
    everyone: Axes
    program: str
    status: jax.Array
    where: str

    @staticmethod
    def of(
        axes: Axes,
        program: str,
        status: jax.Array,
        checked: jax.Array,
        *,
        number: jax.Array,
        where: str,
    ) -> Status:
        """Return the status of a program on this device.

        Args:
            axes: the axes that the table is split over.
            program: the text of the program.
            status: int32 `[16]`: what it returned as its status.
            checked: what it returned besides.
            number: what is added to the first value of the message.
            where: the prefix of messages.
        """
        numbered = status.at[_FIRST_VALUE].add(jnp.where(status[0] == 0, 0, number))
        everyone = differing_axes(axes, [checked, numbered])
        return Status(axes, everyone, program, everyone.vary(numbered), where)

    def word(self) -> jax.Array:
        """Return the number of the first device with an error, or that of devices if there is none.

        An int32 scalar: the first of this one and those that have replicas of its part of the table.
        """
        own = jnp.where(self.status[0] == 0, self.everyone.devices, self.everyone.device())
        others = tuple(name for name in self.everyone.names if name not in self.axes.names)
        return jax.lax.pmin(own, others) if others else own

    def check(self, words: jax.Array, received: jax.Array) -> jax.Array:
        """Return `received`; all devices end with the error of the first that has one when this runs.

        Args:
            words: int32 `[devices]`, those of all devices that the table is split over.
            received: an array of 4 bytes an element that is used in any case: the error depends on it.
        """
        everyone, first = self.everyone, jnp.min(words)
        fields = {"version": VERSION, "kind": "tile", "program": self.program}
        floats = everyone.vary(jax.lax.bitcast_convert_type(received, jnp.float32))

        def fail() -> jax.Array:
            is_own = everyone.device() == first
            of_first = jax.lax.psum(jnp.where(is_own, self.status, 0), everyone.names)
            return raise_errors(fields, of_first, floats, where=self.where)

        # All devices take the same branch.
        kept = jax.lax.cond(first < everyone.devices, fail, lambda: floats)
        return jax.lax.bitcast_convert_type(kept, received.dtype)
