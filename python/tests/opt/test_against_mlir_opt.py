"""The same command lines to `mlir-opt` and to the driver: same output, same exit code."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

MLIR_OPT = shutil.which("mlir-opt-22") or shutil.which("mlir-opt", path="/usr/lib/llvm-22/bin")

pytestmark = pytest.mark.skipif(MLIR_OPT is None, reason="needs the mlir-opt of LLVM 22")

FUNCTIONS = """\
#map = affine_map<(d0) -> (d0 + 1)>
module @top {
  func.func @twice(%a: i32) -> i32 {
    %0 = arith.addi %a, %a {test.map = #map} : i32 loc("sum"("model.py":3:7))
    %1 = arith.addi %a, %a {test.map = #map} : i32
    return %1 : i32
  }
  func.func @none() { return }
  func.func private @unused()
  module { func.func @f() { return } }
}
"""
PIECES = """\
func.func @f(%a: i32) -> i32 {
  return %a : i32
}
// -----
module { }
// -----
func.func @g() {
  %x = arith.addi %y, %y : i32
  return
}
// ----- a near miss follows
//-----
func.func private @twice()
func.func private @twice()
"""
LOCATIONS = """\
func.func private @a() loc(unknown)
func.func private @a() loc(fused["zz", unknown])
// -----
func.func private @b() loc("zz")
func.func private @b() loc("zz")
// -----
func.func private @c() loc(callsite("x"("nowhere.mlir":1:2) at callsite("y":3:4 at "z":5:6)))
func.func private @c() loc(callsite("x"("nowhere.mlir":1:2) at callsite("y":3:4 at "z":5:6)))
// -----
func.func private @d() loc("zz"("input.mlir":2:3))
func.func private @d() loc("input.mlir":2:3)
// -----
func.func private @e() loc(fused<"meta">["q", "input.mlir":4:1])
\tfunc.func private @e()
"""
EXPECTATIONS = """\
func.func private @f()
// expected-warning@+1 {{redefinition}}
func.func private @f()
// -----
func.func private @f()
// expected-error@+2 {{redefinition of}}
// expected-error@+1 {{redefinition}}
func.func private @f()
// -----
func.func private @f()
func.func private @f() // expected-error {{redefinition}}
// expected-note@below {{see}}
// expected-error@above {{foo}}
// -----
// expected-note@below {{see existing symbol definition here}}
func.func private @f()
// expected-error-re@below {{redefinition of {{.*}} '{{[a-z]}}'}}
func.func private @f()
// -----
// expected-error@-3 {{foo}}
func.func private @f() //     expected-error{{bar}}
func.func private @f() //     expected-error-re {{r{{e+}}d.f}}
"""
FLAGS = [
    [],
    ["-cse"],
    ["-canonicalize"],
    ["-symbol-dce", "--cse"],
    ["-mlir-print-debuginfo"],
    ["-mlir-print-debuginfo", "-mlir-pretty-debuginfo"],
    ["-mlir-print-debuginfo", "-mlir-print-local-scope"],
    ["-mlir-print-op-generic"],
    ["-mlir-print-local-scope"],
    ["-mlir-use-nameloc-as-prefix"],
    ["-mlir-print-skip-regions"],
    ["-no-implicit-module"],
    ["-verify-roundtrip"],
    ["-mlir-print-ir-before-all", "-cse", "-symbol-dce"],
    ["-mlir-print-ir-after-all", "-pass-pipeline=builtin.module(func.func(cse,canonicalize))"],
    ["-mlir-print-ir-after=cse", "-mlir-print-ir-before=symbol-dce", "-cse", "-symbol-dce"],
    ["-mlir-print-ir-after-all", "-mlir-print-ir-after-change", "-cse", "-symbol-dce", "-cse"],
    ["-mlir-print-ir-after-all", "-mlir-print-ir-module-scope", "-pass-pipeline=builtin.module(func.func(cse))"],
]  # fmt: skip
SNIPPETS = """\

 \t
// only a comment
module
module {
}
func.func @f() {
module attributes {a=1} {}
module {} // é
%0 = arith.constant 1 : i32
"x.y"() : () -> ()
func.func @f() { %0 = arith.constant 99999999999999999999999999 : i32\\n return }
\tfunc.func @f() { \tretun }
#a = 1\\n#a = 2\\nmodule {}
func.func @f(%a: i32) { return %a : i32 }
func.func @f() -> i32 { }
func.func @f() { scf.yield }
func.return
func.func @f() { func.call @x() : () -> () return }
module {} foo
module attributes {x.y = "\\
module { module { ] } }
func.func @f() {\\n  return\\n} loc("x":1:2)\\nfoo
!a = i32\\nfunc.func private @f(!a)
func.func @"a b"() { return }
module { func.func private @f() } loc("m")
"""


def outcome(command: list[str], directory: Path, stdin: bytes) -> tuple[int, str, str]:
    done = subprocess.run(command, input=stdin, capture_output=True, cwd=directory, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def assert_same(tmp_path: Path, driver, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    def call(text: str, *flags: str) -> None:
        (tmp_path / "input.mlir").write_text(text)
        assert MLIR_OPT is not None
        theirs = outcome([MLIR_OPT, "-mlir-disable-threading", "input.mlir", *flags], tmp_path, b"")
        ours = driver("input.mlir", *flags)
        assert (ours.code, ours.out, ours.err) == theirs

    return call


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
def test_flags_act_as_in_mlir_opt(assert_same, flags: list[str]):
    assert_same(FUNCTIONS, *flags)


@pytest.mark.parametrize("text", SNIPPETS.splitlines())
def test_snippets_are_processed_as_by_mlir_opt(assert_same, text: str):
    text = text.replace("\\n", "\n")
    assert_same(text)
    assert_same(text, "-split-input-file", "-verify-diagnostics")


@pytest.mark.parametrize("text", [PIECES, LOCATIONS], ids=["pieces", "locations"])
@pytest.mark.parametrize("flags", [[], ["-split-input-file"], ["-split-input-file=//-----"]])
def test_pieces_are_processed_as_by_mlir_opt(assert_same, text: str, flags: list[str]):
    assert_same(text, *flags)
    assert_same(text, *flags, "-verify-diagnostics")


@pytest.mark.parametrize("mode", ["", "=all", "=only-expected"])
def test_expectations_are_reported_as_by_mlir_opt(assert_same, mode: str):
    assert_same(EXPECTATIONS, "-split-input-file", "-verify-diagnostics" + mode)


def test_an_expectation_without_a_place_is_reported_as_by_mlir_opt(assert_same):
    text = "func.func private @f() loc(unknown)\n" * 2
    assert_same("// expected-error@unknown {{redefinition}}\n" + text, "-verify-diagnostics")


@pytest.mark.parametrize(
    "pipeline",
    [
        "func.func(cse)",
        "builtin.module(func.func(symbol-dce))",
        "builtin.module(foo.bar(cse))",
        "any(cse)",
        "builtin.module(func.func(func.func(cse)))",
        "builtin.module()",
    ],
)
def test_pipelines_end_with_the_exit_code_of_mlir_opt(tmp_path: Path, driver, pipeline: str):
    (tmp_path / "input.mlir").write_text(FUNCTIONS)
    assert MLIR_OPT is not None
    flag = f"-pass-pipeline={pipeline}"
    code, text, _ = outcome([MLIR_OPT, "input.mlir", flag], tmp_path, b"")
    ours = driver(tmp_path / "input.mlir", flag)
    assert (ours.code, ours.out) == (code, text)


def test_the_tree_of_dumps_is_that_of_mlir_opt(tmp_path: Path, driver):
    (tmp_path / "input.mlir").write_text(FUNCTIONS)
    flags = [
        "-pass-pipeline=builtin.module(func.func(cse,canonicalize),builtin.module(cse),symbol-dce)",
        "-mlir-print-ir-after-all",
        "-mlir-print-ir-before=cse",
    ]
    assert MLIR_OPT is not None
    command = [MLIR_OPT, "-mlir-disable-threading", "input.mlir", *flags]
    outcome([*command, f"-mlir-print-ir-tree-dir={tmp_path}/theirs"], tmp_path, b"")
    driver(tmp_path / "input.mlir", *flags, f"-mlir-print-ir-tree-dir={tmp_path}/ours")

    def dumps(name: str) -> dict[str, str]:
        root = tmp_path / name
        return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*.mlir")}

    assert dumps("ours") == dumps("theirs")
    assert len(dumps("ours")) == 12
