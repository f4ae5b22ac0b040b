"""From the spec of a call to its kernel: compilers by kind, and where compiled objects are kept."""

from __future__ import annotations

import functools
import json
import logging
import os
import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from sdykit.bridge._native import Kernel
from sdykit.bridge.sharding_api import BridgeError

if TYPE_CHECKING:
    from sdykit.sparsecore.codegen import ObjectCache, Program

DEFAULT_CACHE_BYTES = 1 << 30

VERSION = 1
"""Of the specs; one of another version is refused, since it may mean something else."""

ALIASES = "aliases"
ARRAYS = "arrays"
"""Numbers of operands and results of a call."""
RETURNS_STATUS = "returns_status"
WHERE = "where"
"""What messages begin with; programs that differ in nothing else are one."""
COUNTERS = "counters"
"""Field of a spec: whether its program counts what it does, in the argument of this name."""

Spec = Mapping[str, Any]
Compiler = Callable[[Spec, "ObjectCache | None"], "Program"]

_compilers: dict[str, Compiler] = {}
_kernels: dict[str, Kernel] = {}
_counting: list[tuple[Spec, Program, Kernel]] = []
_lock = threading.Lock()
_logger = logging.getLogger(__name__)


def register_kind(kind: str, compiler: Compiler) -> None:
    """Say what the specs of a kind stand for.

    Args:
        kind: the value of `kind` in a spec.
        compiler: compiles the tile program that a spec stands for, with what
            `sdykit.sparsecore.codegen` offers: `compile_module`, or `compile_source`, which
            makes a program only if it has to be compiled. It gets the spec, as it was given to
            the call, and the cache between processes. It may run on a thread of XLA's, whose
            `threading.local` ends with it.

    Raises:
        BridgeError: the kind has another compiler already.
    """
    if _compilers.setdefault(kind, compiler) is not compiler:
        raise BridgeError(f"kind {kind!r} of specs has a compiler already")


def check_spec(spec: Spec) -> None:
    """Find out whether the program of a spec can be told.

    Raises:
        BridgeError: its version or kind is not known.
    """
    if spec.get("version") != VERSION:
        raise BridgeError(f"spec: version is {spec.get('version')!r}; expected {VERSION}")
    if spec.get("kind") not in _compilers:
        known = ", ".join(map(repr, sorted(_compilers)))
        raise BridgeError(f"spec: kind is {spec.get('kind')!r}; known are {known}")


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
    arrays, aliases = _arrays(spec.pop(ARRAYS, None)), _aliases(spec.pop(ALIASES, []))
    returns_status = spec.pop(RETURNS_STATUS, False) is True
    where = _where(spec.pop(WHERE, ""))
    # Programs that have been compiled already need none of this.
    from sdykit.bridge._kernel_build import build
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


def compile_kind(spec: Spec, cache: ObjectCache | None) -> Program:
    """Compile the program of a spec whose kind is known."""
    return _compilers[spec["kind"]](spec, cache)


def _arrays(found: object) -> tuple[int, int]:
    if not _is_pair(found):
        raise BridgeError(f"spec: {ARRAYS} is {found}; expected numbers of operands and results")
    operands, results = found
    return operands, results


def _where(found: object) -> str:
    if not isinstance(found, str):
        raise BridgeError(f"spec: {WHERE} is {found}; expected a text")
    return found


def _aliases(found: object) -> list[tuple[int, int]]:
    if not isinstance(found, list) or not all(_is_pair(each) for each in found):
        raise BridgeError(f"spec: {ALIASES} is {found}; expected pairs of an operand and a result")
    return [(operand, result) for operand, result in found]


def _is_pair(found: object) -> TypeGuard[list[int]]:
    return (
        isinstance(found, list)
        and [type(number) for number in found] == [int, int]
        and all(number >= 0 for number in found)
    )


def cache_directory() -> Path | None:
    """Give the directory of compiled programs; None: there is no place for it.

    It is `objects` in `$SDYKIT_CACHE_DIR`, else in `$XDG_CACHE_HOME/sdykit`, else in
    `~/.cache/sdykit`.
    """
    own = os.environ.get("SDYKIT_CACHE_DIR")
    if own:
        return Path(own).absolute() / "objects"
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG base directory specification: a relative path is to be ignored.
    if Path(xdg).is_absolute():
        return Path(xdg) / "sdykit" / "objects"
    try:
        return Path.home() / ".cache" / "sdykit" / "objects"
    except RuntimeError:
        _warn_of_no_home()
        return None


@functools.cache  # Once a process.
def _warn_of_no_home() -> None:
    _logger.warning(
        "there is no home directory to keep compiled programs in; each process compiles those that "
        "it uses. SDYKIT_CACHE_DIR names a directory"
    )


def cache_bytes() -> int:
    """Return the bound of what is kept there: `$SDYKIT_CACHE_SIZE`, by default 1 GiB.

    Raises:
        BridgeError: it is no size.
    """
    text = os.environ.get("SDYKIT_CACHE_SIZE")
    if not text:
        return DEFAULT_CACHE_BYTES
    found = re.fullmatch(r"([0-9]+)([KMG]?)", text)
    if found is None:
        raise BridgeError(
            f"SDYKIT_CACHE_SIZE is {text!r}; expected bytes, or a number and K, M or G (of 1024)"
        )
    return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2]]
