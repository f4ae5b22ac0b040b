"""Work of SparseCores beside that of the TensorCore, in one program."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.extend import core
from jax.sharding import PartitionSpec

from sdykit.bridge.embedding.layer.placement import Place
from sdykit.bridge.embedding.primitives.source import asynchronously
from sdykit.bridge.pipelining.halves import Halves, split
from sdykit.bridge.pipelining.ordering import after


def overlapped(
    place: Place,
    sparse_cores: Callable[..., Any],
    arguments: tuple[Any, ...],
    tensor_core: Callable[[Any], tuple[Any, Any]],
    activations: Any,
) -> tuple[Any, Any]:
    """Return `sparse_cores(*arguments)` and `tensor_core(activations)`, which run side by side.

    XLA executes operations as soon as their operands are computed, and a program that is asynchronous
    takes none of its threads. But XLA gives memory that one side has used to the other, which then
    waits for it. Therefore

    - the TensorCore's activations come after the operands of programs, and as many operations later
      as programs wait for each other: XLA orders operations by their distance from the arguments;
    - results of programs, and all of their memory, are in use until the gradients are computed. So
      the collectives of SparseCores that need these results come after those of the TensorCore.

    The results are the same without either.

    Args:
        place: the devices.
        sparse_cores: a function that runs programs, of a device's parts of `arguments`. It returns a
            pytree of arrays that are split over the devices.
        arguments: pytrees of arrays that are split over the devices, and of scalars.
        tensor_core: a function of whole arrays. It returns gradients, and anything else.
        activations: a pytree of arrays that are split over the devices.
    """
    flat, structure = jax.tree.flatten(arguments)
    traced: list[tuple[Halves, Any]] = []

    def start(*parts: jax.Array) -> list[jax.Array]:
        def run(*parts: jax.Array) -> Any:
            return sparse_cores(*jax.tree.unflatten(structure, parts))

        with asynchronously():
            jaxpr, shape = jax.make_jaxpr(run, return_shape=True)(*parts)
        halves = split(jaxpr)
        traced.append((halves, jax.tree.structure(shape)))
        made = core.jaxpr_as_fun(halves.first)(*parts)
        # What is split over devices has a first dimension.
        return [each if each.ndim else jax.lax.expand_dims(each, [0]) for each in made]

    made = _on_devices(place, start, flat)
    ((halves, result),) = traced
    awaited, held, operands, carried = _cut(made, (halves.awaited, halves.held, halves.operands))
    leaves, tree = jax.tree.flatten(activations)
    for _ in range(halves.depth):
        leaves = _on_devices(place, _delay(len(leaves)), [*leaves, *operands])
    gradients, rest = tensor_core(jax.tree.unflatten(tree, leaves))
    in_use = [*held, *operands, *jax.tree.leaves(gradients)]

    def finish(*parts: jax.Array) -> list[jax.Array]:
        ended, in_use, others = _cut(parts, sizes)
        given = [*after(ended, in_use), *others]
        expected = halves.second.in_avals
        return core.jaxpr_as_fun(halves.second)(
            *(jax.lax.reshape(x, like.shape) for x, like in zip(given, expected, strict=True))
        )

    sizes = (len(awaited), len(in_use))
    results = _on_devices(place, finish, [*awaited, *in_use, *carried, *flat])
    return jax.tree.unflatten(result, results), (gradients, rest)


def _delay(count: int) -> Callable[..., list[jax.Array]]:
    """Return a function that returns its first arguments when it has all of them."""
    return lambda *parts: after(parts[:count], parts[count:])


def _cut(values: Sequence[Any], sizes: Sequence[int]) -> list[list[Any]]:
    """Return slices of these sizes, and the rest."""
    ends = list(itertools.accumulate(sizes, initial=0))
    slices = [list(values[begin:end]) for begin, end in itertools.pairwise(ends)]
    return [*slices, list(values[ends[-1] :])]


def _on_devices(
    place: Place, function: Callable[..., list[jax.Array]], arrays: Sequence[jax.Array]
) -> list[jax.Array]:
    """Call a function with each device's parts of arrays; a scalar is the same on all devices."""
    if place.mesh is None:
        return function(*arrays)
    run = jax.shard_map(
        function,
        mesh=place.mesh,
        in_specs=tuple(place.spec if each.ndim else PartitionSpec() for each in arrays),
        out_specs=place.spec,
        axis_names=set(place.names),
        check_vma=False,
    )
    return run(*arrays)
