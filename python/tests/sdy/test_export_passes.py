"""Export passes give the text of the C++ passes, locations included, on what earlier passes leave."""

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
from support.generators import module_text, seeded_spec
from support.oracle import ours
from support.oracle_process import OracleProcess
from support.sdy.random_shardings import sharded_model

MODULES = int(os.environ.get("SDYKIT_RANDOM_EXPORTS", "120"))
SHARDS = 4
"""The modules in parts, for pytest-xdist."""
PROPAGATED = "sdy-user-priority-propagate{keep-sharding-rules=true}"
ORIGINS = "sdy-user-priority-propagate{debug-sharding-origins=true}"
FLAT = (
    "sdy-flatten-call-graph,symbol-dce,sdy-import-func-calls,symbol-dce,"
    "sdy-apply-sharding-constraints,sdy-sharding-group-import,sdy-pre-order-funcs"
)
DEDUPLICATED = "sdy-import-pipeline{dedup-functions-fully=true},sdy-add-func-data-flow-edges,sdy-pre-order-funcs"
EXPORT = (
    "sdy-export-named-computations",
    "sdy-propagate-to-func-results",
    "sdy-unflatten-call-graph",
    "symbol-dce",
    "sdy-insert-func-call-reshards",
    "func.func(sdy-constant-or-scalar-merger)",
    "func.func(sdy-sink-data-flow-edges)",
    "sdy-remove-sharding-groups",
    "func.func(sdy-sharding-constraint-to-reshard)",
    "sdy-update-non-divisible-input-output-shardings",
    "sdy-remove-sub-axes-in-input-output-shardings",
    "sdy-close-shardings",
    "func.func(sdy-drop-sharding-rules)",
    "sdy-inline-meshes",
    "sdy-drop-sharding-and-mesh",
)
FULLY = (
    "sdy-propagate-to-func-results",
    "func.func(sdy-sink-func-data-flow-edges)",
    "sdy-unflatten-call-graph{dedup-functions-fully=true}",
    "symbol-dce",
    "sdy-insert-func-call-reshards",
)
SUNK = "sink-debug-sharding-origins=true sink-debug-propagation-edge-sharding=true"
DEBUG = (f"func.func(sdy-sink-data-flow-edges{{{SUNK}}})", "sdy-remove-propagation-debug-info")


@pytest.fixture(scope="module")
def oracle() -> Iterator[OracleProcess]:
    process = OracleProcess()
    yield process
    process.close()


def compare_chain(oracle: OracleProcess, text: str | None, passes: tuple[str, ...]) -> Counter[str]:
    """Compare each pass on what the ones before it leave; count those that C++ ran, by name."""
    counts: Counter[str] = Counter()
    for each in passes:
        if text is None:
            break
        oracle.ask(text, (each,))
        (expected,) = oracle.answers()
        found = ours(text, each)
        if expected is None:
            break
        assert found.errors == expected.errors, f"{each}\n{text}"
        assert found.text == expected.text, f"{each}\n{text}"
        counts[each] += 1
        text = found.text
    return counts


def exported(oracle: OracleProcess, text: str) -> Counter[str]:
    """Compare the export passes on a module, in all forms that propagation takes."""
    counts: Counter[str] = Counter()
    imported = ours(text, f"sdy-import-pipeline,{FLAT},{PROPAGATED}").text
    counts += compare_chain(oracle, imported, EXPORT)
    deduplicated = ours(text, f"{DEDUPLICATED},{PROPAGATED}").text
    counts += compare_chain(oracle, deduplicated, FULLY)
    debugged = ours(text, f"sdy-import-pipeline,{FLAT},{ORIGINS}").text
    counts += compare_chain(oracle, debugged, DEBUG)
    return counts


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_modules(oracle: OracleProcess, shard: int) -> None:
    counts: Counter[str] = Counter()
    for number in range(shard, MODULES, SHARDS):
        counts += exported(oracle, module_text(seeded_spec(number)))
    for each in (*EXPORT, *FULLY, *DEBUG):
        assert counts[each] > MODULES // SHARDS // 2, each


@pytest.mark.parametrize("shard", range(SHARDS))
def test_models_with_random_shardings(oracle: OracleProcess, shard: int) -> None:
    counts: Counter[str] = Counter()
    numbers = range(shard, MODULES // 8, SHARDS)
    for number in numbers:
        propagated = ours(sharded_model(number), PROPAGATED).text
        counts += compare_chain(oracle, propagated, EXPORT)
    # Some calls in manual computations cannot be given the sharding of their function, in C++ neither.
    assert counts["sdy-close-shardings"] > len(numbers) // 4


@pytest.mark.parametrize(
    "model", [control_flow, mixture_of_experts, pipelined_mlp, recommender, transformer]
)
def test_models(oracle: OracleProcess, model: object) -> None:
    program = model.pipeline() if model is pipelined_mlp else model.program()  # type: ignore[attr-defined]
    assert exported(oracle, program.text(debuginfo=True)).keys() >= set(EXPORT)
