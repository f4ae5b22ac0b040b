"""Both pipelines, and the reshards that they insert, give the text of C++, locations included."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from jaxlib.mlir import passmanager

from examples.models import (
    control_flow,
    mixture_of_experts,
    pipelined_mlp,
    recommender,
    transformer,
)
from sdykit.core import Registry
from sdykit.core.plan import plan
from sdykit.mlir import make_context
from support.generators import module_text, seeded_spec
from support.oracle import ours
from support.oracle_process import OracleProcess
from support.sdy.random_shardings import sharded_model

MODULES = int(os.environ.get("SDYKIT_RANDOM_EXPORTS", "120"))
SHARDS = 4
"""The modules in parts, for pytest-xdist."""
PIPELINES = (
    "sdy-propagation-pipeline",
    "sdy-propagation-pipeline{dedup-functions-fully=true}",
    "sdy-import-pipeline{dedup-functions-fully=true},sdy-user-priority-propagate,"
    "sdy-export-pipeline{keep-sharding-rules=true}",
)
COLLECTIVES = "sdy-export-pipeline{enable-insert-explicit-collectives=true}"
WITHOUT_THOSE_OF_DOTS = (
    "sdy-export-pipeline{enable-insert-explicit-collectives=true "
    "remove-all-gather-reduce-scatter-for-cmv1=true}"
)
EXPORT = (
    "sdy-export-pipeline",
    "sdy-export-pipeline{avoid-export-for-partitioning=true}",
    "sdy-export-pipeline{update-non-divisible-input-output-shardings=false}",
    COLLECTIVES,
    WITHOUT_THOSE_OF_DOTS,
)
PROPAGATED = (
    "sdy-import-pipeline,sdy-flatten-call-graph,symbol-dce,sdy-import-func-calls,symbol-dce,"
    "sdy-apply-sharding-constraints,sdy-sharding-group-import,sdy-pre-order-funcs,"
    "sdy-user-priority-propagate{keep-sharding-rules=true},sdy-export-named-computations,"
    "sdy-propagate-to-func-results,sdy-unflatten-call-graph,symbol-dce,sdy-insert-func-call-reshards"
)
"""The propagation pipeline up to its export."""


@pytest.fixture(scope="module")
def oracle() -> Iterator[OracleProcess]:
    process = OracleProcess()
    yield process
    process.close()


def compare(oracle: OracleProcess, text: str, pipelines: tuple[str, ...]) -> Counter[str]:
    """Compare pipelines on a module; count those that C++ ran, and those that ended its process."""
    oracle.ask(text, pipelines)
    counts: Counter[str] = Counter()
    for pipeline, expected in zip(pipelines, oracle.answers(), strict=True):
        if expected is None:
            counts["crashed"] += 1
            continue
        found = ours(text, pipeline, verify_each=True)
        assert found.text == expected.text, f"{pipeline}\n{text}"
        # The words are compared pass by pass; here another verifier may speak first.
        assert bool(found.errors) == bool(expected.errors), f"{pipeline}\n{text}"
        counts["compared"] += 1
    return counts


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_modules(oracle: OracleProcess, shard: int) -> None:
    counts: Counter[str] = Counter()
    for number in range(shard, MODULES, SHARDS):
        text = module_text(seeded_spec(number))
        counts += compare(oracle, text, PIPELINES)
        propagated = ours(text, PROPAGATED).text
        if propagated is not None:
            counts += compare(oracle, propagated, (COLLECTIVES,))
    assert counts["compared"] > 2.5 * MODULES // SHARDS


@pytest.mark.parametrize("shard", range(SHARDS))
def test_models_with_random_shardings(oracle: OracleProcess, shard: int) -> None:
    counts: Counter[str] = Counter()
    for number in range(shard, MODULES // 8, SHARDS):
        propagated = ours(
            sharded_model(number), "sdy-user-priority-propagate{keep-sharding-rules=true}"
        )
        assert propagated.text is not None
        counts += compare(oracle, propagated.text, EXPORT)
    assert counts["compared"] > MODULES // 8 // SHARDS


@pytest.mark.parametrize(
    "model", [control_flow, mixture_of_experts, pipelined_mlp, recommender, transformer]
)
def test_models(oracle: OracleProcess, model: object) -> None:
    program = model.pipeline() if model is pipelined_mlp else model.program()  # type: ignore[attr-defined]
    text = program.text(debuginfo=True)
    assert compare(oracle, text, PIPELINES[:2])["compared"] == 2
    propagated = ours(text, PROPAGATED).text
    assert propagated is not None
    assert compare(oracle, propagated, (COLLECTIVES, WITHOUT_THOSE_OF_DOTS))["compared"] == 2
    for pipeline in (COLLECTIVES, WITHOUT_THOSE_OF_DOTS):
        whole = pipeline.replace("export", "propagation")
        assert ours(text, whole).text == ours(text, f"{PROPAGATED},{pipeline}").text


@pytest.mark.parametrize(
    "pipeline",
    [
        *EXPORT,
        *PIPELINES[:2],
        "sdy-export-pipeline{dump-sharding-origins=true dump-propagation-edges=true}",
        "sdy-export-pipeline{keep-sharding-rules=true}",
    ],
)
def test_pipelines_consist_of_the_passes_of_cpp(pipeline: str) -> None:
    saving = (
        pipeline.replace("}", " dump-directory=d}")
        if "{" in pipeline
        else f"{pipeline}{{dump-directory=d}}"
    )
    steps = plan(saving, Registry())
    ours = [inner.name for step in steps for inner in step.nested or (step,)]
    with make_context():
        theirs = str(passmanager.PassManager.parse(f"builtin.module({pipeline})"))
    while theirs != (outer := re.sub(r"\{[^{}]*\}", "", theirs)):
        theirs = outer
    listed = re.findall(r"[a-z][a-z0-9.-]+", theirs)
    # Without a directory ours does not save the module; theirs does nothing.
    nests = ("builtin.module", "func.func")
    assert ours == [each for each in listed if each not in nests]
    assert "sdy-save-module" not in [step.name for step in plan(pipeline, Registry())]
