"""Calls of the tile programs of specs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import jax

from sdykit.bridge import ffi
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.kernels.compile import counting
from sdykit.sparsecore.chip.memory import check_hbm_tables
from sdykit.sparsecore.codegen import ObjectCache, Program
from sdykit.sparsecore.tile.arguments import STATUS, TileArgument
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.counters import Counters, make_counters
from sdykit.sparsecore.tile.lookup.build import lookup_arguments
from sdykit.sparsecore.tile.spec import (
    CustomUpdateSpec,
    LookupSpec,
    TileSpec,
    UpdateSpec,
    spec_from_fields,
)
from sdykit.sparsecore.tile.update.build import update_arguments


def _compile(spec: ffi.Spec, cache: ObjectCache | None) -> Program:
    return compile_tile(spec_from_fields(spec), cache=cache).code


for _kind in (LookupSpec, UpdateSpec, CustomUpdateSpec):
    ffi.register_kind(_kind.kind, _compile)


@cache
def _call_of(spec: TileSpec) -> tuple[dict[str, Any], tuple[TileArgument, ...]]:
    """Give a spec as JSON has it, and the arguments that the caller passes or gets."""
    if isinstance(spec, LookupSpec):
        arguments = lookup_arguments(spec)
    elif isinstance(spec, (UpdateSpec, CustomUpdateSpec)):
        arguments = update_arguments(spec)
    else:
        raise BridgeError(f"spec: it is {spec!r}; expected one of a lookup or an update")
    passed = tuple(each for each in arguments if each.role != "status")
    return spec.to_fields(), passed


def call_tile(
    spec: TileSpec,
    arrays: Mapping[str, jax.Array],
    *,
    where: str,
    returns_status: bool = False,
) -> dict[str, jax.Array]:
    """Run the program of a spec.

    Args:
        spec: a lookup or an update.
        arrays: its inputs and what it changes, by name.
        where: what messages begin with: the function, and the table if it has a name.
        returns_status: whether its status is a result instead of an error, see `ffi.call`.

    Returns:
        What it writes and changes, by name; and the status, as `status`.

    Raises:
        SparseCoreError: table and slots do not fit in the HBM of a device.
    """
    fields, arguments = _call_of(spec)
    held = {
        each.name.removeprefix("slot_"): arrays[each.name].nbytes
        for each in arguments
        if each.name == "table" or each.role == "in_place"
    }
    check_hbm_tables(spec.label or spec.kind, spec.hardware, held)
    sizes: dict[str, int] = {}
    given: list[TileArgument] = []
    made: list[TileArgument] = []
    for argument in arguments:
        if argument.role in ("output", "workspace"):
            made.append(argument)
            continue
        given.append(argument)
        pairs = zip(argument.shape, arrays[argument.name].shape, strict=True)
        sizes |= {size: found for size, found in pairs if isinstance(size, str)}
    if "ids" in arrays:
        sizes["entries"] = arrays["ids"].size
    changed = [number for number, each in enumerate(given) if each.role == "in_place"]
    aliases = {operand: result for result, operand in enumerate(changed)}
    shapes: list[Any] = [arrays[given[number].name] for number in changed]
    for argument in made:
        shape = tuple(sizes[size] if isinstance(size, str) else size for size in argument.shape)
        shapes.append(jax.ShapeDtypeStruct(shape, argument.dtype))
    results = ffi.call(
        fields,
        [arrays[each.name] for each in given],
        shapes,
        input_output_aliases=aliases,
        returns_status=returns_status,
        where=where,
    )
    names = [given[number].name for number in changed] + [each.name for each in made]
    names += [STATUS.name] * returns_status
    return dict(zip(names, results, strict=True))


def counters() -> list[Counters]:
    """Give what programs have counted since `reset_counters`: one entry a program and device.

    Programs count if they were traced behind `configure(counters=True)`. Wait for their results
    first, with `jax.block_until_ready`: what still runs is not in it.
    """
    found = []
    for spec, program, kernel in counting():
        found += make_counters(spec_from_fields(spec), program.module, kernel.counts())
    return found


def reset_counters() -> None:
    """Let all programs begin to count anew."""
    for _, _, kernel in counting():
        kernel.forget_counts()
