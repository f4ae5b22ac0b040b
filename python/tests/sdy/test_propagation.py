"""Propagation gives the text of the C++ passes, locations included."""

from __future__ import annotations

import contextlib
import os
import re
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
from support import ROOT
from support.generators import module_text, seeded_spec
from support.oracle import Outcome, ours, parse
from support.oracle_process import OracleProcess
from support.sdy.random_shardings import sharded_model

MODULES = int(os.environ.get("SDYKIT_RANDOM_PROPAGATIONS", "200"))
MODELS = MODULES // 8
SHARDS = 4
"""The modules in parts, for pytest-xdist."""
ONCE_DIFFERENT = (641, 1321, 1336, 1583, 2288, 2315)
"""Manual computations with other meshes in their bodies; ops in the condition of a loop."""
SOMETIMES_CRASHES = 2315
"""C++ propagates it with user priorities in some processes, and ends others with a segmentation fault."""

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

KNOWN_ORIGINS = re.compile(r"self|input: \d+|output: \d+|constraint_\d+|mc_\d+_(input|output): \d+")
USED_TWICE = "'sdy.data_flow_edge' op duplicate axis ref"
"""What C++ makes of an argument of a manual computation whose in-sharding has user priorities: it does not
keep the axes of later priorities from other dimensions, and leaves a module that is not valid."""
LOOP = """
sdy.mesh @h = <["x"=2, "z"=2]>
sdy.mesh @mesh = <["y"=4]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %y: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %v = stablehlo.abs %y : tensor<8xf32>
  %0 = stablehlo.while(%arg = %x) : tensor<8xf32>
  cond {
    %1 = stablehlo.sine %arg : tensor<8xf32>
    stablehlo.custom_call @f(%1) {has_side_effect = true} : (tensor<8xf32>) -> ()
    %2 = stablehlo.cosine %arg : tensor<8xf32>
    stablehlo.custom_call @f(%2) {has_side_effect = true} : (tensor<8xf32>) -> ()
    %3 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %1 = stablehlo.sine %arg : tensor<8xf32>
    stablehlo.custom_call @f(%1) {has_side_effect = true} : (tensor<8xf32>) -> ()
    %2 = stablehlo.custom_call @g(%arg, %v)
      {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([j]) {i=8, j=8}, custom>}
      : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %3 = stablehlo.cosine %arg : tensor<8xf32>
    stablehlo.custom_call @f(%3) {has_side_effect = true} : (tensor<8xf32>) -> ()
    stablehlo.return %2 : tensor<8xf32>
  }
  EDGE
  %8 = stablehlo.tanh %7 : tensor<8xf32>
  %9 = stablehlo.tanh %7 : tensor<8xf32>
  %10 = sdy.sharding_constraint %v <@h, [{"z"}]> : tensor<8xf32>
  return %8, %9, %10 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
"""
"""Its argument gets an axis from an op in the body, when all ops have been visited once."""


@pytest.fixture(scope="module")
def oracle() -> Iterator[OracleProcess]:
    process = OracleProcess()
    yield process
    process.close()


def is_defined(pipeline: str, text: str, expected: Outcome | None) -> bool:
    """Return whether C++ has a result for a module, and one that it does not take from foreign memory."""
    if expected is None or any(USED_TWICE in each for each in expected.errors):
        return False
    if pipeline != ORIGINS:
        return True
    # Of an argument of a later block, the origins of the function's argument would be set.
    texts = re.findall(r"sharding_origins = (?:\[.*?\]|\{.*?\})", expected.text or "")
    origins = [origin for each in texts for origin in re.findall(r' = "(.*?)"', each)]
    return "cf.br" not in text and all(map(KNOWN_ORIGINS.fullmatch, origins))


def is_defined_in_new_process(text: str) -> bool:
    """Return whether C++ takes no origin from foreign memory, which holds no other origin in a new process."""
    process = OracleProcess()
    process.ask(text, (ORIGINS,))
    (expected,) = process.answers()
    process.close()
    return is_defined(ORIGINS, text, expected)


def compare(oracle: OracleProcess, text: str, pipelines: tuple[str, ...]) -> Counter[str]:
    """Compare pipelines on an imported module; count those that C++ ran, and those that it did not."""
    oracle.ask(text, pipelines)
    counts: Counter[str] = Counter()
    for pipeline, expected in zip(pipelines, oracle.answers(), strict=True):
        if not is_defined(pipeline, text, expected):
            counts["undefined"] += 1
            continue
        assert expected is not None
        found = ours(text, pipeline)
        if pipeline == ORIGINS and found != expected and not is_defined_in_new_process(text):
            counts["undefined"] += 1
            continue
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


def inputs_of_lit_tests() -> Iterator[str]:
    """Yield the modules of the lit tests that are valid, imported where they can be."""
    for path in sorted((ROOT / "lit_tests" / "sdy").glob("*.mlir")):
        for chunk in re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE):
            with contextlib.suppress(
                ir.MLIRError
            ):  # Tests of the parser's and verifier's messages.
                parse(chunk)
                text = imported(chunk) if chunk.strip() else None
                if text is not None and not is_unusual(text):
                    yield text


def is_unusual(text: str) -> bool:
    """Return whether a module has what ours does not treat as C++ does.

    That is a module in it with meshes of its own, which ours refuses, or a block that nothing branches to,
    which C++ erases.
    """
    errors = ours(text, PIPELINES[0]).errors
    return "no predecessors" in text or any("does not have at its top" in each for each in errors)


def test_inputs_of_lit_tests(oracle: OracleProcess) -> None:
    counts: Counter[str] = Counter()
    for text in inputs_of_lit_tests():
        counts += compare(oracle, text, (*PIPELINES[:4], EDGES))
    assert counts["compared"] > 500
    assert counts["undefined"] < counts["compared"] // 4


@pytest.mark.parametrize("number", ONCE_DIFFERENT)
def test_modules_that_once_differed(oracle: OracleProcess, number: int) -> None:
    text = imported(module_text(seeded_spec(number)))
    assert text is not None
    surely = PASSES.index("user-priority") if number == SOMETIMES_CRASHES else len(PIPELINES) + 1
    assert compare(oracle, text, (*PIPELINES, EDGES))["compared"] >= surely


@pytest.mark.parametrize("edge", ["%7 = sdy.data_flow_edge %0 : tensor<8xf32>", ""])
def test_what_a_loop_affects_is_visited_in_order(oracle: OracleProcess, edge: str) -> None:
    text = LOOP.replace("EDGE", edge)
    text = text if edge else text.replace("%7", "%0")
    assert compare(oracle, text, (EDGES.replace("user-priority", "basic"),))["compared"] == 1


def test_a_group_across_the_border_of_a_manual_computation_ends() -> None:
    """`-sdy-sharding-group-import` refuses it; without that pass, manual axes must not pile up."""
    text = """
      sdy.mesh @mesh = <["a"=2]>
      func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
        %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>]
            out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
          sdy.sharding_group %y group_id=1 : tensor<4xf32>
          sdy.return %y : tensor<4xf32>
        } : (tensor<8xf32>) -> tensor<8xf32>
        sdy.sharding_group %0 group_id=1 : tensor<8xf32>
        return %0 : tensor<8xf32>
      }"""
    found = imported(text)
    assert found is not None
    assert not any("' raised " in error for error in ours(found, PIPELINES[0]).errors)


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
