"""The buffers that preprocessing makes, as a pytree for JAX."""

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
    """The places of a stack's tables and features; stacks of one layout can share buffers."""

    tables: tuple[tuple[str, int, int, int], ...]
    """The name, vocabulary size, column offset and column shift of each table."""
    features: tuple[tuple[str, str, int], ...]
    """The name, table and number of samples of each feature, in the order of their rows."""
    combiner: str
    """The combiner that the gains contain."""

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
        "observed",
        "num_minibatches",
        "tile_ids",
    ],
    meta_fields=[
        "samples_per_core",
        "rows_per_core",
        "sparse_cores",
        "num_devices",
        "max_ids_per_partition",
        "max_unique_ids_per_partition",
        "max_ids_of_partitions",
        "max_unique_ids_of_partitions",
        "made_for",
    ],
)
@dataclass(frozen=True)
class DeviceBuffers:
    """The ids that one device, or each device in turn, looks up in a step.

    A pytree of arrays, each of which is split evenly over the devices by its first dimension: the
    partition spec of all is `P(axes)`.
    """

    row_pointers: ArrayLike
    """int32 `[devices * pointers]`: the end of each partition of a segment, one past its last entry."""
    embedding_ids: ArrayLike
    """int32 `[devices * entries]`: the row of each id in its partition."""
    sample_ids: ArrayLike
    """int32 `[devices * entries]`: the sample of each id on its SparseCore."""
    gains: ArrayLike
    """float32 `[devices * entries]`: the weight of each id after the combiner."""
    splits: ArrayLike | None
    """int32 `[devices * SparseCores, samples_per_core + 1]`: where samples begin, see `SampleIndex`;
    None: no index."""
    sample_rows: ArrayLike | None
    """int32 `[devices * entries]`: rows of the device's table, ordered by sample; None: no index."""
    sample_gains: ArrayLike | None
    """float32 `[devices * entries]`: the gains of `sample_rows`; None: no index."""
    observed: ArrayLike | None
    """int32 `[devices * 2 * SparseCores * minibatches * partitions]`: numbers of ids and of unique ids,
    see `SampleIndex`; None: no index."""
    num_minibatches: ArrayLike | None
    """int32 `[devices]`: the number of minibatches, the same on all devices; None: the buffers are not
    laid out for minibatches."""
    samples_per_core: int
    """Number of samples of each SparseCore."""
    rows_per_core: int
    """Number of rows of the table on each SparseCore, its partition."""
    sparse_cores: int
    """Number of SparseCores of a device."""
    num_devices: int
    """Number of devices of the system that the buffers are made for."""
    max_ids_per_partition: int = MAX_IDS
    """Maximum ids per partition that the buffers were made with."""
    max_unique_ids_per_partition: int = MAX_IDS
    """Maximum unique ids per partition that the buffers were made with."""
    max_ids_of_partitions: tuple[int, ...] | None = None
    """The same for each partition, where they differ; None: `max_ids_per_partition` for all."""
    max_unique_ids_of_partitions: tuple[int, ...] | None = None
    """The same for unique ids."""
    tile_ids: ArrayLike | None = None
    """int32 `[devices * SparseCores * minibatches * partitions * tiles]`: numbers of ids by tile, see
    `SampleIndex`, from which counters follow; None: each run counts them itself."""
    made_for: StackLayout | None = None
    """Layout of the stack that the buffers were made for; None: not known."""

    @classmethod
    def from_stack(
        cls,
        buffers: StackBuffers,
        stack: Stack,
        system: System,
        *,
        num_minibatches: int | None = None,
    ) -> DeviceBuffers:
        """Return the buffers of a stack, as numpy arrays that are not copied.

        Args:
            buffers: the buffers of this host's devices.
            stack: the stack that they are for.
            system: the system that `preprocess` was called with.
            num_minibatches: that of `Preprocessed`; None: `preprocess` was called without minibatching.

        Raises:
            BridgeError: the arrays are not all of the same number of devices.
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
        splits = rows = gains = observed = counts = tile_ids = None
        if buffers.index is not None:
            splits = buffers.index.splits.reshape(-1, samples_per_core + 1)
            rows, gains = buffers.index.rows.reshape(-1), buffers.index.gains.reshape(-1)
            observed = buffers.index.observed.reshape(-1)
            tile_ids = buffers.index.tile_ids.reshape(-1) if buffers.index.tile_ids.size else None
        if num_minibatches is not None:
            counts = np.full(devices, num_minibatches, np.int32)
        return cls(
            **{name: array.reshape(-1) for name, array in arrays.items()},
            splits=splits,
            sample_rows=rows,
            sample_gains=gains,
            observed=observed,
            num_minibatches=counts,
            tile_ids=tile_ids,
            samples_per_core=samples_per_core,
            rows_per_core=stack.vocabulary_size // system.num_sparse_cores,
            sparse_cores=system.sparse_cores_per_device,
            num_devices=system.num_devices,
            **stack.compiled_limits,
            made_for=StackLayout.of(stack),
        )
