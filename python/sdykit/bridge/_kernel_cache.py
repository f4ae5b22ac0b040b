"""From the spec of a call to its kernel: programs by kind, and the caches of what is compiled."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sdykit.bridge._native import Kernel
from sdykit.bridge.sharding_api import BridgeError

VERSION = 1
"""Of the specs; one of another version is refused, since it may mean something else."""

ALIASES = "aliases"

Spec = Mapping[str, Any]

_programs: dict[str, Callable[[Spec], str]] = {}
_kernels: dict[str, Kernel] = {}
_lock = threading.Lock()


def register_kind(kind: str, program: Callable[[Spec], str]) -> None:
    """Say what the specs of a kind stand for.

    Args:
        kind: the value of `kind` in a spec.
        program: gives the MLIR text of the tile program that a spec stands for.

    Raises:
        BridgeError: the kind has another function already.
    """
    if _programs.setdefault(kind, program) is not program:
        raise BridgeError(f"kind {kind!r} of specs has a program already")


def check_spec(spec: Spec) -> None:
    """Find out whether the program of a spec can be told.

    Raises:
        BridgeError: its version or kind is not known.
    """
    if spec.get("version") != VERSION:
        raise BridgeError(f"spec: version is {spec.get('version')!r}; expected {VERSION}")
    if spec.get("kind") not in _programs:
        known = ", ".join(map(repr, sorted(_programs)))
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
    # Programs that have been compiled already need none of this.
    from sdykit.bridge._kernel_build import build

    program = _programs[spec["kind"]](spec)
    return build(program, _aliases(spec), cache_directory())


def _aliases(spec: Spec) -> list[tuple[int, int]]:
    found = spec.get(ALIASES, [])
    pairs = [
        each for each in found if isinstance(each, list) and list(map(type, each)) == [int] * 2
    ]
    if len(pairs) < len(found) or any(number < 0 for pair in pairs for number in pair):
        raise BridgeError(f"spec: {ALIASES} is {found}; expected pairs of an operand and a result")
    return [(operand, result) for operand, result in pairs]


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
        return None
