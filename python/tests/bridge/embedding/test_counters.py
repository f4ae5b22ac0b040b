"""Counters of programs that ran in JAX, against a recount from the inputs."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.sparsecore import SparseCoreError
from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.tile.counters import Counters
from support.bridge.ffi_programs import run_python
from support.embedding.embedding_cases import buffers_case

CORES, TILES = 4, 16
RAN_ERRORS = (jax.errors.JaxRuntimeError, ValueError)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    sc.configure("v5p", counters=True)
    sc.reset_counters()
    yield
    sc.configure()
    sc.reset_counters()


def new_lookup() -> Any:
    """Return a lookup that is traced anew: settings hold for what is traced afterwards."""
    return jax.jit(functools.partial(sc.lookup, combiner="sum"))


def only(kind: str) -> Counters:
    (found,) = [each for each in sc.counters() if each.spec.kind == kind]
    return found


@pytest.mark.parametrize("samples", [64, 8192], ids=["one thread", "several threads"])
def test_counters_of_lookups_of_ids_are_exact(samples: int) -> None:
    rng = np.random.default_rng(samples)
    ids = rng.integers(-20, 100, (samples, 5)).astype(np.int32)
    table = np.ones((100, 12), np.float32)
    run = new_lookup()
    for _ in range(3):
        run(table, ids).block_until_ready()
    found = only("lookup")
    assert (found.device, found.runs) == (0, 3)
    # A SparseCore has a part of the samples, and each of its tiles a part of that: a block of ids.
    unique = [len(np.unique(own[own >= 0])) for own in ids.reshape(CORES * TILES, -1)]
    expected = 3 * np.array(unique).reshape(CORES, TILES) * 12 * 4
    assert np.array_equal(found.of_tiles("bytes read from table"), expected)
    assert found.totals["store: bytes written to activations"] == 3 * samples * 12 * 4


def test_counters_of_buffers_are_exact() -> None:
    case = buffers_case(0)
    gradients = jnp.ones_like(case.lookup())

    def step(table: jax.Array, _: Any) -> Any:
        return sc.grad_update(table, {}, case.ids, None, gradients, optimizer=SGD(0.1))[0], None

    table, _ = jax.jit(lambda table: jax.lax.scan(step, table, None, 4))(case.flat)
    jax.block_until_ready((table, sc.lookup(table, case.ids)))
    entries, row_bytes = case.entries, case.flat.shape[1] * 4
    ids = np.bincount(entries.partition, minlength=CORES)
    unique = [len(np.unique(entries.local_id[entries.partition == each])) for each in range(CORES)]
    update = only("update")
    assert update.runs == 4
    for name, expected in (
        ("bytes read from gradients", ids),
        ("bytes written to table", unique),
    ):
        found = update.of_tiles(name).sum(axis=1)
        assert np.array_equal(found, 4 * np.array(expected) * row_bytes), name
    lookup, sent = only("lookup"), {*zip(entries.core, entries.id, strict=True)}
    assert lookup.totals["load: bytes read from embedding_ids"] == ids.sum() * 4
    assert lookup.totals["gather: bytes read from table"] == len(sent) * row_bytes


def test_a_gradient_is_counted_as_a_lookup_and_an_update() -> None:
    case = buffers_case(1)
    jax.block_until_ready(jax.grad(lambda table: sc.lookup(table, case.ids).sum())(case.flat))
    entries = len(case.entries)
    read = only("update").totals["reduce_gradients: bytes read from gradients"]
    assert read == entries * case.flat.shape[1] * 4
    assert only("lookup").totals["load: bytes read from sample_ids"] == entries * 4


def test_runs_that_end_with_an_error_are_not_counted() -> None:
    run = new_lookup()
    table, ids = np.ones((7, 3), np.float32), np.zeros((4, 1), np.int32)
    run(table, ids).block_until_ready()
    with pytest.raises(RAN_ERRORS, match="id 7 is not in the vocabulary"):
        run(table, ids + 7).block_until_ready()
    assert only("lookup").runs == 1


def test_without_counters_programs_do_not_count() -> None:
    table, ids = np.ones((6, 5), np.float32), np.zeros((4, 1), np.int32)
    sc.configure("v5p")
    assert r"\22counters\22:false" in new_lookup().lower(table, ids).as_text()
    sc.lookup(table, ids).block_until_ready()
    assert sc.counters() == []


def test_wrong_arguments_of_counters_are_errors() -> None:
    wrong: Any = 3
    with pytest.raises(SparseCoreError) as raised:
        sc.configure(counters=wrong)
    assert str(raised.value) == "configure: counters is 3; expected True or False"
    sc.lookup(np.ones((6, 5), np.float32), np.zeros((4, 1), np.int32)).block_until_ready()
    with pytest.raises(
        SparseCoreError, match=r"^counters: there is no 'ids'; expected one of deduplicate: "
    ):
        only("lookup").of_tiles("ids")
    spec = only("lookup").spec
    with pytest.raises(SparseCoreError) as raised:
        dataclasses.replace(spec, label=wrong)
    assert str(raised.value) == "lookup: label is 3; expected a string"


LAYER = """
import numpy as np
import sdykit.sparsecore as sc
sc.configure("v5p", counters=True, disable_table_stacking=True)
from sdykit.sparsecore.optimizers import Adagrad
import jax
tables = [sc.TableSpec(name, 200, 8, Adagrad(0.1)) for name in ("a", "b")]
features = [sc.FeatureSpec(table.name, table, 64) for table in tables]
mesh = jax.make_mesh((4,), ("x",))
embedding = sc.Embedding(features, mesh=mesh)
variables = embedding.init(jax.random.key(0), jax.nn.initializers.normal())
rng = np.random.default_rng(0)
ids = {"a": rng.integers(0, 200, (64, 3)), "b": rng.integers(0, 50, (64, 9))}
batch = embedding.preprocess(ids)
@jax.jit
def train(variables, batch):
    return embedding.update(variables, batch, embedding.lookup(variables, batch))
for _ in range(2):
    variables = jax.block_until_ready(train(variables, batch))
counted = sc.counters()
for kind in ("lookup", "update"):
    for name in ("a", "b"):
        own = [c for c in counted if (c.spec.kind, c.spec.label) == (kind, name)]
        assert [(c.device, c.runs) for c in own] == [(d, 2) for d in range(4)], own
        if kind == "lookup":
            found = np.array([c.totals["gather: bytes read from table"] for c in own])
            # A SparseCore, of 4 samples each, asks for a row once.
            pairs = {(s // 4, i) for s, row in enumerate(ids[name]) for i in row}
            owners = np.array([i % 16 // 4 for _, i in pairs])
            assert np.array_equal(found, 2 * 32 * np.bincount(owners, minlength=4)), found
            tiles = [c.of_tiles("bytes read from table") for c in own]
            assert [each.shape for each in tiles] == [(4, 16)] * 4
            # By the SparseCores of the samples.
            for device, each in enumerate(tiles):
                of_cores = [core % 4 for core, i in pairs if i % 16 // 4 == device]
                assert np.array_equal(each.sum(axis=1), 2 * 32 * np.bincount(of_cores, minlength=4))
            continue
        found = np.concatenate([c.by("scatter: bytes written to table", "partition") for c in own])
        unique = np.bincount(np.unique(ids[name]) % 16, minlength=16)
        assert np.array_equal(found, 2 * 32 * unique), found
print("right")
"""


def test_tables_and_devices_have_their_own_counters() -> None:
    flags = "--xla_force_host_platform_device_count=4"
    assert run_python(LAYER, XLA_FLAGS=flags) == "right\n"
