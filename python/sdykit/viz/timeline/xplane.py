"""Timelines as `xplane.pb`, which xprof, TensorBoard's profiler and `jax.profiler.ProfileData` read.

Simulated spans are on the planes and lines of a TPU, so that xprof makes its pages of them:
`/device:TPU:0` with `Steps` and `XLA Ops`, and `/device:TPU:0 SparseCore 1` with `Sparse Core Steps`,
`Sparse Core Modules` and `Sparse Core Ops`; sequencers and tiles are lines of their own there. Measured
ones, which no TPU has measured, are on planes `/device:CUSTOM:measured ...`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sdykit.sparsecore.chip import Chip
from sdykit.sparsecore.timeline import Place, Span, by_track, place_of
from sdykit.viz.timeline.groups import SIMULATED
from sdykit.viz.timeline.xspace import Event, Plane, Value, encoded

_DEVICE: Final = "/device:"
_CUSTOM: Final = "/device:CUSTOM:"
_PICOSECONDS: Final = 1e12
_STEPS, _OPS = "Steps", "XLA Ops"
_SPARSE_CORE_LINES: Final = {
    "step": "Sparse Core Steps",
    "program": "Sparse Core Modules",
    "part": "Sparse Core Ops",
}
_FLOW_IN, _FLOW_OUT, _FLOW_BITS = 1, 2, 2  # XFlow: the direction, then the number of the arrow
_PROGRAM: Final = 1
"""The number of the program that all ops are of."""
_HOSTNAMES: Final = 4
"""The field of an XSpace."""

Lines = dict[str, list[Span]]
"""The spans of each line of a plane."""


def xplane(groups: Mapping[str, Sequence[Span]], chip: Chip, *, first: int = 1) -> bytes:
    """Return timelines as an XSpace.

    Args:
        groups: the spans of each group of tracks, by its name, `SIMULATED` or `MEASURED`.
        chip: the chip.
        first: the number of the first plane.
    """
    found = [encoded(_HOSTNAMES, "localhost")]
    for group, spans in groups.items():
        for name, lines in _planes(group, spans).items():
            stats = _device(chip) if place_of(name.removeprefix(_DEVICE)) else {}
            plane = Plane(name, first + len(found) - 1, stats)
            for line, on_line in lines.items():
                plane.add_line(line, f"{line} ({group})", map(_event, on_line))
                _describe(plane, on_line)
            found.append(plane.encode())
    return b"".join(found)


def _planes(group: str, spans: Iterable[Span]) -> dict[str, Lines]:
    """Return the planes of a group of tracks by name, in order."""
    found: dict[str, Lines] = {}
    for track, on_track in by_track(spans).items():
        place = place_of(track)
        if group != SIMULATED or place is None:
            unit = "host" if place is None else str(Place(place.device))
            found.setdefault(f"{_CUSTOM}{group} {unit}", {})[track] = on_track
            continue
        lines = found.setdefault(_DEVICE + str(Place(place.device, place.core)), {})
        if place.core is None:
            lines[_OPS if place.unit else _STEPS] = on_track
        elif place.unit:
            lines[place.unit] = on_track
        else:
            lines |= _sparse_core_lines(on_track, found[_DEVICE + str(Place(place.device))])
    return found


def _sparse_core_lines(spans: Sequence[Span], device: Lines) -> Lines:
    """Return the lines of a SparseCore: its device's steps, its programs, and their parts."""
    lines = {name: [] for name in _SPARSE_CORE_LINES.values()}
    for span in (*device.get(_STEPS, ()), *spans):
        lines[_SPARSE_CORE_LINES[span.kind]].append(span)
    return lines


def _event(span: Span) -> Event:
    start, end = (round(each * _PICOSECONDS) for each in (span.start, span.end))
    stats: dict[str, Value] = dict(span.arguments)
    if "step" in stats:
        stats["group_id"] = stats.pop("step")
    # An event has one arrow of each direction.
    for arrows, direction in ((span.arrows_out, _FLOW_OUT), (span.arrows_in, _FLOW_IN)):
        if arrows:
            stats["flow"] = arrows[0] << _FLOW_BITS | direction
    return Event(span.name, start, end - start, stats)


def _device(chip: Chip) -> dict[str, Value]:
    """Return what is known of a device."""
    each = chip.hbm_bytes_per_second / chip.devices_per_chip / 1e9
    return {
        "device_type_string": f"TPU {chip.name}",
        "peak_hbm_bw_gigabytes_per_second": float(each),
    }


def _describe(plane: Plane, spans: Iterable[Span]) -> None:
    """Add to the events of a plane what xprof needs to make tables of ops of them."""
    for name in dict.fromkeys(span.name for span in spans if span.kind == "part"):
        category = name.partition(" ")[0]
        plane.describe(
            name,
            {
                "hlo_category": category,
                "tf_op": name,
                "program_id": _PROGRAM,
                "symbol_id": _PROGRAM,
            },
        )
