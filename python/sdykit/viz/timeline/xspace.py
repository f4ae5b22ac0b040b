"""XSpace messages, the format of `xplane.pb` files, as bytes.

The messages are few and simple, and no package of classes for them can be counted on: jaxlib has none,
and xprof, which has, is 100 MB with what it needs. So they are encoded here, with the numbers of fields
of https://github.com/openxla/xla/blob/main/third_party/tsl/tsl/profiler/protobuf/xplane.proto. A file
is a message, and so are two of them, one after the other: their planes are joined.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

Value = str | int | float

_BYTES, _DOUBLE = 2, 1  # wire types; that of integers is 0
_STAT_FIELDS: Final[Mapping[type, int]] = {float: 2, int: 4, str: 5}
"""The number of the field of a stat for each type of values."""


def encoded(number: int, value: Value | bytes) -> bytes:
    """Return a field of a message.

    Args:
        number: the number of the field.
        value: its value; integers are not negative, and bytes are an encoded message.
    """
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | _DOUBLE) + struct.pack("<d", value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | _BYTES) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    """Return an integer in groups of seven bits, the low ones first."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


@dataclass(frozen=True, slots=True)
class Event:
    """An event on a line.

    Attributes:
        name: its name.
        start: when it begins, picoseconds since the profile's start.
        picoseconds: how long it takes.
        stats: what else is known of it, by name.
    """

    name: str
    start: int
    picoseconds: int
    stats: Mapping[str, Value] = field(default_factory=dict)


@dataclass
class Plane:
    """A plane of an XSpace: the lines of a device, or of the host.

    Attributes:
        name: its name, such as `/device:TPU:0`.
        number: a number that no other plane has.
        stats: what is known of the device.
    """

    name: str
    number: int
    stats: Mapping[str, Value] = field(default_factory=dict)
    _lines: list[bytes] = field(default_factory=list)
    _events: dict[str, int] = field(default_factory=dict)
    _stats: dict[str, int] = field(default_factory=dict)
    _of_events: dict[str, Mapping[str, Value]] = field(default_factory=dict)

    def describe(self, event: str, stats: Mapping[str, Value]) -> None:
        """Add what is known of all events of a name."""
        self._of_events[event] = stats

    def add_line(self, name: str, shown: str, events: Iterable[Event]) -> None:
        """Add a line.

        Args:
            name: its name, by which tools know what it is.
            shown: the name that viewers show.
            events: its events.
        """
        parts = [encoded(1, len(self._lines) + 1), encoded(2, name), encoded(11, shown)]
        parts += [encoded(4, self._event(each)) for each in events]
        self._lines.append(b"".join(parts))

    def _event(self, event: Event) -> bytes:
        number = self._events.setdefault(event.name, len(self._events) + 1)
        parts = [encoded(1, number), encoded(2, event.start), encoded(3, event.picoseconds)]
        return b"".join([*parts, *self._stat_fields(4, event.stats)])

    def _stat_fields(self, number: int, stats: Mapping[str, Value]) -> list[bytes]:
        return [encoded(number, self._stat(name, value)) for name, value in stats.items()]

    def _stat(self, name: str, value: Value) -> bytes:
        number = self._stats.setdefault(name, len(self._stats) + 1)
        return encoded(1, number) + encoded(_STAT_FIELDS[type(value)], value)

    def encode(self) -> bytes:
        """Return an XSpace with this plane only."""
        parts = [encoded(1, self.number), encoded(2, self.name)]
        parts += [encoded(3, each) for each in self._lines]
        parts += self._stat_fields(6, self.stats)
        for name, number in self._events.items():
            fields = self._stat_fields(5, self._of_events.get(name, {}))
            parts.append(_entry(4, number, name, b"".join(fields)))
        # The last: what comes before names stats.
        parts += [_entry(5, number, name) for name, number in self._stats.items()]
        return encoded(1, b"".join(parts))


def _entry(field_number: int, number: int, name: str, more: bytes = b"") -> bytes:
    """Return an entry of a map of the metadata of events or stats."""
    message = encoded(1, number) + encoded(2, name) + more
    return encoded(field_number, encoded(1, number) + encoded(2, message))
