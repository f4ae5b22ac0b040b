"""hlo-opt: passes and pipelines, their errors, and watching them."""

from __future__ import annotations

import pytest

from sdykit.core import Registry
from sdykit.core.upstream import UPSTREAM_PASSES
from sdykit.opt.pipelines import takes_hlo

PROGRAM = """\
HloModule m

ENTRY %main {
  %a = f32[4] parameter(0)
  %b = f32[4] parameter(1)
  %c = f32[4] add(%a, %b)
  ROOT %d = f32[4] multiply(%c, %a)
}
"""
PASSES = """\
from dataclasses import dataclass

from sdykit.core import ModulePass, Pipeline
from sdykit.hlo import HloError


@dataclass(frozen=True)
class Rename(ModulePass):
    \"\"\"Rename the roots.\"\"\"

    name = "my-rename"

    to: str = "r"
    \"\"\"The new name.\"\"\"

    def run_hlo(self, module):
        module.entry.root.name = self.to


class Refuse(ModulePass):
    \"\"\"Refuse every root.\"\"\"

    name = "my-refuse"

    def run_hlo(self, module):
        raise HloError(module.entry.root.location, "no roots, please")


class Fall(ModulePass):
    \"\"\"Fall over.\"\"\"

    name = "my-fall"

    def run_hlo(self, module):
        module.no_such_thing


class Both(Pipeline):
    \"\"\"Rename and refuse.\"\"\"

    name = "my-pipeline"

    def passes(self):
        return ["my-rename{to=p}", "async-verify", "my-refuse"]


class Mixed(Pipeline):
    \"\"\"Something for MLIR.\"\"\"

    name = "mixed-pipeline"

    def passes(self):
        return ["my-rename", "cse"]


class Loop(Pipeline):
    \"\"\"Goes on and on.\"\"\"

    name = "loop-pipeline"

    def passes(self):
        return ["loop-pipeline"]


class Spoil(ModulePass):
    \"\"\"Make the program invalid.\"\"\"

    name = "my-spoil"

    def run_hlo(self, module):
        entry = module.entry
        entry.add("s", "f32[4]", "async-done", [entry.root])
"""


@pytest.fixture
def passes(write) -> str:
    return f"--load-pass={write('passes.py', PASSES)}"


def test_help_lists_the_passes_over_hlo_and_no_others(hlo_opt, passes: str):
    registry = Registry()
    for flag in ("--help", "--list-passes"):
        _, text, _ = hlo_opt(flag, passes)
        words = {word.lstrip("-") for word in text.split()}
        assert {"my-rename", "async-wrap", "async-verify"} <= words
        for name in registry.names():
            cls = registry.find(name)
            assert cls is not None
            assert (name in words) == takes_hlo(cls), name
        assert not words & (UPSTREAM_PASSES.keys() - {"inline"})


def test_passes_of_the_user_run_by_flag_and_pipeline(hlo_opt, write, passes: str):
    path = write("p.hlo", PROGRAM)
    _, out, _ = hlo_opt(path, passes, "--my-rename=to=x")
    assert "ROOT %x = f32[4] multiply" in out
    _, out, _ = hlo_opt(path, passes, "--pass-pipeline=my-rename{to=y},my-rename")
    assert "ROOT %r = f32[4] multiply" in out


@pytest.mark.parametrize(
    ("name", "place", "message"),
    [
        ("my-refuse", "7:", "no roots, please"),
        ("my-fall", "3:7: error: ", "pass 'my-fall' raised AttributeError: "),
        ("my-spoil", "", "async-done expects operand to be async-start or async-update"),
    ],
)
def test_failing_passes_are_reported(
    hlo_opt, write, passes: str, *, name: str, place: str, message: str
):
    path = write("p.hlo", PROGRAM)
    code, out, err = hlo_opt(path, passes, f"--{name}")
    assert (code, out) == (1, "")
    assert err.startswith(f"{path}:{place}" if place else "<unknown>:0: error: ")
    assert message in err
    assert "Traceback" not in err


def test_pipelines_of_the_user_are_expanded(hlo_opt, write, passes: str):
    path = write("p.hlo", PROGRAM)
    _, _, err = hlo_opt(path, passes, "--my-pipeline", "--dump-pass-pipeline")
    assert err.startswith("my-rename{to=p},async-verify,my-refuse\n")
    assert "no roots, please" in err
    wrong = "hlo-opt: error: pass 'mixed-pipeline' runs on MLIR, not on HLO text; "
    assert hlo_opt(path, passes, "--mixed-pipeline")[2].startswith(wrong)
    endless = "hlo-opt: error: pipeline 'loop-pipeline' contains itself\n"
    assert hlo_opt(path, passes, "--loop-pipeline")[2] == endless
    listed = hlo_opt(passes, "--list-passes")[1]
    assert "my-pipeline" in listed
    assert "mixed-pipeline" not in listed


def test_verify_each_names_the_pass_that_broke_the_program(hlo_opt, write, passes: str):
    path = write("p.hlo", PROGRAM)
    flags = (passes, "--my-spoil", "--my-fall")
    assert "my-fall" in hlo_opt(path, *flags)[2]
    assert "my-fall" not in hlo_opt(path, *flags, "--verify-each")[2]


def test_passes_for_hlo_alone_do_not_run_on_mlir(driver, passes: str):
    result = driver(passes, "--my-rename", "/dev/null")
    assert result.code == 1
    assert result.err == "sdy-opt: error: pass 'my-rename' runs on HLO text only; hlo-opt runs it\n"
    assert "my-rename" not in driver(passes, "--list-passes").out


def test_ir_dumps_and_times_show_hlo_passes(hlo_opt, write, passes: str):
    path = write("p.hlo", PROGRAM)
    flags = (passes, "--async-verify", "--my-rename")
    _, _, err = hlo_opt(path, *flags, "--mlir-print-ir-after-change")
    assert "IR Dump After Rename (my-rename)" in err
    assert "async-verify" not in err
    assert err.count("HloModule m") == 1
    _, _, err = hlo_opt(path, *flags, "--mlir-timing", "--dump-pass-pipeline")
    assert err.startswith("async-verify,my-rename\n")
    for phase in ("Parser", "Verifier", "async-verify", "my-rename", "Output", "Total"):
        assert phase in err
