"""Reproducers are there after a failure or a crash, only then, and repeat it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from sdykit.passes.sdy.lift_inlined_meshes import LiftInlinedMeshesPass

PASSES = """
import os
from sdykit.core import ModulePass, fail, ops_named

class Kill(ModulePass):
    "Die."
    name = "kill"
    def run(self, module): os.abort()

class Refuse(ModulePass):
    "Fail where there is a constant."
    name = "refuse"
    def run(self, module):
        for op in ops_named(module, "stablehlo.constant"):
            fail(op, "is refused")

class Raise(ModulePass):
    "Raise."
    name = "raise"
    def run(self, module): raise KeyError("x")

class Label(ModulePass):
    "Has an option with a quote in it."
    name = "label"
    def run(self, module): pass
"""
PROGRAM = """
func.func @f() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
{-#
  dialect_resources: { builtin: { blob: "0x08000000010000000000000002000000" } }
#-}
"""
FLAG = "--mlir-pass-pipeline-crash-reproducer"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "passes.py").write_text(PASSES)
    (tmp_path / "f.mlir").write_text(PROGRAM)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kill", "crashed while running 'kill' (SIGABRT)"),
        ("refuse", "'stablehlo.constant' op is refused"),
        ("raise", "pass 'raise' raised KeyError: 'x'"),
    ],
)
@pytest.mark.usefixtures("files")
def test_a_reproducer_repeats_the_failure(sdy_opt, files: Path, name: str, message: str):
    load = "--load-pass=passes.py"
    result = sdy_opt("f.mlir", load, "--symbol-dce", f"--{name}", f"{FLAG}=r.mlir", "--verify-each")
    assert result.code == 1
    assert message in result.err
    assert "note: reproducer generated at 'r.mlir'; --run-reproducer repeats it\n" in result.err
    text = (files / "r.mlir").read_text()
    assert text.startswith(f"// To repeat it: sdy-opt --run-reproducer {load} <this file>\n")
    assert f'pipeline: "builtin.module(symbol-dce,{name})"' in text
    again = sdy_opt("r.mlir", "--run-reproducer", load, "--dump-pass-pipeline")
    assert again.code == 1
    assert message in again.err
    assert f"builtin.module(symbol-dce,{name})\n" in again.err
    # It is a module as any other, with its resources.
    assert sdy_opt("r.mlir").out == sdy_opt("f.mlir").out
    assert not list(files.glob(".*"))


def test_nothing_is_written_without_a_failure(driver, files: Path):
    (files / "r.mlir").write_text("of an earlier failure")
    assert driver("f.mlir", "--cse", f"{FLAG}=r.mlir").code == 0
    assert (files / "r.mlir").read_text() == "of an earlier failure"
    assert sorted(path.name for path in files.iterdir()) == ["f.mlir", "passes.py", "r.mlir"]


def test_the_command_can_be_pasted(driver, files: Path):
    (files / "my passes.py").write_text(PASSES)
    driver("f.mlir", "--load-pass=my passes.py", "--raise", f"{FLAG}=r.mlir")
    first = (files / "r.mlir").read_text().partition("\n")[0]
    assert first.endswith("sdy-opt --run-reproducer '--load-pass=my passes.py' <this file>")


def test_a_link_as_reproducer_stays_a_link(driver, files: Path):
    (files / "kept").mkdir()
    (files / "r.mlir").symlink_to("kept/r.mlir")
    assert driver("f.mlir", "--load-pass=passes.py", "--raise", f"{FLAG}=r.mlir").code == 1
    assert (files / "r.mlir").is_symlink()
    assert "mlir_reproducer" in (files / "kept" / "r.mlir").read_text()
    assert [path.name for path in (files / "kept").iterdir()] == ["r.mlir"]


def test_reproducers_of_mlir_opt_are_read(driver, write):
    """The form that `mlir-opt` writes, with quotes in the options."""
    text = """
module { func.func @f() { return } }
{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(func.func(cse),print-ir{label=\\"a b\\"})",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
"""
    result = driver(write("r.mlir", text), "--run-reproducer", "--dump-pass-pipeline")
    assert result.code == 0
    assert result.err.startswith('builtin.module(func.func(cse),print-ir{label="a b"})\n')
    assert "a b" in result.err.partition("\n")[2]


def test_a_bug_of_ours_writes_a_reproducer(driver, files: Path, monkeypatch: pytest.MonkeyPatch):
    def run(*_: object) -> None:
        raise KeyError("unforeseen")

    monkeypatch.setattr(LiftInlinedMeshesPass, "run", run)
    monkeypatch.setattr(tempfile, "tempdir", str(files))
    result = driver("f.mlir", "--symbol-dce", "--sdy-lift-inlined-meshes")
    assert result.code == 1
    assert "pass 'sdy-lift-inlined-meshes' raised KeyError: 'unforeseen'" in result.err
    (path,) = files.glob("sdykit-*.mlir")
    assert (
        f"note: this is a bug of sdykit, please report it, with '{path}', which --run-reproducer"
        " repeats; --traceback prints the whole traceback\n"
    ) in result.err
    assert "Traceback" not in result.err
    again = driver(path, "--run-reproducer", "--traceback")
    assert "raised KeyError: 'unforeseen'" in again.err
    assert "Traceback (most recent call last)" in again.err


def test_a_bug_of_the_user_is_none_of_ours(driver, files: Path):
    result = driver("f.mlir", "--load-pass=passes.py", "--raise")
    assert result.code == 1
    assert "bug of sdykit" not in result.err


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["f.mlir", "--run-reproducer"], "'f.mlir' is not a reproducer: expected a module and the"),
        (["f.mlir", "--run-reproducer", "--cse"], "the input holds the pipeline; name no passes"),
        (["f.mlir", "--cse", f"{FLAG}=none/r.mlir"], "'none/r.mlir': No such file or directory"),
        (["f.mlir", "--cse", FLAG], "option: requires a value!"),
        (["f.mlir", "--cse", f"{FLAG}=-"], "the reproducer is '-'; expected a file, not stdout"),
        (["f.mlir", "--cse", f"{FLAG}=/dev/null"], "the reproducer is '/dev/null'; expected a"),
    ],
)
@pytest.mark.usefixtures("files")
def test_wrong_uses_of_reproducers_are_errors(driver, flags: list[str], message: str):
    result = driver(*flags)
    assert result.code == 1
    assert message in result.err
