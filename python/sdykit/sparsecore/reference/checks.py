"""Checks of the reference's arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError, nearest
from sdykit.sparsecore.optimizers import OPTIMIZERS, Hyperparameters, Optimizer
from sdykit.sparsecore.specs import System


def describe(value: object) -> str:
    """Return the type of a value for an error; of an array, its dtype and shape."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    return type(value).__name__


def check_float32(name: str, array: object) -> np.ndarray:
    """Check that something is an array of float32, and return it."""
    if not isinstance(array, np.ndarray) or array.dtype != np.float32:
        raise SparseCoreError(f"{name}: it is {describe(array)}; expected an array of float32")
    return array


def check_like(name: str, array: object, model_name: str, model: np.ndarray) -> None:
    """Check that something is a float32 array of the shape of another array."""
    if check_float32(name, array).shape != model.shape:
        raise SparseCoreError(
            f"{name}: it is {describe(array)}; expected the shape of {model_name}, "
            f"{list(model.shape)}"
        )


def check_shape(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    """Check that an array has a shape."""
    if array.shape != shape:
        raise SparseCoreError(f"{name}: its shape is {list(array.shape)}; expected {list(shape)}")


def checked_vector(name: str, value: npt.ArrayLike, *, integers: bool) -> np.ndarray:
    """Return a vector of integers as int64, or one of float32."""
    array = np.asarray(value)
    kinds, expected = ("iu", "integers") if integers else ("f", "float32")
    right = array.dtype.kind in kinds and (integers or array.dtype == np.float32)
    if array.ndim != 1 or not (right or array.size == 0):
        raise SparseCoreError(f"{name}: it is {describe(array)}; expected a vector of {expected}")
    return array.astype(np.int64 if integers else np.float32)


def check_same_length(**vectors: np.ndarray) -> None:
    """Check that the vectors of entries have one length."""
    if len({len(vector) for vector in vectors.values()}) > 1:
        found = ", ".join(f"{name} {len(vector)}" for name, vector in vectors.items())
        raise SparseCoreError(f"entries: the lengths differ: {found}; expected one length")


def check_within(name: str, values: np.ndarray, limit: int | None, what: str) -> None:
    """Check that integers are in `[0, limit)`, or 0 or more if there is no limit.

    Args:
        name: the name of the argument.
        values: the integers.
        limit: one past the largest, or None.
        what: what an integer stands for, for the error.
    """
    wrong = values < 0 if limit is None else (values < 0) | (values >= limit)
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        allowed = "0 or more" if limit is None else f"from 0 to {limit - 1}"
        raise SparseCoreError(f"{name}[{index}]: the {what} is {values[index]}; expected {allowed}")


def check_system(system: object) -> None:
    """Check that something is a `System`."""
    if not isinstance(system, System):
        raise SparseCoreError(f"system: it is {describe(system)}; expected a System")


def check_optimizer(optimizer: object) -> None:
    """Check that something is an optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise SparseCoreError(
            f"optimizer: it is {optimizer!r}; expected one of {', '.join(OPTIMIZERS)}"
        )


def checked_slots(
    optimizer: Optimizer, slots: Mapping[str, np.ndarray], table: np.ndarray
) -> dict[str, np.ndarray]:
    """Return an optimizer's slots in its own order, of the table's shape or with one column."""
    _check_keys(f"optimizer {optimizer.name}: slots", slots, optimizer.slots)
    for name, array in slots.items():
        if name not in optimizer.row_slots:
            check_like(f"slots[{name!r}]", array, "table", table)
            continue
        check_float32(f"slots[{name!r}]", array)
        check_shape(f"slots[{name!r}]", array, (*table.shape[:-1], 1))
    return {name: slots[name] for name in optimizer.slots}


def checked_hyperparameters(
    optimizer: Optimizer, given: Mapping[str, npt.ArrayLike]
) -> Hyperparameters:
    """Return the scalars of a step, rounded to float32, in the optimizer's own order."""
    models = optimizer.hyperparameters()
    _check_keys(f"optimizer {optimizer.name}: hyperparameters", given, models)
    result: dict[str, Any] = {}
    for name, model in models.items():
        value = np.asarray(given[name])
        flag = isinstance(model, np.bool)
        if value.size != 1 or value.dtype.kind not in ("b" if flag else "iuf"):
            raise SparseCoreError(
                f"hyperparameters[{name!r}]: it is {given[name]!r}; "
                f"expected {'True or False' if flag else 'a number'}"
            )
        with np.errstate(over="ignore"):
            result[name] = value.reshape(()).astype(model.dtype)[()]
    return result


def _check_keys(name: str, given: object, expected: Iterable[str]) -> None:
    """Check that something is a mapping with the expected keys, and no others."""
    names = list(expected)
    if not isinstance(given, Mapping):
        raise SparseCoreError(f"{name}: it is {describe(given)}; expected a mapping")
    missing = [key for key in names if key not in given]
    if missing:
        raise SparseCoreError(
            f"{name}: {', '.join(missing)} is missing; found {_listed(given)}, "
            f"expected {_listed(names)}"
        )
    for key in given:
        if key not in names:
            near = nearest(str(key), names)
            hint = f"; did you mean {near!r}?" if near else ""
            raise SparseCoreError(f"{name}: {key!r} is unknown; expected {_listed(names)}{hint}")


def _listed(names: Iterable[object]) -> str:
    return ", ".join(map(str, names)) or "none"
