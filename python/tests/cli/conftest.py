from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.explain.matmul import PROGRAM

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Sdykit = Callable[..., Result]


@pytest.fixture
def sdykit(tmp_path: Path) -> Sdykit:
    """Run `sdykit` as a user does, in a process of its own, in an empty directory."""

    def call(*argv: str | Path, stdin: bytes = b"") -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "sdykit.cli", *map(str, argv)],
            check=False,
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT / "python"), "COLUMNS": "80"},
            timeout=120,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Return the file of a small program, f.mlir, in the directory that `sdykit` runs in."""
    path = tmp_path / "f.mlir"
    path.write_text(PROGRAM)
    return path
