"""The parts of large buffers that are gathered, on several CPU devices; a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

DEVICES, SIZE, CORES = 4, 1 << 15, 4


def check_parts() -> None:
    """Gather buffers that are filled to different ends; all used entries must arrive."""
    import jax
    from jax.sharding import Mesh, PartitionSpec

    from sdykit.bridge.embedding.axes import Axes
    from sdykit.bridge.embedding.programs.entries import ENTRIES, gather_entries
    from sdykit.sparsecore.tile.spec import LookupSpec

    mesh, split = Mesh(np.array(jax.devices()), ("x",)), PartitionSpec("x")
    axes = Axes(("x",), (DEVICES,))
    spec = LookupSpec(dim=8, samples_per_core=2, num_devices=DEVICES, minibatches=True)
    ids = np.arange(DEVICES * SIZE, dtype=np.int32)
    arrays = dict(zip(ENTRIES, (ids, -ids, ids.astype(np.float32)), strict=True))

    def gathered(arrays: Any, pointers: Any, count: Any) -> Any:
        given = {"row_pointers": axes.gather(pointers), "num_minibatches": count}
        return gather_entries(axes, spec, arrays, given)

    for check_vma in (False, True):
        run = jax.jit(
            jax.shard_map(
                gathered,
                mesh=mesh,
                in_specs=(dict.fromkeys(ENTRIES, split), split, PartitionSpec()),
                out_specs=dict.fromkeys(ENTRIES, split),
                check_vma=check_vma,
            )
        )
        for minibatches, used in ((1, 0), (3, 1), (64, 511), (2, 512), (5, 513), (7, 20000)):
            pointers = np.full((DEVICES, CORES * 64, spec.pointers), 2**30, np.int32)
            pointers[:, : CORES * minibatches] = 0
            pointers[2, CORES * minibatches - 1] = used
            count = np.full(1, minibatches, np.int32)
            found = run(arrays, pointers.reshape(-1), count)
            for name, array in arrays.items():
                parts = np.asarray(found[name]).reshape(DEVICES, DEVICES, SIZE)
                expected = array.reshape(DEVICES, SIZE)[:, :used]
                assert all(np.array_equal(part[:, :used], expected) for part in parts), used
        whole = np.full(pointers.size, 2**30, np.int32)
        found = run(arrays, whole, count)
        for name, array in arrays.items():
            assert np.array_equal(np.asarray(found[name]).reshape(DEVICES, -1)[1], array)


def check_programs() -> None:
    """Compare lookups and updates of the reference, with parts of buffers of any size."""
    from sdykit.bridge.embedding.programs import entries
    from support.embedding import many_devices
    from support.embedding.transport import through_collectives

    entries._SMALL = 8
    with through_collectives():
        for number in (1, 2):  # With minibatches of the vocabulary, and of samples.
            many_devices.compare(number, DEVICES, 1)
