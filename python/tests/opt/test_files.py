"""Reading and writing: what can go wrong with files, and what must not."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sdykit.opt.io import outputs

MODULE = "module {\n}\n"
FUNCTION = "func.func private @f()\n"


def test_empty_input_is_an_empty_module(driver, write):
    assert driver(write("f", "")).out == MODULE + "\n"


def test_files_that_cannot_be_opened_are_errors(driver, tmp_path: Path):
    assert driver(tmp_path / "none").err == (
        f"sdy-opt: error: cannot open input file '{tmp_path}/none': No such file or directory\n"
    )
    assert driver(tmp_path).err == (
        f"sdy-opt: error: cannot open input file '{tmp_path}': Is a directory\n"
    )
    assert (
        driver("a\0b").err
        == "sdy-opt: error: cannot open input file 'a\\x00b': embedded null byte\n"
    )
    assert "File name too long" in driver("x" * 5000).err


@pytest.mark.parametrize(
    ("data", "place"),
    [(b"\xff", "1:1"), (b"module {}\n// caf\xe9", "2:7"), ("ééé".encode()[:-1], "1:5")],
)
def test_input_that_is_not_utf8_is_an_error_with_a_place(driver, write, data: bytes, place: str):
    path = write("f", data)
    result = driver(path)
    assert result.code == 1
    assert result.err.startswith(
        f"{path}:{place}: error: the input is not UTF-8: found the byte 0x"
    )
    assert result.out == ""


def test_lines_that_would_change_a_terminal_are_not_quoted(driver, write):
    path = write("f", b"module {}\n\x1b[2J oops\xff")
    assert driver(path).err == (
        f"{path}:2:10: error: the input is not UTF-8: found the byte 0xff;"
        " expected UTF-8 text or MLIR bytecode\n"
    )


def test_null_bytes_are_white_space(driver, write):
    assert driver(write("f", b"\0module\0{\0}\0")).out == MODULE + "\n"


def test_windows_line_ends_are_accepted(driver, write):
    path = write("f", b"module {\r\n  oops\r\n}\r\n")
    assert driver(path).err.endswith("\n  oops\n  ^\n")


def test_output_goes_to_the_file_of_o(driver, write, tmp_path: Path):
    target = tmp_path / "out"
    assert driver(write("f", FUNCTION), "-o", target).out == ""
    assert target.read_text() == "module {\n  func.func private @f()\n}\n\n"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_output_is_not_touched_when_a_pass_fails(driver, write, tmp_path: Path):
    target = write("out", "before")
    times = target.stat().st_mtime_ns
    assert driver(write("f", "oops"), "-o", target).code == 1
    assert target.read_text() == "before"
    assert target.stat().st_mtime_ns == times


def test_output_may_be_the_input(driver, write):
    path = write("f", FUNCTION)
    assert driver(path, "-o", path).code == 0
    assert path.read_text().startswith("module {")


def test_output_keeps_permissions_and_links(driver, write, tmp_path: Path):
    target = write("out", "before")
    target.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(target)
    assert driver(write("f", FUNCTION), "-o", link).code == 0
    assert link.is_symlink()
    assert target.read_text().startswith("module {")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_new_output_follows_the_umask(driver, write, tmp_path: Path):
    before = os.umask(0o027)
    try:
        driver(write("f", FUNCTION), "-o", tmp_path / "out")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_a_full_disk_leaves_the_file_as_it_was(
    tmp_path: Path, write, monkeypatch: pytest.MonkeyPatch
):
    target = write("out", "before")

    def full(self: Path, data: bytes) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(outputs.OutputError, match="No space left on device"):
        outputs.write(str(target), b"after")
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_devices_are_written_to(driver, write):
    assert driver(write("f", FUNCTION), "-o", "/dev/null").code == 0
    result = driver(write("f", FUNCTION), "-o", "/dev/full")
    assert result.code == 1
    assert result.err == (
        "sdy-opt: error: cannot write output file '/dev/full': No space left on device\n"
    )


def test_output_errors_come_before_the_work(driver, tmp_path: Path):
    for path, reason in (
        (tmp_path / "no" / "x", "No such file or directory"),
        (tmp_path, "Is a directory"),
    ):
        assert driver(tmp_path / "none", "-o", path).err == (
            f"sdy-opt: error: cannot open output file '{path}': {reason}\n"
        )


def test_bytecode_is_read_back(driver, write, tmp_path: Path):
    path = tmp_path / "out.mlirbc"
    assert driver(write("f", FUNCTION), "-emit-bytecode", "-o", path).code == 0
    assert path.read_bytes()[:4] == b"ML\xefR"
    assert driver(path).out == driver(write("f", FUNCTION)).out
    text = driver(path, "-mlir-print-debuginfo").out
    assert f'loc("{tmp_path}/f":1:1)' in text


def test_bytecode_is_not_written_to_terminals(write, sdy_opt):
    leader, follower = os.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "sdykit.opt", "-emit-bytecode", str(write("f", FUNCTION))],
        stdout=follower,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
    )
    os.close(leader)
    os.close(follower)
    assert done.returncode == 1
    assert (
        done.stderr == b"sdy-opt: error: bytecode would go to the terminal; name a file with -o\n"
    )


def test_stdin_is_the_default_input(sdy_opt):
    result = sdy_opt("-mlir-print-debuginfo", stdin=FUNCTION.encode())
    assert 'loc("<stdin>":1:1)' in result.out
    assert sdy_opt(stdin=b"oops").err == (
        "<stdin>:1:1: error: custom op 'oops' is unknown (tried 'builtin.oops' as well)\noops\n^\n"
    )


def test_a_pipe_is_an_input(driver, tmp_path: Path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with subprocess.Popen(["sh", "-c", f"printf oops > {fifo}"]):
        assert driver(fifo).err.endswith("\noops\n^\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_stops_is_no_error(write, unbuffered: str):
    path = write("f", "\n".join(f"func.func private @f{i}()" for i in range(20_000)))
    with subprocess.Popen(
        [sys.executable, "-m", "sdykit.opt", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ
        | {"PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONUNBUFFERED": unbuffered},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(8) == b"module {"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_large_output_is_whole(write, sdy_opt, unbuffered: str):
    path = write("f", "\n".join(f"func.func private @f{i}()" for i in range(20_000)))
    result = sdy_opt(path, PYTHONUNBUFFERED=unbuffered)
    assert result.out.count("@f") == 20_000
    assert result.out.endswith("}\n\n")


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- -o out >&- 2>&-"])
def test_closed_streams_do_not_crash_the_driver(write, closed: str):
    path = write("f", FUNCTION)
    command = f"cd {path.parent}; {sys.executable} -m sdykit.opt {path} {closed}"
    done = subprocess.run(
        ["sh", "-c", command],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_what_a_pass_prints_goes_to_stderr(sdy_opt, write):
    write(
        "say.py",
        """
from sdykit.core import ModulePass
print("loaded")
class Say(ModulePass):
    name = "say"
    def run(self, module): print("said")
    def run_hlo(self, module): print("said")
""",
    )
    result = sdy_opt("-load-pass=say.py", "-say")
    assert result.out == MODULE + "\n"
    assert result.err == "loaded\nsaid\n"


def test_traceback_of_what_a_pass_raises(sdy_opt, write):
    write(
        "bad.py",
        """
from sdykit.core import ModulePass
class Bad(ModulePass):
    name = "bad"
    def run(self, module): self.helper({})
    def helper(self, found): return found["key"]
""",
    )
    short = sdy_opt("-load-pass=bad.py", "-bad").err
    assert "pass 'bad' raised KeyError: 'key' (at " in short
    assert "bad.py:6)" in short
    assert "Traceback" not in short
    long = sdy_opt("-load-pass=bad.py", "-bad", "-traceback").err
    assert long.startswith("Traceback (most recent call last):\n")
    assert long.index('bad.py", line 5, in run') < long.index('bad.py", line 6, in helper')
    assert long.endswith(short)


def test_traceback_of_a_file_that_cannot_be_imported(sdy_opt, write):
    write("bad.py", "def f():\n    return nothing\nf()\n")
    short = sdy_opt("-load-pass=bad.py").err
    assert "Traceback" not in short
    long = sdy_opt("-load-pass=bad.py", "-traceback").err
    assert 'bad.py", line 2, in f' in long
    assert long.endswith(short)


def test_a_pass_with_the_name_of_a_flag(driver, write):
    path = write(
        "help.py",
        """
from sdykit.core import ModulePass
class Help(ModulePass):
    name = "help"
    def run(self, module): pass
""",
    )
    assert driver(f"-load-pass={path}").err.endswith(
        "help.py: pass 'help' has the name of a flag; choose another name\n"
    )


def test_file_names_that_are_not_utf8_are_accepted(sdy_opt, tmp_path: Path):
    name = os.fsdecode(b"caf\xe9.mlir")
    (tmp_path / name).write_text("oops")
    assert sdy_opt(name).err.startswith("caf\ufffd.mlir:1:1: error: custom op 'oops' is unknown")
    (tmp_path / name).write_text("func.func private @f()")
    assert 'loc("caf\\EF\\BF\\BD.mlir":1:1)' in sdy_opt(name, "-mlir-print-debuginfo").out
    assert sdy_opt(os.fsdecode(b"\xff")).code == 1
    assert sdy_opt("-load-pass=" + os.fsdecode(b"\xff")).code == 1
    assert sdy_opt("-o", os.fsdecode(b"\xff"), name).code == 0
    assert (tmp_path / os.fsdecode(b"\xff")).exists()


@pytest.mark.parametrize(
    "flag",
    [
        "--split-input-file=",
        "--output-split-marker=",
        "--pass-pipeline=",
        "--canonicalize=x=",
        "--",
    ],
)
def test_arguments_that_are_not_utf8_are_errors(sdy_opt, flag: str):
    result = sdy_opt(flag + os.fsdecode(b"\xff\xff"))
    assert result.code in (0, 1)
    assert "internal" not in result.err


def test_output_does_not_depend_on_the_locale(sdy_opt):
    assert sdy_opt("--help", PYTHONIOENCODING="ascii").code == 0
    assert sdy_opt("-\u00e9", PYTHONIOENCODING="ascii").err.startswith(
        "sdy-opt: error: Unknown command line argument '-\\xe9'."
    )


def test_a_socket_is_no_input(driver, tmp_path: Path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        assert driver(tmp_path / "s").err.startswith("sdy-opt: error: cannot open input file")
