"""The entries of all devices: only what is used of large buffers travels between them.

Buffers for minibatches have room for 64 of them, one after another from the first element on. How
far they are filled is known when the program runs, and XLA's collectives have static sizes. So there
is a collective for the whole, one for half of it, and so on: the smallest that holds what is used on
any device is run. What it gathers is put where it belongs in arrays of the whole size, the rest of
which nobody writes, nor reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

import jax
import jax.numpy as jnp

from sdykit.bridge import ffi
from sdykit.bridge.embedding.axes import Axes
from sdykit.sparsecore.tile.spec import TileSpec

Arrays = dict[str, jax.Array]

ENTRIES = ("embedding_ids", "sample_ids", "gains")
"""What there is of each entry."""

_HALVINGS = 6
"""Down to a 64th: the part of one minibatch in the default buffers."""
_SMALL = 1 << 15
"""Entries of a device that are gathered as they are: looking for a smaller part takes longer."""

_PROGRAM = """
func.func @spread_entries(%ids: memref<?xi32> {{sparsecore.name = "ids", sparsecore.work = 8 : i64}},
                          %samples: memref<?xi32> {{sparsecore.name = "samples", sparsecore.work = 8 : i64}},
                          %gains: memref<?xf32> {{sparsecore.name = "gains", sparsecore.work = 8 : i64}},
                          %used: memref<i32> {{sparsecore.name = "used"}},
                          %all_ids: memref<?xi32> {{sparsecore.name = "all_ids"}},
                          %all_samples: memref<?xi32> {{sparsecore.name = "all_samples"}},
                          %all_gains: memref<?xf32> {{sparsecore.name = "all_gains"}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %devices = arith.constant {devices} : index
  %size = memref.dim %ids, %c0 : memref<?xi32>
  %room = memref.dim %all_ids, %c0 : memref<?xi32>
  %from_size = arith.divui %size, %devices : index
  %to_size = arith.divui %room, %devices : index
  scf.parallel (%device) = (%c0) to (%devices) step (%c1) {{
    %last = memref.load %used[] : memref<i32>
    %end = arith.index_cast %last : i32 to index
    %some = arith.maxsi %end, %c0 : index
    %count = arith.minsi %some, %from_size : index
    %from = arith.muli %device, %from_size : index
    %to = arith.muli %device, %to_size : index
{copies}  }}
  return
}}
"""
_COPY = """\
    %{name}_from = memref.subview %{name}[%from] [%count] [1]
      : memref<?x{element}> to memref<?x{element}, strided<[1], offset: ?>>
    %{name}_to = memref.subview %all_{name}[%to] [%count] [1]
      : memref<?x{element}> to memref<?x{element}, strided<[1], offset: ?>>
    memref.copy %{name}_from, %{name}_to
      : memref<?x{element}, strided<[1], offset: ?>> to memref<?x{element}, strided<[1], offset: ?>>
"""


def gather_entries(
    axes: Axes, spec: TileSpec, arrays: Mapping[str, jax.Array], given: Mapping[str, jax.Array]
) -> Arrays:
    """Return the entries of all devices, one after another.

    Args:
        axes: of the devices: several.
        spec: of the program that reads them.
        arrays: this device's entries: some of `ENTRIES`.
        given: `row_pointers` of all devices and, for minibatches, `num_minibatches`.
    """
    sizes = {each.shape[0] for each in arrays.values()}
    if not spec.minibatches or len(arrays) < len(ENTRIES) or min(sizes) < _SMALL:
        return {name: axes.gather(each) for name, each in arrays.items()}
    (size,) = sizes
    parts = [-(-size >> halvings) for halvings in range(_HALVINGS + 1)]
    used = _used(spec, given["row_pointers"], given["num_minibatches"])
    # The same on all devices, as all see the pointers of all.
    which = sum((used <= part).astype(jnp.int32) for part in parts[1:])
    gather = [partial(_gather_part, axes, part) for part in parts]
    found = jax.lax.switch(which, gather, used, *(arrays[name] for name in ENTRIES))
    return dict(zip(ENTRIES, found, strict=True))


def _used(spec: TileSpec, pointers: jax.Array, minibatches: jax.Array) -> jax.Array:
    """Return how far the buffers of any device are filled: where the last segment ends."""
    of_devices = pointers.reshape(spec.num_devices, -1)
    segment = spec.sparse_cores * minibatches[0] - 1
    last = segment * spec.pointers + spec.all_cores - 1
    return jnp.max(jax.lax.dynamic_index_in_dim(of_devices, last, axis=1))


def _gather_part(
    axes: Axes, part: int, used: jax.Array, *arrays: jax.Array
) -> tuple[jax.Array, ...]:
    """Gather the first entries of each device; no more than `used` are needed."""
    if part == arrays[0].shape[0]:
        return tuple(axes.gather(each) for each in arrays)
    found = [axes.gather(each[:part]) for each in arrays]
    shapes = [jax.ShapeDtypeStruct((each.shape[0] * axes.devices,), each.dtype) for each in arrays]
    return tuple(ffi.call(_program(axes.devices), [*found, used], shapes))


@cache
def _program(devices: int) -> str:
    copies = (
        _COPY.format(name=name, element=element)
        for name, element in (("ids", "i32"), ("samples", "i32"), ("gains", "f32"))
    )
    return _PROGRAM.format(devices=devices, copies="".join(copies))
