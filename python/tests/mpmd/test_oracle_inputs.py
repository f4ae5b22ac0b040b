"""Real inputs: programs of `examples/models` that jaxlib has partitioned for its export passes."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from examples.models import pipelined_mlp
from sdykit.mpmd import Schedule
from support import oracle
from support.mpmd.oracle import UNTIL_EXPORT, MpmdOracle
from support.mpmd.oracle_compare import DOCUMENTED, JAXLIB, assert_same_export, ours

INPUTS = Path(__file__).parents[1] / "inputs" / "mpmd"
PATHS = sorted(INPUTS.glob("*.mlir"))
each_input = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def ops(text: str) -> Counter[str]:
    return Counter(re.findall(r"\b(mpmd\.(?:fragment|fragment_call|transfer))[ <]", text))


@pytest.fixture(scope="module")
def regenerated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("inputs")
    subprocess.run([sys.executable, INPUTS / "generate.py", directory], check=True, cwd=directory)
    return directory


def test_the_directory_has_exactly_the_generated_files(regenerated: Path) -> None:
    assert sorted(path.name for path in regenerated.iterdir()) == [path.name for path in PATHS]


@each_input
def test_a_file_equals_the_output_of_the_generator(path: Path, regenerated: Path) -> None:
    expected = (regenerated / path.name).read_text().splitlines()
    found = path.read_text().splitlines()
    if found[0] != expected[0]:
        pytest.skip(f"the file was written under other versions: {found[0]}")
    assert found == expected


@each_input
def test_a_file_is_small_and_names_no_machine(path: Path) -> None:
    text = path.read_text()
    assert len(text) < 300_000
    assert 'loc("/' not in text
    assert "site-packages" not in text


@each_input
def test_a_file_is_exported_as_by_the_oracle(path: Path, partitioner: MpmdOracle) -> None:
    assert_same_export(path.read_text(), partitioner)


@each_input
@pytest.mark.parametrize("pipeline", [DOCUMENTED, JAXLIB])
def test_all_fragments_become_calls(path: Path, pipeline: str) -> None:
    text = path.read_text()
    exported = ours(text, pipeline)
    assert exported.text is not None, exported.errors
    assert oracle.parse(exported.text).operation.verify()
    before, after = ops(text), ops(exported.text)
    assert after == {
        "mpmd.fragment_call": before["mpmd.fragment"],
        "mpmd.transfer": before["mpmd.transfer"],
    }


@each_input
def test_the_clean_ups_keep_fragments_and_transfers_of_a_file(
    path: Path, partitioner: MpmdOracle
) -> None:
    text = path.read_text()
    cleaned = partitioner(text, UNTIL_EXPORT)
    assert cleaned.text is not None
    assert ops(cleaned.text) == ops(text)


@pytest.mark.parametrize("split", [False, True], ids=["", "split"])
@pytest.mark.parametrize("schedule", get_args(Schedule))
def test_every_schedule_is_exported_as_by_the_oracle(
    schedule: Schedule, split: bool, partitioner: MpmdOracle
) -> None:
    program = pipelined_mlp.pipeline(pipelined_mlp.Config(microbatches=5, schedule=schedule))
    module = program.text(split_backward=split, debuginfo=True)
    assert_same_export(module, partitioner)


def test_the_files_have_the_marks_that_the_passes_read() -> None:
    texts = {path.stem: path.read_text() for path in PATHS}
    assert ops(texts["transformer"])["mpmd.fragment"] == 28
    assert texts["transformer"].count("stage=") == 24
    assert texts["mlp"].count("call_counter = 3 : ui32") == 4
    assert texts["mlp"].count("jax.buffer_donor = true") == 4
    assert texts["mlp_remat"].count(", remat}") == 3
    assert texts["mlp_split"].count("split_drop_transferred") == 3
    assert texts["offloaded_mlp"].count('_xla_buffer_placement = "pinned_host"') == 8
    assert texts["offloaded_mlp"].count('mhlo.memory_kind = "pinned_host"') == 8
    assert texts["offloaded_mlp"].count('memory_kind="pinned_host"') == 20
    assert texts["offloaded_mlp"].count('mesh="m1/cpu"') == 3
    assert texts["decoder"].count('mhlo.layout_mode = "auto"') == 5
    assert texts["decoder"].count('mpmd.inferred_by = ["uniquify"]') == 1
    assert "loc(\"params['transformer']['embed']\")" in texts["transformer_tied_debuginfo"]
