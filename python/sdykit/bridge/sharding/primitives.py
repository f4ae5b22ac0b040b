"""The JAX primitives of `sharding_api`: how they are traced, transformed and lowered."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import jax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching
from jax.interpreters import mlir as jax_mlir

from sdykit.bridge.sharding.text import TensorSharding
from sdykit.mlir import ir

_group_numbers = itertools.count(1 << 32)  # Far from the numbers that JAX uses for shard_alike.


def bind_constraint(x: jax.Array, sharding: TensorSharding, *, attached: bool) -> jax.Array:
    """Add a `sdy.sharding_constraint` of `x`; return its result, or `x` itself if `attached`."""
    return _constraint.bind(x, sharding=sharding, attached=attached)


def bind_group(arrays: Sequence[jax.Array]) -> list[jax.Array]:
    """Add a `sdy.sharding_group` to each array, all with one new number; return the arrays."""
    return _group.bind(*arrays, number=next(_group_numbers))


_constraint = Primitive("sdy_sharding_constraint")
_constraint.def_impl(lambda x, **_: x)
_constraint.def_abstract_eval(lambda x, **_: x)
ad.deflinear2(_constraint, lambda cotangent, _, **params: [_constraint.bind(cotangent, **params)])

_group = Primitive("sdy_sharding_group")
_group.multiple_results = True
_group.def_impl(lambda *arrays, **_: list(arrays))
_group.def_abstract_eval(lambda *arrays, **_: list(arrays))


def _transpose_group(cotangents: Sequence[Any], *, number: int) -> list[Any]:
    """Put the cotangents into the group, but for those known to be zero, which have no array."""
    present = [at for at, cotangent in enumerate(cotangents) if type(cotangent) is not ad.Zero]
    result = list(cotangents)
    grouped = _group.bind(*(cotangents[at] for at in present), number=number)
    for at, value in zip(present, grouped, strict=True):
        result[at] = value
    return result


ad.deflinear(_group, _transpose_group)


def _batch_constraint(
    args: Sequence[Any], dims: Sequence[int], *, sharding: TensorSharding, attached: bool
) -> tuple[Any, int]:
    (x,), (at,) = args, dims
    return _constraint.bind(x, sharding=sharding.with_open_dim(at), attached=attached), at


def _batch_group(
    args: Sequence[Any], dims: Sequence[int | None], *, number: int
) -> tuple[list[Any], list[int]]:
    size = next(array.shape[at] for array, at in zip(args, dims, strict=True) if at is not None)
    moved = [batching.bdim_at_front(array, at, size) for array, at in zip(args, dims, strict=True)]
    return _group.bind(*moved, number=number), [0] * len(moved)


batching.primitive_batchers[_constraint] = _batch_constraint
batching.primitive_batchers[_group] = _batch_group


def _lower_constraint(
    _: Any, x: ir.Value, *, sharding: TensorSharding, attached: bool
) -> list[ir.Value]:
    # JAX lifts the inlined mesh to a symbol when the module is complete.
    attributes = {"sharding": ir.Attribute.parse(sharding.inlined)}
    constraint = ir.Operation.create("sdy.sharding_constraint", [x.type], [x], attributes)
    return [x if attached else constraint.result]


def _lower_group(_: Any, *values: ir.Value, number: int) -> tuple[ir.Value, ...]:
    group_id = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
    for value in values:
        ir.Operation.create("sdy.sharding_group", [], [value], {"group_id": group_id})
    return values


jax_mlir.register_lowering(_constraint, _lower_constraint)
jax_mlir.register_lowering(_group, _lower_group)
