"""The package as installed: version, entry points, what an import loads."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import os
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

import sdykit
import sdykit.passes

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = Path(sysconfig.get_path("scripts"))


def imported_by(statement: str) -> set[str]:
    """Names of the modules that a fresh interpreter holds after the statement."""
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def pyproject() -> dict:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def test_version_is_the_distributions() -> None:
    assert importlib.metadata.version("sdykit") == sdykit.__version__


def test_import_loads_nothing_else() -> None:
    modules = imported_by("import sdykit")
    started = {"sdykit.bridge", "sdykit.bridge._early"}  # With Python itself: see sdykit.pth.
    assert {name for name in modules if name.startswith("sdykit")} - started == {"sdykit"}
    assert not modules & {"jax", "jaxlib", "numpy"}


@pytest.mark.parametrize("module", ["sdykit.opt.main", "sdykit.core", "sdykit.dialects.sdy"])
def test_command_line_needs_no_jax(module: str) -> None:
    modules = imported_by(f"import {module}")
    assert "jax" not in modules
    assert "sdykit.bridge._native" not in modules


@pytest.mark.parametrize(
    "script", ["sdy-opt", "sdy_opt", "mpmd-opt", "mpmd_opt", "hlo-opt", "hlo_opt"]
)
def test_scripts_print_the_version(script: str) -> None:
    done = subprocess.run(
        [SCRIPTS / script, "--version"], capture_output=True, text=True, check=True
    )
    assert sdykit.__version__ in done.stdout


def test_jax_after_sdykit_logs_nothing() -> None:
    """XLA takes its log level when jaxlib is loaded, which may be before jax sets it."""
    code = "import sdykit.mlir, jax; jax.devices()"
    environment = {k: v for k, v in os.environ.items() if k != "TF_CPP_MIN_LOG_LEVEL"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stderr == ""


def test_passes_are_the_files_of_the_top_level() -> None:
    """`python/sdykit/passes` is a link, so that there is one copy of each pass."""
    assert (ROOT / "python/sdykit/passes").is_symlink()
    assert sdykit.passes.__file__ is not None
    assert Path(sdykit.passes.__file__).resolve().parent == ROOT / "passes"


def test_build_group_repeats_the_build_requirements() -> None:
    """Both lists must name the same versions: one is for builds without isolation."""
    project = pyproject()
    assert set(project["build-system"]["requires"]) <= set(project["dependency-groups"]["build"])


def test_py_typed_is_installed() -> None:
    assert importlib.resources.files("sdykit").joinpath("py.typed").is_file()
