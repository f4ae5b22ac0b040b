"""The figures that each run records, against those of its batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.kernels.compile import counting
from sdykit.sparsecore.counts import Statistics, statistics_of
from sdykit.sparsecore.counts.records import figures_of_records
from sdykit.sparsecore.counts.several import RunFigures, several
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.reference import entries_from_packed
from sdykit.sparsecore.tile.spec import TileSpec, spec_from_fields
from support.bridge.ffi_programs import run_python
from support.embedding import embedding_cases as cases


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    sc.configure("v5p", counters=True)
    sc.reset_counters()
    yield
    sc.configure()
    sc.reset_counters()


def taken() -> dict[str, tuple[TileSpec, RunFigures]]:
    """Return spec and figures of the runs since the last call, by the kind of their program."""
    found = {}
    for fields, _, kernel in counting():
        records = kernel.take_records()
        if records:
            spec = spec_from_fields(fields)
            arrays = [[np.frombuffer(each, np.int32) for each in run.arrays()] for run in records]
            (figures,) = figures_of_records(spec, {0: arrays})
            assert spec.kind not in found
            found[spec.kind] = (spec, figures)
    return found


@pytest.mark.parametrize("minibatching", ["off", "vocabulary", "sample"])
@pytest.mark.parametrize(
    ("layout", "tiles"), [("sdykit", 16), ("sdykit", 0), ("sdykit", 8), ("jax_tpu_embedding", 0)]
)
def test_figures_of_a_run_are_those_of_its_batch(
    layout: Any, tiles: int, minibatching: Any
) -> None:
    limit = 1000 if minibatching == "off" else 30
    case = cases.buffers_case(
        7,
        samples_per_core=37,
        vocabulary=300,
        layout=layout,
        minibatching=minibatching,
        limit=limit,
        tiles=tiles,
    )
    table, slots = jnp.asarray(case.flat), {"accumulator": jnp.ones_like(case.flat)}

    def step(table: jax.Array, slots: Any) -> Any:
        found = sc.lookup(table, case.ids)
        return sc.grad_update(table, slots, case.ids, None, found, optimizer=Adagrad(0.1))

    jax.block_until_ready(jax.jit(step)(table, slots))
    found = taken()
    assert sorted(found) == ["lookup", "update"]
    minibatches = int(case.entries.minibatch.max()) + 1
    assert (minibatches > 1) == (minibatching != "off")
    for spec, figures in found.values():
        assert_same(figures, statistics_of(spec, case.entries, minibatches=minibatches))


def assert_same(found: RunFigures, statistics: Statistics) -> None:
    """Check that the figures of a run are those of its batch."""
    expected = several([statistics], {0: 1})
    assert found.minibatches == expected.minibatches
    assert found.values.keys() == expected.values.keys()
    for name, other in expected.values.items():
        assert np.array_equal(found.values[name], other), name


def test_a_row_whose_entries_are_in_the_shares_of_several_tiles() -> None:
    ids = np.full((64, 30), 8, np.int32)  # The partition of 8 has hardly any other row.
    ids[::7, 0] = 4
    ids[::5, 3] = 400
    table = sc.TableSpec("t", 1000, 8, Adagrad(0.1), max_ids_per_partition=4000)
    layer = sc.Embedding([sc.FeatureSpec("f", table, 64)])
    variables = layer.init(jax.random.key(0), jax.nn.initializers.normal())
    batch = layer.preprocess({"f": ids})
    assert batch["t"].tile_ids is not None
    step = jax.jit(lambda v, b: layer.update(v, b, layer.lookup(v, b)))
    jax.block_until_ready(step(variables, batch))
    names = ("row_pointers", "embedding_ids", "sample_ids", "gains")
    pointers, ids_, samples, gains = (
        np.asarray(getattr(batch["t"], name)).reshape(1, -1) for name in names
    )
    entries = entries_from_packed(
        pointers,
        ids_,
        samples,
        gains,
        samples_per_core=16,
        system=layer.system,
    )
    found = taken()
    for spec, figures in found.values():
        assert_same(figures, statistics_of(spec, entries))
    assert found["update"][1].values["skipped_ids"].max() > 0


def test_layers_that_do_not_count_make_no_figures() -> None:
    sc.configure("v5p")
    layer = sc.Embedding([sc.FeatureSpec("f", sc.TableSpec("t", 50, 8), 16)])
    assert layer.preprocess({"f": np.zeros((16, 1), np.int32)})["t"].tile_ids is None


SEVERAL_DEVICES = """
import jax, numpy as np
import sdykit.sparsecore as sc
from sdykit.bridge.kernels.compile import counting
from sdykit.sparsecore.counts import statistics_of
from sdykit.sparsecore.counts.records import figures_of_records
from sdykit.sparsecore.counts.several import several
from sdykit.sparsecore.tile.spec import spec_from_fields
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.reference import entries_from_packed

sc.configure("v6e", counters=True)
mesh = jax.make_mesh((4,), ("x",))
rng = np.random.default_rng(0)
limit = {"max_ids_per_partition": LIMIT, "max_unique_ids_per_partition": LIMIT}
table = sc.TableSpec("t", 90, 8, Adagrad(0.1), **limit)
layer = sc.Embedding([sc.FeatureSpec("f", table, 8 * 19)], mesh=mesh, minibatching=MINIBATCHING)
variables = layer.init(jax.random.key(0), jax.nn.initializers.normal())
prepared = layer.prepare({"f": rng.zipf(1.4, (8 * 19, 7)).astype(np.int32) % 90})
batch = layer.put(prepared)
step = jax.jit(lambda v, b: layer.update(v, b, layer.lookup(v, b)))
jax.block_until_ready(step(variables, batch))
count = prepared.num_minibatches if MINIBATCHING != "off" else None
found = prepared.buffers["t"]
entries = entries_from_packed(
    found.row_pointers, found.embedding_ids, found.sample_ids, found.gains,
    samples_per_core=19, system=layer.system, num_minibatches=count,
)
kinds = []
for fields, _, kernel in counting():
    spec = spec_from_fields(fields)
    kinds.append(spec.kind)
    devices = []
    for record in kernel.take_records():
        devices.append(record.device)
        vector = np.frombuffer(record.arrays()[0], np.int32)
        (ours,) = figures_of_records(spec, {0: [[vector]]})
        statistics = statistics_of(spec, entries, device=record.device, minibatches=count)
        expected = several([statistics], {0: 1})
        assert ours.values.keys() == expected.values.keys()
        for name, other in expected.values.items():
            assert np.array_equal(ours.values[name], other), (name, record.device)
    assert sorted(devices) == [0, 1, 2, 3]
print(sorted(kinds), (count or 1) > 1)
"""


@pytest.mark.parametrize(("minibatching", "limit"), [("off", 500), ("vocabulary", 20)])
def test_figures_of_several_devices(minibatching: str, limit: int) -> None:
    program = SEVERAL_DEVICES.replace("MINIBATCHING", repr(minibatching)).replace(
        "LIMIT", str(limit)
    )
    flags = "--xla_force_host_platform_device_count=4"
    assert run_python(program, XLA_FLAGS=flags) == f"['lookup', 'update'] {minibatching != 'off'}\n"
