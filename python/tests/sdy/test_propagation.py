"""Propagation gives the text of the C++ passes, locations included."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import pytest

from examples.models import (
    control_flow,
    mixture_of_experts,
    pipelined_mlp,
    recommender,
    transformer,
)
from sdykit.core import FUNC
from sdykit.mlir import ir
from support.generators import module_text, seeded_spec
from support.oracle import ours, parse
from support.oracle_process import OracleProcess
from support.sdy.random_shardings import sharded_model

MODULES = int(os.environ.get("SDYKIT_RANDOM_PROPAGATIONS", "200"))
MODELS = MODULES // 8
SHARDS = 4
"""The modules in parts, for pytest-xdist."""

PASSES = ("basic", "aggressive", "op-priority", "user-priority")
PIPELINES = (
    *(f"sdy-{name}-propagate" for name in PASSES),
    "sdy-user-priority-propagate{conservative-propagation=true}",
    "sdy-user-priority-propagate{propagation-strategy=basic-then-aggressive}",
    "sdy-user-priority-propagate{propagation-strategy=basic run-op-priority-propagation=false "
    "keep-sharding-rules=true}",
)
EDGES = "sdy-user-priority-propagate{debug-propagation-edge-sharding=true}"
ORIGINS = "sdy-user-priority-propagate{debug-sharding-origins=true}"

NO_ORIGIN = '= ": 0"'
"""What C++ prints for an axis of a sharding that is of no argument, result or constraint."""


@pytest.fixture(scope="module")
def oracle() -> Iterator[OracleProcess]:
    process = OracleProcess()
    yield process
    process.close()


def compare(oracle: OracleProcess, text: str, pipelines: tuple[str, ...]) -> Counter[str]:
    """Compare pipelines on an imported module; count those that C++ ran, and those that it did not."""
    oracle.ask(text, pipelines)
    counts: Counter[str] = Counter()
    for pipeline, expected in zip(pipelines, oracle.answers(), strict=True):
        if expected is None or NO_ORIGIN in (expected.text or ""):
            counts["undefined"] += 1
            continue
        found = ours(text, pipeline)
        assert found.errors == expected.errors, f"{pipeline}\n{text}"
        assert found.text == expected.text, f"{pipeline}\n{text}"
        counts["compared"] += 1
    return counts


def imported(text: str) -> str | None:
    """Return an imported module, None if it cannot be, or if C++ would end the process."""
    found = ours(text, "sdy-import-pipeline").text
    if found is None:
        return None
    operations = parse(found).body.operations
    functions = [op for op in operations if op.operation.name == FUNC]
    names = [ir.StringAttr(op.operation.attributes["sym_name"]).value for op in functions]
    return found if "main" in names or len(names) == 1 else None


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_modules(oracle: OracleProcess, shard: int) -> None:
    counts: Counter[str] = Counter()
    for number in range(shard, MODULES, SHARDS):
        text = imported(module_text(seeded_spec(number)))
        if text is not None:
            counts += compare(oracle, text, (*PIPELINES, EDGES, ORIGINS))
    assert counts["compared"] > 3 * MODULES // SHARDS
    assert counts["undefined"] < counts["compared"] // 4


@pytest.mark.parametrize("shard", range(SHARDS))
def test_models_with_random_shardings(oracle: OracleProcess, shard: int) -> None:
    counts: Counter[str] = Counter()
    for number in range(shard, MODELS, SHARDS):
        counts += compare(oracle, sharded_model(number), PIPELINES)
    assert counts["compared"] > 5 * MODELS // SHARDS


@pytest.mark.parametrize(
    "model", [control_flow, mixture_of_experts, pipelined_mlp, recommender, transformer]
)
def test_models(oracle: OracleProcess, model: object) -> None:
    program = model.pipeline() if model is pipelined_mlp else model.program()  # type: ignore[attr-defined]
    text = imported(program.text(debuginfo=True))
    assert text is not None
    assert compare(oracle, text, (*PIPELINES, EDGES, ORIGINS))["compared"] >= len(PIPELINES)
