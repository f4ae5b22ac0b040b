"""`sdykit explain` on programs: what it prints, the files it writes, and its errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from support.explain.matmul import PROGRAM
from support.explain.wrong_constraint import module_text, write_model

FUNCTION = """
import jax
from jax.sharding import PartitionSpec as P

def step(x, w):
    y = jax.lax.with_sharding_constraint(x @ w, P("data", None))
    return y + 1

def example_arguments():
    return jax.ShapeDtypeStruct((16, 8), "float32"), jax.ShapeDtypeStruct((8, 12), "float32")
"""
SUMMARY = """\
f.mlir: 5 tensors, 5 divided, in 1 step; @mesh data=4 model=2
in the way, with what a device would hold less without it:
   96 bytes  constraint at f.mlir:6, [{"data"}, {}], keeps model from 1 tensor
"""


RESHAPE = """
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<2x4xf32> {
  %0 = stablehlo.reshape %x : (tensor<8xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
"""


def test_a_program_is_summarised(sdykit: Callable, program: Path) -> None:
    result = sdykit("explain", program.name)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(SUMMARY)


def test_a_value_is_explained(sdykit: Callable, program: Path) -> None:
    result = sdykit("explain", program.name, "--value=%1")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        '%1: f32[16,12] at f.mlir:6 [{"data"}, {}]',
        "  along data:",
        "    %1 dimension 0, given by constraint at f.mlir:6",
        "  not along model:",
        "    %0, 1 op away: stablehlo.dot_general at f.mlir:5 does not pass on model from %arg1: "
        "dimension 1 of %0 is closed, as constraint at f.mlir:6 says",
        "  given by constraint at f.mlir:6; reached 1 other tensor, 576 bytes less on a device",
    ]


def test_ops_lines_and_axes_are_asked_for(sdykit: Callable, program: Path) -> None:
    by_op = sdykit("explain", program.name, "--op=dot_general", "--axis=model").out
    assert by_op == sdykit("explain", program.name, "--line=f.mlir:5", "--axis=model").out
    assert "  not along model:" in by_op
    assert "along data" not in by_op


def test_two_programs_are_compared(sdykit: Callable, program: Path, tmp_path: Path) -> None:
    other = tmp_path / "open.mlir"
    other.write_text(PROGRAM.replace('%0 <@mesh, [{"data"}, {}]>', '%0 <@mesh, [{"data"}, {?}]>'))
    same = sdykit("explain", program.name, f"--against={program.name}")
    assert same.out == "f.mlir: all shardings are as in f.mlir\n"
    result = sdykit("explain", "open.mlir", "--against=f.mlir")
    assert result.out.startswith("open.mlir: 3 tensors are sharded otherwise than in f.mlir\n")
    assert '[{"data"}, {}] became [{"data"}, {"model", ?}]' in result.out


def test_two_programs_are_compared_along_an_axis(sdykit: Callable, program: Path) -> None:
    text = PROGRAM.replace('%0 <@mesh, [{"data"}, {}]>', '%0 <@mesh, [{}, {"model"}]>')
    program.with_name("other.mlir").write_text(text)
    arguments = ("explain", "other.mlir", "--against=f.mlir")
    both = sdykit(*arguments).out
    along = {axis: sdykit(*arguments, f"--axis={axis}").out for axis in ("data", "model")}
    for axis, other in (("data", "model"), ("model", "data")):
        head, *lines = along[axis].splitlines()
        assert head == f"other.mlir: 3 tensors are sharded otherwise along {axis} than in f.mlir"
        assert any(line.endswith(f"along {axis}:") for line in lines)
        assert not any(line.endswith(f"along {other}:") for line in lines)
        assert set(lines) < set(both.splitlines())
    same = sdykit("explain", "f.mlir", "--against=f.mlir", "--axis=data")
    assert same.out == "f.mlir: all shardings along data are as in f.mlir\n"


def test_what_differs_along_another_axis_alone_is_left_out(sdykit: Callable, program: Path) -> None:
    text = PROGRAM.replace('%0 <@mesh, [{"data"}, {}]>', '%0 <@mesh, [{"data"}, {"model"}]>')
    program.with_name("other.mlir").write_text(text)
    arguments = ("explain", "other.mlir", "--against=f.mlir")
    assert sdykit(*arguments).out.startswith("other.mlir: 3 tensors are sharded otherwise than")
    assert (
        sdykit(*arguments, "--axis=data").out
        == "other.mlir: all shardings along data are as in f.mlir\n"
    )


def test_axes_that_a_tensor_had_replicated_are_new(sdykit: Callable, program: Path) -> None:
    text = PROGRAM.replace(
        '%0 <@mesh, [{"data"}, {}]>', '%0 <@mesh, [{"data"}, {}], replicated={"model"}>'
    )
    program.with_name("replicated.mlir").write_text(text)
    program.write_text(
        PROGRAM.replace('%0 <@mesh, [{"data"}, {}]>', '%0 <@mesh, [{"data"}, {"model"}]>')
    )
    lines = sdykit("explain", "f.mlir", "--against=replicated.mlir").out.splitlines()
    at = lines.index(
        '%1: f32[16,12] at f.mlir:6: [{"data"}, {}] replicated={"model"} became [{"data"}, {"model"}]'
    )
    assert lines[at + 1 : at + 3] == [
        "  along model:",
        "    %1 dimension 1, given by constraint at f.mlir:6",
    ]


def test_a_function_is_explained_on_a_mesh_that_is_not_there(
    sdykit: Callable, tmp_path: Path
) -> None:
    (tmp_path / "m.py").write_text(FUNCTION)
    result = sdykit("explain", "m.py:step", "--mesh=data=4,model=2", "--line=m.py:7")
    assert result.code == 0, result.err
    assert "given by constraint at " in result.out
    assert "m.py:6" in result.out


def test_the_arguments_may_be_given_as_shapes(sdykit: Callable, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def double(x):\n    return x * 2\n")
    result = sdykit("explain", "m.py:double", "--mesh=data=4", "--shapes=f32[8,2]")
    assert result.code == 0, result.err
    assert result.out.startswith("double: ")
    result = sdykit("explain", "m.py:double", "--mesh=data=4")
    assert "nothing says what the arguments are; expected --shapes, such as" in result.err


def test_conservative_propagation_splits_no_axis(sdykit: Callable, tmp_path: Path) -> None:
    (tmp_path / "r.mlir").write_text(RESHAPE)
    arguments = ("explain", "r.mlir", "--op=reshape")
    assert "x:(1)2 dimension 0" not in sdykit(*arguments, "--conservative").out
    assert (
        "it would be split, which conservative propagation"
        in sdykit(*arguments, "--conservative").out
    )
    assert '[{"x:(1)2", ?}, {"x:(2)2", ?}]' in sdykit(*arguments).out


def test_the_wrong_line_is_within_the_first_ten(sdykit: Callable, tmp_path: Path) -> None:
    path, line = write_model(tmp_path)
    (tmp_path / "step.mlir").write_text(module_text(path))
    result = sdykit("explain", "step.mlir")
    assert (result.code, result.err) == (0, "")
    assert f"constraint at {path.name}:{line}," in "\n".join(result.out.splitlines()[:10])


def test_files_are_written(sdykit: Callable, program: Path, tmp_path: Path) -> None:
    result = sdykit("explain", program.name, "--json=f.json", "--html=f.html")
    assert (result.code, result.err) == (0, "")
    found = json.loads((tmp_path / "f.json").read_text())
    assert found["format"] == 1
    assert [each["name"] for each in found["tensors"]][:2] == ["%arg0", "%arg1"]
    assert "<title>f.mlir</title>" in (tmp_path / "f.html").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--value=%11"], "f.mlir has no value '%11'; did you mean %1 or %arg1 or %0?"),
        (["--value="], "f.mlir has no value ''; none is like it"),
        (["f.mlir"], "found 'f.mlir f.mlir'; expected one program: FILE or FILE.py:FUNCTION"),
        (["--axis=modle"], "f.mlir has no mesh axis 'modle'; its axes: data, model"),
        (
            ["--op=dot_generl"],
            "f.mlir has no op 'dot_generl' with results; did you mean dot_general or "
            "stablehlo.dot_general?",
        ),
        (["--line=9"], "f.mlir has no value of line 9; the nearest are f.mlir:6, f.mlir:5"),
        (["--line=x"], "--line: found 'x'; expected a line such as 40 or model.py:40"),
        (["--mesh=a=2"], "--mesh is for functions, FILE.py:FUNCTION; found 'f.mlir'"),
        (["--shapes=f32[8]"], "--shapes is for functions, FILE.py:FUNCTION; found 'f.mlir'"),
        (["--html=f.mlir"], "'f.mlir'"),
    ],
)
def test_wrong_questions_are_errors(
    sdykit: Callable, program: Path, words: list[str], message: str
) -> None:
    result = sdykit("explain", program.name, *words)
    assert result.code == 1
    assert result.out == ""
    assert message in result.err
    assert program.read_text() == PROGRAM


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gone.mlir"], "cannot open input file 'gone.mlir'"),
        (["m.py", "--axis=x"], "found 'm.py'; expected also the function: m.py:FUNCTION"),
        (["--axis=x"], "found 'nothing'; expected one program: FILE or FILE.py:FUNCTION"),
        (["m.py:step", "--mesh=data"], "--mesh: found 'data'; expected axes and sizes such as"),
        (["m.py:stop"], "m.py: there is no function 'stop'"),
        (["bad.mlir"], "bad.mlir:1:"),
    ],
)
def test_wrong_programs_are_errors(
    sdykit: Callable, tmp_path: Path, words: list[str], message: str
) -> None:
    (tmp_path / "m.py").write_text(FUNCTION)
    (tmp_path / "bad.mlir").write_text("func.func @f(")
    result = sdykit("explain", *words)
    assert result.code == 1
    assert message in result.err
    assert "Traceback" not in result.err


NO_RULE = """
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  // MLIR prints no comments, so its lines are others.

  %0 = stablehlo.custom_call @foo(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""
FUNCTION_TEXT = (
    "func.func @{}(%x: tensor<4xf32>) -> tensor<4xf32> {{ return %x : tensor<4xf32> }}\n"
)
NESTED = f"""
{FUNCTION_TEXT.format("main")}
module @inner {{
  sdy.mesh @other = <["b"=2]>
  func.func @g(%x: tensor<4xf32> {{sdy.sharding = #sdy.sharding<@other, [{{"b"}}]>}}) {{ return }}
}}
"""


def test_warnings_of_passes_have_places_in_the_file(sdykit: Callable, tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text(NO_RULE)
    result = sdykit("explain", "f.mlir")
    assert result.code == 0
    warning, note = result.err.splitlines()
    assert warning.startswith("f.mlir:6:8: warning: custom call @foo is unknown")
    assert note.startswith("f.mlir:6:8: note: %0 = stablehlo.custom_call @foo")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.mlir: 'builtin.module' op propagation needs a function @main or a single function"),
        (
            FUNCTION_TEXT.format("f") + FUNCTION_TEXT.format("g"),
            "f.mlir: 'builtin.module' op propagation needs a function @main or a single function",
        ),
        (NESTED, "f.mlir:6:3: 'func.func' op arg 0 - unknown mesh: @other"),
    ],
    ids=["empty", "several functions", "another mesh"],
)
def test_errors_of_passes_are_told_once(
    sdykit: Callable, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "f.mlir").write_text(text)
    result = sdykit("explain", "f.mlir")
    assert (result.code, result.out) == (1, "")
    assert result.err == f"sdykit explain: error: {message}\n"


def test_a_golden_file_is_written_and_compared(sdykit: Callable, program: Path) -> None:
    assert sdykit("explain", "f.mlir", "--golden=f.golden").err.endswith(
        "there is no golden file f.golden; write it first\n"
    )
    assert sdykit("explain", "f.mlir", "--golden=f.golden", "--update").code == 0
    result = sdykit("explain", "f.mlir", "--golden=f.golden")
    assert (result.code, result.out, result.err) == (0, "", "")
    program.write_text(PROGRAM.replace('%0 <@mesh, [{"data"}, {}]>', '%0 <@mesh, [{"data"}, {?}]>'))
    result = sdykit("explain", "f.mlir", "--golden=f.golden")
    assert result.code == 1
    assert result.out.startswith("3 tensors are sharded otherwise than in f.golden:\n")
    assert sdykit("explain", "f.mlir", "--golden=f.golden", "--json=f.json").code == 1
    assert json.loads(program.with_suffix(".json").read_text())["format"] == 1
    assert sdykit("explain", "f.mlir", "--update").err.endswith(
        "--update is for --golden=FILE, which is not given\n"
    )
    assert sdykit("explain", "f.mlir", "--golden=f.golden", "--axis=data").err.endswith(
        "--golden compares along all axes; leave out --axis\n"
    )
