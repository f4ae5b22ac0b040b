from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sdykit.opt.main import run

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Driver = Callable[..., Result]


@pytest.fixture
def driver(capfd: pytest.CaptureFixture[str]) -> Driver:
    """Run the driver in this process."""

    def call(*argv: str | Path) -> Result:
        code = run([str(word) for word in argv], "sdy-opt")
        sys.stdout.flush()
        out, err = capfd.readouterr()
        return Result(code, out, err)

    return call


@pytest.fixture
def hlo_opt(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run hlo-opt in this process; return exit code, stdout and stderr."""

    def call(*argv: str | Path) -> tuple[int, str, str]:
        code = run([str(word) for word in argv], "hlo-opt")
        sys.stdout.flush()
        out, err = capfd.readouterr()
        return code, out, err

    return call


def environment(**more: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT / "python")} | more


@pytest.fixture
def sdy_opt(tmp_path: Path) -> Driver:
    """Run the driver as a user does, in a process of its own."""

    def call(*argv: str | Path, stdin: bytes = b"", **more: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "sdykit.opt", *map(str, argv)],
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env=environment(**more),
            timeout=120,
            check=False,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file into the test's directory."""

    def call(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return call
