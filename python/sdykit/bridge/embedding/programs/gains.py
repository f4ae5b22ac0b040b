"""Combiners of raw ids: mean and sqrtn become a gain for each id."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, get_args

import jax
import jax.numpy as jnp

from sdykit.bridge import ffi
from sdykit.bridge.embedding.axes import Axes, differing_axes
from sdykit.bridge.embedding.programs.shared_errors import raise_errors
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.kernels.specs import VERSION
from sdykit.sparsecore.specs import Combiner

MARK = "0x7FC0DEAD : f32"
"""The gain of a sample whose weights sum to 0: a NaN that no arithmetic produces."""

NO_SUM = (
    "weights: those of sample {1}, or their squares, sum to 0, by which the combiner divides; "
    "expected another sum, or no ids in the sample"
)
"""The message about such a sample."""

_FOLD = f"""
func.func @fold_gains(%ids: memref<?x?xi32> {{{{sparsecore.name = "ids"}}}},
                      %weights: memref<?x?xf32> {{{{sparsecore.name = "weights"}}}},
                      %gains: memref<?x?xf32> {{{{sparsecore.name = "gains"}}}})
    attributes {{{{sparsecore.entry}}}} {{{{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %mark = arith.constant {MARK}
  %samples = memref.dim %ids, %c0 : memref<?x?xi32>
  %valency = memref.dim %ids, %c1 : memref<?x?xi32>
  scf.parallel (%i) = (%c0) to (%samples) step (%c1) {{{{
    %total = scf.for %k = %c0 to %valency step %c1 iter_args(%sum = %zero) -> f32 {{{{
      %id = memref.load %ids[%i, %k] : memref<?x?xi32>
      %w = memref.load %weights[%i, %k] : memref<?x?xf32>
      %live = arith.cmpi sge, %id, %none : i32
      %added = {{add}}
      %next = arith.select %live, %added, %sum : f32
      scf.yield %next : f32
    }}}}
    %is_zero = arith.cmpf oeq, %total, %zero : f32
    %divisor = {{divisor}}
    scf.for %k = %c0 to %valency step %c1 {{{{
      %id = memref.load %ids[%i, %k] : memref<?x?xi32>
      %w = memref.load %weights[%i, %k] : memref<?x?xf32>
      %live = arith.cmpi sge, %id, %none : i32
      %share = arith.divf %w, %divisor : f32
      %known = arith.select %is_zero, %mark, %share : f32
      %gain = arith.select %live, %known, %zero : f32
      memref.store %gain, %gains[%i, %k] : memref<?x?xf32>
    }}}}
  }}}}
  return
}}}}
"""
_SUMS = {
    "mean": ("arith.addf %sum, %w : f32", "arith.addf %total, %zero : f32"),
    "sqrtn": ("math.fma %w, %w, %sum : f32", "math.sqrt %total : f32"),
}

_CHECK = f"""
func.func @check_gains(%gains: memref<?x?xf32> {{sparsecore.name = "gains"}},
                       %status: memref<8xi64> {{sparsecore.status}})
    attributes {{sparsecore.entry, sparsecore.messages = ["",
      "{NO_SUM}"]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ok = arith.constant 0 : i64
  %bad = arith.constant 1 : i64
  %mark = arith.constant {MARK}
  %marked = arith.bitcast %mark : f32 to i32
  %samples = memref.dim %gains, %c0 : memref<?x?xf32>
  %valency = memref.dim %gains, %c1 : memref<?x?xf32>
  scf.parallel (%i) = (%c0) to (%samples) step (%c1) {{
    scf.for %k = %c0 to %valency step %c1 {{
      %gain = memref.load %gains[%i, %k] : memref<?x?xf32>
      %bits = arith.bitcast %gain : f32 to i32
      %wrong = arith.cmpi eq, %bits, %marked : i32
      %before = memref.load %status[%c0] : memref<8xi64>
      %first = arith.cmpi eq, %before, %ok : i64
      %report = arith.andi %wrong, %first : i1
      scf.if %report {{
        %sample = arith.index_cast %i : index to i64
        memref.store %bad, %status[%c0] : memref<8xi64>
        memref.store %sample, %status[%c1] : memref<8xi64>
      }}
    }}
  }}
  return
}}
"""

_CHECK_OF_ALL = f"""
func.func @check_gains(%place: memref<2xi32> {{{{sparsecore.name = "place", sparsecore.place}}}},
                       %gains: memref<?x?xf32> {{{{sparsecore.name = "gains"}}}},
                       %offsets: memref<2x{{devices}}xi64> {{{{sparsecore.offsets}}}},
                       %status: memref<8xi64> {{{{sparsecore.status}}}})
    attributes {{{{sparsecore.entry, sparsecore.messages = ["",
      "{{no_sum}}"]}}}} {{{{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %devices = arith.constant {{devices}} : index
  %ok = arith.constant 0 : i64
  %bad = arith.constant 1 : i64
  %mark = arith.constant {MARK}
  %marked = arith.bitcast %mark : f32 to i32
  %samples = memref.dim %gains, %c0 : memref<?x?xf32>
  %valency = memref.dim %gains, %c1 : memref<?x?xf32>
  scf.parallel (%device, %i) = (%c0, %c0) to (%devices, %samples) step (%c1, %c1) {{{{
    %distance = memref.load %offsets[%c1, %device] : memref<2x{{devices}}xi64>
    %offset = arith.index_cast %distance : i64 to index
    %own = memref.reinterpret_cast %gains to offset: [%offset], sizes: [%samples, %valency],
      strides: [%valency, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    scf.for %k = %c0 to %valency step %c1 {{{{
      %gain = memref.load %own[%i, %k] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %bits = arith.bitcast %gain : f32 to i32
      %wrong = arith.cmpi eq, %bits, %marked : i32
      %before = memref.load %status[%c0] : memref<8xi64>
      %first = arith.cmpi eq, %before, %ok : i64
      %report = arith.andi %wrong, %first : i1
      scf.if %report {{{{
        %others = arith.muli %device, %samples : index
        %number = arith.addi %others, %i : index
        %sample = arith.index_cast %number : index to i64
        memref.store %bad, %status[%c0] : memref<8xi64>
        memref.store %sample, %status[%c1] : memref<8xi64>
      }}}}
    }}}}
  }}}}
  return
}}}}
"""


def check_gains(axes: Axes, gains: jax.Array, *, where: str) -> jax.Array:
    """Return gains of `fold_gains`; it is an error when this runs if weights of a sample sum to 0.

    This is checked after the gains of all devices are gathered: if one device failed alone, the
    others would wait for it in a collective until XLA ends the process.

    Args:
        axes: the axes that the table is split over.
        gains: float32 `[samples, valency]`, those of all devices along these axes.
        where: the prefix of the message.
    """
    aliases = {0: 0}
    everyone = differing_axes(axes, [gains])
    if everyone.devices == axes.devices:
        (checked,) = ffi.call(_CHECK, [gains], [gains], input_output_aliases=aliases, where=where)
        return checked
    checked, status = ffi.call(
        _CHECK, [gains], [gains], input_output_aliases=aliases, returns_status=True
    )
    program = {"version": VERSION, "kind": "tile", "program": _CHECK}
    return raise_errors(program, everyone.gather(status), checked, where=where)


def check_gains_of_all(
    gains: jax.Array, place: jax.Array, devices: int, *, where: str
) -> jax.Array:
    """Do as `check_gains` on the devices of one process, each of which has its own gains.

    Args:
        gains: float32 `[samples, valency]`, those of this device.
        place: the place of this device, see `ffi.call`.
        devices: the number of devices of its group.
        where: the prefix of the message.
    """
    program, aliases = _CHECK_OF_ALL.format(devices=devices, no_sum=NO_SUM), {1: 0}
    (checked,) = ffi.call(
        program, [gains], [gains], input_output_aliases=aliases, place=place, where=where
    )
    return checked


def fold_gains(
    where: str, combiner: str, ids: jax.Array, weights: jax.Array | None
) -> jax.Array | None:
    """Return the gain of each id, as `sdykit.sparsecore.reference.fold_gains` does; differentiable.

    None stands for gains of 1. `check_gains` finds samples whose weights sum to 0.

    Args:
        where: the name of the function, for errors.
        combiner: `sum`, `mean` or `sqrtn`.
        ids: int32 `[samples, valency]`; a negative number is not an id.
        weights: float32 `[samples, valency]`, ignored where there is no id; None: all are 1.

    Raises:
        BridgeError: there is no such combiner.
    """
    if combiner not in get_args(Combiner):
        raise BridgeError(
            f"{where}: combiner is {combiner!r}; expected one of {', '.join(get_args(Combiner))}"
        )
    if combiner == "sum":
        return weights
    return _fold(combiner, ids, jnp.ones(ids.shape, jnp.float32) if weights is None else weights)


@cache
def _program(combiner: str) -> str:
    add, divisor = _SUMS[combiner]
    return _FOLD.format(add=add, divisor=divisor)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _fold(combiner: str, ids: jax.Array, weights: jax.Array) -> Any:
    (gains,) = ffi.call(_program(combiner), [ids, weights], [weights])
    return gains


def _forward(
    combiner: str, ids: jax.Array, weights: jax.Array
) -> tuple[jax.Array, tuple[jax.Array, ...]]:
    gains: Any = _fold(combiner, ids, weights)
    return gains, (ids, weights, gains)


def _backward(
    combiner: str, kept: tuple[jax.Array, ...], cotangent: jax.Array
) -> tuple[None, jax.Array]:
    """Differentiate `w / s`: for mean `s = sum w`, for sqrtn `s = sqrt(sum w^2)`."""
    ids, weights, gains = kept
    live = ids >= 0
    held = jnp.where(live, weights, 0)
    total = jnp.sum(held if combiner == "mean" else held * held, axis=1, keepdims=True)
    # The gradient of samples without ids is 0, not NaN.
    divisor = jnp.where(live.any(axis=1, keepdims=True), total, 1)
    divisor = divisor if combiner == "mean" else jnp.sqrt(divisor)
    shared = jnp.sum(jnp.where(live, cotangent * gains, 0), axis=1, keepdims=True)
    by_total = shared if combiner == "mean" else shared * gains
    return None, jnp.where(live, (cotangent - by_total) / divisor, 0)


_fold.defvjp(_forward, _backward)
