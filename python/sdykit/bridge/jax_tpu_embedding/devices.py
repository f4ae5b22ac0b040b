"""The devices of a table, and whether buffers hold minibatches, both from the size of buffers.

The library passes neither to its primitives. A device has, for each of its SparseCores, a segment
of row pointers: the end of every partition, at least 8. There are as many partitions as all devices
have SparseCores; with minibatches the library's preprocessing allocates 64 segments.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from sdykit.bridge.embedding.axes import Axes, fewer_axes, find_axes, manual_axes
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.tile.spec import POINTERS

MINIBATCHES = 64
"""The maximum number of minibatches, for which the library's preprocessing allocates buffers."""

_chosen: ContextVar[tuple[str, ...] | None] = ContextVar("axes_of_tables", default=None)


@contextlib.contextmanager
def axes_of_tables(*names: str) -> Iterator[None]:
    """Choose the axes that tables are split over, where the size of buffers is ambiguous.

    The choice holds for programs that are compiled within the block.

    Args:
        names: the manual axes of `jax.shard_map`, in the order in which devices are numbered; none
            if each device has the whole table.
    """
    token = _chosen.set(names)
    try:
        yield
    finally:
        _chosen.reset(token)


def find_devices(
    where: str, pointers: int, cores: int, *, minibatches: bool | None
) -> tuple[Axes, bool]:
    """Find the devices that buffers are made for.

    Args:
        where: the name of the primitive, for errors.
        pointers: the number of row pointers of a device.
        cores: the number of SparseCores of a device.
        minibatches: whether the buffers hold minibatches; None if that follows from the size too.

    Returns:
        The axes that tables are split over, all manual ones if they fit, and whether the buffers
        hold minibatches.

    Raises:
        BridgeError: the row pointers are made for other devices, or for more than one choice of
            axes.
    """
    layouts = (False, True) if minibatches is None else (minibatches,)
    chosen = _chosen.get()
    everything = find_axes(where, chosen, None)
    for with_minibatches in layouts:
        if pointers == _pointers(cores, everything.devices, with_minibatches):
            return everything, with_minibatches
    found = [
        (axes, with_minibatches)
        for axes in ([] if chosen is not None else fewer_axes(manual_axes()))
        for with_minibatches in layouts
        if pointers == _pointers(cores, axes.devices, with_minibatches)
    ]
    if len(found) == 1:
        return found[0]
    size = f"{where}: lhs_row_pointers is int32[{pointers}]"
    if found:
        shown = " or ".join(f"({', '.join(map(repr, axes.names))})" for axes, _ in found)
        raise BridgeError(
            f"{size}, which fits tables that are split over the axes {shown}; expected "
            "sdykit.bridge.jax_tpu_embedding.devices.axes_of_tables to choose one"
        )
    if minibatches is not None and pointers == _pointers(
        cores, everything.devices, not minibatches
    ):
        raise BridgeError(f"{size}, {_OTHER_SETTING[minibatches]}")
    if minibatches is not False and _is_shorter(
        pointers, _pointers(cores, everything.devices, False)
    ):
        return everything, True
    wanted = " or ".join(
        f"int32[{_pointers(cores, everything.devices, each)}]{' (minibatches)' * each}"
        for each in layouts
    )
    place = "(it is not in a jax.shard_map)"
    if everything.names:
        place = f"along {', '.join(map(repr, everything.names))}"
    raise BridgeError(
        f"{size}; expected {wanted}, as the call has {everything.devices} devices {place} with "
        f"{cores} SparseCores each"
    )


_OTHER_SETTING = {
    True: (
        "made by preprocessing with enable_minibatching=False, and enable_minibatching is True "
        "here; expected the same in preprocessing, lookup and update"
    ),
    False: (
        "made by preprocessing with enable_minibatching=True, and enable_minibatching is False "
        "here; expected the same in preprocessing, lookup and update"
    ),
}
"""The end of the error, by the value of `enable_minibatching` that the buffers are not made for."""


def _pointers(cores: int, devices: int, minibatches: bool) -> int:
    return cores * max(cores * devices, POINTERS) * (MINIBATCHES if minibatches else 1)


def _is_shorter(pointers: int, segment: int) -> bool:
    """Return whether the buffers hold from 2 to 63 minibatches, and not the maximum of 64."""
    return pointers % segment == 0 and 1 < pointers // segment < MINIBATCHES
