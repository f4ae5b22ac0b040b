"""Reading of `xplane.pb` files, by classes that sdykit does not make: those of jaxlib."""

from __future__ import annotations

from typing import Any, NamedTuple

from jax.profiler import ProfileData


class ReadEvent(NamedTuple):
    """An event as jaxlib reads it; times are nanoseconds."""

    name: str
    start: float
    duration: float
    stats: dict[str, Any]


def read_planes(data: bytes) -> dict[str, dict[str, list[ReadEvent]]]:
    """Return the events of an XSpace, by plane and line."""
    return {
        plane.name: {
            line.name: [
                ReadEvent(each.name, each.start_ns, each.duration_ns, dict(each.stats))
                for each in line.events
            ]
            for line in plane.lines
        }
        for plane in ProfileData.from_serialized_xspace(data).planes
    }
