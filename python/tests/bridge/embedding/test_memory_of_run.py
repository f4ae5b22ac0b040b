"""The memory of a recorded run is that of its layer, beside what its batches needed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.sparsecore.limits import LimitCounter
from sdykit.sparsecore.memory.step import memory_of_run
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.run import read_run


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    sc.configure()


def test_the_memory_of_a_run_is_that_of_its_layer(tmp_path: Path) -> None:
    sc.configure(
        "v6e", maximum_parallel_iterations=2, xla_sc_num_serialized_tables_to_optimize_hbm=2
    )
    limits: dict[str, Any] = {"max_ids_per_partition": 900, "max_unique_ids_per_partition": 700}
    tables = [sc.TableSpec(f"t{at}", 500, 12 * at, Adagrad(0.1), **limits) for at in (1, 2)]
    features = [sc.FeatureSpec(f"of {each.name}", each, 128) for each in tables]
    layer = sc.Embedding(features)
    random = np.random.default_rng(0)
    data = [{each.name: random.integers(0, 500, (128, 3)) for each in features} for _ in range(3)]
    counter = LimitCounter(layer.stacks, layer.system)

    @jax.jit
    def step(variables: Any, batch: Any) -> Any:
        return layer.update(variables, batch, layer.lookup(variables, batch))

    variables = layer.init(jax.random.key(0), jax.nn.initializers.zeros)
    with sc.record(tmp_path / "run"):
        for batch in sc.prefetch(map(layer.preprocess, data)):
            variables = step(variables, batch)
        jax.block_until_ready(variables)
    for each in data:
        counter.add(each)

    memory, ledger = memory_of_run(read_run(tmp_path / "run")), layer.ledger()
    assert {each.name: each.bytes for each in memory.ledger.moments} == {
        each.name: each.bytes for each in ledger.moments
    }
    assert sorted(each.name for each in memory.programs) == [
        f"{kind} of t{at}" for kind in ("lookup", "update") for at in (1, 2)
    ]
    needed = {each.name: each for each in counter.limits(1.0).stacks}
    for each in memory.limits:
        assert each.compiled == limits[each.name]
        assert each.observed == getattr(needed[each.stack], each.name)
    kinds = {each.kind for each in memory.waste}
    assert kinds == {"row padding", "vocabulary padding", "entries", "limit"}
