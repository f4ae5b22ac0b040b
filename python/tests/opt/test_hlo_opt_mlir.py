"""hlo-opt: programs read and printed as MLIR."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import jax
import jax.export
import jax.numpy as jnp
import pytest

from opt.conftest import environment
from sdykit.hlo import read, to_text
from sdykit.hlo.from_mlir import from_mlir
from sdykit.mlir import ir, make_context

PROGRAM = """\
HloModule m, is_scheduled=true

ENTRY %main (ids: s32[8], x: f32[4]) -> f32[4] {
  %ids = s32[8] parameter(0)
  %x = f32[4] parameter(1)
  %s = ((s32[8]), f32[4], u32[]) custom-call-start(%ids), async_execution_thread="sparsecore", custom_call_target="lookup"
  %u = ((s32[8]), f32[4], u32[]) custom-call-update(%s)
  %y = f32[4] sine(%x), metadata={op_name="jit(f)/sin" source_file="f.py" source_line=3}
  %d = f32[4] custom-call-done(%u)
  ROOT %r = f32[4] add(%d, %y)
}
"""
EMIT = ("--emit-mlir", "--mlir-print-debuginfo")
BUNDLE = "!mhlo.async_bundle<tuple<tensor<4xf32>>, tensor<4xf32>>"
TWO_USERS = f"""\
func.func private @w(%a: tensor<4xf32>) -> tensor<4xf32> attributes {{execution_thread = "t"}} {{
  %0 = stablehlo.abs %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = "mhlo.async_start"(%a) {{called_computation = @w, execution_thread = "t"}} : (tensor<4xf32>) -> {BUNDLE} loc("s")
  %1 = "mhlo.async_done"(%0) : ({BUNDLE}) -> tensor<4xf32>
  %2 = "mhlo.async_done"(%0) : ({BUNDLE}) -> tensor<4xf32> loc("f.py":3:1)
  return %1 : tensor<4xf32>
}}
"""


def test_emitted_mlir_reads_back_as_the_same_program(hlo_opt, write, tmp_path: Path):
    path = tmp_path / "p.mlir"
    assert hlo_opt(write("p.hlo", PROGRAM), *EMIT, "-o", path) == (0, "", "")
    code, out, err = hlo_opt(path)
    assert (code, err) == (0, "")
    assert out.strip() == PROGRAM.strip()
    assert hlo_opt(path, *EMIT)[1] == path.read_text()


def test_names_are_in_the_locations(hlo_opt, write):
    text = hlo_opt(write("p.hlo", PROGRAM), "--emit-mlir")[1]
    assert "loc(" not in text
    _, out, _ = hlo_opt("--import-mlir", write("p", text))
    assert "%custom-call" not in out
    assert "ROOT %add = f32[4] add(%async-done, %sine)" in out


@pytest.mark.parametrize("name", ["p.mlirbc", "p.mlir", "p.hlo", "p"])
def test_bytecode_is_written_and_read(hlo_opt, write, tmp_path: Path, name: str):
    path = tmp_path / name
    assert hlo_opt(write("in.hlo", PROGRAM), "--emit-bytecode", "-o", path) == (0, "", "")
    assert path.read_bytes().startswith(b"ML\xefR")
    assert hlo_opt(path)[1].strip() == PROGRAM.strip()


def test_a_portable_artifact_of_jax_is_read(hlo_opt, tmp_path: Path):
    exported = jax.export.export(jax.jit(jnp.sin))(jax.ShapeDtypeStruct((4,), jnp.float32))
    path = tmp_path / "exported.bin"
    path.write_bytes(exported.mlir_module_serialized)
    code, out, err = hlo_opt(path)
    assert (code, err) == (0, "")
    assert "f32[4] sine(" in out


def test_split_input_processes_each_module(hlo_opt, write):
    text = f"{PROGRAM}// -----\n{PROGRAM}"
    flags = (*EMIT, "--split-input-file")
    code, out, _ = hlo_opt(write("p.hlo", text), *flags)
    assert code == 0
    first, second = out.split("// -----\n")
    assert first == second == hlo_opt(write("q.hlo", PROGRAM), *EMIT)[1]
    again = hlo_opt(write("p.mlir", f"// -----\n{out}"), "--split-input-file")
    assert again == (0, f"{PROGRAM}\n// -----\n{PROGRAM}\n", "")
    code, out, err = hlo_opt(write("p.hlo", text), "--emit-bytecode", "--split-input-file")
    message = "the input has 2 programs, and bytecode holds one; leave out -emit-bytecode"
    assert (code, out, err) == (1, "", f"hlo-opt: error: {message}\n")


@pytest.mark.parametrize(
    "passes",
    [
        ["--async-unwrap"],
        ["--async-unwrap", "--async-wrap=ops=custom-call execution-thread=t", "--async-schedule"],
        ["--async-decompose=updates=3", "--verify-each"],
    ],
)
def test_passes_do_not_depend_on_the_input_language(hlo_opt, write, passes: list[str]):
    mlir = write("p.mlir", hlo_opt(write("p.hlo", PROGRAM), *EMIT)[1])
    assert hlo_opt(mlir, *passes) == hlo_opt(write("p.hlo", PROGRAM), *passes)
    _, out, _ = hlo_opt(mlir, *passes, *EMIT)
    module = from_mlir(ir.Module.parse(out, make_context()))
    wanted = read(hlo_opt(mlir, *passes)[1])
    assert to_text(module) == to_text(wanted)


def test_the_same_passes_over_mlir(hlo_opt, driver, write):
    """Thread, updates and the operation are those that the passes produce on HLO."""
    hlo = write("p.hlo", hlo_opt(write("q.hlo", PROGRAM), "--async-unwrap")[1])
    wrap = "--async-wrap=custom-call-target=lookup execution-thread=sparsecore"
    flags = (wrap, "--async-decompose=updates=2", "--async-schedule")
    mlir = write("p.mlir", hlo_opt(hlo, *EMIT)[1])
    passed = write("r.mlir", driver(mlir, *flags, "-mlir-print-debuginfo").out)
    found, wanted = (
        read(hlo_opt(each)[1]) for each in (passed, write("s.hlo", hlo_opt(hlo, *flags)[1]))
    )
    assert [op.opcode for op in found.entry] == [op.opcode for op in wanted.entry]
    assert [op.shape for op in found.entry] == [op.shape for op in wanted.entry]
    start = next(op for op in found.entry if op.opcode == "async-start")
    assert start.attributes["async_execution_thread"] == '"sparsecore"'
    assert start.called()[0].root.attributes == {"custom_call_target": '"lookup"'}


@pytest.mark.parametrize("ending", ["mlir", "mlirbc", "hlo"])
def test_errors_have_places(hlo_opt, driver, write, tmp_path: Path, ending: str):
    path = write(f"p.{ending}", TWO_USERS)
    if ending == "mlirbc":
        path = tmp_path / "p"
        driver(write("q.mlir", TWO_USERS), "-emit-bytecode", "-o", path)
    code, out, err = hlo_opt(path, "--import-mlir")
    assert (code, out) == (1, "")
    found = [line for line in err.splitlines() if ": error: " in line or ": note: " in line]
    text, bytecode = (
        [f"{path}:6:8", f"{path}:7:8", f"{path}:8:8"],
        ["<unknown>:0", f"{tmp_path}/q.mlir:7:8", "f.py:3:1"],
    )
    start, first, second = bytecode if ending == "mlirbc" else text
    named = 'loc("s"): ' if ending == "mlirbc" else ""
    assert found == [
        f"{start}: error: {named}The async-start instruction requires one consumer, found 2",
        f"{first}: note: a consumer is %async-done",
        f"{second}: note: a consumer is %async-done.1",
    ]


ARRAY = "tensor<f32>"
WRONG = {
    "": "0:0: error: a program needs a function @main, its entry",
    "module @m { func.func @f() { return } }": "1:1: error: a program needs a function @main",
    "module { module { func.func @main() { return } } }": (
        "1:10: error: op builtin.module has no form in HLO"
    ),
    "module {} module { func.func @main() { return } }": (
        "1:1: error: op builtin.module has no form in HLO"
    ),
    "func.func @main() {": "1:18: error: expected operation name in quotes",
    "func.func @main() { foo.bar }": "1:21: error: Dialect `foo' not found",
    f"func.func @main(%a: {ARRAY}) {{\n  %0 = chlo.asin %a : {ARRAY} -> {ARRAY}\n  return }}": (
        "2:8: error: op chlo.asin has no form in HLO"
    ),
    "func.func @main(%i: index) { return }": (
        "1:17: error: an argument has no form in HLO: type index has no shape in HLO"
    ),
    "func.func @main(%i: i1) {\n  cf.br ^a\n^a:\n  return }": "1:17: error: an argument has no",
    "func.func @main() {\n  cf.br ^a\n^a:\n  return }": "2:3: error: op cf.br has no form in HLO",
    'func.func @main() { "mhlo.async_start"() {called_computation = @w, execution_thread = "t"}'
    " : () -> !mhlo.async_bundle<tuple<>, tuple<>> return }": "1:21: error: 'mhlo.async_start'",
}


@pytest.mark.parametrize("text", WRONG)
def test_modules_that_are_not_programs_are_errors(hlo_opt, write, text: str):
    path = write("p.mlir", text)
    code, out, err = hlo_opt(path)
    assert (code, out) == (1, "")
    assert err.startswith(f"{path}:{WRONG[text]}")


def test_programs_without_a_form_in_mlir_are_errors(hlo_opt, write):
    path = write("p.hlo", PROGRAM.replace("sine(%x)", "domain(%x)"))
    code, out, err = hlo_opt(path, "--emit-mlir")
    assert (code, out) == (1, "")
    line = PROGRAM.splitlines()[7].replace("sine(%x)", "domain(%x)")
    message = f"{path}:8:3: error: opcode domain has no form in MLIR"
    assert err == f"{message}\n{line}\n  ^\n"


def test_hlo_text_and_mlir_are_distinguished(hlo_opt, write):
    path = write("p.mlir", PROGRAM)
    code, out, err = hlo_opt(path)
    assert (code, out) == (1, "")
    assert err.startswith(f"{path}:1:1: error: custom op 'HloModule' is unknown")
    hint = "this is not MLIR: it looks like HLO text; hlo-opt reads it with --import-mlir=false"
    assert f"{path}:1:1: note: {hint}\n" in err
    assert hlo_opt(path, "--import-mlir=false")[1].strip() == PROGRAM.strip()


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--mlir-print-debuginfo"], "'-mlir-print-debuginfo' needs '-emit-mlir': HLO text has no"),
        (
            ["--print-async-aliasing", "--emit-mlir"],
            "'-print-async-aliasing' prints a table, and '-emit-mlir' the program",
        ),
        (
            ["--print-async-aliasing", "--emit-bytecode"],
            "'-print-async-aliasing' prints a table, and '-emit-bytecode' the program",
        ),
        (["--import-mlir=maybe"], "Cannot find option named 'maybe'! Try one of true, false"),
    ],
)
def test_contradicting_flags_are_errors(hlo_opt, argv: list[str], message: str):
    code, out, err = hlo_opt(*argv, "/dev/null")
    assert (code, out) == (1, "")
    assert err.startswith("hlo-opt: error: ")
    assert message in err


def test_verify_diagnostics_checks_expectations_in_mlir(hlo_opt, write):
    expected = TWO_USERS.replace(
        '  %0 = "mhlo', '  // expected-error@+1 {{requires one consumer, found 2}}\n  %0 = "mhlo'
    )
    flags = ("--verify-diagnostics=only-expected",)
    assert hlo_opt(write("p.mlir", expected), *flags)[0] == 0


def test_no_verify_is_about_hlo(hlo_opt, write):
    """MLIR is always verified: what an invalid chain is there is not said."""
    path = write("p.mlir", TWO_USERS)
    assert hlo_opt(path, "--no-verify")[0] == 0
    code, out, err = hlo_opt(path, "--no-verify", "--emit-mlir")
    assert (code, out) == (1, "")
    assert f"{path}:6:8: error: The async-start instruction requires one consumer" in err


def damaged(seed: int) -> bytes:
    return b"ML\xefR\x06" + bytes((seed * 37 + at * at) % 256 for at in range(400))


@pytest.mark.parametrize("case", range(4))
def test_no_input_ends_the_process(tmp_path: Path, case: int):
    """MLIR itself crashes on a done of an argument, and on some corrupt bytecode."""
    argument = f"func.func @main(%0: {BUNDLE}) -> tensor<4xf32> {{\n"
    argument += f'  %1 = "mhlo.async_done"(%0) : ({BUNDLE}) -> tensor<4xf32>\n  return %1 : tensor<4xf32>\n}}\n'
    path = tmp_path / "p.mlir"
    path.write_bytes(damaged(case) if case else argument.encode())
    script = "import sys; from sdykit.opt.main import entry; sys.exit(entry('hlo-opt'))"
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True,
        env=environment(),
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert b" error: " in done.stderr
    assert b"Traceback" not in done.stderr
