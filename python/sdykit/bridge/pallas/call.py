"""Calls of kernels in the programs that JAX lowers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.interpreters import mlir

from sdykit.bridge import ffi
from sdykit.bridge.pallas.jax_names import module_names
from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.spec import MosaicSpec

_PASSED_AS = {
    "bool": jnp.int32,  # As Pallas has it in memory.
    "int2": jnp.int8,  # XLA packs the elements of these in a call; a kernel has a byte for each.
    "int4": jnp.int8,
    "uint2": jnp.uint8,
    "uint4": jnp.uint8,
}
"""The dtypes that arrays are passed as, by their own dtype, if it is another."""


def emit_call(
    context: Any, nodes: Sequence[Any], spec: MosaicSpec, *, has_side_effects: bool
) -> Sequence[Any]:
    """Add the call of a kernel to the program that is lowered.

    Args:
        context: the `LoweringRuleContext` of JAX: its `avals_in` and `avals_out` are those of the kernel.
        nodes: the operands.
        spec: the kernel.
        has_side_effects: whether it runs even if nothing needs its results.

    Returns:
        The results.
    """
    physical = module_names().physical_aval
    operands = [physical(each) for each in context.avals_in]
    results = [physical(each) for each in context.avals_out]
    passed, returned = list(map(_passed, operands)), list(map(_passed, results))
    nodes = _cast(context, nodes, operands, passed)
    if spec.passes_device:
        nodes, passed = [*nodes, _device(context)], [*passed, jax.typeof(np.zeros(1, np.int32))]
    aliases = dict(spec.input_output_aliases)
    text = ffi.spec_text(spec.to_fields(), _of_call(len(passed), len(returned), aliases))
    call = jax.ffi.ffi_lowering(
        ffi.TARGET, operand_output_aliases=aliases, has_side_effect=has_side_effects
    )
    inner = context.replace(avals_in=passed, avals_out=returned)
    return _cast(context, call(inner, *nodes, spec=text), returned, results)


def _device(context: Any) -> Any:
    """Add the number of the device among those of the program: its position in the mesh."""

    def as_array(number: jax.Array) -> jax.Array:
        return number.astype(jnp.int32).reshape(1)

    aval = jax.typeof(np.uint32(0))
    with context.module_context.context, ir.Location.unknown():
        type_of_number = ir.RankedTensorType.get((), ir.IntegerType.get_unsigned(32))
        number = ir.Operation.create("stablehlo.partition_id", results=[type_of_number]).result
    inner = context.replace(avals_in=[aval], avals_out=[aval.update(shape=(1,), dtype=jnp.int32)])
    return mlir.lower_fun(as_array, multiple_results=False)(inner, number)[0]


def _of_call(operands: int, results: int, aliases: Mapping[int, int]) -> dict[str, Any]:
    given: dict[str, Any] = {ffi.ARRAYS: (operands, results)}
    return given | ({ffi.ALIASES: sorted(aliases.items())} if aliases else {})


def _passed(aval: Any) -> Any:
    """Return the type that an array is passed as: all its elements, in row-major order."""
    dtype = _PASSED_AS.get(str(aval.dtype), aval.dtype)
    return aval.update(shape=(prod(aval.shape),), dtype=jnp.dtype(dtype))


def _cast(context: Any, nodes: Sequence[Any], given: list[Any], wanted: list[Any]) -> Sequence[Any]:
    """Add conversions of arrays from types to others."""
    if given == wanted:
        return nodes

    def convert(*arrays: jax.Array) -> list[jax.Array]:
        return [
            array.astype(aval.dtype).reshape(aval.shape)
            for array, aval in zip(arrays, wanted, strict=True)
        ]

    inner = context.replace(avals_in=given, avals_out=wanted)
    return mlir.lower_fun(convert, multiple_results=True)(inner, *nodes)
