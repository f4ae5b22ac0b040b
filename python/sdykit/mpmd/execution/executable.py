"""Run an MPMD program: `Executable` for many runs, `run` for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from sdykit.bridge.host_devices import warn_of_few_threads
from sdykit.core import Diagnostic, capture, run_pipeline
from sdykit.core.mpmd.program import FRAGMENT
from sdykit.errors import PassFailure
from sdykit.mlir import ir, make_context
from sdykit.mpmd.errors import ExecutionError, fail_at
from sdykit.mpmd.execution.devices import Devices
from sdykit.mpmd.execution.loops import FOR, unroll_loops
from sdykit.mpmd.execution.moving import is_placed, place
from sdykit.mpmd.execution.plan import plan_of
from sdykit.mpmd.execution.steps import Argument
from sdykit.mpmd.execution.workers import Span, Workers
from sdykit.mpmd.program import Program, body_of, program_of, topology_of
from sdykit.mpmd.tensors import as_numpy
from sdykit.plurals import counted

_EXPORT = "mpmd-export-pipeline"


class Executable:
    """An MPMD program that is compiled for CPU devices: call it with the inputs.

        step = Executable(text)
        for batch in batches:
            *weights, loss = step([*weights, batch])

    XLA compiles each fragment for the devices of its mesh. A thread for each mesh runs its fragments
    in program order, and one its incoming transfers, so that fragments of different meshes
    overlap. `jax.buffer_donor` and `tf.aliasing_output` are honoured: an input that the function
    marks is deleted by the run if it is an array of JAX. So are the memory kinds `device`,
    `pinned_host` and `unpinned_host`. Layouts and reserved bytes have no meaning on CPUs.
    """

    def __init__(
        self,
        module: ir.Module | str,
        function: str = "main",
        *,
        devices: Devices | None = None,
    ) -> None:
        """Compile a program.

        Args:
            module: the program, or its text: fragment calls and transfers. Loops (`mpmd.for`) are
                unrolled first, and one with fragments is exported, by `mpmd-export-pipeline`. It is
                not changed.
            function: the name of the function to run, which must have a `topology`.
            devices: for each mesh its CPU devices, or a `jax.sharding.Mesh` with them, in the
                order of its elements; None takes `jax.devices("cpu")` in the order of the topology.
                The mesh `m/cpu` has the devices of `m` if it has none of its own. Meshes that
                share devices take turns.

        Raises:
            ExecutionError: the program is invalid, there are too few devices, `devices` does not
                fit the topology, an op cannot be run, a value that a fragment consumes is used
                again, or XLA rejects a fragment.
        """
        program = program_of(_exported(module, function))
        func = program.function(function)
        topology = topology_of(func)
        if topology is None:
            fail_at(func, f"function @{function} has no topology, so it is not an MPMD program")
        self._module = program.module
        self._name = function
        self._plan = plan_of(program, func, topology, devices)
        self._workers = Workers(self._plan)
        warn_of_few_threads()

    @property
    def module(self) -> ir.Module:
        """The exported program, whose ops the steps of `Span`s number."""
        return self._module

    @property
    def arguments(self) -> tuple[jax.ShapeDtypeStruct, ...]:
        """The shape, dtype and sharding of each argument; inputs with it are not copied."""
        return tuple(
            jax.ShapeDtypeStruct(each.expected.shape, each.expected.dtype, sharding=each.sharding)
            for each in self._plan.arguments
        )

    def __call__(self, inputs: Sequence[Any]) -> list[jax.Array]:
        """Run the program, and return its results: arrays on the devices of their meshes.

        Args:
            inputs: an array, of numpy or JAX, for each argument of the function, of its global
                shape and dtype.

        Raises:
            ExecutionError: the inputs do not fit, or XLA fails.
        """
        return self.timed(inputs)[0]

    def timed(self, inputs: Sequence[Any]) -> tuple[list[jax.Array], list[Span]]:
        """Run the program, and return its results, and when each step ran.

        Raises:
            ExecutionError: see above.
        """
        arrays = self._placed(inputs)
        results, spans = self._workers.run(arrays)
        for number, (argument, array) in enumerate(zip(self._plan.arguments, arrays, strict=True)):
            # Also those that no fragment consumes, so that a caller can rely on it.
            if argument.is_consumed and number not in self._plan.results:
                array.delete()
        return results, spans

    def _placed(self, inputs: Sequence[Any]) -> list[jax.Array]:
        """Return the inputs where the program expects them; donated ones are deleted elsewhere."""
        arguments = self._plan.arguments
        if len(inputs) != len(arguments):
            takes = counted(len(arguments), "argument")
            raise ExecutionError(f"@{self._name} takes {takes}, found {len(inputs)}")
        arrays = [
            _checked(argument, value) for argument, value in zip(arguments, inputs, strict=True)
        ]
        _check_donated_once(arguments, arrays)
        placed = []
        for argument, array in zip(arguments, arrays, strict=True):
            if isinstance(array, jax.Array) and is_placed(array, argument.sharding):
                placed.append(array)
                continue
            placed.append(place(array, argument.sharding))
        jax.block_until_ready(placed)
        for argument, array, own in zip(arguments, arrays, placed, strict=True):
            if argument.is_consumed and isinstance(array, jax.Array) and array is not own:
                array.delete()
        return placed


def run(
    module: ir.Module | str,
    inputs: Sequence[Any],
    function: str = "main",
    *,
    devices: Devices | None = None,
) -> list[jax.Array]:
    """Compile an MPMD program, run it once on CPU devices, and return its results.

    To run it more than once, make an `Executable`.

    Args:
        module: see `Executable`.
        inputs: an array, of numpy or JAX, for each argument of the function.
        function: the name of the function to run.
        devices: see `Executable`.

    Returns:
        The results: arrays on the devices of their meshes.

    Raises:
        ExecutionError: see `Executable`; or the inputs do not fit.
    """
    return Executable(module, function, devices=devices)(inputs)


def _exported(module: ir.Module | str, function: str) -> ir.Module:
    """Return the program with fragment calls and without loops: as it is, or a copy."""
    program = program_of(module)
    names = _names(program, function)
    if FRAGMENT not in names and FOR not in names:
        return program.module
    text = program.module.operation.get_asm(enable_debug_info=True)
    allow = program.module.context.allow_unregistered_dialects
    copy = program_of(ir.Module.parse(str(text), make_context(allow_unregistered_dialects=allow)))
    with copy.module.context:
        unroll_loops(body_of(copy.function(function)))
        if FRAGMENT in _names(copy, function):
            _export(copy.module)
    return copy.module


def _names(program: Program, function: str) -> set[str]:
    """Return the names of the ops of a function."""
    return {view.operation.name for view in body_of(program.function(function)).operations}


def _export(module: ir.Module) -> None:
    found: list[Diagnostic] = []
    with capture(module.context, found.append):
        try:
            run_pipeline(module, _EXPORT)
        except PassFailure:
            errors = [str(each) for each in found if each.severity.value == "error"]
            raise ExecutionError("\n".join(errors) or f"{_EXPORT} fails") from None


def _checked(argument: Argument, value: Any) -> Any:
    """Return an input as an array of JAX or numpy, of the expected shape and dtype."""
    what = argument.expected.what
    if not isinstance(value, jax.Array):
        value = as_numpy(what, value)
    argument.expected.check(value)
    if isinstance(value, jax.Array) and value.is_deleted():
        raise ExecutionError(
            f"{what} has been deleted: a run consumes the inputs that the function marks with"
            " jax.buffer_donor or tf.aliasing_output; pass a result of that run, or a copy"
        )
    return value


def _check_donated_once(arguments: Sequence[Argument], arrays: Sequence[Any]) -> None:
    """Check that no array is passed twice of which the program may consume one."""
    first: dict[int, Argument] = {}
    for argument, array in zip(arguments, arrays, strict=True):
        other = first.setdefault(id(array), argument)
        if other is argument or not isinstance(array, jax.Array):
            continue
        if argument.is_consumed or other.is_consumed:
            raise ExecutionError(
                f"{argument.expected.what} and {other.expected.what} are the same array, which the"
                " function consumes; pass a copy as one of them"
            )
