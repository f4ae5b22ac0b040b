"""A JAX primitive that cannot be differentiated, and says why."""

from __future__ import annotations

from typing import Any, NoReturn

import jax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching
from jax.interpreters import mlir as jax_mlir

from sdykit.bridge.errors import BridgeError
from sdykit.mlir import ir


def without_gradient(text: str, values: Any) -> Any:
    """Return `values`, a pytree of arrays; it is an error to differentiate any of them.

    The error of JAX would name a call that the user did not write.

    Args:
        text: the text of the `BridgeError`.
        values: the arguments of a program.
    """
    arrays, structure = jax.tree.flatten(values)
    return jax.tree.unflatten(structure, _held.bind(*arrays, text=text))


_held = Primitive("sdykit_no_gradient")
_held.multiple_results = True
_held.def_impl(lambda *arrays, **_: arrays)
_held.def_abstract_eval(lambda *arrays, **_: arrays)


def _refuse(*_: Any, text: str) -> NoReturn:
    raise BridgeError(text)


def _batch(args: Any, dims: Any, *, text: str) -> tuple[Any, Any]:
    return _held.bind(*args, text=text), dims


def _lower(_: Any, *values: ir.Value, text: str) -> tuple[ir.Value, ...]:
    return values


ad.primitive_jvps[_held] = _refuse
batching.primitive_batchers[_held] = _batch
jax_mlir.register_lowering(_held, _lower)
