"""The programs of `examples/models` and the files in `python/tests/inputs` made from them."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from examples.models import control_flow, mixture_of_experts, recommender, transformer
from examples.models.program import Program
from sdykit.mlir import ir, make_context, passmanager

INPUTS = Path(__file__).parents[1] / "inputs"
NAMES = sorted(path.name for path in INPUTS.glob("*.mlir"))


def ops(text: str) -> Counter[str]:
    """Count the ops of a module by name."""
    module = ir.Module.parse(text, make_context())
    found: Counter[str] = Counter()

    def count(op: ir.Operation) -> ir.WalkResult:
        found[op.operation.name] += 1
        return ir.WalkResult.ADVANCE

    module.operation.walk(count)
    return found


@pytest.fixture(scope="module")
def regenerated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("inputs")
    subprocess.run([sys.executable, INPUTS / "generate.py", directory], check=True, cwd=directory)
    return directory


def test_no_file_is_missing_or_left_over(regenerated: Path) -> None:
    assert sorted(path.name for path in regenerated.iterdir()) == NAMES
    assert len(NAMES) >= 10


@pytest.mark.parametrize("name", NAMES)
def test_each_file_is_up_to_date(name: str, regenerated: Path) -> None:
    expected = (regenerated / name).read_text().splitlines()
    found = (INPUTS / name).read_text().splitlines()
    if found[0] != expected[0]:
        pytest.skip(f"the file was written under other versions: {found[0]}")
    assert found == expected


@pytest.mark.parametrize("name", [name for name in NAMES if "debuginfo" in name])
def test_without_locations_both_files_are_the_same_module(name: str) -> None:
    with make_context():
        module = ir.Module.parse((INPUTS / name).read_text())
        plain = ir.Module.parse((INPUTS / name.replace("_debuginfo", "")).read_text())
        assert "loc(callsite(" in str(module.operation.get_asm(enable_debug_info=True))
        passmanager.PassManager.parse("builtin.module(strip-debuginfo)").run(module.operation)
        assert str(module) == str(plain)


def test_the_files_are_small_and_name_no_machine() -> None:
    texts = [(INPUTS / name).read_bytes() for name in NAMES]
    assert sum(map(len, texts)) < 1_000_000
    assert not any(b'loc("/' in text or b"site-packages" in text for text in texts)
    assert any(b'loc("examples/models/transformer.py":' in text for text in texts)


@pytest.mark.parametrize(
    "program",
    [
        control_flow.program(),
        mixture_of_experts.program(),
        recommender.program(),
        transformer.program(),
        transformer.program(transformer.Config(scan=True)),
        transformer.program(transformer.Config(experts=True)),
    ],
    ids=["control_flow", "mixture", "recommender", "transformer", "scan", "experts"],
)
def test_a_program_lowers_to_the_same_text_each_time(program: Program) -> None:
    assert program.text() == program.text()


def test_the_programs_have_the_ops_that_passes_change() -> None:
    found = ops(control_flow.program().text())
    for name in ("stablehlo.while", "stablehlo.case", "stablehlo.optimization_barrier"):
        assert found[name] >= 1, name
    assert found["sdy.sharding_group"] == 2
    assert ops(recommender.program().text())["stablehlo.gather"] == 27
    assert ops(transformer.program().text())["stablehlo.while"] == 2
    assert ops(transformer.program(transformer.Config(scan=True)).text())["stablehlo.while"] == 4


def test_manual_regions_are_nested() -> None:
    text = mixture_of_experts.program().text()
    regions = [line for line in text.splitlines() if "sdy.manual_computation" in line]
    outer = [line for line in regions if 'manual_axes={"data"}' in line]
    inner = [line for line in regions if 'manual_axes={"model"}' in line]
    assert len(outer) == len(inner) == 4
    assert all(line.startswith("      %") for line in inner)


@pytest.mark.parametrize("size", [2_000, 10_000])
def test_a_sized_program_has_about_so_many_ops(size: int) -> None:
    total = ops(transformer.sized(size).text()).total()
    assert abs(total - size) <= transformer.OPS_PER_LAYER / 2 + 1
