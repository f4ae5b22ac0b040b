"""A functional layer: features of many tables, from ids on the host to trained tables."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
import numpy.typing as npt
from jax.sharding import Mesh, PartitionSpec

from sdykit.bridge.embedding.axes import AxisName
from sdykit.bridge.embedding.buffers import DeviceBuffers
from sdykit.bridge.embedding.layer.checks import (
    Batch,
    check_limits,
    check_minibatching,
    check_parts,
    check_types,
    rates_of,
    warn_of_table_limits,
)
from sdykit.bridge.embedding.layer.estimate import Estimator, make_estimator
from sdykit.bridge.embedding.layer.initial_values import Initializer
from sdykit.bridge.embedding.layer.placement import Place, agree_over_processes, make_place
from sdykit.bridge.embedding.layer.quantized import quantize_features
from sdykit.bridge.embedding.layer.stack_runner import StackRunner
from sdykit.bridge.embedding.layer.stacks import check_names
from sdykit.bridge.embedding.layer.variables import VariableMaker, Variables
from sdykit.bridge.embedding.memory.arrays import array_entries
from sdykit.bridge.embedding.primitives.source import may_share_memory
from sdykit.bridge.settings import Settings, current, make_settings
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.inputs import FeatureInput
from sdykit.sparsecore.limits import Limits
from sdykit.sparsecore.limits.setup import with_limits
from sdykit.sparsecore.memory import Ledger
from sdykit.sparsecore.memory.heap_log import check_and_log
from sdykit.sparsecore.memory.layers import ledger_of_stacks, staged_entries
from sdykit.sparsecore.preprocess import Minibatching, preprocess
from sdykit.sparsecore.preprocess.results import Preprocessed
from sdykit.sparsecore.specs import FeatureSpec, System
from sdykit.sparsecore.stacking import Stack, stack


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """The tables of a model, and the features that look them up.

    It holds no arrays: its functions take and return variables and batches as pytrees of arrays, all
    of which are split over the devices by `spec`. `lookup` and `update` work inside
    `jax.shard_map` on a device's parts, and outside of it on whole arrays.

    Raises:
        BridgeError: the mesh has no such axis, or an argument is of another type.
        SparseCoreError: the features cannot be stacked, a setting is wrong, or a SparseCore cannot
            hold as many ids of a partition as the limits allow.
    """

    features: Sequence[FeatureSpec]
    """The features; their batch sizes are those of all devices together."""
    mesh: Mesh | None = None
    """The mesh of the devices; None: one device."""
    axis_name: AxisName = None
    """The axes of the mesh that tables and batches are split over, in this order; None: all."""
    chip: str | os.PathLike[str] | None = None
    """The name of a chip, or a file that describes one; None: that of `configure`."""
    config: SparsecoreConfig | None = None
    """The configuration, which flags of the environment override; None: that of `configure`."""
    limits: Limits | None = None
    """The limits of the tables, for instance from `LimitCounter`; None: those of the file that
    `xla_sparse_core_max_ids_file` names, those of the first batch with
    `xla_sparse_core_estimate_max_ids`, or else those of the features."""
    minibatching: Minibatching = "off"
    """How a batch that exceeds the limits is split; see `sdykit.sparsecore.preprocess`."""
    settings: Settings = dataclasses.field(init=False)
    """The chip and the complete configuration. Estimated limits are in it, and in `stacks`, after the
    first batch."""
    system: System = dataclasses.field(init=False)
    """The numbers of devices and SparseCores, for preprocessing."""
    stacks: tuple[Stack, ...] = dataclasses.field(init=False)
    """The stacks: tables that the devices hold as one."""
    _place: Place = dataclasses.field(init=False)
    _estimator: Estimator | None = dataclasses.field(init=False)
    _maker: VariableMaker = dataclasses.field(init=False)
    _runner: StackRunner = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        check_types(self.features, self.config, self.limits)
        check_minibatching(self.minibatching)
        settings = current()
        if self.chip is not None or self.config is not None:
            chip = settings.chip if self.chip is None else self.chip
            config = settings.config if self.config is None else self.config
            settings = make_settings(
                chip, config, counters=settings.counters, execute=settings.execute
            )
        place = make_place(self.mesh, self.axis_name)
        system = System(place.devices, settings.sparse_cores)
        stacks = stack(
            tuple(self.features),
            system,
            settings.config.disable_table_stacking,
            row_alignment=settings.row_alignment,
        )
        config, estimator = settings.config, None
        if self.limits is not None:
            config, stacks = self.limits.of_program(config, stacks, system)
        elif config.xla_sparse_core_estimate_max_ids:
            estimator = make_estimator(config, stacks, system, place.processes)
        else:
            config, stacks = with_limits(config, stacks, system)
            if not config.xla_sparse_core_max_ids_file:
                warn_of_table_limits(stacks)
        if estimator is None:
            check_limits(stacks, system, settings.chip, self.minibatching)
        object.__setattr__(self, "features", tuple(self.features))
        object.__setattr__(self, "settings", dataclasses.replace(settings, config=config))
        object.__setattr__(self, "system", system)
        object.__setattr__(self, "stacks", stacks)
        object.__setattr__(self, "_place", place)
        object.__setattr__(self, "_estimator", estimator)
        on_host = config.initialize_tables_on_host
        maker = VariableMaker(stacks, system, place, on_host)
        object.__setattr__(self, "_maker", maker)
        runner = StackRunner(self.features, stacks, system, self.settings, place.names)
        object.__setattr__(self, "_runner", runner)

    def __repr__(self) -> str:
        tables = sum(len(each.tables) for each in self.stacks)
        rows = sum(table.spec.vocabulary_size for each in self.stacks for table in each.tables)
        return (
            f"<Embedding: {len(self.features)} features, {tables} tables of {rows:,} rows in "
            f"{len(self.stacks)} stacks, on {self.system.num_devices} x {self.settings.chip} of "
            f"{self.system.sparse_cores_per_device} SparseCores>"
        )

    @property
    def spec(self) -> PartitionSpec:
        """The partition spec of all arrays of variables and batches, for `in_specs` of `shard_map`."""
        return self._place.spec

    @property
    def sharding(self) -> jax.sharding.Sharding:
        """The sharding of all arrays of variables and batches."""
        return self._place.sharding

    def ledger(
        self, weights: Any = None, constants: Any = None, *, pipelined: bool = False
    ) -> Ledger:
        """Return what the HBM of each device holds: of this layer, and of the model around it.

        Tables and slots, the HBM stacks of lookups and updates, what they stage in HBM, activations
        and gradients, and the buffers of a step and of the `maximum_parallel_iterations` that are
        prefetched.

        Args:
            weights: a pytree of the model's dense weights and their slots: arrays, or their shapes
                and dtypes; with a sharding, a device has its part of them.
            constants: the same of its constants.
            pipelined: whether SparseCores work beside the TensorCore.

        Raises:
            SparseCoreError: the limits make buffers of too many entries, or a program does not fit in
                SPMEM.
        """
        given = (*array_entries("weights", weights), *array_entries("constant", constants))
        has_minibatches = self.minibatching != "off"
        staged = staged_entries(
            self.stacks, self.system, self.settings.chip, has_minibatches=has_minibatches
        )
        return self._held(pipelined=pipelined).plus((*staged, *given))

    def _held(self, *, pipelined: bool = False) -> Ledger:
        """Return the ledger of what is known before programs are built."""
        return ledger_of_stacks(
            self.stacks,
            self.system,
            self.settings.chip,
            has_minibatches=self.minibatching != "off",
            prefetched=self.settings.config.maximum_parallel_iterations,
            reading=self.settings.execute,
            serialized_tables=self.settings.config.xla_sc_num_serialized_tables_to_optimize_hbm,
            is_pipelined=pipelined,
            transport="memory" if self._shares_memory() and not pipelined else "collectives",
        )

    def _shares_memory(self) -> bool:
        """Return whether one program runs for all devices, but in pipelined steps."""
        is_near = self.system.num_devices > 1 and jax.process_count() == 1
        return is_near and may_share_memory(self.settings)

    def _check_memory(self, where: str) -> None:
        """Check that the layer fits in HBM, and log its heap if `vmodule` asks for it."""
        check_and_log(self._held(), where, self.settings.config)

    def init(
        self, key: jax.Array, initializer: Initializer | Mapping[str, Initializer]
    ) -> Variables:
        """Return new tables and slots.

        Every row has a key of its own: values depend on neither devices nor stacks. They are computed
        on the host and copied to the devices, or, with `initialize_tables_on_host=False` in the
        configuration, on the devices in small blocks; the values are the same. Under
        `jax.eval_shape` only shapes and dtypes are computed.

        Args:
            key: a key of `jax.random`.
            initializer: an initializer such as those of `jax.nn.initializers`, for all tables or by
                their names. It is called for each row, with the shape `(1, width)`, where the
                width is a multiple of 8.

        Raises:
            BridgeError: `key` is not a key; a table has no initializer, or is not float32 (which
                `from_tables` takes).
            SparseCoreError: the layer does not fit in the HBM of a device, see `ledger`.
        """
        self._check_memory("init")
        return self._maker.init(key, initializer)

    def prepare(
        self,
        features: Mapping[str, FeatureInput],
        weights: Mapping[str, npt.ArrayLike] | None = None,
        *,
        threads: int | None = None,
    ) -> Preprocessed:
        """Turn ids into static buffers on the host, with their statistics.

        Processes that share the mesh agree on minibatches: all must call this equally often. With
        `xla_sparse_core_estimate_max_ids` the first batch determines the limits, and one that exceeds
        them raises them, which causes a log line and a new compilation.

        Args:
            features: the samples of this process's devices, by name of the feature; see
                `sdykit.sparsecore.preprocess`.
            weights: the weights of some of the features, by name.
            threads: the maximum number of threads to use; None: as many as the process may use
                processors, but at most 16.

        Raises:
            LimitExceeded: a partition has more ids than its limits allow.
            SparseCoreError: an id, weight or shape is wrong; or a SparseCore cannot hold as many ids
                of a partition as the estimated limits allow.
        """
        agree = agree_over_processes if self._place.processes > 1 else None

        def run(config: SparsecoreConfig, stacks: tuple[Stack, ...]) -> Preprocessed:
            return preprocess(
                features,
                stacks,
                self.system,
                weights=weights,
                config=config,
                minibatching=self.minibatching,
                local_devices=self._place.local_devices,
                agree=agree,
                threads=threads,
                tiles=self.settings.tiles if self.settings.counters else 0,
            )

        if self._estimator is None:
            return run(self.settings.config, self.stacks)

        def run_checked(config: SparsecoreConfig, stacks: tuple[Stack, ...]) -> Preprocessed:
            check_limits(stacks, self.system, self.settings.chip, self.minibatching)
            return run(config, stacks)

        return self._estimator.admit(features, run_checked, self._adopt)

    def _adopt(self, config: SparsecoreConfig, stacks: tuple[Stack, ...]) -> None:
        """Take limits; programs that are traced from now on are compiled for them."""
        object.__setattr__(self, "settings", dataclasses.replace(self.settings, config=config))
        object.__setattr__(self, "stacks", stacks)
        object.__setattr__(self, "_runner", dataclasses.replace(self._runner, stacks=stacks))

    def put(self, prepared: Preprocessed) -> Batch:
        """Return buffers on the devices."""
        count = None if self.minibatching == "off" else prepared.num_minibatches
        batch: Batch = {}
        for each in self.stacks:
            batch[each.name] = DeviceBuffers.from_stack(
                prepared.buffers[each.name], each, self.system, num_minibatches=count
            )
        return jax.tree.map(self._place.put, batch)

    def preprocess(
        self,
        features: Mapping[str, FeatureInput],
        weights: Mapping[str, npt.ArrayLike] | None = None,
        *,
        threads: int | None = None,
    ) -> Batch:
        """Turn ids into buffers on the devices: `prepare`, then `put`.

        Raises:
            LimitExceeded: a partition has more ids than its limits allow.
            SparseCoreError: an id, weight or shape is wrong.
        """
        return self.put(self.prepare(features, weights, threads=threads))

    def lookup(self, variables: Variables, batch: Batch) -> dict[str, jax.Array]:
        """Look up all features.

        The gradient for the tables in `variables` is dense, of their size; to train, differentiate by
        the activations and call `update`.

        Returns:
            The activations by name of the feature, float32 `[samples, dim]`: those of all samples, or
            in `jax.shard_map` those of this device.

        Raises:
            BridgeError: variables or batch are not those of these features.
            SparseCoreError: the layer does not fit in the HBM of a device, see `ledger`.
        """
        check_parts("lookup", self.stacks, variables, batch)
        self._check_memory("lookup")
        return self._place.run(self._runner.lookup, variables, batch)

    def update(
        self,
        variables: Variables,
        batch: Batch,
        gradients: Mapping[str, Any],
        step: Any = 0,
        learning_rate: Any | Mapping[str, Any] = None,
    ) -> Variables:
        """Take a step of every table's optimizer. Donate `variables` to update them in place.

        Args:
            variables: the variables of `init` or `update`.
            batch: the batch that was looked up.
            gradients: the gradients of the activations, by name of the feature.
            step: the number of the step from 0: an integer, or an int32 scalar of JAX.
            learning_rate: the learning rate of this step: a number, or a float32 scalar of JAX,
                for all tables; or a mapping from names of tables or stacks to such values, one
                for all tables of a stack. Tables that it does not name take the rate of their
                optimizer; None: all do.

        Returns:
            The variables after the step.

        Raises:
            BridgeError: an argument does not belong to these features.
            SparseCoreError: the layer does not fit in the HBM of a device, see `ledger`.
        """
        check_parts("update", self.stacks, variables, batch)
        self._check_memory("update")
        rates = rates_of("update", self.stacks, learning_rate)
        run = self._runner.update
        return self._place.run(run, variables, batch, gradients, scalars=(step, *rates))

    def tables(self, variables: Variables, slot: str | None = None) -> dict[str, np.ndarray]:
        """Return the tables by name, `[vocabulary_size, embedding_dim]`, on the host.

        Args:
            variables: the variables of `init` or `update`; all processes must call this.
            slot: the name of a slot variable to return instead of each table, which is
                `[vocabulary_size, 1]` if it has one number for each row; tables without it are
                left out.

        Raises:
            BridgeError: no optimizer has the slot, or the variables are not those of this layer.
        """
        check_names("tables", "variables", variables, [each.name for each in self.stacks])
        return self._maker.tables(variables, slot)

    def from_tables(
        self,
        tables: Mapping[str, npt.ArrayLike],
        slots: Mapping[str, Mapping[str, npt.ArrayLike]] | None = None,
    ) -> Variables:
        """Return variables that hold these tables: the inverse of `tables`.

        Args:
            tables: the tables by name, `[vocabulary_size, embedding_dim]`; the same in every
                process.
            slots: slot -> table -> values of the shape of the table, or `[vocabulary_size, 1]` for
                those of an optimizer's `row_slots`; other slots have their initial values.

        Raises:
            BridgeError: a table or slot is missing or unknown, or a table holds another dtype.
            SparseCoreError: a table has another shape; or the layer does not fit in the HBM of a
                device, see `ledger`.
        """
        self._check_memory("from_tables")
        return self._maker.from_tables(tables, slots or {})

    def quantized(self, variables: Variables) -> tuple[Embedding, Variables]:
        """Return a layer for inference, whose tables are int8, and its variables.

        Rows take a quarter of the bytes. The tables of a stack share a range: the `quantization` of
        their specifications, or else 256 buckets from their smallest to their largest element. In the
        first case lookups return what this layer's do, bit for bit; in the second, each element that
        they read is at most half a bucket from the trained one. Names, stacks, limits, chip and
        configuration are those of this layer, and so are batches. There are no slots and no updates.

        Args:
            variables: the variables of `init` or `update`; all processes must call this.

        Raises:
            BridgeError: the variables are not those of this layer.
            SparseCoreError: a table is not float32, or holds NaN or an infinity; or its specification
                has more than 256 buckets.
        """
        features, tables = quantize_features(self.features, self.stacks, self.tables(variables))
        layer = dataclasses.replace(
            self, features=features, chip=self.settings.chip, config=self.settings.config
        )
        return layer, layer.from_tables(tables)
