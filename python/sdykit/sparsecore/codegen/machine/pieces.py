"""Splitting LLVM IR into pieces that are compiled side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.sparsecore.codegen._functions import ONCE

_FUNCTION = re.compile(r"^define .*?^}\n", re.DOTALL | re.MULTILINE)
_PRIVATE, _SHARED = "define internal ", "define hidden "
"""Bodies of phases, and how other object files of the program can call them."""
_VECTOR = re.compile(r"<\d+ x ")


@dataclass(frozen=True, slots=True)
class Piece:
    """A module of LLVM IR.

    Attributes:
        text: the module.
        is_scalar: it has no vectors.
        is_once: it has only what runs once in a call.
    """

    text: str
    is_scalar: bool = False
    is_once: bool = False


def split(ir: str, count: int) -> list[Piece]:
    """Split a translated program; one without vectors stays whole.

    Args:
        ir: of the program.
        count: of the pieces with bodies, at most. One more is for the functions around them.
    """
    if not _VECTOR.search(ir):
        return [Piece(ir, is_scalar=True)]
    functions, rest = _FUNCTION.findall(ir), _FUNCTION.sub("", ir)
    bodies = [each.replace(_PRIVATE, _SHARED, 1) for each in functions if ONCE not in each]
    around = [_declared(body) for body in bodies] + [each for each in functions if ONCE in each]
    shared = [Piece(rest + "".join(each)) for each in _balanced(bodies, count)]
    return [*shared, Piece(rest + "".join(around), is_once=True)]


def _declared(function: str) -> str:
    head = function.partition(" {\n")[0]
    return f"declare hidden {head[len(_SHARED) : head.rindex(')') + 1]}\n"


def _balanced(bodies: Sequence[str], count: int) -> list[list[str]]:
    """Share bodies out: LLVM takes about as long as they are."""
    shares: list[list[str]] = [[] for _ in range(min(count, len(bodies)))]
    for body in sorted(bodies, key=len, reverse=True):
        min(shares, key=lambda share: sum(map(len, share))).append(body)
    return shares
