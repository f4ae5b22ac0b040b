"""From the spec of a call to its kernel. Each is compiled once in a process."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdykit.bridge._native import Kernel
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.kernels.directory import cache_bytes, cache_directory
from sdykit.bridge.kernels.in_python import DescribedProgram, PythonProgram
from sdykit.bridge.kernels.specs import (
    COUNTERS,
    SCOPE_TIMES,
    Call,
    Compiled,
    Spec,
    check_spec,
    compile_kind,
    split_spec,
)

if TYPE_CHECKING:
    from sdykit.sparsecore.codegen import Program
    from sdykit.sparsecore.codegen.compiler import Origin

_kernels: dict[str, Kernel] = {}
_counting: list[tuple[Spec, Program | None, Kernel]] = []
_compilations: list[Compilation] = []
_lock = threading.Lock()


@dataclass(frozen=True, eq=False)
class Compilation:
    """A kernel that this process has made.

    Attributes:
        spec: the spec of its program.
        call: the call that it was made for.
        program: the compiled program; None: the kernel is a function of Python.
        kernel: the kernel.
        start: when that began, in nanoseconds of `time.perf_counter_ns`.
        seconds: how long it took.
        origin: where the machine code came from.
    """

    spec: Spec
    call: Call
    program: Program | None
    kernel: Kernel
    start: int
    seconds: float
    origin: Origin


def compile_spec(text: str) -> Kernel:
    """Return the kernel of a spec, compiled now or before.

    Args:
        text: the spec as JSON, as the compiled program of XLA carries it.

    Returns:
        The kernel, the same one for the same text within a process.

    Raises:
        BridgeError: the spec is not JSON, or a field of it is unknown or wrong.
        CodegenError: the program cannot be compiled; the text says where.
    """
    with _lock:
        found = _kernels.get(text)
        if found is None:
            found = _kernels[text] = _compile(text)
    return found


def _compile(text: str) -> Kernel:
    try:
        fields = json.loads(text)
    except ValueError as error:
        raise BridgeError(f"spec: it is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise BridgeError(f"spec: it is {text}; expected an object")
    check_spec(fields)
    spec, call = split_spec(fields)
    # Programs that have been compiled already need none of this.
    from sdykit.bridge.kernels.build import build
    from sdykit.sparsecore.codegen import ObjectCache
    from sdykit.sparsecore.codegen.compiler import last_origin

    start = time.perf_counter_ns()
    directory = cache_directory()
    cache = None if directory is None else ObjectCache(directory, cache_bytes())
    compiled = compile_kind(spec, cache)
    program = _program_of(compiled)
    counters, scope_times = (_own(spec, program, name) for name in (COUNTERS, SCOPE_TIMES))
    kernel = build(compiled, call, counters, scope_times)
    seconds = (time.perf_counter_ns() - start) / 1e9
    _compilations.append(Compilation(spec, call, program, kernel, start, seconds, last_origin()))
    if spec.get(COUNTERS) is True:
        _counting.append((spec, program, kernel))
    return kernel


def counting() -> list[tuple[Spec, Program | None, Kernel]]:
    """Return the specs, programs and kernels of this process whose specs ask for counters.

    There is no program of a kernel that is a function of Python.
    """
    with _lock:
        return list(_counting)


def compilations() -> list[Compilation]:
    """Return the kernels of this process, in the order in which they were made."""
    with _lock:
        return list(_compilations)


def _program_of(compiled: Compiled) -> Program | None:
    if isinstance(compiled, PythonProgram):
        return None
    return compiled.program if isinstance(compiled, DescribedProgram) else compiled


def _own(spec: Spec, program: Program | None, name: str) -> int | None:
    """Return the number of the argument in which a program counts, or notes times; None: there is none."""
    if program is None or spec.get(COUNTERS) is not True:
        return None
    names = [argument.name for argument in program.interface.arguments]
    return names.index(name) if name in names else None
