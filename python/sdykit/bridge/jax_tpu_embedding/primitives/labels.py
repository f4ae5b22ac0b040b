"""Names of the stacks of lookups, for counters and recordings: the library's primitive has none.

The library's function looks up one stack after another with a primitive that has no parameter for a
name. So the name is stored in the metadata of the call, from tracing to lowering.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from jax.experimental.xla_metadata import set_xla_metadata
from jax.extend.core import Primitive

_KEY = "sdykit_stack"

_names: ContextVar[Iterator[str] | None] = ContextVar("names of stacks", default=None)


def name_stacks(module: Any) -> None:
    """Make the lookup of `lib.nn.embedding` set the names of its stacks, in order."""
    function = module.tpu_sparse_dense_matmul
    if hasattr(function, "__sdykit__"):
        return

    @functools.wraps(function)
    def tpu_sparse_dense_matmul(*arguments: Any, **options: Any) -> Any:
        names = _names_of(module, function, arguments, options)
        token = _names.set(names)
        try:
            return function(*arguments, **options)
        finally:
            _names.reset(token)

    # `__wrapped__` would not do: JAX's own wrappers set it, too.
    tpu_sparse_dense_matmul.__sdykit__ = True  # pyright: ignore[reportAttributeAccessIssue]
    module.tpu_sparse_dense_matmul = tpu_sparse_dense_matmul


def _names_of(
    module: Any, function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> Iterator[str] | None:
    try:
        given = inspect.signature(function).bind(*arguments, **options).arguments
        return iter(module.get_stacked_table_specs(given["feature_specs"]))
    except (TypeError, ValueError):
        return None  # A wrong call, which the function itself reports.


def name_calls(primitive: Primitive) -> None:
    """Store the next name in the metadata of each call of a primitive."""
    bind: Callable[..., Any] = primitive.bind

    def bind_with_name(*operands: Any, **parameters: Any) -> Any:
        name = next(_names.get() or iter(()), None)
        if name is None:
            return bind(*operands, **parameters)
        with set_xla_metadata(**{_KEY: name}):
            return bind(*operands, **parameters)

    primitive.bind = bind_with_name


def label_of(context: Any) -> str:
    """Return the name of the stack that a call is lowered for, or "" if it is unknown."""
    metadata = context.jaxpr_eqn_ctx and context.jaxpr_eqn_ctx.xla_metadata
    return (metadata or {}).get(_KEY, "")
