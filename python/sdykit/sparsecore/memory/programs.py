"""The ledger of the program of a lookup or an update."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from math import prod
from typing import NamedTuple

from sdykit.sparsecore.memory.ledger import Entry, Kind, Ledger, Phase
from sdykit.sparsecore.memory.stack import hbm_stack
from sdykit.sparsecore.tile.arguments import ELEMENT_BYTES, TileArgument
from sdykit.sparsecore.tile.build import arguments_of
from sdykit.sparsecore.tile.spec import POINTERS, AnyUpdateSpec, LookupSpec, TileSpec
from sdykit.sparsecore.tile.spec.base import MAX_MINIBATCHES
from sdykit.sparsecore.tile.update.held import GRADIENT_PARTS, ROWS_OF_SLOTS, SLOTS_OF_ROWS

INDEX = ("splits", "sample_rows", "sample_gains", "observed")
"""The arguments of a lookup that only a CPU needs: the index by sample, and its counts."""
KEPT = (GRADIENT_PARTS, ROWS_OF_SLOTS, SLOTS_OF_ROWS)
"""What a chip keeps of an update from the first minibatch to the last; a CPU sorts all together."""
_SLOT = "slot_"


def ledger_of(spec: TileSpec, sizes: Mapping[str, int] | None = None, *, owner: str = "") -> Ledger:
    """Return the ledger of the program of a spec, on each device.

    Args:
        spec: the spec of a lookup or an update.
        sizes: the sizes that the arguments of the program name: `rows`, those of the device's part
            of the table; `entries` and `pointers`, those of the buffers of all devices, see
            `sizes_by_limits`; `valency`. Of an argument with another size there is no entry.
        owner: the name of the table; "": the label of the spec.

    Raises:
        SparseCoreError: there is no such chip, or the spec is of another class.
    """
    owner, stack, sizes = owner or spec.label, hbm_stack(spec), sizes or {}
    # A chip has the same, however its devices are simulated.
    arguments = arguments_of(dataclasses.replace(spec, transport="collectives"))
    held = [each for argument in arguments for each in _held(spec, argument, sizes)]
    entries = [
        Entry(kind=kind, owner=owner, name=name, bytes=size, phase=phase, note=note)
        for kind, name, size, phase, note in (*held, *_kept(spec, sizes))
    ]
    if stack is not None:
        entries.append(stack.entry(owner))
    return Ledger(spec.hardware, tuple(entries))


def sizes_by_limits(spec: TileSpec) -> dict[str, int]:
    """Return `entries` and `pointers` of buffers that hold as many ids as the limits allow.

    They are those of all devices together; layout `ids` has neither.
    """
    if spec.layout == "ids" or not isinstance(spec, (LookupSpec, AnyUpdateSpec)):
        return {}
    segments = spec.all_cores * (MAX_MINIBATCHES if spec.minibatches else 1)
    room = -(-spec.max_ids_per_partition // POINTERS) * POINTERS
    return {"entries": room * spec.all_cores * segments, "pointers": spec.pointers * segments}


class _Held(NamedTuple):
    """An entry without its owner."""

    kind: Kind
    name: str
    bytes: int
    phase: Phase
    note: str


def _held(spec: TileSpec, argument: TileArgument, sizes: Mapping[str, int]) -> Iterator[_Held]:
    """Yield what an argument needs; nothing if it is a number, or of unknown size."""
    name, shape, phase = argument.name, _shape(argument, sizes), _phase(spec)
    if not shape:
        return
    size, note = _size(argument.dtype, shape)
    if name == "table":
        yield _Held("table", name, size, "", note)
    elif argument.role == "in_place":
        yield _Held("slot", name.removeprefix(_SLOT), size, "", note)
    elif name in INDEX and argument.role == "input":
        yield _Held("simulator", name, size, "", note)
    elif name in KEPT:
        yield from _room(spec, name, size, sizes)
    elif argument.role == "workspace" and spec.transport == "memory" and spec.layout != "ids":
        return  # It is the process', for all devices together.
    elif argument.role == "workspace":
        # Raw ids have no limits: they are sorted in HBM.
        yield _Held("temporary" if spec.layout == "ids" else "simulator", name, size, phase, note)
    else:
        yield from _split(spec, argument, shape)


def _kept(spec: TileSpec, sizes: Mapping[str, int]) -> Iterator[_Held]:
    """Yield what a chip keeps from one minibatch to the next: a gradient for each row with ids."""
    if not isinstance(spec, AnyUpdateSpec) or not spec.minibatches:
        return
    if not {"rows", "entries"} <= sizes.keys():
        return
    rows = sizes["rows"]
    unique = min(spec.limits) * spec.all_cores * spec.sparse_cores * MAX_MINIBATCHES
    slots = min(rows, unique, sizes["entries"])
    shapes = {GRADIENT_PARTS: (slots, spec.dim), ROWS_OF_SLOTS: (slots,), SLOTS_OF_ROWS: (rows,)}
    for name, shape in shapes.items():
        size, note = _size("float32" if name == GRADIENT_PARTS else "int32", shape)
        yield _Held("temporary", name, size, "update", f"{note}, for all minibatches")


def _room(spec: TileSpec, name: str, size: int, sizes: Mapping[str, int]) -> Iterator[_Held]:
    """Yield what a workspace has besides what a chip keeps: parts of devices, room for all entries."""
    needed = sum(each.bytes for each in _kept(spec, sizes) if each.name == name)
    if size > needed:
        note = "the parts of devices apart, and room for all entries"
        yield _Held("simulator", f"{name}, the rest", size - needed, "update", note)


def _split(spec: TileSpec, argument: TileArgument, shape: tuple[int, ...]) -> Iterator[_Held]:
    """Yield what an argument needs of which a chip has the part of its own samples."""
    name, phase = argument.name, _phase(spec)
    is_split = spec.num_devices > 1 and name != "num_minibatches"
    own = (shape[0] // spec.num_devices, *shape[1:]) if is_split else shape
    size, note = _size(argument.dtype, own)
    if name in ("activations", "gradients"):
        yield _Held("activations", name, size, phase, note)
    else:
        yield _Held("input", name, size, "", note)
    if is_split and spec.transport == "collectives":
        # A chip receives what it needs, tile by tile.
        size, note = _size(argument.dtype, shape)
        yield _Held("simulator", f"{name} of all devices", size, phase, note)


def _phase(spec: TileSpec) -> Phase:
    return "lookup" if isinstance(spec, LookupSpec) else "update"


def _shape(argument: TileArgument, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Return the sizes of an argument; () if one of them is not known, or it is a number."""
    if argument.role in ("status", "launch", "counters"):
        return ()
    found = [sizes.get(size) if isinstance(size, str) else size for size in argument.shape]
    return tuple(size for size in found if size is not None) if None not in found else ()


def _size(dtype: str, shape: tuple[int, ...]) -> tuple[int, str]:
    """Return the bytes of an array, and its dtype and shape as text."""
    return prod(shape) * ELEMENT_BYTES[dtype], f"{dtype}[{','.join(map(str, shape))}]"
