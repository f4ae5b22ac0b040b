"""`sc.prefetch`: how far it is ahead follows from the settings; batches of a layer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import jax
import numpy as np
import pytest

import sdykit.sparsecore as sc


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    sc.configure()
    assert not [each for each in threading.enumerate() if each.name == "prefetch"]


def in_flight(ahead: int | None = None) -> int:
    """Return how many items are made before one is taken."""
    made: list[int] = []
    enough = threading.Event()

    def source() -> Iterator[int]:
        for number in range(20):
            made.append(number)
            if len(made) == 4:
                enough.set()
            yield number

    with sc.prefetch(source(), ahead):
        enough.wait(0.3)
        time.sleep(0.01)
        return len(made)


def test_maximum_parallel_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    sc.configure(maximum_parallel_iterations=4)
    assert in_flight() == 4
    assert in_flight(2) == 2
    sc.configure(maximum_parallel_iterations=0)
    assert in_flight() == 0
    monkeypatch.setenv("LIBTPU_INIT_ARGS", "--maximum_parallel_iterations=4")
    sc.configure(maximum_parallel_iterations=3)
    assert in_flight() == 4
    features = [sc.FeatureSpec("f", sc.TableSpec("t", 50, 8), 8)]

    def inputs() -> int:
        return sum(
            each.bytes for each in sc.Embedding(features).ledger().heap if each.kind == "input"
        )

    four = inputs()
    monkeypatch.setenv("LIBTPU_INIT_ARGS", "--maximum_parallel_iterations=0")
    sc.configure()
    assert four == 5 * inputs()  # The step that runs, and those that are prefetched.


def test_batches_of_a_layer_are_those_of_a_plain_loop() -> None:
    table = sc.TableSpec("t", 50, 8)
    layer = sc.Embedding([sc.FeatureSpec("f", table, 16)])
    rows = np.arange(400, dtype=np.float32).reshape(50, 8)
    variables = layer.from_tables({"t": rows})
    lookup = jax.jit(layer.lookup)
    data = [np.random.default_rng(seed).integers(0, 50, (16, 3)) for seed in range(5)]
    batches = (layer.preprocess({"f": each}) for each in data)
    for ids, batch in zip(data, sc.prefetch(batches), strict=True):
        found = lookup(variables, batch)["f"]
        np.testing.assert_array_equal(np.asarray(found), rows[ids].sum(axis=1))


def test_a_batch_that_is_wrong_is_an_error_in_its_place() -> None:
    layer = sc.Embedding([sc.FeatureSpec("f", sc.TableSpec("t", 50, 8), 8)])
    good, bad = np.zeros((8, 1), np.int64), np.full((8, 1), 50)
    batches = sc.prefetch((layer.preprocess({"f": each}) for each in (good, good, bad)), 3)
    assert len([next(batches), next(batches)]) == 2
    with pytest.raises(sc.SparseCoreError, match="sample 0: id is 50; expected"):
        next(batches)
