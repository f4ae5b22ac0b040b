"""`sdykit compile`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sdykit.cli.main import main
from sdykit.core import run_pipeline
from sdykit.sparsecore.tile.compile import parse_tile

SPEC = '{"version": 1, "kind": "lookup", "dim": 3, "samples_per_core": 16, "chip": "v6e"}'


@pytest.fixture
def spec(tmp_path: Path) -> str:
    path = tmp_path / "lookup.json"
    path.write_text(SPEC)
    return str(path)


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ("tile", 'sparsecore.name = "sums"'),
        ("spmem", "vector.load %table"),
        ("llvm", "define internal void @phase_0.body("),
        ("asm", ".type\tphase_0_size,@function"),
    ],
)
def test_each_stage_is_printed(
    spec: str, stage: str, expected: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["compile", spec, f"--emit={stage}"]) == 0
    assert expected in capfd.readouterr().out


@pytest.mark.parametrize("reading", [[], ["--reading=cpu"], ["--reading=chip"]], ids=str)
@pytest.mark.parametrize("stage", ["tile", "llvm"])
def test_from_tile_gives_what_the_spec_gives(
    spec: str, stage: str, reading: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tile = str(tmp_path / "lookup.mlir")
    options = [f"--emit={stage}", *reading]
    assert main(["compile", spec, "-o", tile, *reading]) == 0
    assert main(["compile", spec, *options]) == 0
    expected = capfd.readouterr().out
    assert main(["compile", "--from-tile", tile, *options]) == 0
    assert capfd.readouterr().out == expected


def printed(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["compile", *arguments]) == 0
    return capfd.readouterr().out


@pytest.mark.parametrize("stage", ["tile", "spmem", "llvm", "asm"])
def test_the_reading_of_a_spec_is_the_default(
    stage: str, spec: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    chip = tmp_path / "chip.json"
    chip.write_text(SPEC.replace("}", ', "reading": "chip"}'))
    emit = f"--emit={stage}"
    of_cpu, of_chip = (printed(capfd, path, emit) for path in (spec, str(chip)))
    assert of_cpu != of_chip
    assert printed(capfd, spec, emit, "--reading=cpu") == of_cpu
    assert printed(capfd, spec, emit, "--reading=chip") == of_chip
    assert printed(capfd, str(chip), emit, "--reading=cpu") == of_cpu


@pytest.mark.parametrize("reading", ["chip", "cpu"])
@pytest.mark.parametrize("added", ["count", "check-nan", "check-bounds"])
def test_what_passes_add_to_a_printed_program_is_compiled(
    added: str, reading: str, spec: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    options = ("--reading", reading)
    module = parse_tile(printed(capfd, spec, "--emit=spmem", *options))
    run_pipeline(module, f"sparsecore-{added}")
    path = tmp_path / "added.mlir"
    path.write_text(str(module))
    assert printed(capfd, "--from-tile", str(path), "--emit=asm", *options)


@pytest.mark.parametrize("layout", ["sdykit", "jax_tpu_embedding"])
def test_limits_bind_in_the_layout_of_the_chip(
    layout: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    layouts = []
    for limit in (1, 100_000):
        path = tmp_path / f"{limit}.json"
        limits = f'"max_unique_ids_per_partition": {limit}, "layout": "{layout}"'
        path.write_text(SPEC.replace("}", f", {limits}}}"))
        text = printed(capfd, str(path), "--emit=spmem", "--reading=chip")
        layouts.append(text.partition("\n")[2])
    assert layouts[0] != layouts[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{",
            "spec: it is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 "
            '(char 1); expected {"version": 1, "kind": "lookup", "dim": 32, "samples_per_core": '
            "1024}, for example",
        ),
        (
            SPEC.replace("v6e", "v6"),
            "there is no chip 'v6', and it is not a file that ends in .json or .toml; "
            "did you mean 'v6e'?",
        ),
        (
            SPEC.replace("}", ', "tile_memory_bytes": 1024, "max_ids_per_partition": 100000}'),
            "Fixed size allocations (225344 bytes) do not fit in TileSpmem (1024 bytes): 11 "
            "allocations, in bytes: entry_ids, entry_samples, entry_gains, entry_rows, own_entries, "
            "csr_rows, csr_gains 25000 each (max_ids_per_partition / lanes * lanes); unique_ids, inbox "
            "25000 each (max_unique_ids_per_partition); csr_starts 32 ((samples_per_core / tiles + 1) / "
            "lanes * lanes * tiles); unique_counts 4 (tiles / lanes * lanes); with lanes = 8, "
            "max_ids_per_partition = 100000, max_unique_ids_per_partition = 100000, tiles = 16, "
            "samples_per_core = 16. To fit: max_ids_per_partition = 256; or use a smaller batch, more "
            "chips, or tiles with more memory",
        ),
    ],
)
def test_a_wrong_spec_is_an_error_with_the_file(
    text: str, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(text)
    assert main(["compile", str(path), "--emit=spmem"]) == 1
    assert capfd.readouterr().err == f"sdykit compile: error: {path}: {message}\n"


def test_wrong_programs_are_located(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.mlir"
    path.write_text("func.func @f(%x: f32) attributes {sparsecore.entry} {\n  return\n}\n")
    assert main(["compile", "--from-tile", str(path), "--emit=asm"]) == 1
    message = capfd.readouterr().err
    assert message.startswith(f"sdykit compile: error: {path}:1:14: error: argument 0 of '@f' is")


def test_a_printed_program_that_only_the_chip_runs_is_an_error_with_the_flag(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A chip's update with minibatches keeps gradients from one to the next, which is not fused."""
    spec, path = tmp_path / "update.json", tmp_path / "update.mlir"
    spec.write_text(
        '{"version": 1, "kind": "update", "dim": 32, "samples_per_core": 64, "minibatches": true, '
        '"reading": "chip", "optimizer": {"name": "adagrad", "learning_rate": 0.1}}'
    )
    assert main(["compile", str(spec), "-o", str(path)]) == 0
    for flag in ([], ["--reading=cpu"]):
        assert main(["compile", "--from-tile", str(path), "--emit=spmem", *flag]) == 1
        message = capfd.readouterr().err
        assert re.fullmatch(
            rf"sdykit compile: error: {re.escape(str(path))}:\d+:\d+: error: 'scf.for' op keeps steps "
            "'deduplicate' and 'reduce_gradients' from being joined by 'gradient_parts': expected an "
            "allocation; as a chip runs it, it is compiled with --reading=chip\n",
            message,
        )
    assert main(["compile", "--from-tile", str(path), "--emit=spmem", "--reading=chip"]) == 0


@pytest.mark.parametrize(
    "arguments", [[], ["--from-tile="], [""], ["a.json", "--from-tile", "b.mlir"]]
)
def test_there_must_be_one_input(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", *arguments]) == 1
    message = "sdykit compile: error: expected either SPEC or --from-tile=FILE\n"
    assert capfd.readouterr().err == message


def test_an_input_that_is_not_utf8_is_an_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.json"
    path.write_bytes(b'{"dim": "\xff"}')
    assert main(["compile", str(path)]) == 1
    message = f"sdykit compile: error: {path}: byte 9 is not UTF-8; expected text\n"
    assert capfd.readouterr().err == message
