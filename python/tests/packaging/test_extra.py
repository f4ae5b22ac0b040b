"""Without the extra `sdykit[sparsecore]` all but the simulated chip works, which says so."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = Path(sysconfig.get_path("scripts"))
TEXT = (
    "the simulated SparseCore needs llvmlite, which is not installed: "
    "pip install 'sdykit[sparsecore]'"
)
SPEC = '{"version": 1, "kind": "lookup", "dim": 32, "samples_per_core": 64}'


@pytest.fixture
def run(tmp_path: Path):
    """Run a program whose Python finds no llvmlite."""
    (tmp_path / "sitecustomize.py").write_text('import sys\nsys.modules["llvmlite"] = None\n')

    def run(*command: object, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(each) for each in command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(tmp_path), **variables},
        )

    return run


def test_compile_without_the_extra_is_a_one_line_error(run, tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text(SPEC)
    for stage in ("llvm", "asm"):
        done = run(SCRIPTS / "sdykit", "compile", "spec.json", f"--emit={stage}")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"sdykit compile: error: {TEXT}\n"


def test_everything_without_machine_code_works(run, tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text(SPEC)
    done = run(SCRIPTS / "sdykit", "compile", "spec.json", "--emit=spmem")
    assert (done.returncode, done.stderr) == (0, "")
    assert "func.func @lookup" in done.stdout
    (tmp_path / "ids.csv").write_text("sample,feature,id\n0,item,7\n1,item,8\n")
    done = run(
        SCRIPTS / "sdykit", "limits", "ids.csv", "--table", "item=100x8", "--batch-size", "4"
    )
    assert done.returncode == 0, done.stderr


def test_lookups_without_the_extra_raise(run) -> None:
    program = """
import jax.numpy as jnp
import sdykit.sparsecore as sc
from sdykit.errors import SdykitError

try:
    sc.lookup(jnp.zeros((64, 8)), jnp.zeros((4, 2), jnp.int32))
except ImportError as error:
    assert isinstance(error, SdykitError)
    print(error)
"""
    done = run(sys.executable, "-c", program)
    assert (done.stdout, done.returncode) == (f"{TEXT}\n", 0), done.stderr


def test_the_plugin_is_silent(run) -> None:
    """It costs nothing: no warning, no import of what compiles."""
    program = """
import sys
import jax
jax.jit(lambda x: x + 1)(1.0)
print([name for name in sys.modules if name.startswith("sdykit.sparsecore")])
"""
    done = run(sys.executable, "-W", "error", "-c", program)
    assert (done.stdout, done.stderr, done.returncode) == ("[]\n", "", 0)


def test_programs_of_jax_tpu_embedding_raise_at_the_first_lookup(run) -> None:
    """Imports and preprocessing work as with the extra; the first lookup raises the error."""
    example = ROOT / "examples/jax_tpu_embedding_on_cpu/two_tower.py"
    done = run(sys.executable, example, JAX_NUM_CPU_DEVICES="1")
    assert done.returncode == 1
    assert f"sdykit.errors.MissingExtra: {TEXT}\n" in done.stderr
    assert "Warning" not in done.stderr


def name_of(requirement: str) -> str:
    return re.split(r"[^\w-]", requirement)[0]


def test_the_core_requires_nothing_that_compiles() -> None:
    """What a compiler engineer installs: no LLVM beside jaxlib's."""
    required = importlib.metadata.requires("sdykit") or []
    core = {name_of(each) for each in required if "extra ==" not in each}
    assert core == {"jax", "jaxlib", "jinja2", "markupsafe", "numpy", "rich"}
    extra = [each for each in required if "extra ==" in each and "sparsecore" in each]
    assert [name_of(each) for each in extra] == ["llvmlite"]
