from __future__ import annotations

from dataclasses import dataclass

import pytest

from sdykit.core import (
    Diagnostic,
    FunctionPass,
    Instrumentation,
    ModulePass,
    Pipeline,
    Registry,
    RunOptions,
    capture,
    fail,
    ops_named,
    run_pipeline,
)
from sdykit.core.plan import Step, plan
from sdykit.core.upstream import UPSTREAM_PASSES
from sdykit.errors import PassFailure, PipelineError
from sdykit.mlir import FuncOp, ModuleOp, ir, make_context, passmanager

TEXT = """
module @top {
  func.func @f(%a: i32) -> i32 {
    %0 = arith.addi %a, %a : i32
    %1 = arith.addi %a, %a : i32
    return %1 : i32
  }
  func.func @g() { return }
  module @inner { func.func @h() { return } }
}
"""
LOG: list[str] = []


@dataclass(frozen=True)
class LogModule(ModulePass):
    """Log."""

    name = "log-module"
    word: str = ""

    def run(self, module: ModuleOp) -> None:
        LOG.append(f"{self.word}{module.operation.attributes['sym_name']}")


class LogFunction(FunctionPass):
    """Log."""

    name = "log-function"

    def run(self, func: FuncOp) -> None:
        LOG.append(str(func.operation.attributes["sym_name"]))


class Break(ModulePass):
    """Leave invalid IR."""

    name = "break"

    def run(self, module: ModuleOp) -> None:
        for op in ops_named(module, "func.return"):
            op.erase()


class Fail(FunctionPass):
    """Fail on @g."""

    name = "fail"

    def run(self, func: FuncOp) -> None:
        LogFunction.run(LogFunction(), func)
        if "g" in str(func.operation.attributes["sym_name"]):
            fail(func, "is not wanted")


class Raise(ModulePass):
    """Raise."""

    name = "raise"

    def run(self, module: ModuleOp) -> None:
        raise ValueError("no")


class Twice(Pipeline):
    """Twice."""

    name = "twice"

    def passes(self) -> list[str]:
        return ["log-module{word=1}", "log-module{word=2}"]


class Endless(Pipeline):
    """Names itself."""

    name = "endless"

    def passes(self) -> list[str]:
        return ["endless"]


CLASSES = (LogModule, LogFunction, Break, Fail, Raise, Twice, Endless)


@pytest.fixture
def registry() -> Registry:
    LOG.clear()
    registry = Registry()
    registry._loaded |= {cls.name: cls for cls in CLASSES}
    return registry


@pytest.fixture
def module() -> ir.Module:
    return ir.Module.parse(TEXT, make_context())


@pytest.mark.parametrize(
    ("pipeline", "log"),
    [
        ("log-module", ['"top"']),
        ("builtin.module(log-module)", ['"top"']),
        ("any(log_module)", ['"top"']),
        ("log-module{word=x}", ['x"top"']),
        ("log-function", ['"f"', '"g"']),
        ("func.func(log-function,cse),log-module", ['"f"', '"g"', '"top"']),
        ("builtin.module(builtin.module(log-module,log-function))", ['"inner"', '"h"']),
        ("builtin.module(twice)", ['1"top"', '2"top"']),
        ("builtin.module(builtin.module(twice))", ['1"inner"', '2"inner"']),
        ("", []),
        ("builtin.module()", []),
        ("func.func()", []),
        ("builtin.module(scf.for(cse))", []),
    ],
)
def test_passes_run_in_order_on_the_ops_that_they_are_nested_in(
    module: ir.Module, registry: Registry, pipeline: str, log: list[str]
):
    run_pipeline(module, pipeline, registry=registry)
    assert log == LOG


@pytest.mark.parametrize(
    "options", [RunOptions(), RunOptions(instrumentations=(Instrumentation(),))]
)
@pytest.mark.parametrize(
    "pipeline", ["cse", "func.func(cse)", "any(cse)", "builtin.module(any(cse))"]
)
def test_a_cpp_pass_runs_in_any_nesting(module: ir.Module, pipeline: str, options: RunOptions):
    run_pipeline(module, pipeline, options)
    assert str(module).count("arith.addi") == 1


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        (
            "func.func(log-module)",
            "can't run pass 'log-module', which is restricted to 'builtin.mod",
        ),
        ("scf.for(log-function)", "can't run a pipeline anchored on 'scf.for' on 'builtin.module'"),
        ("builtin.module(scf.for(log-function))", "restricted to 'func.func', on 'scf.for'"),
        ("builtin.module(any(func.func(log-function)))", "only C++ passes can be nested in 'any'"),
        ("scf.for(mhlo-flatten-tuple),cse", "restricted to 'func.func', on 'scf.for'"),
        ("endless", "pipeline 'endless' contains itself"),
        ("cse{x=1}", "pass 'cse' has no options, found 'x'"),
        (
            "inline{default-pipeline=sdy-import-pipeline}",
            "'sdy-import-pipeline' cannot be named in its options: only MLIR's own passes can",
        ),
        (
            "inline{op-pipelines=func.func(cse,canonicalize{max-iterations=3}),any(sccp,vhlo-x)}",
            "pass 'inline': 'vhlo-x' cannot be named in its options",
        ),
        ("nothing", "unknown pass 'nothing'"),
    ],
)
def test_an_invalid_pipeline_is_an_error_and_nothing_runs(
    module: ir.Module, registry: Registry, pipeline: str, message: str
):
    with pytest.raises(PipelineError) as raised:
        run_pipeline(module, pipeline, registry=registry)
    assert message in str(raised.value)
    assert not LOG


def test_the_text_of_a_step_names_its_nesting_and_options(registry: Registry):
    steps = plan("builtin.module(log_function,func.func(cse, symbol_dce),twice)", registry)
    assert [step.text for step in steps] == [
        "func.func(log_function)".replace("_", "-"),
        "func.func(cse,symbol-dce)",
        "log-module{word=1}",
        "log-module{word=2}",
    ]


def test_the_verifier_runs_at_the_end(module: ir.Module, registry: Registry):
    with pytest.raises(PassFailure, match="empty block: expect at least a terminator"):
        run_pipeline(module, "break,log-module", registry=registry)
    assert LOG == ['"top"']


def test_with_verify_each_the_pipeline_ends_after_invalid_ir(module: ir.Module, registry: Registry):
    with pytest.raises(PassFailure, match="empty block: expect at least a terminator"):
        run_pipeline(module, "break,log-module", RunOptions(verify_each=True), registry)
    assert LOG == []


def test_the_text_of_a_failure_has_the_diagnostics(module: ir.Module, registry: Registry):
    with pytest.raises(PassFailure) as raised:
        run_pipeline(module, "fail,log-module", registry=registry)
    assert str(raised.value) == "error: \"-\":8:3: 'func.func' op is not wanted"
    assert LOG == ['"f"', '"g"']


def test_a_capture_receives_the_diagnostics_of_a_failure(module: ir.Module, registry: Registry):
    found: list[Diagnostic] = []
    with capture(module.context, found.append), pytest.raises(PassFailure, match="'fail' failed"):
        run_pipeline(module, "fail", registry=registry)
    assert [str(d) for d in found] == ["-:8:3: error: 'func.func' op is not wanted"]


def test_a_pass_that_fails_on_a_function_runs_on_the_others(registry: Registry):
    text = "func.func @g1() { return } func.func @f() { return } func.func @g2() { return }"
    module, found = ir.Module.parse(text, make_context()), list[Diagnostic]()
    with capture(module.context, found.append), pytest.raises(PassFailure):
        run_pipeline(module, "func.func(fail,log-function)", registry=registry)
    assert len(found) == 2
    assert LOG == ['"g1"', '"f"', '"f"', '"g2"']


def test_exceptions_become_located_errors(module: ir.Module, registry: Registry):
    found: list[Diagnostic] = []
    with capture(module.context, found.append), pytest.raises(PassFailure):
        run_pipeline(module, "raise", registry=registry)
    assert found[0].message.startswith("pass 'raise' raised ValueError: no (at ")
    assert found[0].message.rpartition("/")[2].startswith("test_run.py:")
    assert found[0].location is not None


def test_progress_and_observer_are_called_around_each_step(module: ir.Module, registry: Registry):
    seen: list[str] = []

    def observe(text: str, op: ir.Operation, seconds: float) -> None:
        assert op == module.operation
        assert seconds >= 0
        seen.append(f"after {text}")

    options = RunOptions(observer=observe, progress=lambda text: seen.append(f"before {text}"))
    run_pipeline(module, "cse,log-function", options, registry)
    assert seen == [
        "before cse",
        "after cse",
        "before func.func(log-function)",
        "after func.func(log-function)",
    ]


def test_instrumentations_are_called_around_nests_and_passes(module: ir.Module, registry: Registry):
    class Recorder(Instrumentation):
        def __init__(self) -> None:
            self.events: list[str] = []

        def before(self, step: Step, op: ir.Operation) -> None:
            self.events.append(f"> {step.name} {op.attributes['sym_name']}")

        def after(self, step: Step, op: ir.Operation, failed: bool) -> None:
            self.events.append(f"{'!' if failed else '<'} {step.name}")

    recorder = Recorder()
    with pytest.raises(PassFailure):
        run_pipeline(
            module, "func.func(cse,fail),cse", RunOptions(instrumentations=(recorder,)), registry
        )
    assert recorder.events == [
        '> func.func "top"',
        '> cse "f"', "< cse", '> fail "f"', "< fail",
        '> cse "g"', "< cse", '> fail "g"', "! fail",
        "! func.func",
    ]  # fmt: skip


@pytest.mark.parametrize("name", UPSTREAM_PASSES)
def test_the_table_of_cpp_passes_has_their_options_and_defaults(name: str):
    upstream = UPSTREAM_PASSES[name]
    with make_context():
        text = str(passmanager.PassManager.parse(f"any({name})"))
        # MLIR prints any(name{option=default ...}), without options whose values are lists.
        shown = text.removeprefix(f"any({name}").rstrip(")}").lstrip("{").split()
        defaults = {option.name: option.default for option in upstream.options}
        assert dict(word.split("=", 1) for word in shown).items() <= defaults.items()
        given = " ".join(f"{key}={value}" for key, value in defaults.items())
        passmanager.PassManager.parse(f"any({name}{{{given}}})")
        assert upstream.summary
        assert upstream.class_name
