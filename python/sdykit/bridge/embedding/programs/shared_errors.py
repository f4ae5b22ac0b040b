"""Errors of programs that run on several devices: all devices fail together.

If one device failed alone, the others would wait for it in the next collective, until XLA ends the
process. So the programs return their status as a result, the devices gather the statuses of all,
and each runs a program that fails with the first error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import jax

from sdykit.bridge import ffi
from sdykit.bridge.embedding.axes import Axes, differing_axes
from sdykit.bridge.embedding.programs.call import call_tile
from sdykit.bridge.embedding.programs.launches import launches_of
from sdykit.bridge.kernels.specs import VERSION, compile_kind
from sdykit.sparsecore.codegen import ObjectCache, Program, compile_module
from sdykit.sparsecore.tile.arguments import LAUNCHES, PLACE, STATUS
from sdykit.sparsecore.tile.spec import TileSpec

_KIND = "errors_of_all"

_PROGRAM = """
func.func @{name}(%statuses: memref<?xi32> {{sparsecore.name = "statuses"}},
                  %held: memref<?xf32> {{sparsecore.name = "held"}},
                  %status: memref<8xi64> {{sparsecore.status}})
    attributes {{sparsecore.entry, sparsecore.messages = {messages}}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i64
  %half = arith.constant 32 : i64
  %size = memref.dim %statuses, %c0 : memref<?xi32>
  scf.parallel (%all) = (%c0) to (%c1) step (%c1) {{
    scf.for %first = %c0 to %size step %c16 {{
      %earlier = memref.load %status[%c0] : memref<8xi64>
      %low = memref.load %statuses[%first] : memref<?xi32>
      %number = arith.extui %low : i32 to i64
      %any = arith.ori %earlier, %number : i64
      %is_quiet = arith.cmpi eq, %earlier, %zero : i64
      %is_error = arith.cmpi ne, %any, %zero : i64
      %is_first = arith.andi %is_quiet, %is_error : i1
      scf.if %is_first {{
        scf.for %word = %c0 to %c8 step %c1 {{
          %offset = arith.muli %word, %c2 : index
          %at = arith.addi %first, %offset : index
          %next = arith.addi %at, %c1 : index
          %a = memref.load %statuses[%at] : memref<?xi32>
          %b = memref.load %statuses[%next] : memref<?xi32>
          %a64 = arith.extui %a : i32 to i64
          %b64 = arith.extui %b : i32 to i64
          %high = arith.shli %b64, %half : i64
          %whole = arith.ori %high, %a64 : i64
          memref.store %whole, %status[%word] : memref<8xi64>
        }}
      }}
    }}
  }}
  return
}}
"""


def _compile(spec: ffi.Spec, cache: ObjectCache | None) -> Program:
    """Compile the program that fails with the errors of another, which the spec names."""
    checked = compile_kind(spec["of"], cache)
    assert isinstance(checked, Program)  # Lookups and updates are.
    interface = checked.interface
    # JSON's strings are MLIR's, where they hold no control characters.
    texts = (json.dumps(each, ensure_ascii=False) for each in interface.messages)
    messages = f"[{', '.join(texts)}]"
    return compile_module(_PROGRAM.format(name=interface.entry, messages=messages), cache=cache)


ffi.register_kind(_KIND, _compile)


def call_on_all(
    axes: Axes,
    spec: TileSpec,
    arrays: Mapping[str, jax.Array],
    held: str,
    *,
    where: str,
    table: str = "",
) -> dict[str, jax.Array]:
    """Run the program of a spec on each device; if one fails, all do. See `call_tile`.

    Args:
        axes: the axes that the table is split over.
        spec: the spec of a lookup or an update.
        arrays: the inputs, and the arrays that are updated in place, by name of the argument.
        held: the name of a float32 result that is used in any case: the error depends on it.
        where: the prefix of messages: the function, and the table if it has a name.
        table: the name of the table or stack, for recordings; "": it has none.
    """
    # Devices have places of their own where all else is the same.
    given = [array for name, array in arrays.items() if name != PLACE.name]
    everyone = differing_axes(axes, given)
    if not spec.verify_launch:
        return _call_on(everyone, axes, spec, arrays, held=held, where=where, table=table)

    @jax.jit  # Of a function that is not compiled, each call would be a launch of its own.
    def call_with_launches(arrays: Mapping[str, jax.Array]) -> dict[str, jax.Array]:
        given = {**arrays, LAUNCHES.name: launches_of(everyone, arrays)}
        return _call_on(everyone, axes, spec, given, held=held, where=where, table=table)

    return call_with_launches(dict(arrays))


def _call_on(
    everyone: Axes,
    axes: Axes,
    spec: TileSpec,
    arrays: Mapping[str, jax.Array],
    *,
    held: str,
    where: str,
    table: str,
) -> dict[str, jax.Array]:
    """Run the program of a spec on each of the devices; see `call_on_all`."""
    # Without checks only ids can be wrong, and the devices that share the table see the ids of all.
    has_checks = spec.check_bounds or spec.check_nan or spec.sanitize or spec.verify_launch
    sees_all_ids = everyone.devices == axes.devices and not has_checks
    if everyone.devices == 1 or sees_all_ids:
        return call_tile(spec, arrays, where=where, table=table)
    results = call_tile(spec, arrays, where=where, table=table, returns_status=True)
    statuses = everyone.gather(results.pop(STATUS.name))
    return {**results, held: raise_errors(spec.to_fields(), statuses, results[held], where=where)}


def raise_errors(
    program: ffi.Spec, statuses: jax.Array, held: jax.Array, *, where: str
) -> jax.Array:
    """Return `held`; it is an error when this runs if a program has ended with one.

    Args:
        program: the spec of the program.
        statuses: int32 `[16 * devices]`: what it returned as its status on each device.
        held: a float32 array that is used in any case: the error depends on it.
        where: the prefix of messages.
    """
    reporter = {"version": VERSION, "kind": _KIND, "of": program}
    flat = held.reshape(-1)
    (kept,) = ffi.call(reporter, [statuses, flat], [flat], input_output_aliases={1: 0}, where=where)
    return kept.reshape(held.shape)
