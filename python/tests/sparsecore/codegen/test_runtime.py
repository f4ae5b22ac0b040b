"""The native module is that of these sources, or there is an error."""

from __future__ import annotations

import pytest

from sdykit.errors import SdykitError
from sdykit.sparsecore import _machine
from sdykit.sparsecore.codegen.machine.runtime import runtime_addresses
from sdykit.sparsecore.codegen.runtime_functions import FUNCTIONS


def test_all_functions_have_an_address() -> None:
    assert set(FUNCTIONS) < set(runtime_addresses())


@pytest.mark.parametrize("stale", [None, (1, 2)])
def test_a_module_of_other_sources_is_an_error(
    stale: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    functions = _machine.functions()
    del functions["sc_spin"]
    if stale is not None:
        functions["sc_spin"] = stale
    monkeypatch.setattr(_machine, "functions", lambda: functions)
    with pytest.raises(SdykitError) as raised:
        runtime_addresses()
    assert str(raised.value) == (
        f"{_machine.__file__} was built from other sources than the Python files beside it: expected a "
        "function 'sc_spin' of 3 arguments; install sdykit again, in a checkout with `make -B setup`"
    )


def test_a_module_of_another_interface_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_machine, "INTERFACE", "0" * 64)
    with pytest.raises(SdykitError) as raised:
        runtime_addresses()
    assert str(raised.value) == (
        f"{_machine.__file__} was built from other sources than the Python files beside it: expected the "
        "interface of _machine.pyi; install sdykit again, in a checkout with `make -B setup`"
    )
