"""How long each tile works in each step of a program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.cost import Numbers
from sdykit.sparsecore.cost.cells import cells_of
from sdykit.sparsecore.cost.model import tile_seconds
from sdykit.sparsecore.cost.work import OF_OWNER, SEQUENCER, STEPS
from sdykit.sparsecore.tile.counters import Counters

Floats = npt.NDArray[np.floating]


def seconds_of_tiles(counters: Sequence[Counters], numbers: Numbers) -> Floats:
    """Return the expected seconds that tiles work, `[minibatches, SparseCores, tiles, steps]`.

    Launches are not in them, nor the time that tiles wait for HBM, ICI or each other.

    Args:
        counters: the counters of one run of the program in the chip reading, of each device, in order.
        numbers: the numbers of the cost model.
    """
    spec = counters[0].spec
    cells = [each for each in cells_of(counters) if each.step != SEQUENCER]
    minibatches = max(each.hbm_bytes.shape[1] for each in cells)
    shape = (
        minibatches,
        spec.all_cores,
        spec.hardware.tiles_per_sparse_core,
        len(STEPS[spec.kind]),
    )
    amounts = {name: np.zeros(shape) for name in ("dmas", "bytes", "vectors")}
    for each in cells:
        at = STEPS[spec.kind].index(each.step)
        # The SparseCore of an update's rows, or of a lookup's, does it for all others.
        is_of_owner = spec.kind == "update" or each.step in OF_OWNER
        for name, total in amounts.items():
            values = each.amounts[name]
            found = values.sum(axis=0) if is_of_owner else values.sum(axis=2).swapaxes(0, 1)
            total[: len(found), :, :, at] += found
    return tile_seconds(amounts, numbers.at("expected"))
