from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
from sdykit.opt.process import lazy_numpy
from sdykit.opt.main import run
lazy_numpy.install()
assert run(sys.argv[1:], "sdy-opt") == 0
print(*sorted(sys.modules), sep="\\n", file=sys.stderr)
"""


def modules(*argv: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *argv], capture_output=True, text=True, check=True, input=""
    )
    return set(done.stderr.splitlines())


def test_a_run_of_upstream_passes_imports_neither_jax_nor_numpy_nor_our_dialects():
    loaded = modules("-cse", "-symbol-dce")
    assert "jaxlib.mlir.ir" in loaded
    others = {"jax", "numpy.linalg", "rich", "argparse", "jinja2", "sdykit.dialects.sdy"}
    assert not others & loaded


def test_passes_are_imported_when_they_are_named():
    loaded = modules("-sdy-lift-inlined-meshes")
    ours = {name for name in loaded if name.startswith("sdykit.passes.sdy.")}
    public = {name for name in ours if not name.rpartition(".")[2].startswith("_")}
    assert public == {"sdykit.passes.sdy.lift_inlined_meshes"}
    assert not [name for name in modules() if name.startswith("sdykit.passes.")]


def test_numpy_still_works():
    script = """
import sys
from sdykit.opt.process import lazy_numpy
lazy_numpy.install()
import numpy
assert "numpy.linalg" not in sys.modules
from sdykit.mlir import ir
assert "numpy.linalg" not in sys.modules
import numpy.testing
import numpy as np
from numpy import array
assert numpy.testing.assert_array_equal and np.float32 and array([1]).sum() == 1
assert ir.np.array([2]).sum() == 2
import numpy as again
assert again.__spec__.name == "numpy"
"""
    subprocess.run([sys.executable, "-c", script], check=True)
