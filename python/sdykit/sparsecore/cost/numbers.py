"""The numbers that times follow from, each with its range, unit and source."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from sdykit.sparsecore.chip import Chip, chip
from sdykit.sparsecore.cost.defaults import DEFAULTS, FASTER_IF_LOWER
from sdykit.sparsecore.cost.number import ASSUMED, Number
from sdykit.sparsecore.errors import SparseCoreError, shown, suggestion

Case = Literal["expected", "fastest", "slowest"]
"""Which value of each number is taken: the value itself, or the end of its range that makes everything
take less or more time."""
CASES: Final[tuple[Case, ...]] = ("expected", "fastest", "slowest")

_ASSUMPTION_FACTOR: Final = 1.5
_KEYS: Final = ("value", "low", "high", "source")
_DIVISORS: Final = frozenset(
    {
        "hbm_bytes_per_second",
        "ici_bytes_per_second",
        "tile_bytes_per_second",
        "hbm_efficiency",
        "ici_efficiency",
    }
)
_OF_CHIP: Final = {"hbm_bytes_per_second": "B/s", "ici_bytes_per_second": "B/s"}


@dataclass(frozen=True)
class Numbers:
    """The numbers of a chip that times follow from.

    Attributes:
        chip: the chip.
        by_name: the numbers by name.
    """

    chip: Chip
    by_name: Mapping[str, Number]

    def __getitem__(self, name: str) -> Number:
        """Return a number by its name.

        Raises:
            SparseCoreError: there is no such number.
        """
        if name not in self.by_name:
            raise SparseCoreError(f"cost: there is no number {name!r}; {suggestion(name, self)}")
        return self.by_name[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names."""
        return iter(self.by_name)

    def at(self, case: Case) -> dict[str, float]:
        """Return one value of each number."""
        return {name: _at(name, number, case) for name, number in self.by_name.items()}

    def replace(self, **numbers: float | Number | Mapping[str, object]) -> Numbers:
        """Return these numbers with others in place of some.

        Args:
            **numbers: the new ones: a `Number`; or a value, which is exact; or a mapping with
                `value`, and maybe `low`, `high` and `source`.

        Raises:
            SparseCoreError: there is no such number, or it is not valid.
        """
        found = {name: _read(self[name], name, each) for name, each in numbers.items()}
        return replace(self, by_name={**self.by_name, **found})

    def __str__(self) -> str:
        """Return the numbers as a table in Markdown."""
        head = [f"| {self.chip.name} | value | range | unit | source |", "|---|---|---|---|---|"]
        rows = (
            f"| `{name}` | {each.value:.3g} | {each.low:.3g} to {each.high:.3g} | {each.unit} "
            f"| {each.source} |"
            for name, each in self.by_name.items()
        )
        return "\n".join([*head, *rows])


def numbers_of(name_or_chip: str | Chip) -> Numbers:
    """Return the numbers of a chip, with those of the table `cost` of its file.

    Args:
        name_or_chip: a chip, its name, or the path of the file that describes it.

    Raises:
        SparseCoreError: there is no such chip, or a number in its file is not valid.
    """
    found = name_or_chip if isinstance(name_or_chip, Chip) else chip(name_or_chip)
    numbers = Numbers(found, {**_of_chip(found), **DEFAULTS})
    try:
        return numbers.replace(**found.cost)
    except SparseCoreError as error:
        raise SparseCoreError(f"chip {found.name!r}: {error}") from None


def _of_chip(found: Chip) -> dict[str, Number]:
    """Return the bandwidths of a chip; where they are assumed, they have a range."""
    numbers = {}
    for name, unit in _OF_CHIP.items():
        value, source = float(getattr(found, name)), found.source(name)
        is_assumed = source.startswith("assumption")
        factor = _ASSUMPTION_FACTOR if is_assumed else 1.0
        source = source.replace("assumption", ASSUMED, 1) if is_assumed else source
        numbers[name] = Number(value, value / factor, value * factor, unit, source)
    return numbers


def _at(name: str, number: Number, case: Case) -> float:
    if case == "expected":
        return number.value
    return number.low if (case == "fastest") == (name in FASTER_IF_LOWER) else number.high


def _read(former: Number, name: str, given: object) -> Number:
    """Return a number of a file or a program, with the unit of the one that it replaces."""
    if isinstance(given, Number):
        return _checked(name, given)
    fields = dict(given) if isinstance(given, Mapping) else {"value": given}
    for key in fields:
        if key not in _KEYS:
            raise SparseCoreError(f"cost: {name}: unknown key {key!r}; {suggestion(key, _KEYS)}")
    if "value" not in fields:
        raise SparseCoreError(f"cost: {name}: value is not given; expected a number")
    value = _float(name, fields["value"])
    low, high = (_float(name, fields.get(key, value)) for key in ("low", "high"))
    source = fields.get("source", "given in a program")
    if not isinstance(source, str) or not source:
        raise SparseCoreError(
            f"cost: {name}: source is {shown(source)}; expected a string that is not empty"
        )
    try:
        return _checked(name, Number(value, low, high, former.unit, source))
    except SparseCoreError as error:
        text = str(error)
        raise SparseCoreError(
            text if text.startswith("cost: ") else f"cost: {name}: {text}"
        ) from None


def _float(name: str, given: object) -> float:
    if isinstance(given, (int, float)) and not isinstance(given, bool) and math.isfinite(given):
        return float(given)
    raise SparseCoreError(f"cost: {name} is {shown(given)}; expected a finite number")


def _checked(name: str, number: Number) -> Number:
    """Return a number, if times can be computed with it."""
    if name == "ici_dimensions":
        if number.low != number.high or number.value not in (1, 2, 3):
            raise SparseCoreError(f"cost: {name} is {number.value:g}; expected 1, 2 or 3, exactly")
    elif not number.unit and number.high > 1:
        raise SparseCoreError(f"cost: {name} is up to {number.high:g}; expected at most 1")
    if name in _DIVISORS and number.low <= 0:
        raise SparseCoreError(f"cost: {name} is {number.low:g} or more; expected more than 0")
    return number
