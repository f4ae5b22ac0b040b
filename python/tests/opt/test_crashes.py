"""No input, flag or pass of a user may crash the driver."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sdykit.mlir import ir, make_context
from sdykit.opt.process.guard import guarded

PASSES = """
import os, signal, time
from sdykit.core import FunctionPass, ModulePass
from sdykit.errors import PassFailure


def raise_deep():
    return {}["missing"]


class Kill(ModulePass):
    name = "kill"
    def run(self, module): os.kill(os.getpid(), signal.SIGSEGV)

class Abort(ModulePass):
    name = "abort"
    def run(self, module): os.abort()

class Exit(ModulePass):
    name = "exit"
    def run(self, module): raise SystemExit(0)

class Interrupt(ModulePass):
    name = "interrupt"
    def run(self, module): raise KeyboardInterrupt

class Raise(ModulePass):
    name = "raise"
    def run(self, module): raise_deep()

class RaiseInFunction(FunctionPass):
    name = "raise-in-function"
    def run(self, func): raise ValueError

class Recurse(ModulePass):
    name = "recurse"
    def run(self, module): self.run(module)

class Quiet(ModulePass):
    name = "quiet"
    def run(self, module): raise PassFailure("")

class Erase(ModulePass):
    name = "erase"
    def run(self, module):
        for op in list(module.body):
            op.erase()

class Dangle(ModulePass):
    name = "dangle"
    def run(self, module):
        op = module.body.operations[0]
        op.operation.erase()
        str(op)

class Break(ModulePass):
    name = "break"
    def run(self, module):
        for op in module.body:
            op.regions[0].blocks[0].operations[0].operation.erase()

class BadAttribute(ModulePass):
    name = "bad-attribute"
    def run(self, module):
        from sdykit.mlir import ir
        ir.Attribute.parse("#sdy.sharding<")

class Sleep(ModulePass):
    name = "sleep"
    def run(self, module):
        print("ready", flush=True)
        time.sleep(60)
"""
FUNCTION = "func.func @f() {\n  return\n}\n"


@pytest.fixture
def run_pass(sdy_opt, write):
    passes, module = write("passes.py", PASSES), write("f.mlir", FUNCTION)
    directory = f"{passes.parent}/"

    def call(*names: str):
        flags = [f"-{name}" for name in names]
        result = sdy_opt(module.name, f"-load-pass={passes.name}", *flags)
        assert "Traceback" not in result.err
        return replace(result, err=result.err.replace(directory, ""))

    return call


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("exit", "f.mlir:0:0: error: pass 'exit' raised SystemExit: 0 (at passes.py:21)"),
        ("raise", "f.mlir:0:0: error: pass 'raise' raised KeyError: 'missing' (at passes.py:8)"),
        (
            "raise-in-function",
            "f.mlir:1:1: error: pass 'raise-in-function' raised ValueError (at passes.py:33)\n"
            "func.func @f() {\n^",
        ),
        ("recurse", "f.mlir:0:0: error: pass 'recurse' raised RecursionError: maximum"),
        ("quiet", "<unknown>:0: error: pass 'quiet' failed"),
        ("dangle", "raised RuntimeError: the operation has been invalidated"),
        ("break", "f.mlir:1:1: error: empty block: expect at least a terminator"),
        (
            "bad-attribute",
            "error: pass 'bad-attribute' raised MLIRError: Unable to parse attribute",
        ),
        ("kill", "sdy-opt: error: crashed while running 'kill' (SIGSEGV); a pass may use an op"),
        ("abort", "sdy-opt: error: crashed while running 'abort' (SIGABRT)"),
    ],
)
def test_a_pass_that_breaks_the_ir_ends_with_a_message(run_pass, name: str, message: str):
    result = run_pass("cse", name)
    assert result.code == 1
    assert message in result.err
    assert result.out == ""


def test_a_pass_may_erase_everything(run_pass):
    assert run_pass("erase", "cse").out == "module {\n}\n\n"


def test_an_interrupt_in_a_pass(run_pass):
    result = run_pass("interrupt")
    assert result.code == 130
    assert result.err == "sdy-opt: interrupted\n"


@pytest.fixture
def sleeping(write):
    """Start the driver and wait until it runs a pass that sleeps."""
    write("f.mlir", FUNCTION)
    # Tests may run where it is ignored (nohup), and a child does as its parent.
    ignored = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with subprocess.Popen(
        [sys.executable, "-m", "sdykit.opt", "f.mlir", "-load-pass=passes.py", "-sleep"],
        cwd=write("passes.py", PASSES).parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"ready\n"
        yield process
        process.kill()
    signal.signal(signal.SIGHUP, ignored)


def test_ctrl_c_ends_with_exit_code_130(sleeping):
    os.killpg(sleeping.pid, signal.SIGINT)
    assert sleeping.wait(20) == 130
    assert sleeping.stderr.read() == b"sdy-opt: interrupted\n"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_termination_reaches_the_work(sleeping, name: str):
    sleeping.send_signal(getattr(signal, name))
    assert sleeping.wait(20) == -getattr(signal, name)
    assert sleeping.stdout.read() == b""  # The end of the pipe: the child is gone too.


def test_no_work_survives_a_kill(sleeping):
    started = time.monotonic()
    sleeping.kill()
    assert sleeping.stdout.read() == b""
    assert time.monotonic() - started < 20


DEEP = {
    "modules": ("module {", "", "}"),
    "tuples": ("func.func private @f(", "tuple<", "i32", ">", ")"),
    "arrays": ("module attributes {a.b = ", "[", "", "]", "} {}"),
    "locations": ("module {} loc(", '"a"(', "unknown", ")", ")"),
    "maps": ("module attributes {a.b = affine_map<(d0) -> (", "(", "d0", ")", ")>} {}"),
    "shardings": ("module attributes {a.b = #sdy.sharding<", "[", "", "]", ">} {}"),
}


@pytest.mark.parametrize("kind", [kind for kind in DEEP if kind != "modules"])
def test_deep_nesting_is_read_or_reported(sdy_opt, write, kind: str):
    head, opening, inner, closing, tail = DEEP[kind]
    depth = 100_000
    path = write("f.mlir", head + opening * depth + inner + closing * depth + tail)
    result = sdy_opt(path.name, "-o", os.devnull)
    # Whether it fits depends on how far the system lets the stack grow.
    assert result.code in (0, 1)
    assert result.code == 0 or "error" in result.err


def test_a_stack_overflow_is_contained(write):
    path = write("f.mlir", "module {" * 20_000 + "}" * 20_000)
    command = f"ulimit -Ss 512; ulimit -Hs 512; exec {sys.executable} -m sdykit.opt {path}"
    done = subprocess.run(
        ["sh", "-c", command],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "sdy-opt: error: crashed while parsing the input (SIGSEGV);"
        " the input may be corrupt or too deeply nested\n"
    )


def test_a_pipeline_nested_too_deeply_is_an_error(driver):
    deep = "func.func(" * 100_000
    result = driver(f"-pass-pipeline=builtin.module({deep}")
    assert (
        result.err
        == "sdy-opt: error: pipeline: found more than 100 levels of nesting; expected 100 or fewer\n"
    )


def test_truncated_bytecode_is_reported(driver, write):
    buffer = io.BytesIO()
    ir.Module.parse("func.func private @f()", make_context()).operation.write_bytecode(buffer)
    data = buffer.getvalue()
    for length in (4, 5, 12, len(data) // 2, len(data) - 1):
        path = write("f", data[:length])
        result = driver(path)
        assert result.code == 1
        assert result.err.startswith(f"{path}:0:0: error: ")


@pytest.mark.parametrize(
    "text",
    [
        "func.func @f() { %0 = arith.constant 999999999999999999999999999999999999 : i32\n return }",
        "module attributes {a.b = 1 : i99999999999999999999} {}",
        "func.func private @f(tensor<99999999999999999999xf32>)",
        "module attributes {a.b = dense<1> : tensor<4611686018427387904x4611686018427387904xi8>} {}",
        'module attributes {a.b = "\\FF\\00"} {oops}',
        "module {} loc(callsite(",
        "%0 = ",
        "^",
        "#",
        "{-#",
        "// expected-error-re@+99999999999999999999 {{{{}}",
    ],
)
def test_odd_texts_are_read_or_reported(driver, write, text: str):
    result = driver(write("f", text))
    assert result.code in (0, 1)
    assert result.code == 0 or "error: " in result.err
    driver(write("f", text), "-verify-diagnostics")


def test_internal_errors_are_one_line(driver, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise AssertionError("unforeseen")

    monkeypatch.setattr("sdykit.opt.session.Session.run", broken)
    result = driver()
    assert result.code == 1
    assert result.err.startswith(
        "sdy-opt: error: internal error, please report it: AssertionError: unforeseen (at "
    )


def test_signals_are_handled_as_before():
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    assert guarded(lambda _: 7, "tool") == 7
    assert [signal.getsignal(number) for number in numbers] == before


def test_without_fork_the_work_is_done_in_this_process(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(os, "fork")
    assert guarded(lambda status: status("working") or 7, "tool") == 7


def test_a_failing_fork_leaves_the_work_to_this_process(monkeypatch: pytest.MonkeyPatch):
    def fail() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", fail)
    assert guarded(lambda _: 7, "tool") == 7


def test_breakpoints_work(sdy_opt, write):
    write("f.mlir", FUNCTION)
    write(
        "stop.py",
        "from sdykit.core import ModulePass\n"
        "class Stop(ModulePass):\n"
        "    name = 'stop'\n"
        "    def run(self, module):\n"
        "        breakpoint()\n"
        "        return\n",
    )
    result = sdy_opt("f.mlir", "-load-pass=stop.py", "-stop", stdin=b"p 6 * 7\ncontinue\n")
    assert result.code == 0
    assert "(Pdb) 42" in result.err
