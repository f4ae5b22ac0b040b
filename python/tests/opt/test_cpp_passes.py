"""The table of C++ passes that the drivers alone offer, against jaxlib, and who may use it."""

from __future__ import annotations

import mmap
import re
from pathlib import Path

import jaxlib
import pytest

from sdykit.core import Registry, run_pipeline
from sdykit.core.plan import plan
from sdykit.errors import PipelineError
from sdykit.mlir import ir, make_context, passmanager, register_cpp_passes
from sdykit.opt.cpp import shardy
from sdykit.opt.cpp.passes import CPP_PASSES, EXTRA_PASSES, MARK, lacking
from sdykit.passes.sdy.pipeline import ImportPipeline

ANCHORS = ("builtin.module", "func.func")
LEFT_OUT = {"mosaic_gpu-serde", "mhlo-flatten-tuple"}
"""On a dialect that is not read; in the table of `core.upstream`."""
REQUIRED = {
    "stablehlo-compatibility-expander": "target=1.0.0",
    "stablehlo-refine-arguments": "types=tensor<8x8xf32>",
    "vhlo-to-version": "target=1.0.0",
}
PROGRAM = """
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> tensor<8x8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  %0 = stablehlo.add %a, %c : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
"""
UNSHARDED = PROGRAM.replace(' {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}', "").replace(
    'sdy.mesh @mesh = <["a"=2, "b"=4]>', ""
)


def registered(text: str) -> str | None:
    """Return a pipeline as MLIR prints it with all options, or None if it is none."""
    register_cpp_passes()
    with ir.Context():
        try:
            return str(passmanager.PassManager.parse(text))
        except ValueError:
            return None


def test_the_table_has_every_pass_of_the_library():
    library = Path(jaxlib.__file__).parent / "libjax_common.so"
    prefixes = b"sdy|mpmd|stablehlo|chlo|hlo|mhlo|vhlo|xla|shape|expand-hlo|mosaic_gpu"
    pattern = re.compile(rb"(?:%s)-[a-z0-9-]{3,60}(?=\0)" % prefixes)
    with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        texts = {found.decode() for found in pattern.findall(data)}
    assert texts >= CPP_PASSES.keys()
    assert {name for name in texts if registered(f"any({name})")} - LEFT_OUT == CPP_PASSES.keys()


@pytest.mark.parametrize("name", [name for name in CPP_PASSES if name not in shardy.PIPELINES])
def test_options_and_anchors_are_those_that_mlir_accepts(name: str):
    upstream = CPP_PASSES[name]
    allowed = [anchor for anchor in ANCHORS if registered(f"{anchor}({name})")]
    assert allowed == ([upstream.anchor] if upstream.anchor else list(ANCHORS))
    anchor = allowed[0]
    shown = (registered(f"{anchor}({name})") or "").removeprefix(f"{anchor}({name}")
    defaults = {option.name: option.default for option in upstream.options}
    words = dict(word.split("=", 1) for word in shown.rstrip(")}").lstrip("{").split())
    # Options that hold lists are not printed while these are empty.
    lists = {key for key in defaults if key not in words}
    assert words == {key: value for key, value in defaults.items() if key not in lists}
    for key in lists:
        assert f"{key}={{a,b}}" in (registered(f"{anchor}({name}{{{key}=a,b}})") or "")


@pytest.mark.parametrize("name", shardy.PIPELINES)
def test_defaults_of_cpp_pipelines_expand_to_the_same_passes(name: str):
    expanded = registered(f"builtin.module({name})")
    assert expanded is not None
    for option in CPP_PASSES[name].options:
        value = option.default or "''"
        assert registered(f"builtin.module({name}{{{option.name}={value}}})") == expanded
        assert registered(f"builtin.module({name}{{{option.name}x={value}}})") is None


@pytest.mark.parametrize("name", CPP_PASSES)
def test_every_cpp_pass_runs_under_its_class_name(driver, write, capfd, name: str):
    """Each runs in the driver, in its nesting, and IR dumps call it as MLIR does."""
    path = write("main.mlir", UNSHARDED)
    options = f"={REQUIRED[name]}" if name in REQUIRED else ""
    result = driver(path, f"--cpp-{name}{options}", "--mlir-print-ir-before-all", "-o", "/dev/null")
    assert result.code == 0, result.err
    assert f"{CPP_PASSES[name].class_name} (cpp-{name})" in result.err
    if name in shardy.PIPELINES:
        return
    anchor = CPP_PASSES[name].anchor or "builtin.module"
    text = f"{anchor}({name}{{{REQUIRED.get(name, '')}}})"
    run_in_mlir(text, anchor)
    assert re.search(
        rf"IR Dump Before (.*::)?{CPP_PASSES[name].class_name}: ", capfd.readouterr().err
    )


def run_in_mlir(pipeline: str, anchor: str) -> None:
    """Run a pipeline without us; IR dumps go to stderr."""
    with make_context():
        module = ir.Module.parse(UNSHARDED)
        root = module.operation if anchor == "builtin.module" else module.body.operations[0]
        manager = passmanager.PassManager.parse(pipeline)
        manager.enable_ir_printing(print_before_all=True, print_after_all=False)
        manager.run(root.operation)


@pytest.mark.parametrize("name", EXTRA_PASSES)
def test_only_the_drivers_offer_cpp_passes(name: str):
    module = ir.Module.parse(PROGRAM, make_context())
    if name in lacking(Registry()) or name.startswith("cpp-"):
        with pytest.raises(PipelineError, match=f"unknown pass '{name}'"):
            run_pipeline(module, name)
    else:
        assert not any(
            step.upstream and step.upstream.mark for step in plan(name, extra=EXTRA_PASSES)
        )


def test_run_pipeline_takes_them_as_an_argument():
    module = ir.Module.parse(PROGRAM, make_context())
    run_pipeline(module, "sdy-propagation-pipeline", extra=EXTRA_PASSES)
    assert str(module).count("sdy.sharding_per_value") == 2


def test_a_pipeline_of_ours_cannot_use_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ImportPipeline, "passes", lambda _: ["sdy-convert-global-to-local"])
    with pytest.raises(PipelineError, match="unknown pass 'sdy-convert-global-to-local'"):
        plan("sdy-import-pipeline", Registry(), EXTRA_PASSES)


def test_a_pipeline_of_the_user_can(driver, write):
    mine = """
from sdykit.core import Pipeline

class Mine(Pipeline):
    "Mine."
    name = "mine"
    def passes(self): return ["sdy-import-pipeline", "sdy-basic-propagate"]
"""
    result = driver(write("f", PROGRAM), f"--load-pass={write('mine.py', mine)}", "--mine")
    assert result.code == 0
    assert result.out.count("sdy.sharding_per_value") == 2


def test_a_pass_of_the_user_takes_precedence_over_cpp(driver, write):
    mine = """
from sdykit.core import ModulePass, remark

class Mine(ModulePass):
    "Mine."
    name = "sdy-convert-global-to-local"
    def run(self, module): remark(module, "mine ran")
"""
    flags = (f"--load-pass={write('mine.py', mine)}", "--sdy-convert-global-to-local")
    result = driver(write("f", PROGRAM), *flags)
    assert "mine ran" in result.err
    listed = driver(*flags, "--list-passes").out
    assert "sdy-convert-global-to-local " in listed.partition(MARK)[0]
    assert "cpp-sdy-convert-global-to-local" in listed


def test_cpp_passes_are_marked_in_help_and_times(driver, write):
    assert f"Passes of Shardy and StableHLO ({MARK}):" in driver("--help").out
    flags = ("--cpp-sdy-close-shardings", "--cpp-sdy-drop-sharding-rules", "--cse", "--mlir-timing")
    result = driver(write("f", PROGRAM), *flags)
    assert f"  cpp-sdy-close-shardings ({MARK})\n" in result.err
    assert f"    cpp-sdy-drop-sharding-rules ({MARK})\n" in result.err
    assert "  cse\n" in result.err


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (
            "--pass-pipeline=builtin.module(func.func(sdy-close-shardings))",
            "can't run pass 'sdy-close-shardings', which is restricted to 'builtin.module', on",
        ),
        (
            "--pass-pipeline=builtin.module(any(sdy-drop-sharding-rules))",
            "which is restricted to 'func.func', on 'any'",
        ),
        (
            "--sdy-export-pipeline=keep-rules=1",
            "pass 'sdy-export-pipeline' has no option 'keep-rules'; did you mean 'keep-sharding-ru",
        ),
        ("--sdy-close-shardings=x", "pass 'sdy-close-shardings' has no options, found 'x'"),
        ("--sdy-export-pipelines", "Did you mean '--sdy-export-pipeline'?"),
        ("--cpp-sdy-import-pipelin", "Did you mean '--cpp-sdy-import-pipeline'?"),
    ],
)
def test_unknown_cpp_names_and_options_are_errors(driver, write, argument: str, message: str):
    result = driver(write("f", PROGRAM), argument)
    assert result.code == 1
    assert message in result.err


def test_the_text_of_the_pipeline_reads_back(driver, write):
    path = write("f", PROGRAM)
    flags = ("--cpp-sdy-import-pipeline", "--cpp_sdy_insert_explicit_reshards", "-o", "/dev/null")
    dumped = driver(path, *flags, "--dump-pass-pipeline").err.strip()
    assert dumped == (
        "builtin.module(cpp-sdy-import-pipeline,func.func(cpp-sdy-insert-explicit-reshards))"
    )
    assert driver(path, f"--pass-pipeline={dumped}", "--dump-pass-pipeline").err.strip() == dumped


def test_a_crash_names_the_pass(sdy_opt, write):
    # Propagation that meets a mesh which is no symbol.
    path = write(
        "f.mlir",
        PROGRAM.replace("<@mesh, [{", '<mesh<["a"=2]>, [{'),
    )
    result = sdy_opt(path, "--cpp-sdy-basic-propagate")
    assert result.code == 1
    assert (
        "sdy-opt: error: crashed while running 'cpp-sdy-basic-propagate' in C++ (SIG" in result.err
    )
    assert "the pass is C++ inside jaxlib" in result.err
