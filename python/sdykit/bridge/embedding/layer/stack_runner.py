"""Lookups and updates of a layer on one device, stack after stack."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax

from sdykit.bridge.embedding.buffers import DeviceBuffers
from sdykit.bridge.embedding.checks import check
from sdykit.bridge.embedding.layer.checks import Batch
from sdykit.bridge.embedding.layer.stacks import (
    check_names,
    describe_stack,
    stack_gradients,
    unstack_activations,
)
from sdykit.bridge.embedding.layer.variables import Variables
from sdykit.bridge.embedding.primitives.lookup import lookup_rows
from sdykit.bridge.embedding.primitives.source import Source, check_table, make_source
from sdykit.bridge.embedding.primitives.update import update_rows
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.settings import Settings
from sdykit.sparsecore.specs import FeatureSpec, System
from sdykit.sparsecore.stacking import Stack


@dataclasses.dataclass(frozen=True)
class StackRunner:
    """Looks up and updates the tables of a layer; `Embedding` describes the errors.

    Attributes:
        features: the features of the layer.
        stacks: the stacks of the layer.
        system: the numbers of devices and SparseCores.
        settings: the chip and the configuration.
        axis_names: the axes of the mesh that tables and batches are split over.
    """

    features: Sequence[FeatureSpec]
    stacks: tuple[Stack, ...]
    system: System
    settings: Settings
    axis_names: tuple[str, ...]

    def lookup(self, variables: Variables, batch: Batch) -> dict[str, jax.Array]:
        """Return the activations of each feature on this device."""
        where, result = "lookup", {}
        for each in self.stacks:
            held, buffers = variables[each.name], batch[each.name]
            spec = each.tables[0].spec
            table = check_table(where, held["table"], (spec.dtype,))
            source = self._source(where, each, table, buffers)
            stacked = lookup_rows(table, source, spec.quantization)
            result |= unstack_activations(each, self.system, stacked)
        return result

    def _source(self, where: str, stack: Stack, table: jax.Array, buffers: DeviceBuffers) -> Source:
        """Return the source of a stack's lookup, after a check that the table is that of the stack."""
        name = f"{where}: variables[{stack.name!r}]"
        rows = stack.vocabulary_size // self.system.num_devices
        check(name, "table", table, table.dtype, (rows, stack.embedding_dim))
        source = make_source(where, buffers, axis_name=self.axis_names, settings=self.settings)
        source.check_table(where, table)
        # The layer's own limits, whichever a batch was made with: what its tiles hold follows from them.
        return dataclasses.replace(
            source,
            limits=stack.compiled_limits,
            label=stack.name,
            where=f"{where}: {describe_stack(stack)}",
        )

    def update(
        self,
        variables: Variables,
        batch: Batch,
        gradients: Mapping[str, Any],
        step: Any,
        *rates: Any,
    ) -> Variables:
        """Return the variables of this device after a step; `rates` are the stacks' learning rates."""
        where = "update"
        check_names(where, "gradients", gradients, [each.name for each in self.features])
        result: Variables = {}
        for each, rate in zip(self.stacks, rates, strict=True):
            held, buffers = variables[each.name], batch[each.name]
            check_names(where, f"parts of variables[{each.name!r}]", held, ["slots", "table"])
            dtype = each.tables[0].spec.dtype
            if dtype != "float32":
                raise BridgeError(
                    f"{where}: the dtype of {describe_stack(each)} is {dtype}, which is for inference; "
                    "expected float32, as only such tables can be updated"
                )
            table = check_table(where, held["table"], ("float32",))
            table, slots = update_rows(
                where,
                table,
                held["slots"],
                self._source(where, each, table, buffers),
                stack_gradients(where, each, self.system, gradients),
                optimizer=each.tables[0].spec.optimizer,
                step=step,
                learning_rate=rate,
                width=each.tables[0].spec.embedding_dim,
            )
            result[each.name] = {"table": table, "slots": slots}
        return result
