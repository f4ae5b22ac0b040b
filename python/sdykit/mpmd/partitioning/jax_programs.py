"""Make an MPMD program of a JAX function: fragments on meshes, and transfers between them.

    @named_computation("f1")
    def first(w, x): ...

    @named_computation("f2")
    def second(w, x): ...

    def model(w1, w2, x):
        return second(w2, first(w1, x))

    topology = {"m1": {"x": 2}, "m2": {"x": 2}}
    text = from_jax(model, w1, w2, x, topology=topology, assignment={"f1": "m1", "f2": "m2"})

The text is the input of `-mpmd-export-pipeline` and of `interpret`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import jax
from jax.extend import source_info_util

from sdykit.bridge.from_jax import lower
from sdykit.core.diagnostics import file_location
from sdykit.mlir import ir, make_context
from sdykit.mpmd.errors import PartitionError
from sdykit.mpmd.partitioning import named_parts
from sdykit.mpmd.partitioning.child import partition
from sdykit.mpmd.partitioning.partitioner import Request
from sdykit.mpmd.partitioning.placement import (
    Assignment,
    Topology,
    check_assignment,
    check_topology,
    did_you_mean,
    donated_leaves,
    mesh_of_specs,
    places_of_leaves,
)

# Locations name the user's code, not the functions of this package between its frames.
source_info_util.register_exclusion(str(Path(__file__).parent))

Schedule = Literal[
    "none",
    "1F1B",
    "GPipe",
    "Circular",
    "CircularWithReversedBackward",
    "ZeroBubbleH1",
    "ZeroBubbleH2ZeroTxLatency",
    "ZeroBubbleH2HalfTxLatency",
    "ZeroBubbleH2FullTxLatency",
]
"""The order of forward and backward fragments of several microbatches on a mesh."""

Function = TypeVar("Function", bound=Callable[..., Any])


def named_computation(name: str) -> Callable[[Function], Function]:
    """Mark a function as a part of an MPMD program, which `from_jax` assigns to a mesh.

    Outside of `from_jax` the function behaves as before, as a jitted function. Its gradient is
    a part of the same name. It may be used several times, but not within another part, nor
    within a `jax.lax` loop or branch.

    Args:
        name: the name of the part in assignments and in the origins of fragments.

    Raises:
        PartitionError: the name is not a string, or empty.
    """
    if not isinstance(name, str) or not name:
        raise PartitionError(
            "named_computation(name): expected a name such as"
            f" @named_computation('stage1'), found {name!r}"
        )
    return lambda fn: _marked(named_parts.NAMED_COMPUTATION, name, fn)


def call(fn: Function) -> Function:
    """Mark a function that the program calls once for each microbatch.

    Its calls are numbered in order, and the fragments inside carry the number as
    `call_counter`: schedules other than `none` order fragments by it. The function contains
    named computations, for example the forward and backward pass of one microbatch.
    """
    return _marked(named_parts.CALL, getattr(fn, "__name__", "call"), fn)


def _marked(kind: str, name: str, fn: Function) -> Function:
    if not callable(fn):
        raise PartitionError(f"{kind}: expected a function, found {type(fn).__name__} {fn!r}")

    def part(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    functools.update_wrapper(part, fn, assigned=("__module__", "__doc__"), updated=())
    part.__name__ = part.__qualname__ = named_parts.marked_name(kind, name)
    return jax.jit(part)  # pyright: ignore[reportReturnType]


def from_jax(
    fn: Callable[..., Any],
    *args: Any,
    topology: Topology,
    assignment: Assignment,
    in_shardings: Any = None,
    out_shardings: Any = None,
    in_meshes: Any = None,
    out_meshes: Any = None,
    donate_argnums: int | Sequence[int] = (),
    schedule: Schedule = "none",
    remat: bool = False,
    split_backward: bool = False,
    debuginfo: bool = False,
    platform: str = "cpu",
) -> str:
    """Partition a JAX function over meshes, and return the text of the MPMD program.

    JAX lowers the function; jaxlib's C++ partitioner makes a fragment of each named
    computation, merges the ops between them into fragments, adds transfers, propagates
    shardings and cleans up. The result is the input of `-mpmd-export-pipeline`.

    Args:
        fn: a function of arrays, jitted or not, that calls functions marked by
            `named_computation`; it may be a training step that uses `jax.grad`.
        *args: arrays, `jax.ShapeDtypeStruct`s, numbers, or trees of them. The arguments and
            results of the program are the leaves in order.
        topology: the axes of each mesh with their sizes: `{"m1": {"x": 2}, "m2": {"x": 2}}`.
            The mesh `m1/cpu` is that of the hosts of `m1`.
        assignment: for each named computation its mesh, or its mesh and stage:
            `{"f1": "m1", "f2": ("m2", 1)}`.
        in_shardings: for each argument, or part of its tree, a `PartitionSpec` over the axes
            of the meshes, the text of an sdy sharding, or None, as for
            `sdykit.bridge.from_jax.lower`. All meshes must have the same axes.
        out_shardings: the same for the results.
        in_meshes: for each argument, or part of its tree, the mesh it is on, such as `"m1"`,
            or mesh and memory kind, `"m1#pinned_host"`; None is the mesh that first uses it.
        out_meshes: the same for the results; None is the mesh that produces it.
        donate_argnums: the numbers of the arguments that the program may overwrite, besides
            those that a jitted `fn` donates.
        schedule: the name of the order of fragments of several microbatches (see `call`).
        remat: whether to compute forward fragments again before their backward fragments.
        split_backward: whether to compute the values that a backward fragment sends to another
            mesh first, in a fragment of their own.
        debuginfo: whether to print locations.
        platform: the platform to lower for; some library functions depend on it.

    Raises:
        PartitionError: a mesh, function, argument or schedule is unknown, a function is not
            assigned, or the partitioner rejects the program. The message names it.
        BridgeError: see `lower`.
        ValueError, TypeError, RuntimeError: an error of JAX in `fn`, with its message.
    """
    meshes = check_topology(topology)
    assigned = check_assignment(assignment, meshes)
    _check_schedule(schedule)
    if not callable(fn):
        raise PartitionError(f"fn: expected a function, found {type(fn).__name__} {fn!r}")
    donated = donated_leaves(donate_argnums, args)
    inputs = places_of_leaves("in_meshes", in_meshes, args, meshes)
    results = {}
    if out_meshes is not None:
        made = jax.eval_shape(fn, *args)
        results = places_of_leaves("out_meshes", out_meshes, made, meshes)
    text = lower(
        _caller_of(fn),
        *args,
        in_shardings=in_shardings,
        out_shardings=out_shardings,
        mesh=mesh_of_specs(meshes, needed=(in_shardings, out_shardings) != (None, None)),
        debuginfo=True,
        platform=platform,
    )
    module = ir.Module.parse(text, make_context())
    _check_arguments(module, len(jax.tree.leaves(args)))
    donated |= named_parts.marked_as_donated(module)
    _make_parts(module, assigned)
    request = Request(
        phases=(),
        meshes=meshes,
        donated=tuple(sorted(donated)),
        assignment=assigned,
        input_meshes=inputs,
        output_meshes=results,
        options={
            "mpmd_infer_transfers": True,
            "mpmd_pipeline_schedule": schedule,
            "mpmd_fragment_remat": bool(remat),
            "mpmd_split_bwd_fragments": bool(split_backward),
        },
    )
    named = str(module.operation.get_asm(enable_debug_info=True))
    partitioned = partition(named, request)
    return partitioned if debuginfo else str(ir.Module.parse(partitioned, make_context()))


def _caller_of(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls `fn` if `fn` itself is marked, since parts are calls."""
    if not named_parts.is_marked(fn):
        return fn

    def program(*args: Any) -> Any:
        return fn(*args)

    return program


def _check_arguments(module: ir.Module, leaves: int) -> None:
    """Check that the module has all arguments: JAX drops unused ones of a jitted function.

    Raises:
        PartitionError: their number differs.
    """
    count = len(named_parts.body_of_main(module).arguments)
    if count != leaves:
        raise PartitionError(
            f"fn: expected a program with {leaves} arguments, one for each array, found {count};"
            " write jax.jit(..., keep_unused=True), or pass the plain function, and leave out"
            " ordered effects"
        )


def _make_parts(module: ir.Module, assigned: Mapping[str, Any]) -> None:
    """Rewrite the parts of the module as `mpmd` ops, and check that exactly these are assigned.

    Raises:
        PartitionError: a part is not assigned, or an assigned part does not occur.
    """
    found = named_parts.name_parts(module)
    if not found:
        raise PartitionError(
            "fn uses no named computation; mark the functions that are its parts with"
            " @named_computation(...)"
        )
    missing = [name for name in assigned if name not in found]
    if missing:
        raise PartitionError(
            f"assignment: fn uses no named computation {missing[0]!r}, only"
            f" {', '.join(map(repr, found))} (JAX leaves out what no result depends on)"
            f"{did_you_mean(missing[0], found)}"
        )
    for name, location in found.items():
        if name not in assigned:
            place = file_location(location)
            raise PartitionError(
                f"{f'{place}: error: ' if place else ''}named computation {name!r} has no mesh;"
                f" expected an entry {name!r} in assignment, which has"
                f" {', '.join(map(repr, assigned)) or 'none'}"
            )


def _check_schedule(schedule: object) -> None:
    known = get_args(Schedule)
    if schedule not in known:
        raise PartitionError(
            f"schedule: there is no {schedule!r}, only {', '.join(known)}"
            f"{did_you_mean(schedule, known)}"
        )
