"""Raw ids, their table, and the buffers that preprocessing makes of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import sdykit.sparsecore as sc
from sdykit.sparsecore.preprocess import preprocess
from sdykit.sparsecore.specs import Combiner
from sdykit.sparsecore.stacking import stack
from support.embedding.embedding_cases import CONFIG

ROWS = 96
DIM = 8
LIMITS: dict[str, Any] = {"max_ids_per_partition": 999, "max_unique_ids_per_partition": 256}
ON_CHIP = {"as_on_chip": True, **LIMITS}
COMBINERS: tuple[Combiner, ...] = ("sum", "mean", "sqrtn")


class Batch(NamedTuple):
    """Ids, half of them of few rows, some of them padding; weights; a table."""

    ids: np.ndarray
    weights: np.ndarray
    table: np.ndarray


def make_batch(seed: int, samples: int = 24, valency: int = 7) -> Batch:
    rng = np.random.default_rng(seed)
    ids = rng.integers(-1, ROWS, (samples, valency)).astype(np.int32)
    ids = np.where(rng.random(ids.shape) < 0.5, ids // 16, ids)
    weights = rng.uniform(0.1, 3, ids.shape).astype(np.float32)
    return Batch(ids, weights, rng.normal(size=(ROWS, DIM)).astype(np.float32))


def expected_sums(batch: Batch, combiner: str, *, weighted: bool) -> np.ndarray:
    """Return the activations in float64, sample by sample and id by id."""
    result = np.zeros((len(batch.ids), batch.table.shape[1]))
    for sample, ids in enumerate(batch.ids):
        gains = batch.weights[sample].astype(np.float64) if weighted else np.ones(len(ids))
        live = gains[ids >= 0]
        divisor = {"sum": 1.0, "mean": live.sum(), "sqrtn": np.sqrt((live**2).sum())}[combiner]
        for position, number in enumerate(ids):
            if number >= 0:
                row = batch.table[number].astype(np.float64)
                result[sample] += gains[position] / divisor * row
    return result


def on_host(
    batch: Batch, size: int | None, cores: int, combiner: Combiner, *, weighted: bool
) -> Any:
    """Return the buffers that preprocessing makes of a batch."""
    spec = sc.TableSpec(
        "table", ROWS, DIM, combiner=combiner, buffer_size_per_device=size, **LIMITS
    )
    system = sc.System(1, cores)
    (made,) = stack([sc.FeatureSpec("feature", spec, len(batch.ids))], system)
    assert made.vocabulary_size == ROWS
    weights = {"feature": batch.weights} if weighted else None
    done = preprocess({"feature": batch.ids}, [made], system, weights=weights, config=CONFIG)
    return sc.DeviceBuffers.from_stack(done.buffers["table"], made, system)


def by_partition(table: Any, partitions: int = 4) -> Any:
    """Return a table in the order of a chip: partition after partition."""
    return table.reshape(-1, partitions, table.shape[1]).swapaxes(0, 1).reshape(table.shape)


def by_id(table: Any, partitions: int = 4) -> Any:
    """Return a table in the order of ids; the inverse of `by_partition`."""
    return table.reshape(partitions, -1, table.shape[1]).swapaxes(0, 1).reshape(table.shape)
