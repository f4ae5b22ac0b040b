"""Calls of the tile programs of specs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp

from sdykit.bridge import ffi
from sdykit.bridge.settings import current
from sdykit.sparsecore.codegen import ObjectCache, Program
from sdykit.sparsecore.counts.inputs import ROWS
from sdykit.sparsecore.counts.records import TILE_IDS, counted_tile_ids, inputs_of, plan_of
from sdykit.sparsecore.memory import Entry, ledger_of
from sdykit.sparsecore.memory.heap_log import check_and_log
from sdykit.sparsecore.tile.arguments import PLACE, STATUS, TileArgument, sizes_of_all
from sdykit.sparsecore.tile.build import arguments_of
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.spec import (
    CustomUpdateSpec,
    LookupSpec,
    TileSpec,
    UpdateSpec,
    spec_from_fields,
)

_OUTPUTS = ("output", "workspace")
"""Roles of arguments that the call allocates."""
_OWN = ("status", "launch", "offsets")
"""Roles of arguments that are no arrays of the call."""


def _compile(spec: ffi.Spec, cache: ObjectCache | None) -> Program:
    return compile_tile(spec_from_fields(spec), cache=cache).code


for _kind in (LookupSpec, UpdateSpec, CustomUpdateSpec):
    ffi.register_kind(_kind.kind, _compile)


@cache
def _call_of(spec: TileSpec) -> tuple[dict[str, Any], tuple[TileArgument, ...]]:
    """Return the fields of a spec, and the arguments of its program, without the status."""
    passed = tuple(each for each in arguments_of(spec) if each.role not in _OWN)
    return spec.to_fields(), passed


def call_tile(
    spec: TileSpec,
    arrays: Mapping[str, jax.Array],
    *,
    where: str,
    table: str = "",
    returns_status: bool = False,
) -> dict[str, jax.Array]:
    """Run the program of a spec.

    Args:
        spec: the spec of a lookup or an update.
        arrays: the inputs, and the arrays that are updated in place, by name of the argument.
        where: the prefix of messages: the function, and the table if it has a name.
        table: the name of the table or stack, for recordings; "": it has none.
        returns_status: whether the status is returned instead of raised, see `ffi.call`.

    Returns:
        The outputs and the updated arrays by name, and the status as `status` if it is asked for.

    Raises:
        SparseCoreError: what the program needs does not fit in the HBM of a device.
    """
    check_memory(spec, arrays, where=where)
    fields, arguments = _call_of(spec)
    outputs = [each for each in arguments if each.role in _OUTPUTS]
    operands = [each for each in arguments if each.role not in _OUTPUTS]
    workspaces: list[TileArgument] = []
    if spec.transport == "memory":  # They are of all devices together.
        workspaces = [each for each in outputs if each.role == "workspace"]
        outputs = [each for each in outputs if each.role == "output"]
    in_place = [number for number, each in enumerate(operands) if each.role == "in_place"]
    sizes = _sizes(spec, operands, arrays)
    shapes: list[Any] = [arrays[operands[number].name] for number in in_place]
    shapes += [jax.ShapeDtypeStruct(_shape(each, sizes), each.dtype) for each in outputs]
    results = ffi.call(
        fields,
        [arrays[each.name] for each in operands if each.role != "place"],
        shapes,
        input_output_aliases={operand: result for result, operand in enumerate(in_place)},
        returns_status=returns_status,
        where=where,
        table=table,
        workspaces=[_shape(each, sizes) for each in workspaces],
        place=arrays.get(PLACE.name),
        **_recorded(spec, arrays),
    )
    names = [operands[number].name for number in in_place] + [each.name for each in outputs]
    names += [STATUS.name] * returns_status
    return dict(zip(names, results, strict=True))


def _recorded(spec: TileSpec, arrays: Mapping[str, jax.Array]) -> dict[str, Any]:
    """Return what a call records so that its runs can be counted, if the program does not count itself."""
    if not spec.counters or spec.reading == "chip":
        return {}
    # Buffers that were made for a chip with other tiles are counted anew.
    is_counted = TILE_IDS in arrays and arrays[TILE_IDS].size == counted_tile_ids(spec)
    rows = arrays["table"].shape[0]
    names = inputs_of(spec, is_counted=is_counted)
    inputs = [jnp.int32(rows) if name == ROWS else arrays[name] for name in names]
    return {"recorded": inputs, "figures": plan_of(spec, is_counted=is_counted)}


def check_memory(
    spec: TileSpec,
    arrays: Mapping[str, jax.Array],
    *,
    where: str,
    also: Iterable[Entry] = (),
) -> None:
    """Check that what a program needs fits in the HBM of a device.

    Args:
        spec: the spec of a lookup or an update.
        arrays: the inputs, and the arrays that are updated in place, by name of the argument.
        where: the prefix of the error.
        also: what the device holds besides.

    Raises:
        SparseCoreError: it does not fit.
    """
    _, arguments = _call_of(spec)
    operands = [each for each in arguments if each.role not in _OUTPUTS]
    ledger = ledger_of(spec, _sizes(spec, operands, arrays)).plus(also)
    check_and_log(ledger, where, current().config)


def _shape(argument: TileArgument, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Return the shape of an argument, with the sizes that it names."""
    return tuple(sizes[size] if isinstance(size, str) else size for size in argument.shape)


def _sizes(
    spec: TileSpec, operands: Sequence[TileArgument], arrays: Mapping[str, jax.Array]
) -> dict[str, int]:
    """Return the sizes that the shapes of arguments name, as the arrays have them."""
    sizes: dict[str, int] = {}
    for operand in operands:
        pairs = zip(operand.shape, arrays[operand.name].shape, strict=True)
        sizes |= {size: found for size, found in pairs if isinstance(size, str)}
    if "ids" in arrays:
        sizes["entries"] = arrays["ids"].size
    return sizes_of_all(spec, sizes)
