"""The library's primitives that divide activations of a stack into features, and stack gradients.

In a stack each SparseCore has its samples of one feature after another; a feature alone has its
samples in the order of the SparseCores.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Any, Literal

import jax
import jax.numpy as jnp

from sdykit.bridge import ffi
from sdykit.bridge.embedding.checks import describe
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.jax_tpu_embedding.primitives.common import lower_on_cpus
from sdykit.bridge.settings import current

Direction = Literal["unstack", "stack"]
Shapes = tuple[tuple[int, int], ...]
"""The number of samples of a device, and of elements of each, by feature."""

_PROGRAM = """
func.func @{way}({arguments}) attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cores = arith.constant {cores} : index
  %per_core = arith.constant {per_core} : index
  %zero = arith.constant 0.0 : f32
  %dim = arith.constant {dim} : index
  scf.parallel (%core) = (%c0) to (%cores) step (%c1) {{
    %base = arith.muli %core, %per_core : index
{features}
  }}
  return
}}
"""
_FEATURE = """
    %n{i} = arith.constant {rows} : index
    %o{i} = arith.constant {offset} : index
    %f{i} = arith.muli %core, %n{i} : index
    %s{i} = arith.addi %base, %o{i} : index
    %feature{i} = memref.subview %x{i}[%f{i}, 0] [{rows}, {width}] [1, 1]
        : {type} to {feature_view}
    %stacked{i} = memref.subview %stacked[%s{i}, 0] [{rows}, {width}] [1, 1]
        : {stacked} to {stacked_view}
    memref.copy {copied} : {copied_types}
"""
_FILL = """
    %w{i} = arith.constant {width} : index
    %e{i} = arith.addi %s{i}, %n{i} : index
    scf.for %row = %s{i} to %e{i} step %c1 {{
      scf.for %column = %w{i} to %dim step %c1 {{
        memref.store %zero, %stacked[%row, %column] : {stacked}
      }}
    }}
"""


def register_unstack(module: ModuleType) -> None:
    """Lower the unstacking of activations for CPUs."""
    lower_on_cpus(module.tpu_sparse_dense_matmul_activation_unstack_primitive, _unstack)


def register_stack(module: ModuleType) -> None:
    """Lower the stacking of gradients for CPUs."""
    lower_on_cpus(module.tpu_sparse_dense_matmul_gradient_stack_primitive, _stack)


def _unstack(
    stacked: jax.Array,
    *,
    per_feature_batch_sizes: Sequence[int],
    per_feature_dims: Sequence[int],
) -> tuple[jax.Array, ...]:
    where = "sparse_dense_matmul_activation_unstack"
    pairs = zip(per_feature_batch_sizes, per_feature_dims, strict=True)
    features = tuple((int(samples), int(dim)) for samples, dim in pairs)
    shape = _check_features(where, "stacked_activations", stacked, features)
    program = _program("unstack", current().sparse_cores, shape, features)
    results = [jax.ShapeDtypeStruct(each, jnp.float32) for each in features]
    return ffi.call(program, [stacked], results)


def _stack(*gradients: jax.Array, stacked_batch_size: int, stacked_feature_dim: int) -> jax.Array:
    where = "sparse_dense_matmul_gradient_stack"
    for number, each in enumerate(gradients):
        if each.ndim != 2 or each.dtype != jnp.float32:
            raise BridgeError(
                f"{where}: unstacked_gradients[{number}] is {describe(each)}; expected "
                "float32[samples,dim]"
            )
    result = jax.ShapeDtypeStruct((int(stacked_batch_size), int(stacked_feature_dim)), jnp.float32)
    features = tuple((each.shape[0], each.shape[1]) for each in gradients)
    shape = _check_features(where, "the stacked gradient", result, features)
    program = _program("stack", current().sparse_cores, shape, features)
    return ffi.call(program, gradients, [result])[0]


def _check_features(where: str, name: str, stacked: Any, features: Shapes) -> tuple[int, int]:
    """Check that features fill a stack, and return its shape.

    Raises:
        BridgeError: they do not.
    """
    cores = current().sparse_cores
    if stacked.ndim != 2 or stacked.dtype != jnp.float32:
        raise BridgeError(f"{where}: {name} is {describe(stacked)}; expected float32[samples,dim]")
    rows, dim = stacked.shape
    total = sum(samples for samples, _ in features)
    if total != rows:
        raise BridgeError(
            f"{where}: the features have {total} samples together, and {name} is "
            f"{describe(stacked)}; expected {rows}"
        )
    for number, (samples, width) in enumerate(features):
        if not 0 < samples == samples // cores * cores or not 0 < width <= dim:
            raise BridgeError(
                f"{where}: feature {number} is float32[{samples},{width}]; expected a multiple of "
                f"{cores} samples, the SparseCores of a device, of up to {dim} elements"
            )
    return rows, dim


@cache
def _program(way: Direction, cores: int, shape: tuple[int, int], features: Shapes) -> str:
    """Return the text of the program, by which compiled programs are cached."""
    rows, dim = shape
    stacked = f"memref<{rows}x{dim}xf32>"
    offsets = itertools.accumulate((samples // cores for samples, _ in features), initial=0)
    parts, own = [], []
    for i, ((samples, width), offset) in enumerate(zip(features, offsets, strict=False)):
        count = samples // cores
        views = [f"memref<{count}x{width}xf32, strided<[{n}, 1], offset: ?>>" for n in (width, dim)]
        names = [f"%feature{i}", f"%stacked{i}"]
        order = slice(None, None, 1 if way == "stack" else -1)
        fields = {
            "i": i,
            "rows": count,
            "width": width,
            "offset": offset,
            "type": f"memref<{samples}x{width}xf32>",
            "stacked": stacked,
            "feature_view": views[0],
            "stacked_view": views[1],
            "copied": ", ".join(names[order]),
            "copied_types": " to ".join(views[order]),
        }
        parts.append(_FEATURE.format(**fields))
        if way == "stack" and width < dim:
            parts.append(_FILL.format(**fields))
        own.append(f'%x{i}: {fields["type"]} {{sparsecore.name = "feature{i}"}}')
    of_stack = f'%stacked: {stacked} {{sparsecore.name = "stacked"}}'
    arguments = [*own, of_stack] if way == "stack" else [of_stack, *own]
    return _PROGRAM.format(
        way=way,
        arguments=", ".join(arguments),
        cores=cores,
        per_core=rows // cores,
        dim=dim,
        features="".join(parts),
    )
