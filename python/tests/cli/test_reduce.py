"""`sdykit reduce` on planted faults: what is left is small, valid, and fails as before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sdykit.core import ops_named
from sdykit.mlir import ir, make_context
from sdykit.opt.reduce.edits import EDITS, ops_within, size
from sdykit.opt.reduce.search import Search

ROOT = Path(__file__).parents[3]
PASSES = """
import os
from sdykit.core import ModulePass, fail, ops_named

def faults(module):
    for op in ops_named(module, "stablehlo.dot_general"):
        if getattr(op.operands[0].owner, "name", None) == "stablehlo.add":
            yield op

class Planted(ModulePass):
    "Fail on the product of a sum."
    name = "planted"
    def run(self, module):
        for op in faults(module):
            fail(op, f"is one of {len(list(module.body.operations))}")

class Crash(ModulePass):
    "Crash on the product of a sum."
    name = "crash"
    def run(self, module):
        for op in faults(module):
            os.kill(os.getpid(), 11)

class Leave(ModulePass):
    "End the process on the product of a sum."
    name = "leave"
    def run(self, module):
        for op in faults(module):
            os._exit(7)

class Hang(ModulePass):
    "Take for ever where there are no products."
    name = "hang"
    def run(self, module):
        import time
        for op in faults(module):
            fail(op, "is here")
        if not ops_named(module, "stablehlo.dot_general"):
            time.sleep(1000)

class Legalize(ModulePass):
    "Leaves all as it is; the pass in C++ does not."
    name = "stablehlo-legalize-to-hlo"
    def run(self, module): pass
"""


def program(functions: int = 3) -> str:
    """Return a program whose fault is in a loop in its last function but one."""
    parts = ["!t = tensor<8x8xf32>", 'sdy.mesh @mesh = <["a"=2, "b"=4]>']
    for number in range(functions):
        call = (
            f"%8:2 = func.call @f{number + 1}(%6, %b) : (!t, !t) -> (!t, !t)"
            if number < functions - 1
            else "%8:2 = stablehlo.optimization_barrier %6, %b : !t, !t"
        )
        dot = (
            "%k = stablehlo.dot_general %j, %i, contracting_dims = [1] x [0] : (!t, !t) -> !t"
            if number == functions - 2
            else "%k = stablehlo.multiply %j, %i : !t"
        )
        parts.append(f"""
func.func @f{number}(%a: !t {{sdy.sharding = #sdy.sharding<@mesh, [{{"a"}}, {{}}]>}}, %b: !t) -> (!t, !t) {{
  %0 = stablehlo.tanh %a {{my.attr = {number} : i32}} : !t
  %1 = stablehlo.add %0, %b : !t
  %2 = stablehlo.constant dense<1.0> : !t
  %3 = stablehlo.multiply %1, %2 : !t
  %4 = sdy.sharding_constraint %3 <@mesh, [{{}}, {{?}}]> : !t
  %5 = stablehlo.while(%i = %4) : !t cond {{
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }} do {{
    %j = stablehlo.add %i, %3 : !t
    {dot}
    stablehlo.return %k : !t
  }}
  %6 = stablehlo.exponential %5 : !t
  {call}
  return %8#0, %8#1 : !t, !t
}}""")
    parts.append("func.func @alone(%a: !t, %b: !t) -> !t { return %b : !t }")
    return "\n".join(parts)


TINY = """
!t = tensor<8x8xf32>
func.func @f(%a: !t, %b: !t) -> (!t, !t) {
  %0 = stablehlo.add %a, %b : !t
  %1 = stablehlo.dot_general %0, %a, contracting_dims = [1] x [0] : (!t, !t) -> !t
  return %0, %1 : !t, !t
}
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "passes.py").write_text(PASSES)
    (tmp_path / "big.mlir").write_text(program())
    (tmp_path / "tiny.mlir").write_text(TINY)
    return tmp_path


def names(text: str) -> list[str]:
    module = ir.Module.parse(text, make_context())
    assert module.operation.verify()
    return [op.name for op in ops_within(module.operation)]


def reduce(sdykit: Callable, name: str, *flags: str, file: str = "big.mlir") -> str:
    result = sdykit("reduce", file, "--load-pass=passes.py", f"--pass-pipeline={name}", *flags)
    assert result.code == 0, result.err
    return result.out


SMALLEST = ["func.func", "stablehlo.add", "stablehlo.dot_general", "func.return"]


@pytest.mark.usefixtures("files")
def test_a_module_is_reduced_while_a_pass_fails(sdykit):
    alone = reduce(sdykit, "builtin.module(planted)", "-j1")
    assert names(alone) == SMALLEST
    # It does not depend on how many candidates are tried at a time.
    assert reduce(sdykit, "builtin.module(planted)", "-j4") == alone


@pytest.mark.usefixtures("files")
def test_a_module_is_reduced_while_a_pass_crashes(sdykit):
    assert names(reduce(sdykit, "cse,crash")) == SMALLEST


@pytest.mark.usefixtures("files")
def test_a_module_is_reduced_while_a_pass_exits(sdykit):
    result = sdykit(
        "reduce", "tiny.mlir", "--load-pass=passes.py", "--pass-pipeline=leave", "--timeout=30"
    )
    assert result.code == 0, result.err
    assert ": exit (code 7)\n" in result.err
    assert names(result.out) == SMALLEST


@pytest.mark.usefixtures("files")
def test_what_a_pass_file_prints_is_not_in_the_result(sdykit, files: Path):
    with (files / "passes.py").open("a") as file:
        file.write('print("loaded")\n')
    assert names(reduce(sdykit, "planted", file="tiny.mlir")) == SMALLEST


@pytest.mark.usefixtures("files")
def test_a_hang_is_another_behaviour(sdykit):
    # Each candidate without the fault hangs until its time is over: let there be few.
    assert "stablehlo.dot_general" in names(
        reduce(sdykit, "hang", "--timeout=1", "-j8", file="tiny.mlir")
    )


@pytest.mark.usefixtures("files")
def test_a_module_is_reduced_while_an_error_has_the_message(sdykit):
    assert names(reduce(sdykit, "planted", "--message=is one of", file="tiny.mlir")) == SMALLEST


@pytest.mark.usefixtures("files")
def test_a_module_is_reduced_while_a_pass_differs_from_cpp(sdykit):
    text = reduce(sdykit, "symbol-dce,stablehlo-legalize-to-hlo", "--compare-with-cpp")
    # Two ops: one that C++ makes another one of, and the end of its function.
    assert sorted(names(text)) == ["func.func", "func.return", "stablehlo.constant"]


def test_a_module_is_reduced_while_a_command_fails(sdykit, files: Path):
    script = files / "wrong.sh"
    script.write_text("#!/bin/sh\n! grep -q dot_general $1\n")
    script.chmod(0o755)
    result = sdykit("reduce", "big.mlir", "--test=./wrong.sh", "-o", "small.mlir")
    assert (result.code, result.out) == (0, "")
    assert names((files / "small.mlir").read_text()).count("stablehlo.dot_general") == 1
    assert len(names((files / "small.mlir").read_text())) <= 4
    assert " left after " in result.err.splitlines()[-1]


def test_a_command_that_disappears_is_an_error(sdykit, files: Path):
    script = files / "once.sh"
    script.write_text("#!/bin/sh\nrm $0\nexit 1\n")
    script.chmod(0o755)
    result = sdykit("reduce", "tiny.mlir", "--test=./once.sh")
    assert result.code == 1
    assert "error: cannot run './once.sh': No such file or directory" in result.err
    assert "stablehlo.dot_general" in result.out


def test_nothing_survives_ctrl_c_in_the_first_test():
    search = Search(make_context(), _sleep, 1, 60, lambda: True)
    with pytest.raises(KeyboardInterrupt):
        search.behaviour(b"module {}")
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def _sleep(_: ir.Module) -> str:
    time.sleep(60)
    return ""


def test_a_reproducer_is_reduced(sdykit, files: Path):
    flags = ("--load-pass=passes.py", "--planted", "-o", "none.mlir")
    reproducer = "--mlir-pass-pipeline-crash-reproducer=crash.mlir"
    subprocess.run(
        [sys.executable, "-m", "sdykit.opt", "tiny.mlir", *flags, reproducer],
        check=False,
        cwd=files,
        capture_output=True,
    )
    result = sdykit("reduce", "crash.mlir", "--load-pass=passes.py")
    assert names(result.out) == SMALLEST


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_smallest_module_is_written_on_interrupt(files: Path, number: signal.Signals):
    script = files / "slow.sh"
    script.write_text("#!/bin/sh\nsleep 0.3\n! grep -q dot_general $1\n")
    script.chmod(0o755)
    child = subprocess.Popen(
        [sys.executable, "-m", "sdykit.cli", "reduce", "big.mlir", "--test=./slow.sh", "-j2"],
        cwd=files,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
        start_new_session=True,
    )
    assert child.stderr is not None
    for line in child.stderr:
        if "erase functions" in line:
            break
    os.killpg(child.pid, number) if number is signal.SIGINT else child.send_signal(number)
    out, err = child.communicate(timeout=60)
    assert "; interrupted\n" in err
    assert "stablehlo.dot_general" in names(out)
    assert 4 < len(names(out)) < len(names(program()))
    assert child.returncode == (130 if number is signal.SIGINT else -number)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ((), "expected --pass-pipeline or --test, or a reproducer, which holds its pipeline"),
        (("--pass-pipeline=cse",), "big.mlir: nothing to reduce: nothing fails with this input"),
        (("--test=false", "-o", "./big.mlir"), "'./big.mlir' would replace the input 'big.mlir'"),
        (("--pass-pipeline=cze",), "unknown pass 'cze'; did you mean 'cse'?"),
        (("--pass-pipeline=cse", "--compare-with-cpp"), "nothing to compare"),
        (("--test=./none.sh",), "cannot run './none.sh': No such file or directory"),
        (("--test=true", "--pass-pipeline=cse"), "--test and --pass-pipeline exclude each other"),
        (("--test= ",), "--test is empty; expected a command"),
        (("--test=false", "-j0"), "--jobs is 0; expected 1 or more"),
        (("--test=sh -c 'sleep 9'", "--timeout=0.2"), "the test takes more than 0.2 s"),
        (("--test='sh",), '--test is "\'sh"; expected a command: No closing quotation'),
        (("--pass-pipeline=cse", "--message=zz"), "nothing to reduce: no error has 'zz' in it"),
        (("--test=false", "--timeout=nan"), "--timeout is nan; expected more than 0"),
        (("--test=false", "-o", "none/x"), "'none/x': No such file or directory"),
        (("--test=false", "-o", "./big.mlir"), "would replace the input 'big.mlir'"),
        (
            ("--load-pass=passes.py", "--pass-pipeline=cse", "-o", "passes.py"),
            "would replace the input 'passes.py'",
        ),
    ],
)
@pytest.mark.usefixtures("files")
def test_wrong_command_lines_are_errors(sdykit, flags: tuple[str, ...], message: str):
    result = sdykit("reduce", "big.mlir", *flags)
    assert result.code == 1
    assert message in result.err
    assert result.out == ""


def test_invalid_input_is_an_error(sdykit):
    result = sdykit("reduce", "-", "--pass-pipeline=cse", stdin=b"func.func @f() { retun }")
    assert result.code == 1
    assert "<stdin>:1:18: error: custom op 'retun' is unknown" in result.err


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.title)
def test_valid_results_of_edits_are_smaller(edit):
    """Each edit is of use on one of its sites at least, and crashes on none."""
    context = make_context()
    module = ir.Module.parse(program(3), context)
    made = 0
    for at in range(len(edit.sites(module))):
        copy = ir.Module.parse(program(3), context)
        with context:
            edit.apply(edit.sites(copy)[at : at + 1])
            try:
                copy.operation.verify()
            except ir.MLIRError:
                continue
        made += size(copy) < size(module)
        assert len(ops_named(copy.operation.opview, "sdy.mesh")) <= 1
    assert made


def test_a_message_that_no_error_has_is_an_error(sdykit):
    stdin = b"func.func @f() { return }"
    flags = ("--pass-pipeline=builtin.module(mpmd-validate-no-reshards)", "--message=no mesh")
    result = sdykit("reduce", "-", *flags, stdin=stdin)
    assert result.code == 1
    assert "nothing to reduce: no error has 'no mesh' in it with this input" in result.err


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"HloModule m\n", "note: this is not MLIR: it looks like HLO text; hlo-opt reads it"),
        (b"\xff\xfe", "<stdin>:1:1: error: the input is not UTF-8"),
    ],
)
def test_input_that_is_not_mlir_is_an_error(sdykit, data: bytes, message: str):
    result = sdykit("reduce", "-", "--pass-pipeline=cse", stdin=data)
    assert result.code == 1
    assert message in result.err


def test_one_candidate_is_counted_in_the_singular(sdykit):
    result = sdykit("reduce", "-", "--test=false", stdin=b"func.func @f() { return }")
    assert result.err.endswith("left after 1 candidate\n")
