"""Spans of time on named tracks, and the arrows between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

Value = str | int | float
Kind = Literal["step", "program", "part"]
"""What a span is: a training step, a program with all its steps, or a part of either."""

HOST: Final = "host"
"""The track of the host's work."""
TENSOR_CORE: Final = "TensorCore"
SEQUENCER: Final = "sequencer"
TILE: Final = "tile"

_TRACK = re.compile(
    r"TPU:(?P<device>\d+)( SparseCore (?P<core>\d+))?( (?P<unit>[^ ].*))?", re.ASCII
)


class Place(NamedTuple):
    """The place of a track on the chips.

    Attributes:
        device: the number of the device.
        core: the number of the SparseCore on the device; None: the track is of the device.
        unit: what of them it is, such as `TensorCore`, `sequencer` or `tile 3`; empty: all of it.
    """

    device: int
    core: int | None = None
    unit: str = ""

    def __str__(self) -> str:
        """Return the name of the track, as on the chip: `TPU:0 SparseCore 1 tile 3`."""
        core = "" if self.core is None else f" SparseCore {self.core}"
        unit = f" {self.unit}" if self.unit else ""
        return f"TPU:{self.device}{core}{unit}"


def place_of(track: str) -> Place | None:
    """Return the place that a track's name tells, or None for a track of the host."""
    found = _TRACK.fullmatch(track)
    if found is None:
        return None
    core = found["core"]
    return Place(int(found["device"]), None if core is None else int(core), found["unit"] or "")


@dataclass(frozen=True, slots=True)
class Span:
    """What a unit of the chip, or the host, does from one time to another.

    Spans of one track do not overlap, but may lie within each other.

    Attributes:
        track: the name of the track, such as `host`, `TPU:0 TensorCore`, `TPU:0 SparseCore 1` or
            `TPU:0 SparseCore 1 tile 3`.
        name: what is done.
        start: when it begins, seconds since the timeline's.
        seconds: how long it takes.
        arguments: what else is known of it, by name.
        kind: what it is.
        arrows_out: the numbers of the arrows that begin at its end; each arrow has two spans.
        arrows_in: the numbers of those that end at its start.
    """

    track: str
    name: str
    start: float
    seconds: float
    arguments: Mapping[str, Value] = field(default_factory=dict)
    kind: Kind = "part"
    arrows_out: tuple[int, ...] = ()
    arrows_in: tuple[int, ...] = ()

    @property
    def end(self) -> float:
        """When it ends, seconds since the timeline's start."""
        return self.start + self.seconds


def by_track(spans: Iterable[Span]) -> dict[str, list[Span]]:
    """Return the spans of each track, by start, the outer before the inner; tracks in their order.

    The host is the first; on each device its steps and TensorCore precede its SparseCores, and in each
    of these the sequencer its tiles.
    """
    found: dict[str, list[Span]] = {}
    for span in spans:
        found.setdefault(span.track, []).append(span)
    for each in found.values():
        each.sort(key=lambda span: (span.start, -span.seconds))
    return dict(sorted(found.items(), key=lambda item: _order(item[0])))


def _order(track: str) -> tuple[int, int, int, str, int]:
    place = place_of(track)
    if place is None:
        return (-1, -1, 0, track, 0)
    # The words of a unit, and its number or lane, such as 3 of `tile 3`.
    words = place.unit.rstrip("0123456789")
    number = int(place.unit[len(words) :] or 0)
    if place.core is not None:
        return (place.device, place.core, 0, words, number)
    rank = 0 if not words else 1 if words.startswith(TENSOR_CORE) else 2
    return (place.device, -1, rank, words, number)


def in_lanes(spans: Iterable[Span]) -> list[Span]:
    """Return spans, those that overlap earlier ones of their track moved to tracks beside it.

    Those tracks have a number at the end of the name: `host 2`. Spans are in the order of their starts.
    """
    ends: dict[str, list[float]] = {}
    found = []
    for span in sorted(spans, key=lambda span: span.start):
        lanes = ends.setdefault(span.track, [])
        lane = next((at for at, end in enumerate(lanes) if end <= span.start), len(lanes))
        lanes[lane : lane + 1] = [span.end]
        found.append(replace(span, track=f"{span.track} {lane + 1}") if lane else span)
    return found
