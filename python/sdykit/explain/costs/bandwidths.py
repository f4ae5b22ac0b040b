"""Times of collectives, by bandwidths that the user gives for the axes of the mesh."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sdykit.errors import SdykitError
from sdykit.explain.costs.model import Collective
from sdykit.explain.questions.axes import name_of

ASSUMPTION = (
    "a device receives all of it over the slowest axis, at the bandwidth given, and does nothing else "
    "meanwhile; no latency"
)
"""What a time assumes."""

_UNITS = {
    "": 1,
    **{prefix: 1000**power for power, prefix in enumerate("kMGT", 1)},
    **{f"{prefix}i": 1024**power for power, prefix in enumerate("KMGT", 1)},
}
_ITEM = re.compile(r"([^=,]+)=([0-9.eE+]+)\s*([kKMGT]i?|)B/s")
_EXPECTED = (
    "expected an axis and bytes a second for each device, such as data=100GB/s,model=1.2TB/s"
)


def read_bandwidths(text: str) -> dict[str, float]:
    """Return the bandwidth of each axis in bytes a second, from `data=100GB/s,model=1.2TB/s`.

    Raises:
        SdykitError: the text is something else.
    """
    found: dict[str, float] = {}
    for item in text.split(","):
        match = _ITEM.fullmatch(item.strip())
        if match is None:
            raise SdykitError(f"--bandwidth: found {item!r}; {_EXPECTED}")
        axis, number, unit = match.groups()
        unit = "k" if unit == "K" else unit
        try:
            value = float(number) * _UNITS[unit]
        except (ValueError, KeyError):
            raise SdykitError(f"--bandwidth: found {item!r}; {_EXPECTED}") from None
        if axis in found:
            raise SdykitError(f"--bandwidth: axis {axis!r} is given twice; expected it once")
        found[axis] = value
    return found


def check_bandwidths(
    bandwidths: Mapping[str, float], meshes: Mapping[str, Mapping[str, int]]
) -> None:
    """Check that bandwidths are positive, and of axes that a mesh has.

    Raises:
        SdykitError: one is not.
    """
    known = list(dict.fromkeys(axis for mesh in meshes.values() for axis in mesh))
    for axis, value in bandwidths.items():
        if axis not in known:
            listed = ", ".join(known) or "none"
            raise SdykitError(f"bandwidth of {axis!r}: no mesh has this axis; the axes: {listed}")
        if not 0 < value < float("inf"):
            raise SdykitError(
                f"bandwidth of {axis!r}: found {value:g} bytes a second; expected more than 0"
            )


def seconds(collective: Collective, bandwidths: Mapping[str, float]) -> float | None:
    """Return the time of a collective in a run of the program: see `ASSUMPTION`.

    Returns:
        The time in seconds; None if the bandwidth of one of its axes is not given.
    """
    if not collective.total_bytes:
        return 0.0
    axes = [name_of(axis) for axis in collective.axes]
    if not axes or any(axis not in bandwidths for axis in axes):
        return None
    return collective.total_bytes / min(bandwidths[axis] for axis in axes)
