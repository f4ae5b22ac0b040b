"""The variables of a layer: initialized, converted from tables, and converted to tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.core import Tracer

from sdykit.bridge.embedding.checks import check_key
from sdykit.bridge.embedding.layer.initial_values import (
    Initializer,
    Rows,
    make_on_device,
    make_on_host,
)
from sdykit.bridge.embedding.layer.placement import Place
from sdykit.bridge.embedding.layer.stacks import check_names
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack
from sdykit.sparsecore.stacking import arrays as stacked_arrays

Variables = dict[str, dict[str, Any]]
"""Stack -> `table`, and `slots` by name: a pytree of arrays `[rows, dim]` split over the devices.

Slots with one number for each row are `[rows, 1]`."""

Slots = Mapping[str, Mapping[str, npt.ArrayLike]]
"""Slot -> table -> values."""


@dataclasses.dataclass(frozen=True)
class VariableMaker:
    """Makes variables, and converts them to and from tables; `Embedding` describes how.

    Attributes:
        stacks: the stacks of the layer.
        system: the numbers of devices and SparseCores.
        place: the devices of arrays.
        on_host: whether new tables are computed in memory of the host first.
    """

    stacks: tuple[Stack, ...]
    system: System
    place: Place
    on_host: bool

    @property
    def table_names(self) -> list[str]:
        """The names of all tables."""
        return [table.spec.name for each in self.stacks for table in each.tables]

    @property
    def slot_names(self) -> list[str]:
        """The names of all slots, sorted."""
        return sorted({name for each in self.stacks for name in _slots_of(each)})

    def init(
        self, key: jax.Array, initializer: Initializer | Mapping[str, Initializer]
    ) -> Variables:
        """Return new tables and slots."""
        check_key("init", key)
        given = initializer
        if not isinstance(given, Mapping):
            given = dict.fromkeys(self.table_names, given)
        check_names("init", "initializers", given, self.table_names)
        for name, each in given.items():
            if not callable(each):
                raise BridgeError(
                    f"init: the initializer of table {name!r} is {each!r}; expected a function "
                    "such as those of jax.nn.initializers"
                )
        for each in self.stacks:
            spec = each.tables[0].spec
            # Random values make sense only in a table that is trained.
            if spec.dtype != "float32":
                raise BridgeError(
                    f"init: table {spec.name!r} is {spec.dtype}; expected float32, as only such "
                    "tables can be updated (from_tables takes others, to be looked up)"
                )
        result: Variables = {}
        for each in self.stacks:
            rows = Rows(each, self.system, tuple(given[table.spec.name] for table in each.tables))
            result[each.name] = {"table": self._table(rows, key), "slots": self._slots(each)}
        return result

    def _table(self, rows: Rows, key: jax.Array) -> jax.Array:
        # Values are the same either way, and the host cannot compute traced ones (`jax.eval_shape`).
        if not self.on_host or isinstance(key, Tracer):
            return self.place.make(lambda device, key: make_on_device(rows, key, device), key)
        return self.place.put_parts(
            lambda device: make_on_host(rows, key, device), rows.per_device, rows.width
        )

    def _slots(self, stack: Stack) -> dict[str, jax.Array]:
        rows = stack.vocabulary_size // self.system.num_devices

        def make(name: str, value: float) -> jax.Array:
            shape = (rows, _slot_width(stack, name))
            return self.place.make(lambda _, fill: jnp.full(shape, fill, jnp.float32), value)

        return {name: make(name, value) for name, value in _slots_of(stack).items()}

    def tables(self, variables: Variables, slot: str | None) -> dict[str, np.ndarray]:
        """Return the tables, or a slot of them, on the host."""
        if slot is not None and slot not in self.slot_names:
            known = ", ".join(self.slot_names) or "none"
            raise BridgeError(f"tables: slot is {slot!r}; expected one of {known}")
        result: dict[str, np.ndarray] = {}
        for each in self.stacks:
            held = variables[each.name]
            array = held["table"] if slot is None else held["slots"].get(slot)
            if array is not None:
                whole = self.place.fetch(array)
                parts = whole.reshape(self.system.num_sparse_cores, -1, array.shape[1])
                is_single = slot in each.tables[0].spec.optimizer.row_slots
                result |= stacked_arrays.unstack_tables(
                    each, self.system, parts, row_slot=is_single
                )
        return result

    def from_tables(self, tables: Mapping[str, npt.ArrayLike], slots: Slots) -> Variables:
        """Return variables that hold tables and slots."""
        check_names("from_tables", "tables", tables, self.table_names)
        unknown = sorted(slots.keys() - set(self.slot_names))
        if unknown:
            known = ", ".join(self.slot_names) or "none"
            raise BridgeError(f"from_tables: slots has {unknown[0]!r}; expected one of {known}")
        for name, values in slots.items():
            having = [
                table.spec.name
                for each in self.stacks
                for table in each.tables
                if name in _slots_of(each)
            ]
            check_names("from_tables", f"tables of slot {name!r}", values, having)
        result: Variables = {}
        for each in self.stacks:
            made = self._slots(each)
            for name in made.keys() & slots.keys():
                is_single = name in each.tables[0].spec.optimizer.row_slots
                made[name] = self._stacked(each, slots[name], "float32", row_slot=is_single)
            result[each.name] = {
                "table": self._stacked(each, tables, each.tables[0].spec.dtype),
                "slots": made,
            }
        return result

    def _stacked(
        self,
        stack: Stack,
        tables: Mapping[str, npt.ArrayLike],
        dtype: str,
        *,
        row_slot: bool = False,
    ) -> jax.Array:
        own = {table.spec.name: np.asarray(tables[table.spec.name]) for table in stack.tables}
        for name, array in own.items():
            if array.dtype.name != dtype:
                raise BridgeError(
                    f"from_tables: table {name!r} holds {array.dtype.name}; expected {dtype}"
                )
        whole = stacked_arrays.stack_tables(stack, self.system, own, row_slot=row_slot)
        parts = whole.reshape(self.system.num_devices, -1, whole.shape[-1])
        return self.place.put_parts(lambda device: parts[device], parts.shape[1], parts.shape[2])


def _slots_of(stack: Stack) -> Mapping[str, float]:
    """Return the slots of a stack and their initial values: none if it cannot be updated."""
    spec = stack.tables[0].spec
    return spec.optimizer.slots if spec.dtype == "float32" else {}


def _slot_width(stack: Stack, slot: str) -> int:
    """Return how many numbers a slot has for each row."""
    return 1 if slot in stack.tables[0].spec.optimizer.row_slots else stack.embedding_dim
