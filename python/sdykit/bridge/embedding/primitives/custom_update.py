"""A user's own update rule: traced by JAX, and carried by the spec as StableHLO."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp

from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.optimizers import Custom
from sdykit.sparsecore.tile.rules.stablehlo import Signature, check_row_function
from sdykit.sparsecore.tile.spec import CustomUpdateSpec


def custom_spec(optimizer: Custom, fields: dict[str, Any]) -> CustomUpdateSpec:
    """Return the spec of a user's update.

    Raises:
        BridgeError: its function does not return table and slots of the shapes of its arguments.
    """
    signature = Signature(
        tuple(optimizer.slots), tuple(optimizer.hyperparameters(0)), optimizer.row_slots
    )
    text = _kept(optimizer.update, fields.get("width") or fields["dim"], signature)
    return CustomUpdateSpec(stablehlo=text, **dataclasses.asdict(signature), **fields)


@cache
def _kept(update: Callable[..., Any], dim: int, signature: Signature) -> str:
    return update_text(update, dim, signature)


def update_text(update: Callable[..., Any], dim: int, signature: Signature) -> str:
    """Return the StableHLO module of an update of a row.

    Args:
        update: a function of gradient, table, slots and hyperparameters, float32 `[1, dim]`, which
            returns table and slots; slots with one number for each row are `[1, 1]`.
        dim: the number of elements of a row.
        signature: the slots and hyperparameters.

    Returns:
        The text of the module.

    Raises:
        BridgeError: it does not return table and slots of the shapes of its arguments.
        SparseCoreError: an op is neither element-wise nor a reduction over the row; the text begins
            with its file and line.
    """
    shapes = [(1, 1 if is_single else dim) for is_single in signature.single_arguments]
    wanted = [(1, 1 if is_single else dim) for is_single in signature.single_results]

    def traced(*values: jax.Array) -> tuple[jax.Array, ...]:
        try:
            found = update(*values)
        except Exception as error:
            error.add_note("while JAX traced the update of optimizer custom")
            raise
        results = tuple(found) if isinstance(found, tuple | list) else (found,)
        _check_results(results, wanted)
        return results

    # Rows are independent of the mesh that the call is traced under.
    with jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((), ())):
        rows = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
        lowered = jax.jit(traced, keep_unused=True).lower(*rows)
    check_row_function(lowered.as_text(debug_info=True), signature, dim)
    return str(lowered.compiler_ir("stablehlo"))


def _check_results(results: Sequence[Any], wanted: Sequence[tuple[int, int]]) -> None:
    """Check the shapes and dtypes of the results of an update."""
    shapes = [(jnp.shape(each), jnp.result_type(each)) for each in results]
    if shapes == [(shape, jnp.dtype(jnp.float32)) for shape in wanted]:
        return
    shown = ", ".join(f"{dtype}[{','.join(map(str, shape))}]" for shape, dtype in shapes)
    expected = f"each float32[{','.join(map(str, wanted[0]))}]"
    if len(set(wanted)) > 1:
        expected = ", ".join(f"float32[{','.join(map(str, shape))}]" for shape in wanted)
    raise BridgeError(
        f"optimizer custom: update returns {shown}; expected table and {len(wanted) - 1} slots, "
        f"{expected}"
    )
