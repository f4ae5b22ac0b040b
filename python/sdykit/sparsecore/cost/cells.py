"""What tiles do in each step, for each pair of SparseCores, from the counters of a program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sdykit.sparsecore.cost.work import SEQUENCER, STEPS, Floats
from sdykit.sparsecore.tile.counters import Counters
from sdykit.sparsecore.tile.spec import TileSpec

_AXES = ("core", "minibatch", "partition", "tile")
_FLOAT_BYTES = 4
_GRADIENTS = "bytes read from gradients"
_GRADIENT_ROWS = ("gradients", "gradient_parts")
_IN_SPMEM = ("words", "pairs", "parts", "counts", "status")
"""The arguments that a chip has in SPMEM: sorted words and what belongs to them. Without room for them, and
those of raw ids, it has them in HBM; only the latter are counted there."""

Step = dict[str, Floats]
"""The counters of a step by name, each `[SparseCores, minibatches, partitions, tiles]`, of size 1 along
axes that it is not counted by."""


@dataclass(frozen=True)
class Cells:
    """What is done in a step, for each SparseCore that has samples, minibatch, partition and tile.

    All arrays are `[SparseCores, minibatches, partitions, tiles]`, of size 1 along axes that are not
    counted.

    Attributes:
        step: the name of the step.
        axes: the names of the axes that are counted.
        amounts: what each tile does, by the names of `AMOUNTS`.
        hbm_bytes: the bytes that it moves from and to HBM, those of each DMA in whole granules.
        sent_bytes: the bytes that go to other SparseCores; in an update, those of gradients.
    """

    step: str
    axes: tuple[str, ...]
    amounts: Step
    hbm_bytes: Floats
    sent_bytes: Floats


def cells_of(counters: Sequence[Counters]) -> Iterator[Cells]:
    """Yield what is done in one run of a program, for each nest of loops and step.

    Args:
        counters: the counters of the program in the chip reading, of each device, in order.
    """
    spec = counters[0].tile
    for number, loops in enumerate(counters[0].loops):
        nest = _joined(counters, number)
        for step in STEPS[spec.kind]:
            found = _step(counters[0].names, nest, step)
            if found:
                yield _cells(spec, step, loops.axes, found)


def _cells(spec: TileSpec, step: str, axes: tuple[str, ...], found: Step) -> Cells:
    zeros = np.zeros_like(next(iter(found.values())))
    dmas, hbm = _moved(spec, found)
    amounts = {
        "launches": found.get("launches", zeros),
        "dmas": dmas,
        "bytes": hbm + found.get("bytes sent", zeros),
        "vectors": found.get("vector operations", zeros),
    }
    sent = found.get("bytes sent" if spec.kind == "lookup" else _GRADIENTS, zeros)
    return Cells(step, axes, amounts, hbm, sent)


def _joined(counters: Sequence[Counters], number: int) -> Floats:
    """Return the counters of a nest of loops of all devices, `[*axes, names]`, for one run.

    What is not of a partition, such as `store`, is done by the programs of all devices, each for the
    samples of all; of it, the part of a device's own samples is taken. A lookup of raw ids is done for the
    samples of all devices on each of them: SparseCores with the same number within a device are summed.
    """
    parts, spec = [], counters[0].tile
    axes = counters[0].loops[number].axes
    for each in counters:
        counts = each.loops[number].counts / each.runs
        # Programs of updates have minibatches within partitions.
        kept = [axes.index(axis) for axis in _AXES if axis in axes]
        absent = tuple(at for at, axis in enumerate(_AXES) if axis not in axes)
        counts = np.expand_dims(np.transpose(counts, (*kept, len(axes))), absent)
        if spec.layout == "ids" and "core" in axes:
            counts = counts.reshape(-1, spec.sparse_cores, *counts.shape[1:]).sum(axis=0)
        elif "partition" not in axes:
            first = each.device * spec.sparse_cores
            counts = counts[first : first + spec.sparse_cores]
        parts.append(counts)
    return np.concatenate(parts, axis=_AXES.index("partition" if "partition" in axes else "core"))


def _step(names: Sequence[str], nest: Floats, step: str) -> Step:
    """Return the counters of a step that are not 0."""
    found = {}
    for at, name in enumerate(names):
        of_step, separator, what = name.partition(": ")
        of_step, what = (of_step, what) if separator else (SEQUENCER, name)
        if of_step == step and nest[..., at].any():
            found[what] = nest[..., at]
    return found


def _moved(spec: TileSpec, found: Step) -> tuple[Floats, Floats]:
    """Return the DMAs, and the bytes from and to HBM, those of each DMA in whole granules.

    Args:
        spec: the spec of the program.
        found: the counters of a step.
    """
    zeros = np.zeros_like(next(iter(found.values())))
    copied, rows = zeros, zeros
    for what, amount in found.items():
        verb, _, buffer = what.rpartition(" ")
        in_spmem = _IN_SPMEM[2:] if spec.layout == "ids" else _IN_SPMEM
        if verb not in ("bytes read from", "bytes written to") or buffer in in_spmem:
            continue
        # A program loads and stores rows of gradients without copies: each is a DMA.
        if buffer in _GRADIENT_ROWS:
            rows = rows + amount
        else:
            copied = copied + amount
    copies, loads = found.get("DMAs", zeros), rows / (spec.dim * _FLOAT_BYTES)
    hbm = _in_granules(spec, copied, copies) + _in_granules(spec, rows, loads)
    return copies + loads, hbm


def _in_granules(spec: TileSpec, moved: Floats, dmas: Floats) -> Floats:
    """Return bytes from and to HBM; those of each DMA, if there are any, in whole granules."""
    granule, times = spec.hardware.dma_granule_bytes, np.maximum(dmas, 1)
    return np.where(dmas > 0, np.ceil(moved / times / granule) * granule * times, moved)
