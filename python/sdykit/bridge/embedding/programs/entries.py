"""The entries of all devices, of which only the used part of large buffers is gathered.

Buffers for minibatches have room for 64 of them, which fill it from the start. How far is known only
when the program runs, but XLA's collectives have static sizes. So there is a collective for the whole
buffer, one for half of it, and so on; the smallest that holds the entries of every device is run.
What it gathers is copied to its place in arrays of the whole size, the rest of which is neither
written nor read.
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
"""The buffers that hold a value for each entry."""

_HALVINGS = 6
"""The smallest part is a 64th: that of one minibatch in the default buffers."""
_SMALL = 1 << 15
"""Number of entries of a device below which the whole is gathered: a switch takes longer."""

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
        axes: the axes that the table is split over, of several devices.
        spec: the spec of the program that reads the entries.
        arrays: this device's entries: some or all of `ENTRIES`, by name.
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
    """Return the maximum number of used entries of a device: the end of the last segment."""
    of_devices = pointers.reshape(spec.num_devices, -1)
    segment = spec.sparse_cores * minibatches[0] - 1
    last = segment * spec.pointers + spec.all_cores - 1
    return jnp.max(jax.lax.dynamic_index_in_dim(of_devices, last, axis=1))


def _gather_part(
    axes: Axes, part: int, used: jax.Array, *arrays: jax.Array
) -> tuple[jax.Array, ...]:
    """Return the first `part` entries of each device, in arrays of the whole size.

    `used` is the number of entries that are needed.
    """
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
