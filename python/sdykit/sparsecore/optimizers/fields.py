"""The ranges of optimizers' fields, and their checks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from sdykit.sparsecore.errors import SparseCoreError, nearest


@dataclasses.dataclass(frozen=True)
class Range:
    """The float32 numbers that a field can have.

    Attributes:
        text: a description for errors.
        holds: whether a number is in the range.
    """

    text: str
    holds: Callable[[np.float32], Any]


FINITE = Range("a finite number", np.isfinite)
NOT_ZERO = Range("a finite number other than 0", lambda x: np.isfinite(x) and x != 0)
POSITIVE = Range("a finite number > 0", lambda x: np.isfinite(x) and x > 0)
NOT_NEGATIVE = Range("a finite number >= 0", lambda x: np.isfinite(x) and x >= 0)
NOT_POSITIVE = Range("a finite number <= 0", lambda x: np.isfinite(x) and x <= 0)
UNIT = Range("a number in [0, 1]", lambda x: 0 <= x <= 1)
DECAY = Range("a number in [0, 1), also as float32", lambda x: 0 <= x < 1)


def number(allowed: Range, default: float | None = None) -> Any:
    """Declare a field that is a number of a range; without a default it is required."""
    metadata = {"range": allowed}
    if default is None:
        return dataclasses.field(metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def check_fields(name: str, optimizer: Any) -> None:
    """Check all fields of an optimizer.

    Args:
        name: the name of the optimizer, for errors.
        optimizer: the optimizer.

    Raises:
        SparseCoreError: a field has a value that it cannot have, or `min_value > max_value`.
    """
    for field in dataclasses.fields(optimizer):
        value = getattr(optimizer, field.name)
        if "range" in field.metadata:
            check_number(name, field.name, value, field.metadata["range"])
        elif field.type == "bool" and not isinstance(value, bool | np.bool):
            raise SparseCoreError(
                f"optimizer {name}: {field.name} is {value!r}; expected True or False"
            )
    low, high = optimizer.min_value, optimizer.max_value
    for bound, value in (("min_value", low), ("max_value", high)):
        if value is not None:
            check_number(name, bound, value, FINITE)
    if low is not None and high is not None and low > high:
        raise SparseCoreError(
            f"optimizer {name}: min_value is {low!r} and max_value is {high!r}; "
            "expected min_value <= max_value"
        )


def range_of(kind: Any, name: str) -> Range:
    """Return the range of an optimizer's field."""
    (found,) = (field for field in dataclasses.fields(kind) if field.name == name)
    return found.metadata["range"]


def check_number(name: str, field: str, value: object, allowed: Range) -> None:
    """Check that a number is in a range once it is rounded to float32, as programs use it."""
    if isinstance(value, Real) and not isinstance(value, bool | np.bool):
        with np.errstate(over="ignore"):
            rounded = np.float32(value)
        if allowed.holds(rounded):
            return
    raise SparseCoreError(f"optimizer {name}: {field} is {value!r}; expected {allowed.text}")


def check_step(name: str, step: object) -> None:
    """Check that the number of a step is an integer >= 0 or None."""
    if step is None:
        return
    if not isinstance(step, Integral) or isinstance(step, bool) or int(step) < 0:
        raise SparseCoreError(
            f"optimizer {name}: step is {step!r}; expected an integer >= 0 or None"
        )


def check_pairs(name: str, field: str, pairs: object) -> None:
    """Check that a field is pairs of a name and a number, such as `(("velocity", 0.0),)`."""
    if not isinstance(pairs, tuple) or not all(
        isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) and pair[0]
        for pair in pairs
    ):
        raise SparseCoreError(
            f"optimizer {name}: {field} is {pairs!r}; expected pairs of a name and a number, "
            'for instance (("velocity", 0.0),)'
        )
    names = [pair[0] for pair in pairs]
    for index, (key, value) in enumerate(pairs):
        if key in names[:index]:
            raise SparseCoreError(
                f"optimizer {name}: {field} names {key!r} twice; expected different names"
            )
        check_number(name, f"{field}: {key}", value, FINITE)


def check_names(name: str, kind: type, given: Iterable[str]) -> None:
    """Check that an optimizer has all fields of `given`, and that no required one is missing."""
    declared = {field.name: field for field in dataclasses.fields(kind)}
    for field in given:
        if field not in declared:
            near = nearest(field, declared)
            hint = f"; did you mean {near!r}?" if near else ""
            raise SparseCoreError(
                f"optimizer {name}: it has no {field!r}; expected one of "
                f"{', '.join(declared)}{hint}"
            )
    missing = [
        field.name
        for field in declared.values()
        if field.default is dataclasses.MISSING and field.name not in given
    ]
    if missing:
        raise SparseCoreError(f"optimizer {name}: {', '.join(missing)} is missing")
