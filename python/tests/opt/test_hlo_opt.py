"""hlo-opt: flags, input and output."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from sdykit.opt.flags.arguments import HloArguments, parse_as
from sdykit.opt.flags.hlo import HLO_FLAGS
from sdykit.opt.flags.types import Kind, default

PROGRAM = """\
HloModule m

ENTRY %main {
  %a = f32[4] parameter(0)
  %b = f32[4] parameter(1)
  %c = f32[4] add(%a, %b)
  ROOT %d = f32[4] multiply(%c, %a)
}
"""
SHAPES = "((f32[4], f32[4]), f32[4], u32[])"
BAD = f"""\
HloModule m

ENTRY %main {{
  %a = f32[4] parameter(0)
  ROOT %s = {SHAPES} add-start(%a, %a)
}}
"""
ONE_CONSUMER = "The async-start instruction requires one consumer, found 0"
# --- flags ---


def test_arguments_are_those_of_the_flags():
    found = dataclasses.asdict(parse_as([], HLO_FLAGS, HloArguments))
    wanted = {flag.field: default(flag) for flag in HLO_FLAGS.flags}
    assert found == {"input": "-", "passes": ()} | wanted


def test_flags_are_consistent():
    names = [flag.name for flag in HLO_FLAGS.flags]
    assert len(set(names)) == len(names)
    assert not set(names) & (HLO_FLAGS.ignored.keys() | HLO_FLAGS.unavailable.keys())
    for flag in HLO_FLAGS.flags:
        assert flag.help[0].isupper()
        assert flag.kind is Kind.BOOL or flag.metavar or flag.choices


def test_help_names_everything(hlo_opt):
    _, text, _ = hlo_opt("--help")
    assert text.startswith("hlo-opt reads a program as HLO text (`HloModule ...`) or MLIR")
    for flag in HLO_FLAGS.flags:
        assert flag.usage in text
    for name in (*HLO_FLAGS.ignored, *HLO_FLAGS.unavailable):
        assert f"--{name}" in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("name", HLO_FLAGS.unavailable)
def test_unavailable_flags_say_why(hlo_opt, name: str):
    why = HLO_FLAGS.unavailable[name]
    message = f"hlo-opt: error: '--{name}=x' is not available: {why}\n"
    assert hlo_opt(f"--{name}=x") == (1, "", message)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--cse"], "pass 'cse' runs on MLIR, not on HLO text; those on HLO text are async-"),
        (["--sdy-flatten-call-graph"], "pass 'sdy-flatten-call-graph' runs on MLIR, not on HLO"),
        (["--sdy-import-pipeline"], "runs on MLIR, not on HLO text"),
        (["--pass-pipeline=cse"], "pass 'cse' runs on MLIR"),
        (["--pass-pipeline=func.func(async-verify)"], "has no nesting, found 'func.func("),
        (["--pass-pipeline=builtin.module(builtin.module(async-verify))"], "has no nesting"),
        (["--async-warp"], "Unknown command line argument '--async-warp'."),
        (["--async-warp"], "Did you mean '--async-wrap'?"),
        (["--pass-pipeline=async-warp"], "unknown pass 'async-warp'; did you mean 'async-wrap'?"),
        (["--pass-pipeline=async-verify,"], "expected the name of a pass"),
        (["--async-verify=no-such=1"], "pass 'async-verify' has no option"),
        (["--async-verify", "--pass-pipeline=async-verify"], "can't be used with individual"),
        (["--syntax-sugar-async-ops=maybe"], "'maybe' is invalid value for boolean argument!"),
        (["--show-dialects"], "it is about MLIR, and hlo-opt works on HLO; sdy-opt has it"),
        (["--passes=async-verify"], "name the passes as flags, or with --pass-pipeline"),
        (["--mlir-print-ir-after=no-pass"], "unknown pass 'no-pass'"),
    ],
)
def test_wrong_command_lines_are_errors(hlo_opt, argv: list[str], message: str):
    code, out, err = hlo_opt(*argv)
    assert (code, out) == (1, "")
    assert err.startswith("hlo-opt: error: ")
    assert message in err


# --- input and output ---


def test_programs_without_passes_are_printed_as_read(hlo_opt, write):
    code, out, err = hlo_opt(write("p.hlo", PROGRAM))
    assert (code, err) == (0, "")
    assert "ROOT %d = f32[4] multiply(%c, %a)" in out
    assert hlo_opt(write("q.hlo", out))[1] == out


def test_output_is_whole_or_not_at_all(hlo_opt, write, tmp_path: Path):
    target = tmp_path / "out.hlo"
    assert hlo_opt(write("p.hlo", PROGRAM), "-o", target)[:2] == (0, "")
    printed = target.read_text()
    assert "multiply" in printed
    assert hlo_opt(write("bad.hlo", BAD), "-o", target)[0] == 1
    assert target.read_text() == printed
    assert hlo_opt(write("p.hlo", PROGRAM), "-o", tmp_path)[2].endswith("Is a directory\n")


def test_errors_show_the_line(hlo_opt, write):
    path = write("bad.hlo", BAD)
    code, out, err = hlo_opt(path)
    assert (code, out) == (1, "")
    line = BAD.splitlines()[4]
    first, shown, caret, note, *_ = err.splitlines()
    assert first.startswith(f"{path}:5:")
    assert first.endswith(f": error: {ONE_CONSUMER}")
    assert shown == line
    assert caret.strip() == "^"
    assert note.startswith(f"{path}:3:7: note: it is the root")
    assert "\nENTRY %main {\n      ^\n" in err


@pytest.mark.parametrize(
    "text",
    ["", "oops", "module {}", "HloModule m", PROGRAM[:-3], PROGRAM.replace("%b)", "%z)")],
)
def test_input_in_another_language_gets_a_note(hlo_opt, write, text: str):
    path = write("p.hlo", text)
    code, out, err = hlo_opt(path)
    assert (code, out) == (1, "")
    assert err.startswith(f"{path}:")
    assert ": error: " in err


@pytest.mark.parametrize(
    "text", ["module {}", "// c\n#map = affine_map<(d0) -> (d0)>", "func.func"]
)
def test_mlir_is_told_apart(hlo_opt, write, text: str):
    assert (
        "note: this is not HLO text: it looks like MLIR text; hlo-opt reads it with --import-mlir"
        in hlo_opt(write("p", text))[2]
    )
    assert "looks like" not in hlo_opt(write("p", PROGRAM[:-3]))[2]


def test_bytes_that_are_not_text_are_an_error(hlo_opt, write):
    path = write("p.hlo", PROGRAM.encode() + b"// \xff\n")
    assert hlo_opt(path)[2].startswith(f"{path}:9:4: error: the input is not UTF-8")


def test_no_verify_skips_the_verifier(hlo_opt, write):
    code, out, err = hlo_opt(write("bad.hlo", BAD), "--no-verify")
    assert (code, err) == (0, "")
    assert "add-start(%a, %a)" in out


def test_a_file_is_split_at_markers(hlo_opt, write):
    text = f"// only a comment\n// -----\n{PROGRAM}// -----\n{BAD}// -----\n"
    code, out, err = hlo_opt(write("p.hlo", text), "--split-input-file")
    assert code == 1
    assert err.startswith(f"{write('p.hlo', text)}:16:")
    assert out.count("HloModule") == 1
    good = f"{PROGRAM}// -----\n{PROGRAM}"
    code, out, _ = hlo_opt(write("p.hlo", good), "--split-input-file")
    assert code == 0
    first, second = out.split("// -----\n")
    assert first == second


@pytest.mark.timeout(60)
def test_many_comments_are_read_in_linear_time(hlo_opt, write):
    comments = "// a // b /* c */ // d\n" * 500
    text = f"{comments}// -----\n{comments}{PROGRAM}"
    assert hlo_opt(write("p.hlo", text), "--split-input-file")[0] == 0


def test_verify_diagnostics_checks_expectations(hlo_opt, write):
    flags = ("--verify-diagnostics",)
    note = "ENTRY %main {  // expected-note {{it is the root}}"
    expected = BAD.replace("ENTRY %main {", note)
    expected = expected.replace("  ROOT", f"  // expected-error@+1 {{{{{ONE_CONSUMER}}}}}\n  ROOT")
    assert hlo_opt(write("p.hlo", expected), *flags)[0] == 0
    code, _, err = hlo_opt(write("p.hlo", BAD), *flags)
    assert code == 1
    assert f"unexpected error: {ONE_CONSUMER}" in err
    code, _, err = hlo_opt(write("p.hlo", f"{PROGRAM}// expected-error {{{{x}}}}\n"), *flags)
    assert code == 1
    assert 'expected error "x" was not produced' in err


def test_start_up_imports_neither_jax_nor_passes():
    script = (
        "import sys; from sdykit.opt.main import run;"
        " assert run(sys.argv[1:], 'hlo-opt') == 0; print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=PROGRAM, capture_output=True, text=True, check=True
    )
    loaded = done.stderr.split()
    assert "sdykit.hlo.text.reader" in loaded
    wrong = ("jax", "jaxlib._hlo", "sdykit.passes.async_hlo.wrap", "sdykit.viz")
    assert not set(wrong) & set(loaded)
