"""hlo-opt: the driver over HLO text."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from sdykit.core import Registry
from sdykit.core.upstream import UPSTREAM_PASSES
from sdykit.opt.arguments import HloArguments, parse_as
from sdykit.opt.flag_types import Kind, default
from sdykit.opt.hlo_flags import HLO_FLAGS
from sdykit.opt.main import run
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
SHAPES = "((f32[4], f32[4]), f32[4], u32[])"
BAD = f"""\
HloModule m

ENTRY %main {{
  %a = f32[4] parameter(0)
  ROOT %s = {SHAPES} add-start(%a, %a)
}}
"""
ONE_CONSUMER = "The async-start instruction requires one consumer, found 0"
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
def hlo_opt(capfd: pytest.CaptureFixture[str]):
    def call(*argv: str | Path) -> tuple[int, str, str]:
        code = run([str(word) for word in argv], "hlo-opt")
        sys.stdout.flush()
        out, err = capfd.readouterr()
        return code, out, err

    return call


@pytest.fixture
def passes(write) -> str:
    return f"--load-pass={write('passes.py', PASSES)}"


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
    assert text.startswith("hlo-opt reads a program as HLO text")
    for flag in HLO_FLAGS.flags:
        assert flag.usage in text
    for name in (*HLO_FLAGS.ignored, *HLO_FLAGS.unavailable):
        assert f"--{name}" in text
    assert max(map(len, text.splitlines())) <= 100


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
        (["--show-dialects"], "it is about MLIR, and hlo-opt reads HLO text; sdy-opt has it"),
        (["--passes=async-verify"], "name the passes as flags, or with --pass-pipeline"),
        (["--mlir-print-ir-after=no-pass"], "unknown pass 'no-pass'"),
    ],
)
def test_wrong_command_lines(hlo_opt, argv: list[str], message: str):
    code, out, err = hlo_opt(*argv)
    assert (code, out) == (1, "")
    assert err.startswith("hlo-opt: error: ")
    assert message in err


# --- input and output ---


def test_prints_what_it_reads(hlo_opt, write):
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
def test_what_is_no_hlo(hlo_opt, write, text: str):
    path = write("p.hlo", text)
    code, out, err = hlo_opt(path)
    assert (code, out) == (1, "")
    assert err.startswith(f"{path}:")
    assert ": error: " in err


@pytest.mark.parametrize(
    "text", ["module {}", "// c\n#map = affine_map<(d0) -> (d0)>", "func.func"]
)
def test_mlir_is_told_apart(hlo_opt, write, text: str):
    assert "note: this looks like MLIR, which sdy-opt reads" in hlo_opt(write("p", text))[2]
    assert "looks like" not in hlo_opt(write("p", PROGRAM[:-3]))[2]


def test_bytes_that_are_no_text(hlo_opt, write):
    path = write("p.hlo", PROGRAM.encode() + b"// \xff\n")
    assert hlo_opt(path)[2].startswith(f"{path}:9:4: error: the input is not UTF-8")
    bytecode = hlo_opt(write("b", b"ML\xefR\x06"))
    assert bytecode[:2] == (1, "")
    assert "the input is MLIR bytecode; hlo-opt reads HLO text" in bytecode[2]


def test_no_verify(hlo_opt, write):
    code, out, err = hlo_opt(write("bad.hlo", BAD), "--no-verify")
    assert (code, err) == (0, "")
    assert "add-start(%a, %a)" in out


def test_split_pieces_and_markers(hlo_opt, write):
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
def test_many_comments_take_no_time(hlo_opt, write):
    comments = "// a // b /* c */ // d\n" * 500
    text = f"{comments}// -----\n{comments}{PROGRAM}"
    assert hlo_opt(write("p.hlo", text), "--split-input-file")[0] == 0


def test_expected_diagnostics(hlo_opt, write):
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


# --- passes ---


def test_own_passes(hlo_opt, write, passes: str):
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
def test_passes_that_fail(hlo_opt, write, passes: str, *, name: str, place: str, message: str):
    path = write("p.hlo", PROGRAM)
    code, out, err = hlo_opt(path, passes, f"--{name}")
    assert (code, out) == (1, "")
    assert err.startswith(f"{path}:{place}" if place else "<unknown>:0: error: ")
    assert message in err
    assert "Traceback" not in err


def test_own_pipelines(hlo_opt, write, passes: str):
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


def test_verify_each_finds_the_culprit(hlo_opt, write, passes: str):
    path = write("p.hlo", PROGRAM)
    flags = (passes, "--my-spoil", "--my-fall")
    assert "my-fall" in hlo_opt(path, *flags)[2]
    assert "my-fall" not in hlo_opt(path, *flags, "--verify-each")[2]


def test_passes_for_hlo_alone_do_not_run_on_mlir(driver, passes: str):
    result = driver(passes, "--my-rename", "/dev/null")
    assert result.code == 1
    assert result.err == "sdy-opt: error: pass 'my-rename' runs on HLO text only; hlo-opt runs it\n"
    assert "my-rename" not in driver(passes, "--list-passes").out


def test_watching(hlo_opt, write, passes: str):
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


def test_start_up_imports_neither_jax_nor_passes():
    script = (
        "import sys; from sdykit.opt.main import run;"
        " assert run(sys.argv[1:], 'hlo-opt') == 0; print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=PROGRAM, capture_output=True, text=True, check=True
    )
    loaded = done.stderr.split()
    assert "sdykit.hlo.reader" in loaded
    wrong = ("jax", "jaxlib._hlo", "sdykit.passes.async_hlo.wrap", "sdykit.viz")
    assert not set(wrong) & set(loaded)
