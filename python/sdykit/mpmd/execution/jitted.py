"""`jit` partitions a JAX function over meshes when it is called, and runs it there."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from sdykit.bridge.host_devices import ensure_threads
from sdykit.mpmd.errors import ExecutionError
from sdykit.mpmd.execution.devices import Devices
from sdykit.mpmd.execution.executable import Executable
from sdykit.mpmd.partitioning import from_jax


@dataclass(frozen=True)
class _Compiled:
    """A program for arguments of certain shapes."""

    executable: Executable
    results: Any
    """The tree of the results."""


class Jitted:
    """A JAX function that runs on meshes; `jit` makes it."""

    def __init__(
        self, fn: Callable[..., Any], devices: Devices | None, options: dict[str, Any]
    ) -> None:
        self._fn = fn
        self._devices = devices
        self._options = options
        self._compiled: dict[Any, _Compiled] = {}
        functools.update_wrapper(self, fn, updated=())

    def __call__(self, *args: Any) -> Any:
        """Run the function, and return its result, with arrays on the devices of their meshes.

        The first call with arguments of certain shapes partitions and compiles the program.
        """
        return self._run(args, lambda executable, leaves: executable(leaves))

    def timed(self, *args: Any) -> tuple[Any, Any]:
        """Run the function, and return its result, and the list of `Span`s of the run."""
        spans: list[Any] = []

        def run(executable: Executable, leaves: list[Any]) -> list[Any]:
            results, found = executable.timed(leaves)
            spans.extend(found)
            return results

        return self._run(args, run), spans

    def executable(self, *args: Any) -> Executable:
        """Return the program for arguments: arrays, or `jax.ShapeDtypeStruct`s."""
        return self._for(args).executable

    def _run(self, args: tuple[Any, ...], run: Callable[[Executable, list[Any]], list[Any]]) -> Any:
        compiled = self._for(args)
        results = run(compiled.executable, [_array(leaf) for leaf in jax.tree.leaves(args)])
        return jax.tree.unflatten(compiled.results, results)

    def _for(self, args: tuple[Any, ...]) -> _Compiled:
        leaves, tree = jax.tree.flatten_with_path(args)
        key = tree, tuple(_kind(path, leaf) for path, leaf in leaves)
        if key not in self._compiled:
            text = from_jax(self._fn, *args, **self._options, debuginfo=True)
            executable = Executable(text, devices=self._devices)
            results = jax.tree.structure(jax.eval_shape(self._fn, *args))
            self._compiled[key] = _Compiled(executable, results)
        return self._compiled[key]


def jit(fn: Callable[..., Any], *, devices: Devices | None = None, **options: Any) -> Jitted:
    """Return a function that runs `fn` on meshes of CPU devices, as `jax.jit` runs it on one.

        step = jit(step, topology=..., assignment=..., schedule="1F1B", donate_argnums=0)
        params, loss = step(params, xs, ys)

    Its arguments and results are trees of arrays, as those of `fn`.

    Args:
        fn: see `from_jax`.
        devices: see `Executable`.
        **options: the other options of `from_jax`, `topology` and `assignment` among them, but
            `debuginfo`.

    Raises:
        TypeError: an option is unknown or missing.
        PartitionError, ExecutionError: when it is called; see `from_jax` and `Executable`.
    """
    ensure_threads()
    inspect.signature(from_jax).bind(fn, **options, debuginfo=True)
    return Jitted(fn, devices, options)


def _kind(path: tuple[Any, ...], leaf: Any) -> tuple[Any, ...]:
    """Return what a program depends on: also whether JAX would widen a number as needed.

    Raises:
        ExecutionError: the leaf is no array and no number.
    """
    try:
        dtype = jax.dtypes.result_type(leaf)
    except TypeError:
        raise ExecutionError(
            f"args{jax.tree_util.keystr(path)}: expected an array or a number, found {leaf!r}"
        ) from None
    return np.shape(leaf), dtype, isinstance(leaf, bool | int | float | complex)


def _array(leaf: Any) -> Any:
    """Return a leaf as an array of the dtype that JAX sees it with."""
    if isinstance(leaf, jax.Array):
        return leaf
    return np.asarray(leaf, jax.dtypes.result_type(leaf))
