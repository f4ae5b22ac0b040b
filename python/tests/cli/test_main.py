"""`sdykit` itself: help, versions, exit codes, and what happens when a command fails."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version

import pytest

from sdykit import __version__, cli
from sdykit.cli.command import Command
from sdykit.cli.main import find_commands
from sdykit.errors import SdykitError
from sdykit.opt.process import reporting

COMMANDS = ["compile", "completion", "explain", "limits", "memory", "mpmd-view", "reduce"]


def test_a_module_with_a_command_is_found() -> None:
    modules = {module.name for module in pkgutil.iter_modules(cli.__path__)}
    names = {name for name in modules if not name.startswith("_")}
    others = {"command", "main"}
    found = find_commands()
    assert all(isinstance(command, Command) for command in found)
    assert {command.name.replace("-", "_") for command in found} == names - others
    assert set(COMMANDS) <= {command.name for command in found}
    for command in found:
        module = importlib.import_module(f"sdykit.cli.{command.name.replace('-', '_')}")
        assert module.COMMAND is command


def test_help_lists_the_commands(sdykit: Callable) -> None:
    result = sdykit("--help")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("usage: sdykit [-h] [--version] COMMAND ...\n")
    for command in find_commands():
        line = next(each for each in result.out.splitlines() if f"  {command.name} " in each)
        assert line.endswith(command.summary)
        assert len(line) < 80
    assert "exit codes: 0 done; 1 bad input, with a message; 2 wrong command line" in result.out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_examples(command: str, sdykit: Callable) -> None:
    result = sdykit(command, "--help")
    assert (result.code, result.err) == (0, "")
    examples = result.out.partition("\nexamples:\n")[2].splitlines()
    assert any(line.startswith(f"  sdykit {command} ") for line in examples)
    assert max(map(len, result.out.splitlines())) <= 100


def test_version_names_sdykit_and_jaxlib(sdykit: Callable) -> None:
    result = sdykit("--version")
    expected = f"sdykit {__version__} (MLIR of jaxlib {version('jaxlib')})\n"
    assert (result.code, result.out, result.err) == (0, expected, "")


def test_without_a_command_there_is_help(sdykit: Callable) -> None:
    result = sdykit()
    assert (result.code, result.out) == (2, "")
    assert result.err == sdykit("--help").out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["no-such"], "sdykit: error: argument COMMAND: invalid choice: 'no-such'"),
        (["--no-such"], "sdykit: error: unrecognized arguments: --no-such"),
        (["explain", "--no-such"], "sdykit explain: error: unrecognized arguments: --no-such\n"),
        (
            ["explain", "f.mlir", "--valeu=%0"],
            "sdykit explain: error: unrecognized arguments: --valeu=%0; did you mean --value?",
        ),
        (["mpmd-view"], "sdykit mpmd-view: error: the following arguments are required: FILE, -o"),
        (["mpmd-view", "a", "--out=b"], "the following arguments are required: -o/--output"),
    ],
)
def test_wrong_command_lines_are_errors(argv: list[str], message: str, sdykit: Callable) -> None:
    result = sdykit(*argv)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert "Traceback" not in result.err


def test_help_imports_no_mlir() -> None:
    program = (
        "import sys; from sdykit.cli.main import main; main(['--help']);"
        " sys.exit('jaxlib' in sys.modules or 'jinja2' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def raiser(error: BaseException) -> Callable[[], int]:
    def work() -> int:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (SdykitError("what and where"), 1, "tool: error: what and where\n"),
        (KeyboardInterrupt(), 130, "tool: interrupted\n"),
        (BrokenPipeError(), 1, ""),
        (RecursionError(), 1, "tool: error: something is nested too deeply\n"),
        (MemoryError(), 1, "tool: error: out of memory\n"),
    ],
)
def test_exceptions_become_messages(
    error: BaseException, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reporting("tool", raiser(error)) == code
    assert capsys.readouterr() == ("", message)


def test_a_bug_is_reported_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert reporting("tool", raiser(ZeroDivisionError("x"))) == 1
    err = capsys.readouterr().err
    start = "tool: error: internal error, please report it: ZeroDivisionError: x (at "
    assert err.startswith(start)
    assert err.count("\n") == 1
