"""`--compare-with-cpp` on right and on wrong passes."""

from __future__ import annotations

import pytest

PROGRAM = """
sdy.mesh @mesh = <["a"=2, "b"=1]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>})
    -> tensor<8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %0 = stablehlo.add %a, %c : tensor<8xf32>
  %1 = stablehlo.add %0, %c : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func @g() { return }
"""
MINE = """
from sdykit.core import FunctionPass, ModulePass, fail, ops_named

class Wrong(FunctionPass):
    "Does nothing."
    name = "chlo-legalize-to-stablehlo"
    def run(self, func): pass

class Right(ModulePass):
    "Does nothing, where there is nothing to do."
    name = "stablehlo-convert-to-signless"
    def run(self, module): pass

class Failing(ModulePass):
    "Fails."
    name = "stablehlo-legalize-composite-to-call"
    def run(self, module): fail(module, "no")

class Unlike(ModulePass):
    "Is in Python only."
    name = "only-mine"
    def run(self, module): pass
"""


def test_shardings_as_text_are_warned_of_once(driver, write):
    attributes = """{xla.sdy.meshes = "{mesh = #sdy.mesh<[\\22x\\22=2]>}"}"""
    module = f"module attributes {{mhlo.frontend_attributes = {attributes}}} {{}}"
    result = driver(write("f", module), "--sdy-import-pipeline", "--compare-with-cpp")
    assert result.code == 0
    assert result.err.count("the shardings of this module are text") == 1


def test_passes_that_agree_with_cpp_are_reported_as_the_same(driver, write):
    plain = driver(write("f", PROGRAM), "--sdy-import-pipeline")
    result = driver(write("f", PROGRAM), "--sdy-import-pipeline", "--cse", "--compare-with-cpp")
    assert result.code == 0
    assert result.err.splitlines() == [
        f"{name}: same as in C++"
        for name in (
            "sdy-lift-inlined-meshes",
            "sdy-remove-size-one-axes",
            "sdy-propagate-sharding-from-func-to-call",
            "sdy-constant-or-scalar-splitter",
            "sdy-manual-axes-cleanup",
            "sdy-add-data-flow-edges",
        )
    ]
    assert '<@mesh, [{"a"}]>' in result.out
    assert '<@mesh, [{"a"}]>' in plain.out


def test_passes_that_differ_from_cpp_are_reported_with_a_diff(driver, write):
    load = f"--load-pass={write('mine.py', MINE)}"
    pipeline = (
        "--pass-pipeline=builtin.module(func.func(chlo-legalize-to-stablehlo,cse),"
        "only-mine,stablehlo-convert-to-signless)"
    )
    broadcast = "chlo.broadcast_add"
    types = "(tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>"
    program = PROGRAM.replace("stablehlo.add", broadcast).replace(
        ", %c : tensor<8xf32>", f", %c : {types}"
    )
    result = driver(write("f", program), load, pipeline, "--compare-with-cpp")
    assert result.code == 1
    head, *diff, last = result.err.splitlines()
    assert head == "func.func(chlo-legalize-to-stablehlo): differs from C++"
    assert diff[:2] == ["--- C++, in jaxlib", "+++ sdykit"]
    changed = [line for line in diff[2:] if line[0] in "+-"]
    assert [line[0] for line in changed] == ["-", "-", "+", "+"]
    assert "stablehlo.add" in changed[0]
    assert broadcast in changed[2]
    assert last == "stablehlo-convert-to-signless: same as in C++"
    # What our passes make of the module is the output.
    assert result.out.count(broadcast) == 2
    assert "func.func @g" in result.out


def test_a_pass_that_fails_while_cpp_succeeds_differs(driver, write):
    load = f"--load-pass={write('mine.py', MINE)}"
    path = write("f", PROGRAM)
    result = driver(path, load, "--stablehlo-legalize-composite-to-call", "--compare-with-cpp")
    assert result.code == 1
    assert "error: 'builtin.module' op no" in result.err
    assert "stablehlo-legalize-composite-to-call: differs from C++\n" in result.err
    assert "\n+failed\n" in result.err


def test_passes_that_fail_with_equal_errors_are_the_same(driver, write):
    # A group whose members are sharded otherwise.
    path = write(
        "f.mlir",
        """
sdy.mesh @mesh = <["a"=2]>
func.func @f(%a: tensor<8xf32>) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>]
      manual_axes={"a"} (%b: tensor<8xf32>) {
    sdy.sharding_group %b group_id=1 : tensor<8xf32>
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  sdy.sharding_group %a group_id=1 : tensor<8xf32>
  return
}
""",
    )
    result = driver(path, "--sdy-sharding-group-import", "--compare-with-cpp")
    assert result.code == 1
    assert result.err.count("error:") == 1
    assert "sdy-sharding-group-import: same as in C++\n" in result.err


@pytest.mark.parametrize("flags", [(), ("--cse",), ("--sdy-convert-global-to-local",)])
def test_a_pipeline_without_a_pass_of_both_languages_is_an_error(
    driver, write, flags: tuple[str, ...]
):
    result = driver(write("f", PROGRAM), *flags, "--compare-with-cpp")
    assert result.code == 1
    assert result.err == (
        "sdy-opt: error: --compare-with-cpp: nothing to compare: no pass of the pipeline is both"
        " in Python and in C++\n"
    )


def test_an_option_that_cpp_lacks_is_a_usage_error(driver, write):
    mine = """
from dataclasses import dataclass
from sdykit.core import ModulePass

@dataclass(frozen=True)
class Mine(ModulePass):
    "Mine."
    name = "stablehlo-convert-to-signless"
    word: str = ""
    def run(self, module): pass
"""
    flags = (f"--load-pass={write('mine.py', mine)}", "--stablehlo-convert-to-signless=word=x")
    result = driver(write("f", PROGRAM), *flags, "--compare-with-cpp")
    assert result.code == 1
    assert (
        "--compare-with-cpp: pass 'cpp-stablehlo-convert-to-signless' has no options, found 'word'"
        in (result.err)
    )
