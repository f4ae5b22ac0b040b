"""Sharding rules that users add, in files that `-load-pass` reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sdykit.core.sdy.rules import RuleBuilder
from sdykit.errors import PassLoadError
from sdykit.mlir import ir

UserRule = Callable[[ir.Operation, RuleBuilder], None]

_F = TypeVar("_F", bound=UserRule)

_rules: dict[str, UserRule] = {}


def sharding_rule(name: str) -> Callable[[_F], _F]:
    """Return a decorator that makes a function the sharding rule of an op or of a custom call.

        @sharding_rule("my_softmax")
        def softmax(op, rule):
            *batch, last = rule.results[0]
            for dim, size in enumerate(batch):
                rule.same(dim, size)
            rule.same(len(batch), last, "need_replication")

    Args:
        name: the full name of an op (`stablehlo.add`), or the target of a custom call (`my_softmax`).
            A rule of sdykit's own for it is replaced.

    Returns:
        A decorator; the function adds factors to the rule of the op.

    Raises:
        PassLoadError: another function has the name already.
    """

    def register(function: _F) -> _F:
        found = _rules.setdefault(name, function)
        if found is not function and found.__code__ != function.__code__:
            raise PassLoadError(
                f"sharding rule of '{name}': {_place(function)} and {_place(found)} both define it;"
                " keep one of them"
            )
        _rules[name] = function
        return function

    return register


def user_rule(name: str) -> UserRule | None:
    """Return the rule that a user added for an op or the target of a custom call, or None."""
    return _rules.get(name)


def user_rules() -> dict[str, UserRule]:
    """Return the rules that users added, by the name of the op or the target."""
    return dict(_rules)


def _place(function: UserRule) -> str:
    code = function.__code__
    return f"{code.co_filename}:{code.co_firstlineno}"
