"""`configure(execute="chip")`: the chip reading of programs, run from JAX."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.sparsecore import SparseCoreError
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.optimizers import Adagrad, Optimizer
from support.embedding import embedding_cases as cases
from support.embedding.many_tables import FEATURES, make_ids


@pytest.fixture(autouse=True)
def on_the_chip() -> Iterator[None]:
    sc.configure(execute="chip")
    yield
    sc.configure()


@pytest.mark.parametrize("execute", ["cpu", "chip"])
@pytest.mark.parametrize("case", [cases.buffers_case(1), cases.raw_case(1)], ids=["buffers", "raw"])
def test_programs_are_compiled_for_the_reading(execute: Any, case: cases.Case) -> None:
    sc.configure(execute=execute)
    # Another function each time: a function is traced once.
    text = jax.jit(functools.partial(sc.lookup)).lower(case.flat, case.ids).as_text()
    assert re.findall(r"\\22reading\\22:\\22(\w+)\\22", text) == [execute]


@pytest.mark.parametrize(
    ("optimizer", "kind"),
    [*zip(cases.OPTIMIZERS, itertools.cycle(("raw", "sdykit", "jax_tpu_embedding")))],
)
def test_results_are_bit_for_bit_those_of_the_reference(optimizer: Optimizer, kind: Any) -> None:
    case = cases.raw_case(5) if kind == "raw" else cases.buffers_case(5, layout=kind)
    slots = cases.make_slots(case, optimizer, 5)
    gradients = np.random.default_rng(5).normal(size=(case.samples, 8)).astype(np.float32)
    weights = case.weights

    @jax.jit
    def run(table: Any, slots: Any, ids: Any) -> Any:
        found, transposed = jax.vjp(lambda table: sc.lookup(table, ids, weights), table)
        after = sc.grad_update(table, slots, ids, weights, gradients, optimizer=optimizer, step=2)
        return found, transposed(jnp.asarray(gradients))[0], after

    found, gradient, (table, held) = run(case.flat, slots, case.ids)
    assert cases.same(found, case.lookup())
    assert cases.same(gradient, case.dense_gradient(gradients))
    expected = case.update(slots, gradients, optimizer, 2)
    for name, array in {"table": table, **held}.items():
        assert cases.same(array, expected[name]), name


@pytest.mark.parametrize("chip", [None, "v6e", "one_core.toml"])
def test_a_layer_runs_the_reading_that_is_configured(
    chip: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one_core.toml").write_text('base = "v5p"\nsparse_cores_per_device = 1\n')
    results = []
    for execute in ("cpu", "chip"):
        sc.configure(execute=execute)
        layer = sc.Embedding(FEATURES, chip=chip)
        assert layer.settings.execute == execute
        variables = layer.init(jax.random.key(0), jax.nn.initializers.normal(0.1))
        batch = layer.preprocess(*make_ids(0))
        found = layer.lookup(variables, batch)
        ones = {name: np.ones(each.shape, np.float32) for name, each in found.items()}
        results.append(jax.tree.leaves((found, layer.update(variables, batch, ones, 3))))
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_wrong_row_is_an_error_in_the_buffers() -> None:
    case = cases.buffers_case(0)
    ids = np.asarray(case.ids.embedding_ids)
    wild = np.where(ids == ids[0], 10**6, ids).astype(np.int32)
    buffers = dataclasses.replace(case.ids, embedding_ids=wild)
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="row 1000000 of partition"):
        jax.jit(sc.lookup)(case.flat, buffers).block_until_ready()


def test_a_reading_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(SparseCoreError) as error:
        sc.configure(execute="gpu")  # type: ignore[arg-type]
    assert str(error.value) == "configure: execute is 'gpu'; expected cpu or chip"


def test_programs_on_the_chip_are_counted() -> None:
    sc.configure(execute="chip", counters=True)
    sc.reset_counters()
    case = cases.raw_case(2, weighted=False)
    table, slots = jnp.asarray(case.flat), {"accumulator": jnp.ones_like(case.flat)}
    gradients = np.ones((case.samples, 8), np.float32)
    jax.block_until_ready(
        sc.grad_update(table, slots, case.ids, None, gradients, optimizer=Adagrad(0.1))
    )
    (found,) = sc.counters()
    unique = len(np.unique(case.ids[case.ids >= 0]))
    assert not isinstance(found.spec, MosaicSpec)
    assert found.spec.reading == "chip"
    assert found.by("bytes written to table") == unique * 8 * 4
    sc.reset_counters()
