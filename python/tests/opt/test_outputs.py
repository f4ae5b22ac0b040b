"""Outputs that cannot be written, or would replace what is still needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from opt.conftest import environment

MLIR = "func.func private @f()\n"
HLO = "HloModule m\n\nENTRY %e (p: f32[]) -> f32[] {\n  ROOT %p = f32[] parameter(0)\n}\n"
SPEC = '{"version": 1, "kind": "lookup", "dim": 8, "samples_per_core": 8, "chip": "v5p"}'

SDY = "-m sdykit.opt"
HLO_OPT = "-c 'from sdykit.opt.main import hlo_opt; raise SystemExit(hlo_opt())'"
SDYKIT = "-c 'from sdykit.cli.main import main; raise SystemExit(main())'"


@pytest.fixture
def shell(tmp_path: Path):
    """Run a shell command in a directory with inputs; return exit code and stderr."""
    (tmp_path / "in.mlir").write_text(MLIR)
    (tmp_path / "in.hlo").write_text(HLO)
    (tmp_path / "spec.json").write_text(SPEC)

    def call(line: str) -> tuple[int, str]:
        done = subprocess.run(
            ["sh", "-c", line.replace("RUN", sys.executable)],
            capture_output=True,
            cwd=tmp_path,
            env=environment(),
            timeout=120,
            check=False,
        )
        return done.returncode, done.stderr.decode()

    return call


@pytest.mark.parametrize(
    ("command", "tool"),
    [
        (f"{SDY} in.mlir", "sdy-opt"),
        (f"{SDY} --in-process in.mlir", "sdy-opt"),
        (f"{SDY} --help", "sdy-opt"),
        (f"{SDY} --version", "sdy-opt"),
        (f"{SDY} --list-passes", "sdy-opt"),
        (f"{HLO_OPT} in.hlo", "hlo-opt"),
        (f"{HLO_OPT} --help", "hlo-opt"),
        (f"{SDYKIT} --help", "sdykit"),
        (f"{SDYKIT} --version", "sdykit"),
        (f"{SDYKIT} limits --help", "sdykit"),
        (f"{SDYKIT} compile spec.json", "sdykit compile"),
    ],
)
@pytest.mark.parametrize(
    ("where", "reason"),
    [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")],
)
def test_stdout_that_cannot_be_written_to(shell, command: str, tool: str, where: str, reason: str):
    assert shell(f"RUN {command} {where}") == (
        1,
        f"{tool}: error: cannot write to stdout: {reason}\n",
    )


def test_a_closed_stdout_does_not_matter_to_files(shell, tmp_path: Path):
    assert shell(f"RUN {SDY} in.mlir -o out >&-") == (0, "")
    assert (tmp_path / "out").read_text().startswith("module {")


@pytest.mark.parametrize("other", ["out", "./out", "sub/../out", "soft", "hard"])
def test_output_and_report_of_one_file(shell, tmp_path: Path, other: str):
    (tmp_path / "sub").mkdir()
    if other in ("soft", "hard"):
        (tmp_path / "out").write_text("before")
        link = (tmp_path / other).symlink_to if other == "soft" else (tmp_path / other).hardlink_to
        link(tmp_path / "out")
    code, err = shell(f"RUN {SDY} in.mlir -o out --report={other}")
    assert (code, err) == (
        1,
        f"sdy-opt: error: the report '{other}' would replace the output 'out'; name another file\n",
    )
    assert not (tmp_path / "out").exists() or (tmp_path / "out").read_text() == "before"


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (f"{SDY} in.mlir --report=./in.mlir", "the report './in.mlir'"),
        (
            f"{SDY} in.mlir --mlir-pass-pipeline-crash-reproducer=in.mlir",
            "the reproducer 'in.mlir'",
        ),
        (f"{SDY} in.mlir -o in.mlir --mlir-print-skip-regions", "the output 'in.mlir'"),
        (
            f"{SDY} in.mlir -o in.mlir --mlir-elide-elementsattrs-if-larger=1",
            "the output 'in.mlir'",
        ),
        (f"{HLO_OPT} in.hlo -o in.hlo --print-async-aliasing", "the output 'in.hlo'"),
        (f"{SDYKIT} compile spec.json -o $PWD/spec.json", "the output "),
        (f"{SDYKIT} compile --from-tile=in.mlir -o in.mlir", "the output 'in.mlir'"),
        (f"{SDYKIT} mpmd-view in.mlir -o in.mlir", "the page 'in.mlir'"),
    ],
)
def test_an_input_is_not_lost(shell, tmp_path: Path, command: str, what: str):
    code, err = shell(f"RUN {command}")
    assert code == 1
    assert what in err
    assert "would replace the input" in err
    assert err.count("\n") == 1
    texts = [(tmp_path / name).read_text() for name in ("in.mlir", "in.hlo", "spec.json")]
    assert texts == [MLIR, HLO, SPEC]


def test_the_file_of_a_pass_is_not_lost(shell, tmp_path: Path):
    (tmp_path / "mine.py").write_text(
        "from sdykit.core import ModulePass\n"
        "class Mine(ModulePass):\n    name = 'mine'\n    def run(self, module): pass\n"
    )
    before = (tmp_path / "mine.py").read_text()
    for flag in ("-o", "--report"):
        code, err = shell(f"RUN {SDY} in.mlir --load-pass=mine.py {flag} mine.py")
        assert code == 1
        assert "would replace the input 'mine.py'" in err
    assert (tmp_path / "mine.py").read_text() == before


@pytest.mark.parametrize(
    "command",
    [
        f"{SDY} in.mlir -o out",
        f"{SDY} in.mlir -o link",
        f"{SDY} in.mlir --report=out",
        f"{HLO_OPT} in.hlo -o out",
        f"{SDYKIT} compile spec.json -o out",
        f"{SDYKIT} mpmd-view in.mlir -o out",
    ],
)
def test_a_read_only_file_stays(shell, tmp_path: Path, command: str):
    (tmp_path / "out").write_text("before")
    (tmp_path / "out").chmod(0o444)
    (tmp_path / "link").symlink_to("out")
    code, err = shell(f"RUN {command}")
    assert code == 1
    assert "cannot open output file" in err
    assert err.endswith(": it is read-only\n")
    assert err.count("\n") == 1
    assert (tmp_path / "out").read_text() == "before"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_without_permission_is_an_error(shell, tmp_path: Path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub").chmod(0o555)
    code, err = shell(f"RUN {SDY} in.mlir -o sub/out")
    assert code == 1
    assert "no permission to write in" in err


def test_a_report_to_a_device(shell):
    assert shell(f"RUN {SDY} in.mlir -o out --report=/dev/null") == (0, "")
    assert Path("/dev/null").is_char_device()
    code, err = shell(f"RUN {SDY} in.mlir -o out --report=/dev/full")
    assert (code, err) == (
        1,
        "sdy-opt: error: cannot write report '/dev/full': No space left on device\n",
    )
    code, err = shell(f"RUN {SDY} in.mlir --report=-")
    assert "'--report' is '-'; expected a file" in err
