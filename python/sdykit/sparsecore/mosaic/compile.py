"""From the spec of a kernel to what runs it: the one place where an engine is chosen."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.extras import require_llvm
from sdykit.sparsecore.mosaic.kernel import Kernel, read_kernel
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.mosaic.types import dtype_of, memref_of

if TYPE_CHECKING:
    from sdykit.sparsecore.codegen import MachineSettings, ObjectCache, Program

Arrays = list[npt.NDArray[Any]]
Counts = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Counters, and times of scopes."""

_COMPILED = ("check", "fast")
"""The modes whose kernels are compiled."""


@dataclass(frozen=True, eq=False)
class CompiledKernel:
    """A kernel as a compiled program.

    Attributes:
        program: the program.
        describe: a function: the words of the status of a failed run -> the text of the error.
    """

    program: Program
    describe: Callable[[Sequence[int]], str]


@dataclass(frozen=True)
class Fallback:
    """A kernel that the reference runs, though its mode is one of compiled kernels.

    Attributes:
        kernel: the name of the kernel.
        reason: what cannot be compiled.
        place: the user's line, "kernel.py:12"; "" if it is no single one.
        count: how often it has happened.
    """

    kernel: str
    reason: str
    place: str
    count: int = 1


_MAX_FALLBACKS = 1000
"""How many different fallbacks are remembered; of more, the first ones are forgotten."""
_fallbacks: dict[tuple[str, str, str], int] = {}
_lock = threading.Lock()


def compile_mosaic(
    spec: MosaicSpec, cache: ObjectCache | None
) -> CompiledKernel | Callable[[Arrays], Counts | None]:
    """Return the compiled program of a kernel, or a function that runs it op by op.

    Args:
        spec: the kernel.
        cache: compiled programs that processes share; None: there is no place for them.

    Returns:
        A program, or a function. The arguments of both are the operands, then the results that alias
        none of them, each with all its elements in one dimension: int4 in a byte each. The function
        raises what the reference machine does, and returns the counters of a run and the times of its scopes,
        int64 `[agents, counters]` and `[agents, words]`, if the spec asks for them.

    Raises:
        SparseCoreError: the module is no kernel, or an op cannot run on a SparseCore.
        MissingExtra: the extra `sdykit[sparsecore]` is not installed.
    """
    if spec.mode in _COMPILED:
        from sdykit.sparsecore.mosaic.lowering import NotLowered

        try:
            found = _compiled(spec, cache)
            _check_inputs(spec, found.program)
            return found
        except NotLowered as error:
            _count_fallback(spec.name, error.reason, error.place)
    return _by_reference(spec)


def fallbacks() -> tuple[Fallback, ...]:
    """Return the kernels of this process that could not be compiled, in order, each once."""
    with _lock:
        return tuple(Fallback(*which, count) for which, count in _fallbacks.items())


def _count_fallback(kernel: str, reason: str, place: str) -> None:
    which = (kernel, reason, place)
    with _lock:
        _fallbacks[which] = _fallbacks.get(which, 0) + 1
        if len(_fallbacks) > _MAX_FALLBACKS:
            del _fallbacks[next(iter(_fallbacks))]


def _compiled(spec: MosaicSpec, cache: ObjectCache | None) -> CompiledKernel:
    require_llvm()
    from sdykit.sparsecore.mosaic.lowering import NotLowered
    from sdykit.sparsecore.mosaic.lowering.compile import compile_kernel

    if spec.out_of_bounds != "raise":
        raise NotLowered("reads out of bounds that are no errors")

    program = replace(compile_kernel(spec, cache=cache), settings=_settings(spec))
    return CompiledKernel(program, partial(_describe, spec, program))


def _check_inputs(spec: MosaicSpec, program: Program) -> None:
    """Check that a program writes to no operand that no result is aliased with.

    Raises:
        NotLowered: it may, and the reference says where, if it does.
    """
    from sdykit.sparsecore.mosaic.lowering import NotLowered

    aliased = {operand for operand, _ in spec.input_output_aliases}
    for number, argument in enumerate(program.interface.arguments[: spec.operands]):
        if argument.written and number not in aliased:
            raise NotLowered(f"a write to array {number}, an input that no result is aliased with")


def _settings(spec: MosaicSpec) -> MachineSettings:
    from sdykit.sparsecore.codegen.compiled import LOCKSTEP, SUBCORE, MachineSettings

    named = {"lockstep": LOCKSTEP, "subcore": SUBCORE}
    order = spec.order if isinstance(spec.order, int) else named[spec.order]
    races = ("off", "warn", "error").index(spec.races)
    return MachineSettings(order, races, checks=int(spec.mode == "check"))


def _describe(spec: MosaicSpec, program: Program, status: Sequence[int]) -> str:
    """Return the text of the error that a run of a program ended with; print what it warns of."""
    from sdykit.sparsecore.codegen import take_report, take_warnings
    from sdykit.sparsecore.mosaic.buffers import Buffers, names_of
    from sdykit.sparsecore.mosaic.lowering.memory_names import Memory
    from sdykit.sparsecore.mosaic.reports import decode

    kernel = read_kernel(spec.module, spec.name)
    buffers = Buffers(kernel)
    names = replace(names_of(kernel, buffers), places=program.interface.locations)
    memory = Memory(kernel, spec, buffers)

    def text_of(report: Sequence[int]) -> str:
        return memory.named(decode(report), names).text(names)

    for warning in take_warnings(status):
        sys.stderr.write(f"{text_of(warning)}\n")
    report = take_report(program.interface, status)
    return text_of(report) if report else ""


def _by_reference(spec: MosaicSpec) -> Callable[[Arrays], Counts | None]:
    # Kernels that have been compiled need none of this.
    from sdykit.sparsecore.mosaic.reference.run import prepare

    kernel = read_kernel(spec.module, spec.name)
    run = prepare(kernel, spec)

    def run_kernel(arrays: Arrays) -> Counts | None:
        own, device = _without_device(spec, arrays)
        return run(_arrays_of_functions(spec, kernel, own), device)

    return run_kernel


def _without_device(spec: MosaicSpec, arrays: Arrays) -> tuple[Arrays, int]:
    """Return the arrays of the kernel, and the number of the device: 0 if the kernel does not ask."""
    if not spec.passes_device:
        return arrays, 0
    own = [array for number, array in enumerate(arrays) if number != spec.operands]
    return own, int(arrays[spec.operands][0])


def _arrays_of_functions(spec: MosaicSpec, kernel: Kernel, arrays: Sequence[Any]) -> Arrays:
    """Return an array for each operand and result, with the shape and dtype of its memref.

    A result is the same array as the operand that it aliases.
    """
    memrefs = kernel.functions[0].arrays
    given = iter(arrays)
    found = [_as_elements(next(given), memref) for memref in memrefs[: spec.operands]]
    aliased = {result: operand for operand, result in spec.input_output_aliases}
    for number, memref in enumerate(memrefs[spec.operands :]):
        is_own = number not in aliased
        found.append(_as_elements(next(given), memref) if is_own else found[aliased[number]])
    return found


def _as_elements(array: npt.NDArray[Any], memref: Any) -> npt.NDArray[Any]:
    described = memref_of(memref.type)
    # All arrays are in HBM or semaphores, whose memrefs have no dynamic sizes.
    array = array.reshape([size or 0 for size in described.shape])
    if described.is_semaphore:
        # The counts of an operand are the caller's; the kernel changes its own.
        return array if array.flags.writeable else array.copy()
    return array.view(dtype_of(described.element))
