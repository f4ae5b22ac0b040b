"""The page on running without a TPU says what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[3] / "docs" / "run-without-a-tpu.md").read_text()
PROGRAM, WRONG_ID, _ = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TARGET = "    target = taste[liked].mean(axis=1)\n"
COMBINER = '    combiner="mean",\n'
SPECS = "feature_specs=features"
MINIBATCHING = f"{SPECS}\n", f"{SPECS}, enable_minibatching=True\n"
CALLS = re.findall(
    r"^```console\n\$ ((?:[A-Z_]+=\S+ )*)python movies\.py\n(.*?)^```$",
    PAGE,
    re.MULTILINE | re.DOTALL,
)


def test_edits_of_the_page_apply_to_the_program() -> None:
    assert len(CALLS) == 7
    assert PROGRAM.count(MINIBATCHING[0]) == 1
    assert PROGRAM.count(TARGET) == PROGRAM.count(COMBINER) == 1


@pytest.mark.parametrize(
    ("call", "program", "fails"),
    [
        (CALLS[0], PROGRAM, False),
        (CALLS[1], PROGRAM, False),
        (CALLS[2], PROGRAM, True),
        (CALLS[3], PROGRAM.replace(TARGET, TARGET + WRONG_ID), True),
        (CALLS[4], PROGRAM.replace("size=(BATCH, 4)", "size=(BATCH // 2, 4)"), True),
        (CALLS[5], PROGRAM.replace(*MINIBATCHING), True),
        (
            CALLS[6],
            PROGRAM.replace(COMBINER, f"{COMBINER}    max_ids_per_partition=4,\n"),
            True,
        ),
    ],
    ids=["4 x v5p", "8 x v6e", "off", "wrong id", "small batch", "minibatching", "small limit"],
)
def test_commands_of_the_page_print_what_it_shows(
    call: tuple[str, str], program: str, fails: bool
) -> None:
    settings, shown = call
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **dict(each.split("=", 1) for each in settings.split())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode != 0) == fails, done.stderr
    if fails:  # JAX, and later releases of the library, say more.
        assert any(line.startswith(shown.strip()) for line in done.stderr.splitlines())
    else:
        assert done.stdout == shown
        assert not done.stderr
