"""Calls of tile programs in JAX programs, compiled for this machine.

    from sdykit.bridge import ffi

    double, = ffi.call(text, [x], [jax.ShapeDtypeStruct(x.shape, x.dtype)])

The call works under `jax.jit`, `jax.lax.scan`, `jax.vmap` (one element after another) and
`jax.shard_map`, in exported and serialized programs, and from several threads. A program in
which it occurs carries the spec of the tile program, not its machine code: import this module
before you load one.
"""

from __future__ import annotations

import atexit
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import jax
import jax.numpy as jnp
from jax.extend import source_info_util
from jax.sharding import ManualAxisType, NamedSharding, PartitionSpec
from jax.typing import ArrayLike

from sdykit.bridge import _native
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.kernels.compile import compile_spec
from sdykit.bridge.kernels.in_python import describe_in_python, run_in_python
from sdykit.bridge.kernels.specs import (
    ALIASES,
    ARRAYS,
    FIGURES,
    OF_CALLS,
    RECORDED,
    RETURNS_STATUS,
    TABLE,
    VERSION,
    WHERE,
    WORKSPACES,
    Compiled,
    Spec,
    check_spec,
    register_kind,
)
from sdykit.core.sparsecore.names import TILE_MEMORY
from sdykit.sparsecore.extras import require_llvm
from sdykit.sparsecore.mosaic.spec import KIND

if TYPE_CHECKING:
    from sdykit.sparsecore.codegen import ObjectCache, Program

__all__ = ["TARGET", "call", "keep_freed_memory", "register_kind"]

# Locations name the code of the caller.
source_info_util.register_exclusion(__file__)

TARGET = "sdykit_sparsecore"
"""The target of the custom call in XLA's programs."""


def _compile_tile_program(spec: Spec, cache: ObjectCache | None) -> Program:
    program = spec.get("program")
    if not isinstance(program, str):
        found = "missing" if program is None else f"of type {type(program).__name__}"
        raise BridgeError(f"spec: 'program' is {found}; expected the text of a tile program")
    # Programs that are laid out for a chip: those of lookups and updates.
    if TILE_MEMORY in program:
        from sdykit.sparsecore.tile.compile import compile_printed

        return compile_printed(program, cache=cache)
    from sdykit.sparsecore.codegen import compile_module

    return compile_module(program, cache=cache)


def _compile_kernel(spec: Spec, cache: ObjectCache | None) -> Compiled:
    # Programs without kernels of users need none of this.
    from sdykit.bridge.pallas.compile import compile_kernel

    return compile_kernel(spec, cache)


register_kind("tile", _compile_tile_program)
register_kind(KIND, _compile_kernel)
_native.set_compiler(compile_spec)
_native.set_runner(run_in_python)
_native.set_describer(describe_in_python)
# Native code must not hold Python objects when Python ends.
atexit.register(_native.set_compiler, None)
atexit.register(_native.set_runner, None)
atexit.register(_native.set_describer, None)
jax.ffi.register_ffi_target(TARGET, _native.handlers(), platform="cpu")


def keep_freed_memory() -> bool:
    """Let the C library keep the memory of freed arrays of up to 1 GiB for new ones.

    Otherwise it takes the memory of each array of 32 MiB or more from the system, and every page
    of it is a page fault. Call it when the process starts: it holds for the whole process until
    its end, but threads that exist already allocate as before. Memory that the process has taken
    once is not returned to the system.

    Returns:
        Whether the C library does so; only glibc has the setting.
    """
    return _native.keep_freed_memory()


class Shaped(Protocol):
    """Anything with the shape and dtype of an array."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> Any: ...


def call(
    program: str | Spec,
    args: Sequence[ArrayLike],
    result_shapes: Sequence[Shaped],
    *,
    input_output_aliases: Mapping[int, int] | None = None,
    returns_status: bool = False,
    where: str = "",
    table: str = "",
    recorded: Sequence[ArrayLike] = (),
    figures: Mapping[str, Any] | None = None,
    workspaces: Sequence[Sequence[int]] = (),
    place: jax.Array | None = None,
) -> tuple[jax.Array, ...]:
    """Run a tile program on CPU devices.

    The arguments of the program are `args`, then the results that alias none of them, in
    order. When the program runs, the arrays that XLA passes are compared with them.

    Args:
        program: the MLIR text of a tile program, or a spec: a mapping with `version`, `kind` and
            the fields of the kind (see `register_kind`), all of it JSON.
        args: the operands. A program that writes to one that no result aliases is refused.
        result_shapes: the shape and dtype of each result, or arrays like them. A result that
            aliases no argument is uninitialized until the program writes it.
        input_output_aliases: the number of an argument -> the number of the result in the same
            buffer: the program reads the argument there and leaves the result there. An
            argument that is used after the call is copied first; a donated one is not.
        returns_status: whether the status of the program is returned as the last result instead
            of raised as an error: int32 `[16]`, the low and the high half of each of its words in
            turn. If it is not zero, all other results may be wrong.
        where: the prefix of the program's messages, such as the name of a table. Programs that
            differ in nothing else are compiled once.
        table: the name of the table or stack that the program is for, by which recordings know it; "":
            none.
        recorded: arrays that the program does not take. They are copied in each run that ends without
            an error, for `sdykit.bridge.kernels.compile.counting`.
        figures: if it is given, figures are computed from these arrays in each run, and kept instead of
            copies: see `sdykit.sparsecore.counts.records.plan_of`.
        workspaces: the sizes of the arguments that are workspaces of a program that runs once for
            several devices, in order. They are neither operands nor results.
        place: the first operand of such a program: the number of the group of devices, and that of the
            device in it, int32 `[2]`. Numbers of operands in `input_output_aliases` count it. Along axes
            of the mesh that only the place varies over, results are the same.

    Returns:
        The results. There is no gradient.

    Raises:
        BridgeError: the version or kind of the spec is unknown, or it is not JSON.
        MissingExtra: the extra `sdykit[sparsecore]` is not installed.
        ValueError: from JAX: an alias names no argument or result, or one of another shape or
            dtype.
        jax.errors.JaxRuntimeError: when the program is compiled or run: it is not a tile
            program, the arrays do not fit it, or it ended with an error; aliased arguments
            may then be partly changed. JAX raises ValueError instead if a jitted
            function has run before and the error is known when it returns.
    """
    require_llvm()
    aliases = dict(input_output_aliases or {})
    args = [*([] if place is None else [place]), *args, *recorded]
    optional = {
        ALIASES: sorted(aliases.items()),
        RETURNS_STATUS: returns_status,
        RECORDED: len(recorded),
        TABLE: table,
        FIGURES: figures,
        WORKSPACES: [list(each) for each in workspaces],
        WHERE: where,
    }
    given = {name: value for name, value in optional.items() if value}
    text = spec_text(program, {ARRAYS: (len(args), len(result_shapes)), **given})
    arrays, axes = _varying_alike([jnp.asarray(each) for each in args], place)
    status = [jax.ShapeDtypeStruct((16,), jnp.int32)] * returns_status
    shapes = [_varying(each, axes) for each in [*result_shapes, *status]]
    run = jax.ffi.ffi_call(TARGET, shapes, vmap_method="sequential", input_output_aliases=aliases)
    return tuple(run(*arrays, spec=text))


def spec_text(program: str | Spec, given: Spec) -> str:
    """Return the spec that a compiled program carries: equal ones have the same text.

    Args:
        program: the text of a tile program, or the fields of its spec.
        given: the fields of the call.

    Raises:
        BridgeError: the version or kind is unknown, the program has a field of calls, or it is not JSON.
    """
    spec = program
    if isinstance(spec, str):
        spec = {"version": VERSION, "kind": "tile", "program": spec}
    check_spec(spec)
    for name in OF_CALLS:
        if name in spec:
            raise BridgeError(
                f"spec: found {name!r}, which is a field of the call; expected a spec without it: the"
                " arguments of ffi.call set it"
            )
    complete = {**spec, **given}
    try:
        # One text for equal specs: it is the key of what is compiled.
        return json.dumps(complete, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise BridgeError(
            f"spec cannot be written as JSON: {error}; expected values that json.dumps takes"
        ) from None


def _varying_alike(
    arrays: list[jax.Array], place: jax.Array | None
) -> tuple[list[jax.Array], frozenset[Any]]:
    """Cast arrays to vary over all manual axes that any of them varies over.

    Args:
        arrays: the arrays, the first of which is the place if there is one.
        place: the place of the device, or None.

    Returns:
        The arrays, and the axes that any of them but the place varies over.
    """
    own = [jax.typeof(each).manual_axis_type.varying for each in arrays]
    axes = frozenset[Any]().union(*own)
    cast = [
        jax.lax.pcast(array, tuple(axes - varying), to="varying") if axes - varying else array
        for array, varying in zip(arrays, own, strict=True)
    ]
    return cast, frozenset[Any]().union(*own[place is not None :])


def _varying(shape: Shaped, axes: frozenset[Any]) -> jax.ShapeDtypeStruct:
    if not axes:
        return jax.ShapeDtypeStruct(shape.shape, shape.dtype)
    # A type that varies over axes needs the mesh that has them.
    mesh = jax.sharding.get_abstract_mesh()
    return jax.ShapeDtypeStruct(
        shape.shape,
        shape.dtype,
        sharding=NamedSharding(mesh, PartitionSpec()),
        manual_axis_type=ManualAxisType(varying=axes),
    )
