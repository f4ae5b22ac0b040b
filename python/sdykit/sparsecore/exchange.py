"""What the devices of several processes send each other: sizes and bytes.

A device sends each distinct id that its samples name to the device that owns the row, once, and gets
the row back; in an update it sends the id with the sum of its gradients. Arrays of collectives have
static sizes, so ids travel in rounds, each with room for `capacity` ids from each device to each other.
`capacity` holds what evenly spread ids need, so that these take one round; others take more, until
all have come.
"""

from __future__ import annotations

import dataclasses
import math

_BATCHES = 1000
"""Of so many batches of evenly spread ids, at most one needs another round."""
_ALIGNMENT = 8
"""A multiple of the SparseCores of each chip."""
HEAD = 3
"""The words before the ids that one device sends another in a round: the first device with an error, the id that the next
round begins with, and whether there is one."""
_ID_BYTES = 4
_ENTRY_BYTES = 12
"""An entry of buffers has an id, a sample and a gain."""
_FLOAT_BYTES = 4


@dataclasses.dataclass(frozen=True)
class Exchange:
    """The sizes of an exchange, which are the same on all devices."""

    devices: int
    """The number of devices that the table is split over, at least 2."""
    samples: int
    """The number of samples of a device."""
    valency: int
    """The number of ids of a sample."""
    dim: int
    """The number of elements of a row."""
    rows: int
    """The number of rows of the table on a device."""
    element_bytes: int = _FLOAT_BYTES
    """The bytes of an element of the table."""
    entries: int | None = None
    """The number of entries that the buffers of a device have room for; None: there are raw ids."""
    most: int | None = None
    """The maximum number of distinct ids that a device has for another, by its limits; None: none."""

    @property
    def ids(self) -> int:
        """The number of ids of a device, or of entries that there is room for."""
        return self.samples * self.valency if self.entries is None else self.entries

    @property
    def capacity(self) -> int:
        """The number of ids that a device can send to each other one in a round.

        With `m` ids on average for each of `d` devices, and `t = ln(1000 d^2)`:

            m + t / 3 + sqrt(t^2 / 9 + 2 m t)

        Source: Bernstein's inequality. The ids that one device has for another are so many with a
        probability of at most `exp(-t)`, if each is for any device alike; and there are `d^2` pairs.
        """
        mean = self.ids / self.devices
        third = math.log(_BATCHES * self.devices**2) / 3
        spread = math.ceil(mean + third + math.sqrt(third**2 + 6 * mean * third))
        return _aligned(min(spread, self.ids, self.rows, self.most or self.ids))

    @property
    def id_rows(self) -> int:
        """The number of rows that hold the ids before the sums of gradients, in an update."""
        # The rows from all devices are divided by the SparseCores of one.
        alignment = _ALIGNMENT // math.gcd(_ALIGNMENT, self.devices)
        return _aligned(-(-(HEAD + self.capacity) // self.dim), alignment)

    @property
    def sends_rows(self) -> bool:
        """Whether rows are fewer bytes than sums of rows: one for each sample, from each device."""
        rows = self.lookup_bytes + self.update_bytes
        return rows < self.sums_lookup_bytes + self.sums_update_bytes

    @property
    def lookup_bytes(self) -> int:
        """The bytes that a device sends to others in a round of a lookup: ids, and rows back."""
        ids = (HEAD + self.capacity) * _ID_BYTES
        return self._others * (ids + self.capacity * self.dim * self.element_bytes)

    @property
    def update_bytes(self) -> int:
        """The bytes that a device sends to others in a round of an update: ids, and sums of gradients."""
        return self._others * (self.id_rows + self.capacity) * self.dim * _FLOAT_BYTES

    @property
    def sums_lookup_bytes(self) -> int:
        """The bytes that a device sends in a lookup if all ids go to all devices, and sums come back."""
        entry = _ID_BYTES if self.entries is None else _ENTRY_BYTES
        return self._others * (self.ids * entry + self.samples * self.dim * _FLOAT_BYTES)

    @property
    def sums_update_bytes(self) -> int:
        """The bytes that a device sends in an update if all ids and gradients go to all devices."""
        return self.sums_lookup_bytes

    @property
    def _others(self) -> int:
        return self.devices - 1


def _aligned(count: int, alignment: int = _ALIGNMENT) -> int:
    return -(-count // alignment) * alignment
