"""The table of rules, by the name of the op."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from sdykit.core.sdy.rules import RuleBuilder
from sdykit.mlir import ir

Rule = Callable[[ir.Operation, RuleBuilder], bool | None]
"""Adds the factors of an op; False if the op has no rule."""

_F = TypeVar("_F", bound=Rule)


@dataclass(frozen=True)
class Entry:
    """How the rule of an op is found.

    Attributes:
        function: adds its factors.
        reads: the attributes of the op that they depend on.
        facts: a function of the op: what else they depend on, but for the types of its operands and
            results; None for nothing.
    """

    function: Rule
    reads: tuple[str, ...] = ()
    facts: Callable[[ir.Operation], Hashable] | None = None


RULES: dict[str, Entry] = {}
"""The rules of ops of StableHLO and Shardy."""

TARGETS: dict[str, Entry] = {}
"""The rules of custom calls, by target."""


def rule(
    *names: str,
    reads: Iterable[str] = (),
    facts: Callable[[ir.Operation], Hashable] | None = None,
    table: dict[str, Entry] = RULES,
) -> Callable[[_F], _F]:
    """Return a decorator that puts a function into the table under some names."""

    def register(function: _F) -> _F:
        table.update(dict.fromkeys(names, Entry(function, tuple(reads), facts)))
        return function

    return register


def integers(op: ir.Operation, name: str) -> list[int]:
    """Return the integers of an attribute that is a dense array."""
    return list(ir.DenseI64ArrayAttr(op.attributes[name]))


def integer(op: ir.Operation, name: str) -> int:
    """Return the value of an integer attribute."""
    return ir.IntegerAttr(op.attributes[name]).value
