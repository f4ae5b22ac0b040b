"""The source of a lookup or an update: raw ids, or buffers of preprocessing."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Any

import jax
import jax.numpy as jnp

from sdykit.bridge.embedding.axes import Axes, AxisName, find_axes
from sdykit.bridge.embedding.buffers import DeviceBuffers
from sdykit.bridge.embedding.checks import (
    as_array,
    check,
    check_buffers,
    describe,
    ids_array,
)
from sdykit.bridge.embedding.primitives.one_device import check_array, check_devices
from sdykit.bridge.embedding.programs.gains import fold_gains
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.settings import Settings, current
from sdykit.sparsecore.specs import INT32_MAX
from sdykit.sparsecore.stacking import LIMITS
from sdykit.sparsecore.tile.spec import Transport

_IS_ASYNCHRONOUS: ContextVar[bool] = ContextVar("_IS_ASYNCHRONOUS", default=False)


@dataclasses.dataclass(frozen=True)
class Source:
    """The ids that this device looks up.

    Attributes:
        axes: the axes that the table is split over.
        settings: the chip and its flags.
        fields: the fields of a spec that depend on the layout.
        samples: the number of samples of this device, without those that pad its SparseCores.
        gains: the gains of this device, of the shape that the layout has; None: all are 1.
        arrays: the other arrays of the layout, by name.
        rows: the number of rows of the table on this device; None: any number.
        is_folded: whether a combiner made the gains, which are then checked.
        label: the label of its counters.
        where: the prefix of errors of its programs: the function, and the table if it has a name.
        transport: how ids, rows and gradients reach other devices.
        limits: the limits that programs are compiled for, by their names in specs.
    """

    axes: Axes
    settings: Settings
    fields: dict[str, Any]
    samples: int
    gains: jax.Array | None
    arrays: dict[str, jax.Array]
    rows: int | None = None
    is_folded: bool = False
    label: str = ""
    where: str = ""
    transport: Transport = "collectives"
    limits: Mapping[str, Any] = dataclasses.field(default_factory=dict[str, Any])

    def check_table(self, where: str, table: jax.Array) -> None:
        """Check that a table is this device's part of the one that buffers were made for.

        Raises:
            BridgeError: it has another number of rows, or is the same on all devices.
        """
        self.axes.check_split(f"{where}: table", table)
        if self.rows not in (None, table.shape[0]):
            raise BridgeError(
                f"{where}: table is {describe(table)}; expected {self.rows} rows, those that ids "
                "are made for"
            )


def make_source(
    where: str,
    ids: Any,
    weights: Any = None,
    *,
    combiner: str = "sum",
    axis_name: AxisName = None,
    settings: Settings | None = None,
) -> Source:
    """Return ids, checked and converted to arrays that tile programs take.

    Args:
        where: the name of the function, for errors.
        ids: raw ids, or `DeviceBuffers`.
        weights: the weights of raw ids, or None.
        combiner: the combiner of raw ids.
        axis_name: the axes that the table is split over; None: they are inferred.
        settings: the chip and its flags; None: those of the process.

    Raises:
        BridgeError: ids, weights, combiner or axes are wrong.
    """
    if isinstance(ids, DeviceBuffers):
        if weights is not None or combiner != "sum":
            found = f"combiner {combiner!r}" if weights is None else "weights"
            raise BridgeError(
                f"{where}: found {found} with ids that are DeviceBuffers; expected neither weights "
                "nor combiner, as both are in the buffers"
            )
        return _from_buffers(where, ids, axis_name, settings or current())
    settings = settings or current()
    axes = find_axes(where, axis_name, None)
    ids = ids_array(where, ids)
    samples = ids.shape[0]
    # Every SparseCore has the same number of samples.
    per_core = max(-(-samples // settings.sparse_cores), 1)
    missing = per_core * settings.sparse_cores - samples
    if missing:
        ids = jnp.pad(ids, ((0, missing), (0, 0)), constant_values=-1)
    if weights is not None:
        weights = as_array(where, "weights", weights)
        check(where, "weights", weights, jnp.float32, (samples, ids.shape[1]))
        weights = jnp.pad(weights, ((0, missing), (0, 0))) if missing else weights
    check_entries(where, ids.size, axes.devices)
    gains = fold_gains(where, combiner, ids, weights)
    return Source(
        axes,
        settings,
        {"samples_per_core": per_core, "layout": "ids", "gains": gains is not None},
        samples,
        gains,
        {"ids": check_devices(ids, where)},
        is_folded=combiner != "sum" and weights is not None,
        where=where,
        transport=transport_of(axes, settings),
    )


@contextlib.contextmanager
def asynchronously() -> Iterator[None]:
    """Trace programs that can run asynchronously: on each device, and not in rounds of an exchange."""
    token = _IS_ASYNCHRONOUS.set(True)
    try:
        yield
    finally:
        _IS_ASYNCHRONOUS.reset(token)


def is_asynchronous() -> bool:
    """Return whether programs are traced that can run asynchronously."""
    return _IS_ASYNCHRONOUS.get()


def transport_of(axes: Axes, settings: Settings) -> Transport:
    """Return how ids, rows and gradients reach other devices."""
    is_near = axes.devices > 1 and axes.are_in_one_process() and not is_asynchronous()
    return "memory" if is_near and may_share_memory(settings) else "collectives"


def may_share_memory(settings: Settings) -> bool:
    """Return whether one program may run for all devices of a process.

    Checks and counters are of programs that run on each device, as a chip's do.
    """
    is_checked = settings.counters or any(settings.checks.values())
    return settings.execute == "cpu" and not is_checked


def _from_buffers(
    where: str, buffers: DeviceBuffers, axis_name: AxisName, settings: Settings
) -> Source:
    axes = find_axes(where, axis_name, buffers.num_devices)
    check_buffers(where, buffers, settings.sparse_cores, settings.chip)
    check_entries(where, jnp.size(buffers.embedding_ids), axes.devices)
    names = ["row_pointers", "embedding_ids", "sample_ids"]
    names += ["num_minibatches"] * (buffers.num_minibatches is not None)
    names += ["splits", "sample_rows", "sample_gains", "observed"] * (buffers.splits is not None)
    if settings.counters and buffers.tile_ids is not None and buffers.splits is not None:
        names.append("tile_ids")
    arrays = {name: jnp.asarray(getattr(buffers, name)) for name in names}
    # A lookup may read only the index, and an update all the others. In this order, so that equal
    # calls are traced to equal jaxprs.
    for name in ("row_pointers", "splits"):
        if name not in arrays:
            continue
        arrays[name] = check_devices(arrays[name], where)
    return Source(
        axes,
        settings,
        {
            "samples_per_core": buffers.samples_per_core,
            "layout": "jax_tpu_embedding" if buffers.splits is None else "sdykit",
            "minibatches": buffers.num_minibatches is not None,
        },
        buffers.samples_per_core * buffers.sparse_cores,
        jnp.asarray(buffers.gains),
        arrays,
        buffers.rows_per_core * buffers.sparse_cores,
        where=where,
        transport=transport_of(axes, settings),
        limits={name: getattr(buffers, name) for name in LIMITS},
    )


def check_entries(where: str, entries: int, devices: int) -> None:
    """Check that int32 can hold the number of entries of all devices.

    Raises:
        BridgeError: there are too many.
    """
    if entries * devices > INT32_MAX:
        raise BridgeError(
            f"{where}: ids are {entries * devices} entries on all devices together; expected at "
            f"most {INT32_MAX}"
        )


def check_table(where: str, table: Any, dtypes: tuple[str, ...]) -> jax.Array:
    """Return a table as an array, checked.

    Raises:
        BridgeError: its rank or dtype is another, it is empty, or has more rows than int32 holds;
            or it is on several devices, and the call is outside of a program.
    """
    array = as_array(where, "table", table)
    if array.ndim and array.shape[0] > INT32_MAX:
        raise BridgeError(
            f"{where}: table is {describe(array)}; expected at most {INT32_MAX} rows on a device"
        )
    if array.ndim != 2 or str(array.dtype) not in dtypes:
        raise BridgeError(
            f"{where}: table is {describe(array)}; expected [rows, dim] of {' or '.join(dtypes)}"
        )
    if 0 in array.shape:
        raise BridgeError(
            f"{where}: table is {describe(array)}; expected at least 1 row and 1 column"
        )
    check_array(array, where)
    return array
