"""From the spec of a call to its kernel; each is compiled once in a process."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

from sdykit.bridge._native import Kernel
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.kernels.directory import cache_bytes, cache_directory
from sdykit.bridge.kernels.specs import (
    ALIASES,
    ARRAYS,
    COUNTERS,
    RETURNS_STATUS,
    WHERE,
    Spec,
    check_spec,
    compile_kind,
    read_aliases,
    read_arrays,
    read_where,
)

if TYPE_CHECKING:
    from sdykit.sparsecore.codegen import Program

_kernels: dict[str, Kernel] = {}
_counting: list[tuple[Spec, Program, Kernel]] = []
_lock = threading.Lock()


def compile_spec(text: str) -> Kernel:
    """Compile the program of a spec, or find it compiled.

    Args:
        text: JSON, as the compiled program of XLA carries it.

    Returns:
        The kernel; the same for the same text within a process.

    Raises:
        BridgeError: the spec cannot be understood.
        CodegenError: the program cannot be compiled; the text says where.
    """
    with _lock:
        found = _kernels.get(text)
        if found is None:
            found = _kernels[text] = _compile(text)
    return found


def _compile(text: str) -> Kernel:
    try:
        spec = json.loads(text)
    except ValueError as error:
        raise BridgeError(f"spec is not JSON: {error}") from None
    if not isinstance(spec, dict):
        raise BridgeError(f"spec is {text}; expected an object")
    check_spec(spec)
    arrays, aliases = read_arrays(spec.pop(ARRAYS, None)), read_aliases(spec.pop(ALIASES, []))
    returns_status = spec.pop(RETURNS_STATUS, False) is True
    where = read_where(spec.pop(WHERE, ""))
    # Programs that have been compiled already need none of this.
    from sdykit.bridge.kernels.build import build
    from sdykit.sparsecore.codegen import ObjectCache

    directory = cache_directory()
    cache = None if directory is None else ObjectCache(directory, cache_bytes())
    program = compile_kind(spec, cache)
    counters = _counters(spec, program)
    kernel = build(
        program, arrays, aliases, counters=counters, returns_status=returns_status, where=where
    )
    if counters is not None:
        _counting.append((spec, program, kernel))
    return kernel


def counting() -> list[tuple[Spec, Program, Kernel]]:
    """Give the programs of this process that count what they do, with their specs."""
    with _lock:
        return list(_counting)


def _counters(spec: Spec, program: Program) -> int | None:
    """Find the argument in which a program counts."""
    if spec.get(COUNTERS) is not True:
        return None
    names = [argument.name for argument in program.interface.arguments]
    return names.index(COUNTERS)
