"""A map of the memory of a tile: a row for each step, in it the buffers that are in use."""

from __future__ import annotations

from markupsafe import Markup

from sdykit.sparsecore.memory.spmem import Buffer, Spmem, SpmemPhase
from sdykit.viz.memory_view.sizes import BYTES

_WIDE = 0.09
"""The part of the map from which a buffer has room for its name."""


def spmem_map(layout: Spmem, phase: SpmemPhase) -> Markup:
    """Return the map of a phase: offsets from left to right, steps from top to bottom.

    A buffer is pale where it is only allocated: its place is its own throughout the phase.
    """
    steps = Markup("").join(
        Markup('<span class="step" style="--row:{}" title="{}">{}</span>').format(
            at + 1, f"{step}: {BYTES.text(phase.bytes_in(at))} in use", step
        )
        for at, step in enumerate(phase.steps)
    )
    buffers = Markup("").join(
        _buffer(each, at, phase, layout.tiles) for at, each in enumerate(phase.buffers)
    )
    return Markup(
        '<div class="map" style="--rows:{}" role="img" aria-label="{}">{}'
        '<span class="tile">{}</span><span class="from">0</span><span class="to">{}</span></div>'
    ).format(
        max(len(phase.steps), 1),
        f"SPMEM of a tile in the {layout.name}",
        steps,
        buffers,
        BYTES.text(phase.bytes),
    )


def _buffer(buffer: Buffer, at: int, phase: SpmemPhase, tiles: int) -> Markup:
    left, width = buffer.offset / phase.bytes, buffer.bytes / phase.bytes
    title = describe(buffer, phase, tiles)
    place = Markup("left:{:.4f}%;width:{:.4f}%").format(100 * left, 100 * width)
    return Markup(
        '<i class="s{0} held" style="{1}" title="{2}"></i>'
        '<i class="s{0} used" style="{1};--first:{3};--count:{4}" title="{2}">{5}</i>'
    ).format(
        at % 10,
        place,
        title,
        buffer.first,
        buffer.last - buffer.first + 1,
        buffer.name if width >= _WIDE else "",
    )


def describe(buffer: Buffer, phase: SpmemPhase, tiles: int) -> str:
    """Return what there is to know about a buffer, in lines."""
    shared = (
        f", shared by {buffer.tiles} tiles" if buffer.tiles > 1 else f", in each of {tiles} tiles"
    )
    steps = (
        f"{phase.steps[buffer.first]} to {phase.steps[buffer.last]}" if phase.steps else "always"
    )
    values = ", ".join(f"{name} = {value:,}" for name, value in buffer.limits)
    return (
        f"{buffer.name}: {buffer.bytes:,} bytes of a tile, at offset {buffer.offset:,}\n"
        f"{buffer.shape}{shared}\n{buffer.product}{f', with {values}' if values else ''}\n"
        f"in use from {steps}"
    )
