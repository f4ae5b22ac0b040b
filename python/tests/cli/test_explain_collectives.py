"""`sdykit explain --to=collectives`: what it prints, the files it writes, and its errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from support.explain.matmul import PROGRAM

COSTS = """\
f.mlir: 1 collective; a device receives 96 bytes in a run, 0.096 us
what a device receives in a run, for each:
   96 bytes  all_gather of %0: f32[16,12] along model at f.mlir:5 (operand 96 bytes, 0.096 us)
             [{"data"}, {"model"}] becomes [{"data"}, {}]
             stablehlo.dot_general at f.mlir:5 does not pass on model from %arg1: dimension 1 of %0 is \
closed, as constraint at f.mlir:6 says
times: a device receives all of it over the slowest axis, at the bandwidth given, and does nothing else \
meanwhile; no latency
"""


def test_collectives_with_times(sdykit: Callable, program: Path, tmp_path: Path) -> None:
    result = sdykit(
        "explain",
        program.name,
        "--to=collectives",
        "--bandwidth=data=1kB/s,model=1GB/s",
        "--json=f.json",
    )
    assert (result.code, result.err, result.out) == (0, "", COSTS)
    (found,) = json.loads((tmp_path / "f.json").read_text())["costs"]["collectives"]
    assert (found["kind"], found["axes"], found["bytes"]) == ("all_gather", ["model"], 96)
    assert found["seconds"] == pytest.approx(96e-9)
    assert found["causes"][0]["refusal"]["reason"] == "closed"


def test_collectives_are_asked_for(sdykit: Callable, program: Path) -> None:
    def head(*arguments: str) -> str:
        return sdykit("explain", program.name, "--to=collectives", *arguments).out.splitlines()[0]

    assert head("--axis=model") == "f.mlir: 1 collective; a device receives 96 bytes in a run"
    assert head("--axis=data") == "f.mlir: no collectives"
    assert head("--value=%0").startswith("f.mlir: 1 collective;")
    assert head("--value=%arg0") == "f.mlir: no collectives"
    some = head("--bandwidth=data=1GB/s")
    assert some == "f.mlir: 1 collective; a device receives 96 bytes in a run"


def test_axes_without_a_bandwidth_are_told(sdykit: Callable, program: Path) -> None:
    result = sdykit("explain", program.name, "--to=collectives", "--bandwidth=data=1GB/s")
    last = result.out.splitlines()[-1]
    assert last == "without a time: 1, along axes whose bandwidth is not given"


def test_the_compiled_program_stands_beside(sdykit: Callable, program: Path) -> None:
    result = sdykit("explain", program.name, "--to=collectives", "--compiled")
    assert result.code == 0
    assert result.out.endswith(
        "all of it beside the program that XLA compiles for CPU devices, operand bytes in a run:\n"
        "  all_gather: 1 of 96 bytes here, 1 of 192 bytes compiled\n"
        "  equal at 0 of 1 line of the program\n"
        "  f.mlir:5: other bytes: all_gather of 96 bytes here, all_gather of 192 bytes in the compiled "
        "program\n"
    )


GATHERED = "all_gather of f32[16,12] along model: 96 bytes, for stablehlo.dot_general"


@pytest.fixture
def mended(program: Path) -> Path:
    """Return the program with another constraint, and another sharding of its second argument."""
    text = PROGRAM.replace('%0 <@mesh, [{"data"}, {}]>', '%0 <@mesh, [{"data"}, {"model"}]>')
    path = program.with_name("mended.mlir")
    path.write_text(text.replace('[{}, {"model"}]', '[{"model"}, {}]'))
    return path


def test_collectives_are_compared_with_those_of_a_program(sdykit: Callable, mended: Path) -> None:
    result = sdykit("explain", mended.name, "--to=collectives", "--against=f.mlir")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(
        "mended.mlir: 1 collective; a device receives 96 bytes in a run\n"
        "f.mlir: 1 collective; a device receives 96 bytes in a run\n"
        "1 collective is not in f.mlir:\n"
        "   96 bytes  all_to_all of %arg1: f32[8,12] along model at mended.mlir:5 (operand 192 bytes)\n"
    )
    assert result.out.endswith(f"1 collective is gone, but in f.mlir:\n  {GATHERED}\n")
    result = sdykit("explain", "f.mlir", "--to=collectives", "--against=f.mlir")
    assert result.out == "f.mlir: all collectives are as in f.mlir\n"
    arguments = ("explain", mended.name, "--to=collectives", "--against=f.mlir")
    assert sdykit(*arguments, "--axis=model").out == sdykit(*arguments).out
    assert (
        sdykit(*arguments, "--axis=data").out
        == "mended.mlir: all collectives along data are as in f.mlir\n"
    )


def test_collectives_are_compared_with_a_golden_file(sdykit: Callable, mended: Path) -> None:
    arguments = ("--to=collectives", "--golden=f.golden")
    assert sdykit("explain", "f.mlir", *arguments, "--update").code == 0
    assert (mended.parent / "f.golden").read_text().splitlines()[-1] == GATHERED
    result = sdykit("explain", "f.mlir", *arguments)
    assert (result.code, result.out) == (0, "")
    result = sdykit("explain", mended.name, *arguments)
    assert result.code == 1
    assert result.out.startswith(
        "1 collective is not in f.golden:\n   96 bytes  all_to_all of %arg1"
    )
    assert result.out.endswith(f"1 collective is gone, but in f.golden:\n  {GATHERED}\n")


def test_golden_files_of_shardings_and_collectives_are_told_apart(
    sdykit: Callable, program: Path
) -> None:
    assert sdykit("explain", program.name, "--golden=s.golden", "--update").code == 0
    result = sdykit("explain", program.name, "--to=collectives", "--golden=s.golden")
    assert (result.code, result.out) == (1, "")
    assert "; expected a collective, as --to=collectives --golden --update writes it" in result.err
    assert (
        sdykit("explain", "f.mlir", "--to=collectives", "--golden=c.golden", "--update").code == 0
    )
    result = sdykit("explain", program.name, "--golden=c.golden")
    assert (result.code, result.out) == (1, "")
    assert "; expected a tensor, two blanks and its sharding" in result.err


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--compiled"], "--compiled is about collectives; expected also --to=collectives"),
        (
            ["--bandwidth=a=1B/s"],
            "--bandwidth is about collectives; expected also --to=collectives",
        ),
        (
            ["--to=collectives", "--golden=g", "--compiled"],
            "--golden is not about XLA's program; leave out --compiled",
        ),
        (
            ["--to=collectives", "--against=f.mlir", "--compiled"],
            "--against is not about XLA's program; leave out --compiled",
        ),
        (
            ["--to=collectives", "--conservative", "--compiled"],
            "found compiled and conservative; XLA's own propagation is not conservative",
        ),
        (
            ["--to=collectives", "--bandwidth=a"],
            "--bandwidth: found 'a'; expected an axis and bytes",
        ),
        (["--to=collectives", "--bandwidth=a=1B/s"], "bandwidth of 'a': no mesh has this axis"),
    ],
)
def test_wrong_options_about_collectives(
    sdykit: Callable, program: Path, options: list[str], error: str
) -> None:
    result = sdykit("explain", program.name, *options)
    assert (result.code, result.out) == (1, "")
    assert error in result.err
