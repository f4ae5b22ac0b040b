"""The buffers of preprocessing, as a pytree for JAX."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import jax
import numpy as np

from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.preprocess.results import StackBuffers
from sdykit.sparsecore.specs import MAX_IDS, System
from sdykit.sparsecore.stacking import Stack, check_system

ArrayLike = jax.Array | np.ndarray


@dataclass(frozen=True)
class StackLayout:
    """Where a stack's tables and features are: buffers mean the same in stacks of one layout."""

    tables: tuple[tuple[str, int, int, int], ...]
    """Name, vocabulary, column offset and column shift of each table."""
    features: tuple[tuple[str, str, int], ...]
    """Name, table and samples of each feature, in the order of their rows."""
    combiner: str
    """What the gains hold."""

    @classmethod
    def of(cls, stack: Stack) -> StackLayout:
        """Return the layout of a stack."""
        tables = tuple(
            (each.spec.name, each.spec.vocabulary_size, each.col_offset, each.col_shift)
            for each in stack.tables
        )
        features = tuple(
            (each.spec.name, each.spec.table.name, each.spec.batch_size) for each in stack.features
        )
        return cls(tables, features, stack.combiner)

    def difference(self, expected: StackLayout) -> str | None:
        """Return how this layout differs from another, for an error; None if it does not."""
        if self == expected:
            return None
        found, wanted = dict(_features(self)), dict(_features(expected))
        for name in dict.fromkeys((*wanted, *found)):
            if found.get(name) != wanted.get(name):
                has = f"has {found[name]}" if name in found else "lacks it"
                return f"feature {name!r}: the batch {has}; expected {wanted.get(name, 'none')}"
        if self.features != expected.features:
            own, other = (", ".join(row[0] for row in each.features) for each in (self, expected))
            return f"the features of the batch are {own}, in this order; expected {other}"
        if self.combiner != expected.combiner:
            return f"the combiner of the batch is {self.combiner!r}; expected {expected.combiner!r}"
        # The same features in the same order name the same tables in the same order.
        pairs = zip(self.tables, expected.tables, strict=True)
        own, other = next((own, other) for own, other in pairs if own != other)
        return f"the batch has {_table(own)}; expected {_table(other)}"


def _features(layout: StackLayout) -> Iterator[tuple[str, str]]:
    for name, table, samples in layout.features:
        yield name, f"{samples} samples of table {table!r}"


def _table(row: tuple[str, int, int, int]) -> str:
    name, vocabulary, offset, shift = row
    return f"table {name!r} of {vocabulary} rows at column {offset}, shifted by {shift}"


@partial(
    jax.tree_util.register_dataclass,
    data_fields=[
        "row_pointers",
        "embedding_ids",
        "sample_ids",
        "gains",
        "splits",
        "sample_rows",
        "sample_gains",
        "num_minibatches",
    ],
    meta_fields=[
        "samples_per_core",
        "rows_per_core",
        "sparse_cores",
        "num_devices",
        "max_ids_per_partition",
        "max_unique_ids_per_partition",
        "made_for",
    ],
)
@dataclass(frozen=True)
class DeviceBuffers:
    """What one device, or all of them one after another, look up in a step.

    A pytree: every array can be split evenly over the devices, by its first dimension, so that
    `P(axes)` is the spec of all.
    """

    row_pointers: ArrayLike
    """int32 `[devices * pointers]`: where the partitions of a segment end."""
    embedding_ids: ArrayLike
    """int32 `[devices * entries]`: rows in their partition."""
    sample_ids: ArrayLike
    """int32 `[devices * entries]`: samples on their SparseCore."""
    gains: ArrayLike
    """float32 `[devices * entries]`: weights with the combiner folded in."""
    splits: ArrayLike | None
    """int32 `[devices * SparseCores, samples_per_core + 1]`: see `SampleIndex`; None: no index."""
    sample_rows: ArrayLike | None
    """int32 `[devices * entries]`: rows of the device's table, by sample; None: no index."""
    sample_gains: ArrayLike | None
    """float32 `[devices * entries]`: their gains; None: no index."""
    num_minibatches: ArrayLike | None
    """int32 `[devices]`, the same everywhere; None: buffers are not laid out for minibatches."""
    samples_per_core: int
    """Samples of each SparseCore."""
    rows_per_core: int
    """Rows of the table on each SparseCore: of a partition."""
    sparse_cores: int
    """SparseCores of a device."""
    num_devices: int
    """Devices of the system that the buffers are made for."""
    max_ids_per_partition: int = MAX_IDS
    """Limit that the buffers were made with."""
    max_unique_ids_per_partition: int = MAX_IDS
    """The other one."""
    made_for: StackLayout | None = None
    """Tables and features of the stack that they were made for; None: they came in parts."""

    @classmethod
    def from_stack(
        cls,
        buffers: StackBuffers,
        stack: Stack,
        system: System,
        *,
        num_minibatches: int | None = None,
    ) -> DeviceBuffers:
        """Take the buffers of a stack; numpy arrays, nothing is copied.

        Args:
            buffers: of this host's devices.
            stack: whose they are.
            system: what `preprocess` was given.
            num_minibatches: of `Preprocessed`; None: `preprocess` was called without minibatching.

        Raises:
            BridgeError: the arrays are not those of one number of devices.
            SparseCoreError: the stack is made for another system.
        """
        check_system(stack, system)
        samples_per_core = stack.batch_size // system.num_sparse_cores
        devices = len(buffers.row_pointers)
        arrays = {
            "row_pointers": buffers.row_pointers,
            "embedding_ids": buffers.embedding_ids,
            "sample_ids": buffers.sample_ids,
            "gains": buffers.gains,
        }
        for name, array in arrays.items():
            if array.ndim != 2 or len(array) != devices:
                raise BridgeError(
                    f"from_stack: {name} is {array.dtype}{list(array.shape)}; "
                    f"expected two dimensions, {devices} devices first"
                )
        splits = rows = gains = counts = None
        if buffers.index is not None:
            splits = buffers.index.splits.reshape(-1, samples_per_core + 1)
            rows, gains = buffers.index.rows.reshape(-1), buffers.index.gains.reshape(-1)
        if num_minibatches is not None:
            counts = np.full(devices, num_minibatches, np.int32)
        return cls(
            **{name: array.reshape(-1) for name, array in arrays.items()},
            splits=splits,
            sample_rows=rows,
            sample_gains=gains,
            num_minibatches=counts,
            samples_per_core=samples_per_core,
            rows_per_core=stack.vocabulary_size // system.num_sparse_cores,
            sparse_cores=system.sparse_cores_per_device,
            num_devices=system.num_devices,
            max_ids_per_partition=stack.max_ids_per_partition,
            max_unique_ids_per_partition=stack.max_unique_ids_per_partition,
            made_for=StackLayout.of(stack),
        )
