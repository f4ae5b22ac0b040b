"""The work of a program, from its counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sdykit.sparsecore.cost.cells import Cells, cells_of
from sdykit.sparsecore.cost.work import (
    AMOUNTS,
    EXCHANGES,
    OF_OWNER,
    STEPS,
    TILE_AMOUNTS,
    Floats,
    Work,
    by_chip,
    is_far,
)
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.counters import Counters
from sdykit.sparsecore.tile.spec import TileSpec


def work_of(counters: Sequence[Counters]) -> Work:
    """Return the work of a program in one run.

    Args:
        counters: the counters of the program, of each device, in order.

    Raises:
        SparseCoreError: the counters have no DMAs, are of several programs, or not of all devices;
            or the program has not run.
    """
    spec = _check(counters)
    cells, steps = list(cells_of(counters)), STEPS[spec.kind]
    minibatches = max(each.hbm_bytes.shape[1] for each in cells)
    shape = (minibatches, spec.all_cores, len(steps))
    amounts: dict[str, Floats] = {name: np.zeros(shape) for name in AMOUNTS}
    hbm = np.zeros(shape)
    ici = by_chip(spec.hardware, np.zeros(shape))
    for each in cells:
        at = steps.index(each.step)
        count = each.hbm_bytes.shape[1]
        for name, values in each.amounts.items():
            amounts[name][:count, :, at] += _by_core(spec, each.step, values.max(axis=-1))
        hbm[:count, :, at] += _by_core(spec, each.step, each.hbm_bytes.sum(axis=-1))
        ici[:count, :, at] += _over_ici(spec, each)
    used = np.flatnonzero(np.sum([each.any(axis=(1, 2)) for each in amounts.values()], axis=0))
    return Work(
        chip=spec.hardware,
        kind=spec.kind,
        labels=(spec.label or spec.kind,),
        program=np.zeros(len(used), np.int64),
        minibatch=used,
        amounts={name: each[used] for name, each in amounts.items()},
        hbm_bytes=by_chip(spec.hardware, hbm[used]),
        ici_bytes=ici[used],
        of_tiles=lambda: tile_amounts(counters, len(used)),
    )


def tile_amounts(counters: Sequence[Counters], minibatches: int) -> Mapping[str, Floats]:
    """Return what each tile does, by `TILE_AMOUNTS`, `[minibatches, SparseCores, tiles, steps]`."""
    spec = counters[0].tile
    steps, tiles = STEPS[spec.kind], spec.hardware.tiles_per_sparse_core
    shape = (minibatches, spec.all_cores, tiles, len(steps))
    amounts: dict[str, Floats] = {name: np.zeros(shape) for name in TILE_AMOUNTS}
    for each in cells_of(counters):
        # What no tile does, the sequencer does.
        used = slice(None) if "tile" in each.axes else slice(0)
        count = min(each.hbm_bytes.shape[1], minibatches)
        for name in TILE_AMOUNTS:
            values = _by_core(spec, each.step, each.amounts[name][:, :count])
            amounts[name][:count, :, used, steps.index(each.step)] += values[:, :, used]
    return amounts


def _check(counters: Sequence[Counters]) -> TileSpec:
    """Return the spec that counters are of, if times follow from them."""
    if not counters:
        raise SparseCoreError("cost: there are no counters; expected those of each device")
    spec = counters[0].spec
    name = f"cost: {spec.kind} {spec.label!r}"
    if any(each.spec != spec for each in counters):
        raise SparseCoreError(
            f"{name}: there are counters of several programs; expected those of one"
        )
    if spec.kind not in STEPS:
        raise SparseCoreError(f"{name}: expected a program that is one of {', '.join(STEPS)}")
    if not any(each.rpartition(" ")[2] == "DMAs" for each in counters[0].names):
        raise SparseCoreError(
            f"{name}: the counters have no DMAs; expected those of a chip's program, from "
            "sdykit.sparsecore.counters or sdykit.sparsecore.counts.count"
        )
    devices = [each.device for each in counters]
    tile = counters[0].tile
    if devices != list(range(tile.num_devices)):
        raise SparseCoreError(
            f"{name}: there are counters of devices {devices}; expected each of 0 to "
            f"{tile.num_devices - 1}, in order"
        )
    if not all(each.runs for each in counters):
        raise SparseCoreError(f"{name}: the program has not run; expected at least 1 run")
    return tile


def _by_core(spec: TileSpec, step: str, cells: Floats) -> Floats:
    """Return `[minibatches, SparseCores, ...]` of `[SparseCores, minibatches, partitions, ...]`."""
    if spec.kind == "update" or (step in OF_OWNER and spec.layout != "ids"):
        return cells.sum(axis=0)
    return cells.sum(axis=2).swapaxes(0, 1)


def _over_ici(spec: TileSpec, cells: Cells) -> Floats:
    """Return the bytes that chips send or receive, whichever are more, `[minibatches, chips]`."""
    chip, cores = spec.hardware, spec.all_cores
    if spec.kind == "update":
        # Samples are not counted apart: they are of all chips alike.
        chips = -(-cores // chip.sparse_cores_per_chip)
        far = cells.sent_bytes.sum(axis=(0, 3)) * (1 - 1 / chips)
        return by_chip(chip, far[:, :, None])[:, :, 0]
    if cells.step not in EXCHANGES:
        return np.zeros((1, 1))
    pairs = cells.sent_bytes.sum(axis=-1) * is_far(chip, cores)[:, None]
    ends = (pairs.sum(axis=2).T, pairs.sum(axis=0))
    return np.maximum(*(by_chip(chip, each[:, :, None])[:, :, 0] for each in ends))
