"""The code and the signatures of docs/embedding.md are right."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import sdykit.sparsecore as sc
from support.bridge.ffi_programs import run_python

PAGE = (Path(__file__).parents[4] / "docs" / "embedding.md").read_text()
FIRST, CUSTOM, ON_CHIP, DEVICES, LAYER, INT8, SETTINGS, COUNTERS = re.findall(
    r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)
(OUTPUT,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_code_for_one_device_prints_what_the_page_shows() -> None:
    assert run_python(FIRST + CUSTOM + ON_CHIP + SETTINGS + COUNTERS) == OUTPUT


def test_the_code_for_many_devices_runs() -> None:
    assert run_python(DEVICES + LAYER + INT8) == ""


@pytest.mark.parametrize("name", ["lookup", "grad_update", "int8_tables"])
def test_the_page_has_the_signatures(name: str) -> None:
    (shown,) = re.findall(rf"^\| `{name}(\(.*?\))` \|", PAGE, re.MULTILINE)
    bare = inspect.signature(getattr(sc, name))
    parameters = [
        each.replace(annotation=inspect.Parameter.empty) for each in bare.parameters.values()
    ]
    found = str(bare.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    assert found.replace("'", '"') == shown
