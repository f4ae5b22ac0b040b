"""Settings of kernels: variables of the environment, and `configure`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.pallas import settings
from sdykit.bridge.pallas.settings import PallasSettings, pallas_settings


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(settings, "_given", {})
    for name in (settings.MODE, settings.RACES, settings.ORDER):
        monkeypatch.delenv(name, raising=False)
    yield
    monkeypatch.undo()
    sc.configure()


def test_everything_is_checked_by_default() -> None:
    assert pallas_settings() == PallasSettings("check", "error", "lockstep")


def test_variables_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(settings.MODE, "fast")
    monkeypatch.setenv(settings.RACES, "warn")
    monkeypatch.setenv(settings.ORDER, "123")
    assert pallas_settings() == PallasSettings("fast", "warn", 123)
    monkeypatch.setenv(settings.ORDER, "subcore")
    assert sc.configure(pallas="reference") is not None
    assert pallas_settings() == PallasSettings("reference", "warn", "subcore")
    sc.configure()
    assert pallas_settings().mode == "fast"


@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        (settings.MODE, "fats", "SDYKIT_PALLAS is 'fats'; did you mean 'fast'?"),
        (settings.RACES, "on", "SDYKIT_PALLAS_RACES is 'on'; expected one of error, warn, off"),
        (
            settings.ORDER,
            "-1",
            "SDYKIT_PALLAS_ORDER is '-1'; expected lockstep, subcore, or a seed from 0 to"
            " 9223372036854775807",
        ),
        (
            settings.ORDER,
            str(2**63),
            "SDYKIT_PALLAS_ORDER is '9223372036854775808'; expected lockstep, subcore, or a seed from 0"
            " to 9223372036854775807",
        ),
    ],
)
def test_wrong_values_are_errors(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, text: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(sc.SparseCoreError) as found:
        pallas_settings()
    assert str(found.value) == text


def test_an_unknown_mode_is_an_error_and_changes_nothing() -> None:
    sc.configure("7x", pallas="fast")
    with pytest.raises(
        sc.SparseCoreError, match=r"^configure: pallas is 'chek'; did you mean 'check'"
    ):
        sc.configure("v6e", pallas="chek")
    assert pallas_settings().mode == "fast"
    assert sc.configure("7x").chip == "7x"


def test_a_misspelt_variable_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDYKIT_PALLAS_RACE", "off")
    with pytest.raises(
        sc.SparseCoreError,
        match=r"^there is no variable SDYKIT_PALLAS_RACE; did you mean 'SDYKIT_PALLAS_RACES'\?$",
    ):
        pallas_settings()


@pytest.mark.parametrize(("name", "near"), [("palas", "pallas"), ("chips", "chip")])
def test_a_misspelt_argument_is_an_error(name: str, near: str) -> None:
    with pytest.raises(
        sc.SparseCoreError,
        match=rf"^configure: unknown setting '{name}'; did you mean '{near}'\?$",
    ):
        sc.configure(**{name: "fast"})  # type: ignore[arg-type]
