"""A changed compiler does not meet an old object."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sdykit.sparsecore.codegen.cache import keys
from sdykit.sparsecore.codegen.cache.keys import FOLDERS, TREES, fingerprint

COMPILES = """
import sys
from pathlib import Path
import sdykit
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, LookupSpec, UpdateSpec
SGD = '''func.func @main(%g: tensor<8xf32>, %t: tensor<8xf32>, %r: tensor<f32>) -> tensor<8xf32> {
  %s = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %d = stablehlo.multiply %g, %s : tensor<8xf32>
  %n = stablehlo.subtract %t, %d : tensor<8xf32>
  return %n : tensor<8xf32>
}'''
for spec in (
    LookupSpec(dim=8, samples_per_core=8, check_bounds=True, check_nan=True),
    UpdateSpec(dim=8, samples_per_core=8),
    CustomUpdateSpec(dim=8, samples_per_core=8, stablehlo=SGD),
):
    compile_tile(spec, cache=None)
root = Path(sdykit.__file__).parent
for name, module in sys.modules.items():
    # Native modules compile nothing; they may lie elsewhere.
    if name.startswith("sdykit") and module.__file__.endswith(".py"):
        print(Path(module.__file__).relative_to(root).parent.as_posix().removeprefix("."))
"""
PARTS = (*FOLDERS, *TREES, *(f"{tree}/deep/er" for tree in TREES))
NOT_COMPILERS = {
    "bridge": "what waits for jax-tpu-embedding, from the start of Python",
    "dialects": "classes of ops that tile programs have none of",
    "dialects/sdy": "the same",
    "sparsecore/memory": "what does not fit is an error before anything is compiled",
    "sparsecore/files": "what specs are made from",
}


def test_every_module_that_compiles_is_in_the_fingerprint() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMPILES], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    used = set(done.stdout.split("\n")[:-1])
    assert {"sparsecore/tile", "passes/sparsecore"} <= used
    unknown = {
        folder
        for folder in used - {*FOLDERS, *NOT_COMPILERS}
        if not any(f"{folder}/".startswith(f"{tree}/") for tree in TREES)
    }
    assert not unknown


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for part in PARTS:
        (tmp_path / part).mkdir(parents=True, exist_ok=True)
        (tmp_path / part / "one.py").write_text(f"# {part}")
        (tmp_path / part / "notes.txt").write_text("")
    monkeypatch.setattr(keys, "_ROOT", tmp_path)
    return tmp_path


def test_the_fingerprint_depends_on_names_and_contents(tree: Path) -> None:
    seen = [fingerprint()]
    for part in PARTS:
        path = tree / part / "one.py"
        before = path.stat()
        path.write_text(f"! {part}")  # As long and as old as before.
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        seen.append(fingerprint())
    (tree / "core" / "two.py").write_text("")
    seen.append(fingerprint())
    (tree / "core" / "two.py").rename(tree / "core" / "three.py")
    seen.append(fingerprint())
    assert len(set(seen)) == len(seen)
    (tree / "core" / "notes.txt").write_text("no source")
    assert fingerprint() == seen[-1]
