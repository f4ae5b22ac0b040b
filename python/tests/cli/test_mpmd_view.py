"""`sdykit mpmd-view` as a user runs it: pages, and what is said about bad input."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sdykit.viz.mpmd_view import mpmd_page, page_data
from support.mpmd.view_programs import INPUTS, exported, parsed, programs_of, real

TOPOLOGY = 'attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>}'
V = '!v = !mpmd.mesh_tensor<"q", tensor<8xf32>>\n'
FRAGMENT = """\
  %0 = mpmd.fragment<mesh="q", origin=["f"]> (%a) (%b: tensor<8xf32>) {
    mpmd.return %b : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}
"""
USAGE = "usage: sdykit mpmd-view [-h] -o PAGE [--run [N]] FILE\n"


def data_of(page: str) -> dict:
    return json.loads(page.partition('id="data">')[2].partition("</script>")[0])


def test_a_page_is_written_for_a_file(sdykit: Callable, tmp_path: Path) -> None:
    result = sdykit("mpmd-view", INPUTS / "mlp.mlir", "-o", "out.html")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["out.html"]
    page = (tmp_path / "out.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "<h1>mlp.mlir</h1>" in page
    first = data_of(page)["programs"][0]["steps"][0]
    assert first["place"] == f"{INPUTS / 'mlp.mlir'}:5:12"


def test_a_program_is_drawn_as_it_ran(sdykit: Callable, tmp_path: Path) -> None:
    result = sdykit("mpmd-view", INPUTS / "mlp.mlir", "-o", "out.html", "--run")
    assert (result.code, result.out, result.err) == (0, "", "")
    steps = data_of((tmp_path / "out.html").read_text())["programs"][0]["steps"]
    assert {step["op"] for step in steps} == {"mpmd.fragment_call", "mpmd.transfer"}
    assert all(step["start"] < step["end"] for step in steps)
    assert steps[0]["place"] == f"{INPUTS / 'mlp.mlir'}:5:12"


def test_a_program_that_cannot_run_is_an_error(sdykit: Callable, tmp_path: Path) -> None:
    text = f'func.func @f() {TOPOLOGY} {{\n  "my.op"() : () -> ()\n  return\n}}'
    (tmp_path / "in.mlir").write_text(text)
    result = sdykit("mpmd-view", "in.mlir", "-o", "out.html", "--run=1")
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        "sdykit mpmd-view: error: in.mlir:2:3: error: 'my.op' op cannot be run on devices, only"
        " mpmd.fragment_call and mpmd.transfer can; sdykit.mpmd.interpret runs other ops\n"
    )
    assert not (tmp_path / "out.html").exists()


def test_the_number_of_runs_must_be_a_number(sdykit: Callable) -> None:
    result = sdykit("mpmd-view", "in.mlir", "-o", "out.html", "--run=0")
    assert result.code == 2
    assert "argument --run: found '0'; expected an integer from 1 to 2147483647" in result.err


def test_a_page_of_stdin_goes_to_stdout(sdykit: Callable) -> None:
    text = exported(real("offloaded_mlp"))
    result = sdykit("mpmd-view", "-", "-o", "-", stdin=text.encode())
    assert (result.code, result.err) == (0, "")
    assert "<h1>&lt;stdin&gt;</h1>" in result.out
    expected = json.loads(json.dumps(page_data(programs_of(text))).replace('"-:', '"<stdin>:'))
    assert data_of(result.out) == expected


def test_bytecode_is_drawn(sdykit: Callable, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    parsed(real("decoder")).operation.write_bytecode(buffer)
    (tmp_path / "in.mlirbc").write_bytes(buffer.getvalue())
    result = sdykit("mpmd-view", "in.mlirbc", "-o", "out.html")
    assert (result.code, result.out, result.err) == (0, "", "")
    page = (tmp_path / "out.html").read_text()
    assert len(data_of(page)["programs"][0]["steps"]) == 12


def test_ops_of_unknown_dialects_are_drawn(sdykit: Callable) -> None:
    text = f'func.func @f() {TOPOLOGY} {{\n  "my.op"() {{a = 1}} : () -> ()\n  return\n}}'
    result = sdykit("mpmd-view", "-", "-o", "-", stdin=text.encode())
    assert (result.code, result.err) == (0, "")
    (step,) = data_of(result.out)["programs"][0]["steps"]
    assert (step["label"], step["others"]) == ("my.op", [["a", "1 : i64"]])


def test_a_page_is_replaced_as_a_whole(sdykit: Callable, tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    page.write_text("old")
    assert sdykit("mpmd-view", "none.mlir", "-o", "out.html").code == 1
    assert page.read_text() == "old"
    assert sdykit("mpmd-view", INPUTS / "mlp.mlir", "-o", "out.html").code == 0
    assert page.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "garbage",
            "in.mlir:1:1: error: custom op 'garbage' is unknown (tried 'builtin.garbage' as"
            " well)\ngarbage\n^\n",
        ),
        (
            "module {\n  func.func @f() { return }\n}",
            "in.mlir:2:3: error: expected an MPMD program, a function with a body and the"
            " attribute 'topology'; the module has only @f\n"
            "  func.func @f() { return }\n  ^\n",
        ),
        (
            V + "func.func @main(%a: !v) -> !v {\n" + FRAGMENT,
            "in.mlir:3:8: error: Function does not have a topology attribute: main\n"
            '  %0 = mpmd.fragment<mesh="q", origin=["f"]> (%a) (%b: tensor<8xf32>) {\n'
            "       ^\n",
        ),
        (
            V + f"func.func @main(%a: !v) -> !v {TOPOLOGY} {{\n" + FRAGMENT,
            "in.mlir:3:8: error: Topology doesn't have a mesh with name: q\n"
            '  %0 = mpmd.fragment<mesh="q", origin=["f"]> (%a) (%b: tensor<8xf32>) {\n'
            "       ^\n",
        ),
        (
            f'func.func @f() {TOPOLOGY} {{\n  mpmd.fragment<mesh="q", origin=["f"]> () () {{\n'
            "    mpmd.return\n  } : () -> ()\n  return\n}",
            "in.mlir:2:3: error: 'mpmd.fragment' op is on mesh \"q\", which the topology"
            ' lacks; it has "m"\n  mpmd.fragment<mesh="q", origin=["f"]> () () {\n  ^\n',
        ),
        (
            f"{V}func.func @main(%a: !v) -> !v {TOPOLOGY} {{\n  return %a : !v\n}}",
            "in.mlir:2:1: error: 'func.func' op is on mesh \"q\", which the topology"
            f' lacks; it has "m"\nfunc.func @main(%a: !v) -> !v {TOPOLOGY} {{\n^\n',
        ),
    ],
)
def test_invalid_programs_are_errors_with_places(
    text: str, message: str, sdykit: Callable, tmp_path: Path
) -> None:
    (tmp_path / "in.mlir").write_text(text)
    result = sdykit("mpmd-view", "in.mlir", "-o", "out.html")
    assert (result.code, result.out, result.err) == (1, "", message)
    assert not (tmp_path / "out.html").exists()


@pytest.mark.parametrize(
    ("file", "output", "message"),
    [
        ("none.mlir", "out.html", "cannot open input file 'none.mlir': No such file or directory"),
        (".", "out.html", "cannot open input file '.': Is a directory"),
        ("", "out.html", "cannot open input file '': Is a directory"),
        ("in.mlir", "", "the name of the output file is empty"),
        ("in.mlir", ".", "cannot open output file '.': Is a directory"),
        (
            *("in.mlir", "none/out.html"),
            "cannot open output file 'none/out.html': No such file or directory",
        ),
        (
            "in.mlir",
            "./in.mlir",
            "the page './in.mlir' would replace the input 'in.mlir'; name another file",
        ),
    ],
)
def test_files_that_cannot_be_read_or_written_are_errors(
    file: str, output: str, message: str, sdykit: Callable, tmp_path: Path
) -> None:
    (tmp_path / "in.mlir").write_text(real("decoder"))
    result = sdykit("mpmd-view", file, "-o", output)
    assert (result.code, result.out) == (1, "")
    assert result.err == f"sdykit mpmd-view: error: {message}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["in.mlir"]
    assert (tmp_path / "in.mlir").read_text() == real("decoder")


def test_input_in_another_language_gets_a_note(sdykit: Callable) -> None:
    result = sdykit("mpmd-view", "-", "-o", "-", stdin=b"HloModule m\n")
    assert (result.code, result.out) == (1, "")
    assert "<stdin>:1:1: note: this is not MLIR: it looks like HLO text; hlo-opt" in result.err


def test_input_that_is_not_text_is_an_error(sdykit: Callable, tmp_path: Path) -> None:
    (tmp_path / "in.mlir").write_bytes(b"ok\nab\xff")
    result = sdykit("mpmd-view", "in.mlir", "-o", "out.html")
    assert result.code == 1
    assert result.err.startswith(
        "in.mlir:2:3: error: the input is not UTF-8: found the byte 0xff; expected UTF-8 text or"
        " MLIR bytecode\n"
    )
    (tmp_path / "in.mlir").write_bytes(b"ML\xefR123123")
    result = sdykit("mpmd-view", "in.mlir", "-o", "out.html")
    assert result.code == 1
    assert result.err.startswith("in.mlir:0:0: error: bytecode version ")
    assert not (tmp_path / "out.html").exists()


def test_a_crash_of_the_parser_is_reported(sdykit: Callable, tmp_path: Path) -> None:
    """The verifier follows a null pointer where the callee is missing."""
    text = f"func.func @f() {TOPOLOGY} {{\n  mpmd.call @none() : () -> ()\n  return\n}}"
    result = sdykit("mpmd-view", "-", "-o", "out.html", stdin=text.encode())
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("sdykit mpmd-view: error: crashed while parsing the input (SIG")
    assert not (tmp_path / "out.html").exists()


def test_an_interrupt_ends_it(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [sys.executable, "-m", "sdykit.cli", "mpmd-view", fifo, "-o", tmp_path / "out.html"],
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with fifo.open("wb"):  # It reads and waits for more.
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"sdykit mpmd-view: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["fifo"]


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    command = (
        f"{sys.executable} -m sdykit.cli mpmd-view {INPUTS / 'transformer.mlir'} -o - | head -c 9"
    )
    done = subprocess.run(["/bin/sh", "-c", command], check=False, capture_output=True)
    assert (done.stdout, done.stderr) == (b"<!doctype", b"")


def test_the_page_is_that_of_the_api(sdykit: Callable) -> None:
    text = real("transformer")
    result = sdykit("mpmd-view", "-", "-o", "-", stdin=text.encode())
    page = mpmd_page(programs_of(text), "<stdin>")
    assert result.out.replace("\\u003cstdin\\u003e:", "-:") == page
