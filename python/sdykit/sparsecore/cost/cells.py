"""What tiles do in each step, for each pair of SparseCores, from the counters of a program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sdykit.sparsecore.cost.work import SEQUENCER, STEPS, Floats
from sdykit.sparsecore.tile.build import arguments_of
from sdykit.sparsecore.tile.counters import Counters
from sdykit.sparsecore.tile.spec import TileSpec

_AXES = ("core", "minibatch", "partition", "tile")
_FLOAT_BYTES = 4
_GRADIENTS = "bytes read from gradients"

Step = dict[str, Floats]
"""The counters of a step by name, each `[SparseCores, minibatches, partitions, tiles]`, of size 1 along
axes that it is not counted by."""


@dataclass(frozen=True)
class Cells:
    """What is done in a step, for each SparseCore that has samples, minibatch and partition.

    All arrays are `[SparseCores, minibatches, partitions]`, of size 1 along axes that are not counted.

    Attributes:
        step: the name of the step.
        is_of_partition: whether it is done for each partition.
        amounts: what the busiest tile does, by the names of `AMOUNTS`.
        hbm_bytes: the bytes that all tiles move from and to HBM, in whole granules.
        sent_bytes: the bytes that go to other SparseCores; in an update, those of gradients.
    """

    step: str
    is_of_partition: bool
    amounts: Step
    hbm_bytes: Floats
    sent_bytes: Floats


def cells_of(counters: Sequence[Counters]) -> Iterator[Cells]:
    """Yield what is done in one run of a program, for each nest of loops and step.

    Args:
        counters: the counters of the program in the chip reading, of each device, in order.
    """
    spec = counters[0].spec
    local = {each.name for each in arguments_of(spec) if each.role in ("workspace", "status")}
    for number, loops in enumerate(counters[0].loops):
        nest = _joined(counters, number)
        for step in STEPS[spec.kind]:
            found = _step(counters[0].names, nest, step)
            if found:
                yield _cells(spec, step, found, local, "partition" in loops.axes)


def _cells(spec: TileSpec, step: str, found: Step, local: set[str], is_of_partition: bool) -> Cells:
    moved = _moved(found, local)
    amounts = _amounts(spec, found, moved)
    whole = _in_granules(spec, moved, amounts["dmas"])
    sent = found.get("bytes sent" if spec.kind == "lookup" else _GRADIENTS, np.zeros_like(moved))
    return Cells(
        step,
        is_of_partition,
        {name: each.max(axis=-1) for name, each in amounts.items()},
        whole.sum(axis=-1),
        sent.sum(axis=-1),
    )


def _joined(counters: Sequence[Counters], number: int) -> Floats:
    """Return the counters of a nest of loops of all devices, `[*axes, names]`, for one run.

    What is not of a partition, such as `store`, is done by the programs of all devices, each for the
    samples of all; of it, the part of a device's own samples is taken.
    """
    parts, spec = [], counters[0].spec
    axes = counters[0].loops[number].axes
    for each in counters:
        counts = each.loops[number].counts / each.runs
        # Programs of updates have minibatches within partitions.
        kept = [axes.index(axis) for axis in _AXES if axis in axes]
        absent = tuple(at for at, axis in enumerate(_AXES) if axis not in axes)
        counts = np.expand_dims(np.transpose(counts, (*kept, len(axes))), absent)
        if "partition" not in axes:
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


def _moved(found: Step, local: set[str]) -> Floats:
    """Return the bytes from and to HBM.

    Args:
        found: the counters of a step.
        local: the names of the arguments that a chip has in SPMEM: the workspaces of sorts.
    """
    total = np.zeros_like(next(iter(found.values())))
    for what, amount in found.items():
        verb, _, buffer = what.rpartition(" ")
        if verb in ("bytes read from", "bytes written to") and buffer not in local:
            total += amount
    return total


def _amounts(spec: TileSpec, found: Step, moved: Floats) -> Step:
    """Return what tiles do, by the names of `AMOUNTS`."""
    zeros = np.zeros_like(moved)
    # A program loads rows of gradients without copies: each is a DMA.
    rows = found.get(_GRADIENTS, zeros) / (spec.dim * _FLOAT_BYTES)
    dmas = found.get("DMAs", zeros) + rows
    return {
        "launches": found.get("launches", zeros),
        "dmas": dmas,
        "bytes": _in_granules(spec, moved + found.get("bytes sent", zeros), dmas),
        "vectors": found.get("vector operations", zeros),
    }


def _in_granules(spec: TileSpec, moved: Floats, dmas: Floats) -> Floats:
    """Return bytes, those of each DMA rounded up to whole granules."""
    granule, times = spec.hardware.dma_granule_bytes, np.maximum(dmas, 1)
    return np.ceil(moved / times / granule) * granule * times
