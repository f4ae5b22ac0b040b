"""Sizes of buffers as expressions of limits, widths and samples.

    evaluate("min(max_ids_per_partition, 8 * dim) / tiles", {"dim": 32, ...})

An expression has names, integers, `a * b`, `a + b`, `a / b` (rounded up), `min(a, b)` and
`max(a, b)`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache

_FUNCTIONS = {"min": min, "max": max}


class SizeError(ValueError):
    """An expression is none, has an unknown name, or divides by 0."""


def evaluate(expression: str, sizes: Mapping[str, int]) -> int:
    """Return the value of an expression.

    Args:
        expression: the expression.
        sizes: the value of each name.

    Raises:
        SizeError: the expression is none, has a name without a value, or divides by 0.
    """
    return _value(expression, _parsed(expression), sizes)


def names_in(expression: str) -> tuple[str, ...]:
    """Return the names in an expression, each once.

    Raises:
        SizeError: it is not an expression.
    """
    nodes = ast.walk(_parsed(expression))
    names = (node.id for node in nodes if isinstance(node, ast.Name))
    return tuple(dict.fromkeys(name for name in names if name not in _FUNCTIONS))


@cache
def _parsed(expression: str) -> ast.expr:
    try:
        return ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError):
        raise _unknown(expression, expression) from None


def _value(whole: str, node: ast.expr, sizes: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value
        case ast.Name(id=name):
            if name not in sizes:
                known = ", ".join(sizes) or "none"
                raise SizeError(f"size '{whole}' has the name {name!r}; expected one of {known}")
            return sizes[name]
        case ast.BinOp(left=left, op=op, right=right):
            return _combined(whole, op, _value(whole, left, sizes), _value(whole, right, sizes))
        case ast.Call(func=ast.Name(id=("min" | "max") as name), args=[first, *rest], keywords=[]):
            values = [_value(whole, each, sizes) for each in (first, *rest)]
            return _FUNCTIONS[name](values)
    raise _unknown(whole, ast.unparse(node))


def _combined(whole: str, op: ast.operator, left: int, right: int) -> int:
    match op:
        case ast.Mult():
            return left * right
        case ast.Add():
            return left + right
        case ast.Div():
            if right == 0:
                raise SizeError(f"size '{whole}' divides by 0; expected a positive divisor")
            return -(-left // right)
    raise _unknown(whole, whole)


def _unknown(whole: str, part: str) -> SizeError:
    return SizeError(
        f"size '{whole}' has '{part}'; expected names, integers, a * b, a + b, a / b, min(a, b) "
        "and max(a, b)"
    )
