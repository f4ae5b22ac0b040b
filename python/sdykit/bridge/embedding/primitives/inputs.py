"""The fields of specs and the arrays that lookups and updates share."""

from __future__ import annotations

from typing import Any

import jax

from sdykit.bridge.embedding.axes import Axes
from sdykit.bridge.embedding.primitives.source import Source
from sdykit.bridge.embedding.programs.entries import ENTRIES, Arrays, gather_entries
from sdykit.bridge.embedding.programs.gains import check_gains, check_gains_of_all
from sdykit.bridge.embedding.programs.minibatches import check_minibatches
from sdykit.sparsecore.tile.spec import TileSpec

_GATHERED = ("row_pointers", "ids")
"""The arrays that are gathered from all devices, besides entries."""


def spec_fields(source: Source) -> dict[str, Any]:
    """Return the fields that specs of lookups and updates share."""
    return {
        "chip": source.settings.chip,
        "num_devices": source.axes.devices,
        "reading": source.settings.execute,
        "transport": source.transport,
        **source.settings.checks,
        "label": source.label if source.settings.counters else "",
        **source.fields,
    }


def gather_gradients(axes: Axes, spec: TileSpec, gradients: jax.Array) -> jax.Array:
    """Return the gradients that a program takes: of the samples of all devices, or of this one's."""
    if axes.devices == 1 or spec.transport == "memory":
        return gradients
    return axes.gather(gradients)


def gather_inputs(
    axes: Axes,
    spec: TileSpec,
    arrays: Arrays,
    gains: jax.Array | None,
    *,
    is_folded: bool,
    where: str,
) -> Arrays:
    """Return the inputs of a program: the buffers of all devices, and the number of this one.

    A program that reads the memory of all devices has this device's buffers, and its place.

    Args:
        axes: the axes that the table is split over.
        spec: the spec of the program.
        arrays: the ids or buffers of this device, by name.
        gains: the gains of this device; None: all are 1.
        is_folded: whether a combiner made the gains, which are then checked.
        where: the prefix of errors.
    """
    found = arrays if gains is None else {**arrays, "gains": gains}
    if spec.transport == "memory":
        found = {**found, "place": axes.place()}
        return _with_checked_gains(axes, found, where=where) if is_folded else found
    entries = {name: found[name] for name in ENTRIES if name in found} if axes.devices > 1 else {}
    if axes.devices > 1:
        found = {name: axes.gather(x) if name in _GATHERED else x for name, x in found.items()}
        found["device"] = axes.device()
    if spec.minibatches:
        room = found["row_pointers"].size // (spec.all_cores * spec.pointers)
        count = check_minibatches(axes, found["num_minibatches"], room, where=where)
        found = {**found, "num_minibatches": count}
    found = {**found, **gather_entries(axes, spec, entries, found)} if entries else found
    if not is_folded:
        return found
    return {**found, "gains": check_gains(axes, found["gains"], where=where)}


def _with_checked_gains(axes: Axes, found: Arrays, *, where: str) -> Arrays:
    gains = check_gains_of_all(found["gains"], found["place"], axes.devices, where=where)
    return {**found, "gains": gains}
