"""Runs of Python in new processes, in which JAX finds the plugin as one that is installed."""

from __future__ import annotations

import subprocess
import textwrap
from pathlib import Path

from support import ROOT, TESTS
from support.bridge.ffi_programs import start_python


def start_with_plugin(
    directory: Path, *parts: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python in a process whose path has the entry point, in the metadata of a package."""
    metadata = directory / "installed" / "plugged-0.dist-info"
    metadata.mkdir(parents=True, exist_ok=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 0\n")
    (metadata / "entry_points.txt").write_text("[jax_plugins]\nsdykit = sdykit.bridge.plugin\n")
    paths = f"{TESTS}:{ROOT}:{metadata.parent}"
    cleared = dict.fromkeys(("XLA_FLAGS", "LIBTPU_INIT_ARGS", "SDYKIT_FLAGS", "NPROC"), "")
    program = "\n".join(map(textwrap.dedent, parts))
    return start_python(program, PYTHONPATH=paths, **{**cleared, **environment})


def run_with_plugin(directory: Path, *parts: str, **environment: str) -> str:
    """Return the output of a program, which must end without an error or warning."""
    done = start_with_plugin(directory, *parts, **environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout
