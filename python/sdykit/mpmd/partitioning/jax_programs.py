"""From a JAX function to an MPMD program: fragments on meshes, and transfers between them.

    @named_computation("f1")
    def first(w, x): ...

    @named_computation("f2")
    def second(w, x): ...

    def model(w1, w2, x):
        return second(w2, first(w1, x))

    topology = {"m1": {"x": 2}, "m2": {"x": 2}}
    text = from_jax(model, w1, w2, x, topology=topology, assignment={"f1": "m1", "f2": "m2"})

The text is what `-mpmd-export-pipeline` takes in, and what `interpret` runs.
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

# Locations name the user's code, not the functions here that stand in between.
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
    """Make a function a part of an MPMD program, which `from_jax` assigns to a mesh.

    Elsewhere the function does what it did: JAX treats it as jitted. Its gradient is a part of
    the same name. It may be used several times, but not within another part, nor within a
    `jax.lax` loop or branch.

    Args:
        name: what assignments and the origins of fragments call it.

    Raises:
        PartitionError: the name is no text, or empty.
    """
    if not isinstance(name, str) or not name:
        raise PartitionError(
            "named_computation(name): expected a name such as"
            f" @named_computation('stage1'), found {name!r}"
        )
    return lambda fn: _marked(named_parts.NAMED_COMPUTATION, name, fn)


def call(fn: Function) -> Function:
    """Make a function one that the program runs once for each microbatch.

    Its calls are counted in order, and the fragments inside carry the number as
    `call_counter`: schedules other than `none` order fragments by it. To be used around
    named computations: forward and backward pass of one microbatch, say.
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
    computation, merges what stands between them into fragments, adds transfers, propagates
    shardings and cleans up. What comes out is what `-mpmd-export-pipeline` takes in.

    Args:
        fn: a function of arrays, jitted or not, made of functions marked by
            `named_computation`; a training step with its `jax.grad` too.
        *args: arrays, `jax.ShapeDtypeStruct`s, numbers, or trees of them. The arguments and
            results of the program are their leaves in order.
        topology: the axes of each mesh with their sizes: `{"m1": {"x": 2}, "m2": {"x": 2}}`.
            A mesh named `m1/cpu` is that of the hosts of `m1`.
        assignment: for each named computation its mesh, or mesh and stage:
            `{"f1": "m1", "f2": ("m2", 1)}`.
        in_shardings: for each argument, or part of its tree, a `PartitionSpec` over the axes
            of the meshes, sdy's text, or None, as `sdykit.bridge.from_jax.lower` takes them.
            All meshes must have the same axes.
        out_shardings: the same for the results.
        in_meshes: for each argument, or part of its tree, the mesh it is on, such as `"m1"`,
            with a memory kind `"m1#pinned_host"`; None: the mesh that first uses it.
        out_meshes: the same for the results; None: the mesh that makes it.
        donate_argnums: the arguments whose buffers the program may use up, beside those that a
            jitted `fn` donates.
        schedule: the order of the fragments of several microbatches (see `call`), by name.
        remat: compute forward fragments again before their backward fragments.
        split_backward: compute what a backward fragment sends to another mesh first, in a
            fragment of its own.
        debuginfo: write locations.
        platform: the platform lowered for; some library functions differ.

    Raises:
        PartitionError: a mesh, function, argument or schedule is unknown, a function is not
            assigned, or the partitioner refuses the program. The text names it.
        BridgeError: see `lower`.
        ValueError, TypeError, RuntimeError: what JAX finds wrong in `fn`, in its words.
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
        _around(fn),
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


def _around(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that uses `fn`, if it is a part itself: only calls are parts."""
    if not named_parts.is_marked(fn):
        return fn

    def program(*args: Any) -> Any:
        return fn(*args)

    return program


def _check_arguments(module: ir.Module, leaves: int) -> None:
    """See that the module has all arguments: those of a jitted function may be left out.

    Raises:
        PartitionError: it has not.
    """
    count = len(named_parts.body_of_main(module).arguments)
    if count != leaves:
        raise PartitionError(
            f"fn: expected a program with {leaves} arguments, one for each array, found {count};"
            " write jax.jit(..., keep_unused=True), or pass the plain function, and leave out"
            " ordered effects"
        )


def _make_parts(module: ir.Module, assigned: Mapping[str, Any]) -> None:
    """Make the module's parts ops of mpmd, and see that they are those that are assigned.

    Raises:
        PartitionError: they are not.
    """
    found = named_parts.name_parts(module)
    if not found:
        raise PartitionError(
            "fn uses no named computation; mark the functions that it is made of with"
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
