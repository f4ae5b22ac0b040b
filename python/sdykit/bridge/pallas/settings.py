"""How kernels run: `SDYKIT_PALLAS` and its like, and `configure(pallas=...)`. It does not import JAX."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final, Literal, get_args

from sdykit.sparsecore.errors import SparseCoreError, shown, suggestion
from sdykit.sparsecore.mosaic.spec import Mode, Order, Races

MODE: Final = "SDYKIT_PALLAS"
RACES: Final = "SDYKIT_PALLAS_RACES"
ORDER: Final = "SDYKIT_PALLAS_ORDER"
VARIABLES: Final = (MODE, RACES, ORDER)
OFF: Final = "off"

_MODES: Final = (*get_args(Mode), OFF)
_ORDERS: Final[tuple[Literal["lockstep", "subcore"], ...]] = ("lockstep", "subcore")
_MAX_SEED: Final = 2**63 - 1


@dataclass(frozen=True)
class PallasSettings:
    """How kernels run.

    Attributes:
        mode: the engine and its checks; "off": JAX is as without sdykit.
        races: what a data race is.
        order: the order in which subcores advance; an integer is a seed.
    """

    mode: Mode | Literal["off"] = "check"
    races: Races = "error"
    order: Order = "lockstep"


_given: dict[str, PallasSettings] = {}
_KEY: Final = "process"


def configure_pallas(mode: str | None) -> PallasSettings:
    """Set how kernels run that are traced from now on.

    Args:
        mode: `check`, `fast`, `reference` or `off`; None: `SDYKIT_PALLAS` of the environment, or else
            `check`.

    Raises:
        SparseCoreError: the mode is unknown, or a variable of the environment is wrong.
    """
    if mode is not None and mode not in _MODES:
        raise SparseCoreError(_unknown("configure: pallas", mode, _MODES))
    _check_variables()
    found = PallasSettings(
        _one_of(MODE, _MODES, "check") if mode is None else mode,  # type: ignore[arg-type]
        _one_of(RACES, get_args(Races), "error"),  # type: ignore[arg-type]
        _order(),
    )
    _given[_KEY] = found
    return found


def pallas_settings() -> PallasSettings:
    """Return how kernels run.

    Raises:
        SparseCoreError: a variable of the environment is wrong.
    """
    return _given.get(_KEY) or configure_pallas(None)


def is_off() -> bool:
    """Return whether JAX is to be as without sdykit; wrong values are reported when a kernel is used."""
    if _KEY in _given:
        return _given[_KEY].mode == OFF
    return os.environ.get(MODE) == OFF


def _check_variables() -> None:
    """Raise an error if the environment has a variable of kernels that does not exist."""
    for name in sorted(os.environ):
        if name.startswith(MODE) and name not in VARIABLES:
            raise SparseCoreError(f"there is no variable {name}; {suggestion(name, VARIABLES)}")


def _one_of(variable: str, allowed: tuple[str, ...], default: str) -> str:
    value = os.environ.get(variable) or default
    if value not in allowed:
        raise SparseCoreError(_unknown(variable, value, allowed))
    return value


def _unknown(where: str, value: object, allowed: tuple[str, ...]) -> str:
    return f"{where} is {shown(value)}; {suggestion(str(value), allowed)}"


def _order() -> Order:
    text = os.environ.get(ORDER) or "lockstep"
    for order in _ORDERS:
        if text == order:
            return order
    if not text.isascii() or not text.isdecimal() or int(text[:20]) > _MAX_SEED:
        raise SparseCoreError(
            f"{ORDER} is {shown(text)}; expected lockstep, subcore, or a seed from 0 to {_MAX_SEED}"
        )
    return int(text)
