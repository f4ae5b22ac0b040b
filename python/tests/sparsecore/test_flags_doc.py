"""The generator of the page on settings refuses rows that no test shows."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sdykit.sparsecore.config import SETTINGS, SparsecoreConfig
from sdykit.sparsecore.config.flags import resolve
from sdykit.sparsecore.errors import SparseCoreError
from tools import generate_flags_doc as tool
from tools.generate_flags_doc import SHOWN, Shown, TableError

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / tool.PAGE).read_text()


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tools/generate_flags_doc.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_page_is_as_generated() -> None:
    done = run("--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_page_has_a_row_for_each_setting() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(SETTINGS)


def test_a_row_names_its_tests() -> None:
    for name in SETTINGS:
        (row,) = re.findall(rf"^\| `{name}` \|.*\|$", PAGE, re.MULTILINE)
        assert f"`{SHOWN[name].on}`" in row
        assert f"`{SHOWN[name].off}`" in row


def test_a_stale_page_is_reported_and_written_again(tmp_path: Path) -> None:
    for part in ("sparsecore", "bridge/embedding", "bridge/pipelining"):
        shutil.copytree(ROOT / tool.TESTS / part, tmp_path / tool.TESTS / part)
    page = tmp_path / tool.PAGE
    page.parent.mkdir()
    page.write_text(PAGE.replace("| `64` |", "| `65` |"))
    done = run("--check", "--root", str(tmp_path))
    assert done.returncode == 1
    assert "\n-| `max_ids_per_chip_per_sample` | `65` |" in done.stderr
    assert "\n+| `max_ids_per_chip_per_sample` | `64` |" in done.stderr
    assert done.stderr.endswith(
        "generate_flags_doc: docs/flags.md differs (diff above); run tools/generate_flags_doc.py"
        " and commit the result\n"
    )
    done = run("--root", str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "wrote docs/flags.md\n")
    assert page.read_text() == PAGE


def test_a_missing_test_is_an_error(tmp_path: Path) -> None:
    done = run("--check", "--root", str(tmp_path))
    assert done.returncode == 1
    assert (
        "generate_flags_doc: allow_id_dropping: there is no test"
        " python/tests/sparsecore/test_config_effects.py::test_allow_id_dropping\n"
    ) in done.stderr


def test_a_setting_without_a_test_is_an_error() -> None:
    shown = {name: tests for name, tests in SHOWN.items() if name != "allow_id_dropping"}
    with pytest.raises(TableError) as raised:
        tool.check_table(shown)
    assert str(raised.value) == "allow_id_dropping has no test: expected an entry in SHOWN"


def test_what_is_no_setting_is_an_error() -> None:
    with pytest.raises(TableError, match=r"^nothing is no setting$"):
        tool.check_table({**SHOWN, "nothing": SHOWN["allow_id_dropping"]})


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ("test_a.py::test_one", None),
        ("test_a.py::TestAll::test_two", None),
        ("test_a.py::test_three", None),
        (
            "test_a.py::test_four",
            "a: the test python/tests/test_a.py::test_four does not mention it",
        ),
        ("test_a.py::test_five", "a: there is no test python/tests/test_a.py::test_five"),
        ("test_a.py::test_two", "a: there is no test python/tests/test_a.py::test_two"),
        ("test_a.py::helper", "a: there is no test python/tests/test_a.py::helper"),
        ("test_a.py", "a: there is no test python/tests/test_a.py"),
        ("test_b.py::test_one", "a: there is no test python/tests/test_b.py::test_one"),
    ],
)
def test_a_test_must_exist_and_mention_the_setting(
    tmp_path: Path, node: str, message: str | None
) -> None:
    (tmp_path / tool.TESTS).mkdir(parents=True)
    (tmp_path / tool.TESTS / "test_a.py").write_text(
        "def test_one():\n    assert allow\n\n"
        "class TestAll:\n    def test_two(self):\n        assert allow\n\n"
        "@mark('allow')\ndef test_three():\n    pass\n\n"
        "def test_four():\n    pass\n\n"
        "def helper():\n    assert allow\n"
    )
    shown = {"allow": Shown(node, node)}
    if message is None:
        tool.check_tests(tmp_path, shown)
        return
    with pytest.raises(TableError) as raised:
        tool.check_tests(tmp_path, shown)
    assert str(raised.value) == message.replace("a:", "allow:", 1)


def test_the_examples_of_the_page_do_what_it_says() -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    found: dict[str, SparsecoreConfig] = {}
    exec(program, found)
    assert found["config"].allow_id_dropping is True
    (variable, flags) = re.findall(r'^\$ (\w+)="([^"]+)" python', PAGE, re.MULTILINE)[0]
    assert resolve(environment={variable: flags}).xla_sc_detect_nan is True
    with pytest.raises(SparseCoreError) as raised:
        resolve(environment={"SDYKIT_FLAGS": "--xla_sc_detect_nann"})
    assert f"\n{raised.value}\n" in PAGE
    with pytest.raises(SparseCoreError) as raised:
        resolve(arguments=["--xla_sc_detect_nan=maybe"], environment={})
    assert f"\n{raised.value}\n" in PAGE
