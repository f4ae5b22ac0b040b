"""Answers are true: chains follow the recorded edges, and what is taken out of the way lets axes pass."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import pytest

from examples.models import control_flow, mixture_of_experts, recommender, transformer
from sdykit.core import run_pipeline
from sdykit.core.portable import read_module
from sdykit.explain import Explanation, explain_text
from sdykit.explain.answers import summary
from sdykit.explain.model import Tensor
from sdykit.explain.questions import Index, changed, obstacles, reach, replicated, why, why_not
from sdykit.explain.questions.axes import axes_of, overlaps
from sdykit.explain.run import IMPORT
from sdykit.explain.sentences import refusal_text
from sdykit.mlir import ModuleOp, make_context
from sdykit.passes.sdy._propagation import Propagation
from support.explain.wrong_constraint import module_text, write_model

MODELS = (control_flow, mixture_of_experts, recommender, transformer)
EDGE = re.compile(r"step-(\d+) = \[(.*?\}(?:, \{.*?\})*)\]")
MATMUL = """
sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %w: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}) -> tensor<16x12xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x12xf32>) -> tensor<16x12xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"data"}, {}]> : tensor<16x12xf32>
  %2 = stablehlo.tanh %1 : tensor<16x12xf32>
  return %2 : tensor<16x12xf32>
}
"""


@pytest.fixture(scope="module", params=MODELS, ids=lambda model: model.__name__.split(".")[-1])
def text(request: pytest.FixtureRequest) -> str:
    return request.param.program().text(debuginfo=True)


def named(explanation: Explanation, name: str) -> Tensor:
    return next(each for each in explanation.tensors if name in each.names)


def test_chains_begin_at_a_tensor_and_end_where_an_axis_was_given(text: str) -> None:
    index = Index(explain_text(text))
    followed = 0
    for tensor in index.explanation.tensors:
        for axis in axes_of(tensor.final):
            links = why(index, tensor.number, axis)
            assert links[0].tensor == tensor.number
            assert links[-1].given is not None
            has_axis = any(overlaps(each, axis) for each in axes_of(links[-1].given.sharding))
            assert has_axis or links[-1].given.by == "manual computation"
            steps = [link.step for link in links if link.step is not None]
            assert steps == sorted(steps, reverse=True)
            followed += 1
    assert followed > 20


def test_steps_have_the_numbers_and_axes_of_the_edges_that_the_pass_writes(text: str) -> None:
    explanation = explain_text(text)
    ours = {
        step.number: {gain.axis for change in step.changes for gain in change.gains}
        for step in explanation.steps
        if step.number is not None
    }
    with make_context() as context:
        module = read_module(text, context)
        run_pipeline(module, IMPORT)
        propagation = Propagation("aggressive", by_op=True, by_user=True, edges=True)
        propagation.run(cast("ModuleOp", module.operation.opview))
        # The verifier of sdy refuses these attributes on edges of loops.
        written = EDGE.findall(str(module.operation.get_asm(assume_verified=True)))
    theirs = {
        int(step): {axis.strip('"') for axis in re.findall(r'\{("[^"]+"(?::\(\d+\)\d+)?) =', flows)}
        for step, flows in written
    }
    assert theirs
    for step, axes in theirs.items():
        # An edge that an earlier step has, too, is not written again.
        assert {axis.replace('"', "") for axis in axes} <= ours[step], step


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            '%0 <@mesh, [{"data"}, {}]>',
            '%0 <@mesh, [{"data"}, {?}]>',
            "stablehlo.dot_general at -:5 does not pass on model from %arg1: dimension 1 of %0 is "
            "closed, as constraint at -:6 says",
        ),
        (
            'sdy.sharding_constraint %0 <@mesh, [{"data"}, {}]>',
            "sdy.sharding_constraint %0 <@mesh, [{}, {?}]>",
            None,
        ),
    ],
)
def test_what_is_taken_out_of_the_way_lets_the_axis_pass(
    old: str, new: str, expected: str | None
) -> None:
    index = Index(explain_text(MATMUL))
    wanted = named(index.explanation, "%1")
    found = why_not(index, wanted.number, "model")
    texts = [refusal_text(index, each.op, each.refusal) for each in found]
    assert texts
    assert all("is closed" in each for each in texts)
    if expected is not None:
        assert expected in texts
    assert MATMUL.count(old) == 1
    after = explain_text(MATMUL.replace(old, new))
    assert "model" in axes_of(named(after, "%1").final)


def addition(first: str, second: str, mesh: str = "mesh") -> str:
    """Return a sum of two arguments with shardings."""
    tensor = "tensor<8x8xf32>"
    return f"""
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=4]>
func.func @main(%x: {tensor} {{sdy.sharding = #sdy.sharding<@mesh, {first}>}},
    %y: {tensor} {{sdy.sharding = #sdy.sharding<@{mesh}, {second}>}}) -> {tensor} {{
  %0 = stablehlo.add %x, %y : {tensor}
  return %0 : {tensor}
}}
"""


SHARDED, OPEN = '[{"a", ?}, {?}]', "[{?}, {?}]"


@pytest.mark.parametrize(
    ("blocking", "reason", "text"),
    [
        ("[{}, {}]", "closed", "dimension 0 of %arg1 is closed, as argument %arg1 says"),
        (
            '[{"b"}, {}]',
            "conflict",
            "dimension 0 of %arg1 is divided along b, as argument %arg1 says",
        ),
        (
            '[{?}, {"a", ?}]',
            "used",
            "dimension 1 of %arg1 is divided along a, as argument %arg1 says, and no axis divides a "
            "tensor twice",
        ),
        (
            '[{?}, {?}], replicated={"a"}',
            "replicated",
            "%arg1 has a replicated, as argument %arg1 says",
        ),
    ],
)
def test_a_refusal_is_true(blocking: str, reason: str, text: str) -> None:
    """The axis comes to the second operand if its sharding says nothing, and is refused for what it says."""
    index = Index(explain_text(addition(SHARDED, blocking)))
    target = named(index.explanation, "%arg1")
    found = why_not(index, target.number, "a")
    assert [each.refusal.reason for each in found if each.refusal.axis == "a"] == [reason]
    sentence = refusal_text(index, found[0].op, found[0].refusal)
    assert sentence == f"stablehlo.add at -:6 does not pass on a from %arg0: {text}"
    mended = explain_text(addition(SHARDED, OPEN))
    assert "a" in axes_of(named(mended, "%arg1").final)


def test_tensors_on_another_mesh_refuse_all_axes() -> None:
    index = Index(explain_text(addition(SHARDED, OPEN.replace("?}", '"a"}', 1), "other")))
    result = named(index.explanation, "%0")
    (op, refusal), *_ = index.refusals_of(result.number)
    assert refusal_text(index, op, refusal).endswith(
        ": %arg1 is on another mesh, as argument %arg1 says"
    )


def test_an_op_without_a_rule_refuses_all_axes() -> None:
    text = addition(SHARDED, OPEN).replace(
        "stablehlo.add %x, %y : tensor<8x8xf32>",
        "stablehlo.custom_call @tpu_custom_call(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>",
    )
    index = Index(explain_text(text))
    ((op, refusal),) = index.refusals_of(named(index.explanation, "%0").number)
    assert refusal_text(index, op, refusal) == (
        "stablehlo.custom_call at -:6 does not pass on a from %arg0: stablehlo.custom_call has no "
        "sharding rule"
    )


def test_reach_and_bytes_of_a_small_program_are_those_counted_by_hand() -> None:
    index = Index(explain_text(MATMUL))
    # The constraint gives `data` to %0 and %1 itself; it reaches %2 and the result of the function.
    constraint = named(index.explanation, "%1")
    found = reach(index, [constraint.number])
    names = {index.explanation.tensors[number].name for number, _ in found.tensors}
    assert "%2" in names
    assert "%arg0" not in names


def test_large_tensors_with_copies_come_first() -> None:
    index = Index(explain_text(MATMUL))
    found = replicated(index)
    assert [each.bytes for each in found] == sorted((each.bytes for each in found), reverse=True)
    weights = next(each for each in found if index.explanation.tensors[each.tensor].name == "%arg1")
    assert (weights.axes, weights.bytes) == (("data",), 8 * 12 * 4 / 2)


def test_changed_tensors_are_those_that_differ() -> None:
    other = explain_text(
        MATMUL.replace('%0 <@mesh, [{"data"}, {}]>', '%0 <@mesh, [{"data"}, {?}]>')
    )
    first = explain_text(MATMUL)
    assert changed(first, first) == []
    names = {other.tensors[each.after].name for each in changed(first, other)}
    assert names == {"%0", "%1", "%2", "result 0"}


def test_a_wrong_constraint_is_what_stands_in_the_way(tmp_path: Path) -> None:
    path, line = write_model(tmp_path)
    index = Index(explain_text(module_text(path), "step.mlir"))
    found = obstacles(index)
    assert [str(each.source) for each in found] == [f"{path}:{line}"]
    assert found[0].axes == ("model",)
    head = summary(index).splitlines()[:10]
    assert any(f"constraint at {path}:{line}" in each for each in head)
    right = Index(explain_text(transformer.program().text(debuginfo=True)))
    assert obstacles(right) == []


def test_the_summary_counts_what_it_leaves_out_with_separators() -> None:
    arguments = ", ".join(f"%x{number}: tensor<4xf32>" for number in range(1100))
    text = f"""
sdy.mesh @mesh = <["a"=2]>
func.func @main({arguments}) -> tensor<4xf32> {{
  return %x0 : tensor<4xf32>
}}
"""
    found = summary(Index(explain_text(text)))
    assert found.startswith("-: 1,101 tensors, 0 divided, in 0 steps; @mesh a=2\n")
    assert found.endswith("\n  ... and 1,095 more\n")
