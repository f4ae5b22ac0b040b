"""The figures of runs, from what each run recorded as it ran.

A run of a program that reads buffers records its figures, a vector of a few KB: native code computes
them from the entries, see `bridge/native/figures.h`. One of raw ids records the ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.counts.inputs import ROWS, statistics_of_inputs
from sdykit.sparsecore.counts.several import RunFigures, several
from sdykit.sparsecore.counts.statistics import Figures
from sdykit.sparsecore.counts.updates import figures_of_rows, update_figures
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.arguments import source_arguments
from sdykit.sparsecore.tile.spec import AnyUpdateSpec, TileSpec

Integers = npt.NDArray[np.int32]
Record = Sequence[Integers]
"""What a run recorded: its figures, or the inputs that `inputs_of` names."""

TILE_IDS = "tile_ids"
"""The name of the numbers of ids by tile, which preprocessing counts, among the inputs."""
_NOT_COUNTED = ("gains",)
"""The inputs with entries that counts do not depend on."""
_MAX_RUNS, _MAX_ELEMENTS = 512, 2**20
"""The numbers of runs, and of elements that they recorded, that are counted together: what is computed
of them stays in the caches."""


def inputs_of(spec: TileSpec, *, is_counted: bool = False) -> tuple[str, ...]:
    """Return the names of the inputs that figures are computed from: int32, in this order.

    Args:
        spec: the spec of the program.
        is_counted: whether preprocessing has counted the ids: `SampleIndex.observed` and `tile_ids`.
    """
    if is_counted:
        return ("observed", TILE_IDS, *(["num_minibatches"] if spec.minibatches else []))
    names = (argument.name for argument in source_arguments(spec))
    found = tuple(name for name in names if name not in _NOT_COUNTED)
    return (*found, ROWS) if spec.layout == "ids" else found


def counted_tile_ids(spec: TileSpec) -> int:
    """Return the size of `SampleIndex.tile_ids` for a program on one device."""
    return spec.segments * spec.hardware.tiles_per_sparse_core


def plan_of(
    spec: TileSpec, *, is_counted: bool = False
) -> dict[str, int | bool | str | None] | None:
    """Return how native code computes the figures of a run from its inputs, by name.

    Args:
        spec: the spec of the program.
        is_counted: as in `inputs_of`.

    Returns:
        The fields of its `FigurePlan`, where `words` and `parts` are names of arguments of the program;
        None: the inputs are copied.
    """
    if spec.layout == "ids":
        return None
    is_update = isinstance(spec, AnyUpdateSpec)
    return {
        "devices": spec.num_devices,
        "cores": spec.sparse_cores,
        "samples_per_core": spec.samples_per_core,
        "tiles": spec.hardware.tiles_per_sparse_core,
        "pointers": spec.pointers,
        "minibatches": spec.minibatches,
        "is_counted": is_counted,
        "words": "words" if is_update else None,
        "parts": "parts" if is_update else None,
    }


def figures_of_records(
    spec: TileSpec, records: Mapping[int, Sequence[Record]]
) -> Iterator[RunFigures]:
    """Yield the figures of runs, of as many at a time as are counted together.

    Args:
        spec: the spec of the program.
        records: what each run recorded, by the number of the device.

    Raises:
        SparseCoreError: the row pointers of their buffers were wrong.
    """
    groups: dict[int, list[tuple[int, Record]]] = {}
    for device, of_device in sorted(records.items()):
        for each in of_device:
            minibatches = 1 if spec.layout == "ids" else int(each[0][0])
            groups.setdefault(minibatches, []).append((device, each))
    for minibatches, found in groups.items():
        # Raw ids have a figure for a thousand of them.
        largest = 1 if spec.layout == "ids" else max(each[0].size for _, each in found)
        at_once = min(_MAX_RUNS, max(_MAX_ELEMENTS // largest, 1))
        for first in range(0, len(found), at_once):
            some = found[first : first + at_once]
            devices = Counter(device for device, _ in some)
            yield _figures_of(spec, [each for _, each in some], devices, minibatches)


def _figures_of(
    spec: TileSpec, records: Sequence[Record], devices: Mapping[int, int], minibatches: int
) -> RunFigures:
    if spec.layout == "ids":
        inputs = (dict(zip(inputs_of(spec), each, strict=True)) for each in records)
        return several([statistics_of_inputs(spec, each) for each in inputs], devices)
    values = _values_of(spec, np.stack([figures for (figures,) in records]))
    return RunFigures(devices, minibatches, values)


def _values_of(spec: TileSpec, records: Integers) -> dict[str, Figures]:
    """Return the figures of runs with the same number of minibatches, by name, with an axis for runs.

    Args:
        spec: the spec of the program.
        records: what each recorded, int32 `[runs, elements]`.
    """
    runs, minibatches = len(records), int(records[0, 0])
    parts = spec.sparse_cores, spec.hardware.tiles_per_sparse_core
    position = 1

    def take(*shape: int) -> Figures:
        nonlocal position
        start, position = position, position + prod(shape)
        return records[:, start:position].reshape(runs, *shape).astype(np.int64)

    segments = (spec.all_cores, minibatches, spec.sparse_cores)
    ids, unique_ids, tile_ids = take(*segments), take(*segments), take(*segments, parts[1])
    if (ids < 0).any():
        raise SparseCoreError(
            "counts: row_pointers are not the ends of segments in the buffers, one after another; "
            "expected those of preprocessing"
        )
    values = {
        "minibatches": np.full((runs, 1, 1, 1, 1), minibatches),
        "ids": ids[..., None],
        "unique_ids": unique_ids[..., None],
        "tile_ids": tile_ids,
    }
    if not isinstance(spec, AnyUpdateSpec):
        return values
    sizes = ids.sum(axis=1)
    found = figures_of_rows(sizes, *(take(minibatches, *parts) for _ in range(3)))
    new = updated = found["rows"]
    if minibatches > 1:
        new, updated = take(minibatches, *parts), take(1, *parts)
    return values | update_figures(sizes, {**found, "new_rows": new, "updated_rows": updated})
