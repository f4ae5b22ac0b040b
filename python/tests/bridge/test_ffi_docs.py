"""The code and the attributes of docs/native-bridge.md are right."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from sdykit.bridge.kernels import build
from sdykit.core.sparsecore import names
from sdykit.sparsecore.codegen.entry import attributes

PAGE = (Path(__file__).parents[3] / "docs" / "native-bridge.md").read_text()
(PROGRAM,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_program_of_the_page_fails_with_the_error_of_the_page() -> None:
    defined: dict[str, Any] = {}
    exec(PROGRAM, defined)
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError)) as raised:
        jax.block_until_ready(defined["add_one"](jnp.ones((4, 4)), jnp.array([0])))
    assert f"```text\n{str(raised.value).splitlines()[0]}\n```" in PAGE


def test_the_page_has_all_attributes() -> None:
    named = re.findall(r"^\| `(sparsecore\.\w+)` \|", PAGE, re.MULTILINE)
    of_entry = {names.ENTRY, names.MESSAGES, names.SERIAL_BYTES}
    of_arguments = set(attributes.ARGUMENT_ATTRIBUTES) - {names.NOALIAS, names.ALIGNED}
    assert set(named) == of_entry | of_arguments
    assert f"{build.DEFAULT_SERIAL_BYTES >> 20} MiB by default" in PAGE
