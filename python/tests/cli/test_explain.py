"""`sdykit explain`: settings, errors by name and by text, and names that are unknown."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from sdykit.sparsecore.config import SETTINGS
from sdykit.sparsecore.explain import ERRORS

SETTING = """\
tf_xla_disable_full_embedding_pipelining
  default   False
  values    true or false
  set in    SparsecoreConfig, configure(), XLA_FLAGS, LIBTPU_INIT_ARGS, SDYKIT_FLAGS, command line;
            a later one counts
  effect    Do not overlap the work of TensorCore and SparseCore: steps of `pipelined` then look a
            batch up, run the dense part and update the tables, in this order.
"""
TEXT = "Gather operand too large: 640x16 floats"


def test_a_flag_is_explained(sdykit: Callable) -> None:
    name = "tf_xla_disable_full_embedding_pipelining"
    for words in ([name], ["--", f"--{name}=true"]):
        result = sdykit("explain", *words)
        assert (result.code, result.out, result.err) == (0, SETTING, "")


def test_a_setting_has_its_errors(sdykit: Callable) -> None:
    result = sdykit("explain", "max_ids_per_chip_per_sample")
    assert (result.code, result.err) == (0, "")
    assert "  error     sample-limit: device 0, sample 3: the features " in result.out
    assert "    to do   Raise `max_ids_per_chip_per_sample`, cut " in result.out
    assert max(map(len, result.out.splitlines())) <= 100


def test_an_argument_of_configure_is_explained(sdykit: Callable) -> None:
    result = sdykit("explain", "execute")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("execute\n  default   'cpu'\n  values    cpu or chip\n")


def test_an_error_is_found_by_name_text_and_output(sdykit: Callable) -> None:
    by_name = sdykit("explain", "gather-operand")
    assert (by_name.code, by_name.err) == (0, "")
    assert by_name.out.startswith("gather-operand\n  example   Gather operand too large: ")
    assert "\n  to do     Use `staging" in by_name.out
    assert sdykit("explain", TEXT) == by_name
    assert sdykit("explain", *TEXT.split()) == by_name
    assert sdykit("explain", "-", stdin=f"Traceback\n  {TEXT}\n".encode()) == by_name


def test_all_errors_of_an_output_are_explained(sdykit: Callable) -> None:
    both = f"{ERRORS[0].example}\n\xff{ERRORS[2].example}".encode("latin-1")
    result = sdykit("explain", "-", stdin=both)
    assert result.code == 0
    assert [line for line in result.out.splitlines() if line and line[0] != " "] == [
        ERRORS[0].name,
        ERRORS[2].name,
    ]


def test_without_words_all_are_listed(sdykit: Callable) -> None:
    result = sdykit("explain")
    assert (result.code, result.err) == (0, "")
    names = [line.split()[0] for line in result.out.splitlines() if line.startswith("  ")]
    arguments = ["chip", "counters", "execute", "pallas"]
    assert names == [*SETTINGS, *arguments, *(each.name for each in ERRORS)]
    assert max(map(len, result.out.splitlines())) <= 100


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["xla_sc_detect_nann"],
            "there is no setting or error 'xla_sc_detect_nann'; did you mean xla_sc_detect_nan?",
        ),
        (
            ["--", "--xla_sc_assert_lvl=bounds"],
            "there is no setting or error 'xla_sc_assert_lvl'; did you mean xla_sc_assert_level?",
        ),
        (
            ["gather-operands"],
            "no setting or error 'gather-operands'; did you mean gather-operand?",
        ),
        (["qqq"], "there is no setting or error 'qqq'; `sdykit explain` lists all"),
        (
            ["Gather operand is too large"],
            "no error of the SparseCores is in the text 'Gather operand is too large'; did you mean"
            " gather-operand?",
        ),
        (["-"], "stdin is empty; expected the text of an error"),
    ],
)
def test_what_is_unknown_is_an_error(words: list[str], message: str, sdykit: Callable) -> None:
    result = sdykit("explain", *words)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("sdykit explain: error: ")
    assert result.err.endswith(f"{message}\n")


def test_help_imports_no_texts() -> None:
    program = (
        "import sys; from sdykit.cli.main import main; main(['--help']);"
        " sys.exit('sdykit.sparsecore' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_explaining_imports_no_jax() -> None:
    program = (
        "import sys; from sdykit.cli import _configure_arguments as each; each.configure_arguments();"
        " sys.exit('jax' in sys.modules or 'jaxlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
