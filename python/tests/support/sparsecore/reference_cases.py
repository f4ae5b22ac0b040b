"""Batches for the reference, and the C++ preprocessor's buffers of them."""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import strategies as st

from sdykit.sparsecore.inputs import Ragged
from sdykit.sparsecore.reference import Entries, entries_from_coo, entries_from_packed, fold_gains
from sdykit.sparsecore.specs import Combiner, FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack

SYSTEMS = [System(1, 2), System(1, 4), System(2, 2), System(4, 2), System(2, 4), System(8, 4)]
"""Systems that the C++ preprocessor supports: 2 or 4 SparseCores on each device."""


@dataclasses.dataclass(frozen=True, eq=False)
class Batch:
    """A COO list, and the system, sizes and combiner of its lookup."""

    system: System
    batch_size: int
    vocabulary: int
    combiner: Combiner
    row_ids: np.ndarray
    col_ids: np.ndarray
    weights: np.ndarray

    @property
    def gains(self) -> np.ndarray:
        return fold_gains(self.combiner, self.row_ids, self.weights)

    def entries(self) -> Entries:
        return entries_from_coo(
            self.row_ids, self.col_ids, self.gains, self.batch_size, self.system
        )

    def one_hot(self) -> np.ndarray:
        """Return the matrix that the lookup multiplies the table with, in float64."""
        matrix = np.zeros((self.batch_size, self.vocabulary))
        np.add.at(matrix, (self.row_ids, self.col_ids), self.gains.astype(np.float64))
        return matrix


def random_batch(
    rng: np.random.Generator,
    system: System,
    *,
    combiner: Combiner = "sum",
    samples_per_core: int = 4,
    rows_per_core: int = 8,
    max_ids: int = 12,
) -> Batch:
    """Draw samples of 0 to `max_ids` ids, duplicates among them."""
    cores = system.num_sparse_cores
    batch_size, vocabulary = samples_per_core * cores, rows_per_core * cores
    counts = rng.integers(0, max_ids + 1, batch_size)
    rows = np.repeat(np.arange(batch_size), counts)
    return Batch(
        system,
        batch_size,
        vocabulary,
        combiner,
        rows,
        rng.integers(0, vocabulary, len(rows)),
        rng.uniform(0.1, 3, len(rows)).astype(np.float32),
    )


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    """Draw batches of any system, with ids that repeat within and across samples."""
    system = draw(st.sampled_from([System(1, 1), *SYSTEMS]))
    return random_batch(
        np.random.default_rng(draw(st.integers(0, 2**32))),
        system,
        combiner=draw(st.sampled_from(["sum", "mean", "sqrtn"])),
        samples_per_core=draw(st.integers(1, 5)),
        rows_per_core=draw(st.sampled_from([1, 2, 8])),
        max_ids=draw(st.integers(0, 10)),
    )


@dataclasses.dataclass(frozen=True, eq=False)
class Packed:
    """The buffers of the C++ preprocessor for a batch."""

    buffers: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
    num_minibatches: int | None
    dropped: int

    def entries(self, batch: Batch) -> Entries:
        return entries_from_packed(
            *self.buffers,
            samples_per_core=batch.batch_size // batch.system.num_sparse_cores,
            system=batch.system,
            num_minibatches=self.num_minibatches,
        )


def library_buffers(
    batch: Batch, *, limit: int = 256, minibatching: bool = False, dropping: bool = False
) -> Packed:
    """Run jax-tpu-embedding's C++ preprocessor; it aborts above the limit without dropping."""
    # Imported here, since it skips the test that has no such library.
    from support.sparsecore.preprocess_oracle import run_oracle

    table = TableSpec(
        "table",
        batch.vocabulary,
        8,
        combiner=batch.combiner,
        max_ids_per_partition=limit,
        max_unique_ids_per_partition=limit,
    )
    stacks = stack([FeatureSpec("feature", table, batch.batch_size)], batch.system)
    splits = np.searchsorted(batch.row_ids, np.arange(batch.batch_size + 1))
    found = run_oracle(
        {"feature": Ragged(batch.col_ids, splits)},
        stacks,
        batch.system,
        {"feature": batch.weights},
        allow_id_dropping=dropping,
        enable_minibatching=minibatching,
    )
    return Packed(
        (
            found.row_pointers["table"],
            found.embedding_ids["table"],
            found.sample_ids["table"],
            found.gains["table"],
        ),
        found.num_minibatches if minibatching else None,
        int(np.sum(found.statistics.dropped_id_count["table"])),
    )
