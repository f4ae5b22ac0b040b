"""Specs of calls: what they hold, and what compiles the program of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

from sdykit.bridge.errors import BridgeError

if TYPE_CHECKING:
    from sdykit.sparsecore.codegen import ObjectCache, Program

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


def compile_kind(spec: Spec, cache: ObjectCache | None) -> Program:
    """Compile the program of a spec whose kind is known."""
    return _compilers[spec["kind"]](spec, cache)


def read_arrays(found: object) -> tuple[int, int]:
    """Return how many operands and results a call has, as its spec holds them under `ARRAYS`.

    Raises:
        BridgeError: they are no two numbers.
    """
    if not _is_pair(found):
        raise BridgeError(f"spec: {ARRAYS} is {found}; expected numbers of operands and results")
    operands, results = found
    return operands, results


def read_where(found: object) -> str:
    """Return what messages begin with, as the spec holds it under `WHERE`.

    Raises:
        BridgeError: it is no text.
    """
    if not isinstance(found, str):
        raise BridgeError(f"spec: {WHERE} is {found}; expected a text")
    return found


def read_aliases(found: object) -> list[tuple[int, int]]:
    """Return the pairs of an operand and the result in its buffer, which a spec has under `ALIASES`.

    Raises:
        BridgeError: they are no pairs of numbers.
    """
    if not isinstance(found, list) or not all(_is_pair(each) for each in found):
        raise BridgeError(f"spec: {ALIASES} is {found}; expected pairs of an operand and a result")
    return [(operand, result) for operand, result in found]


def _is_pair(found: object) -> TypeGuard[list[int]]:
    return (
        isinstance(found, list)
        and [type(number) for number in found] == [int, int]
        and all(number >= 0 for number in found)
    )
