"""Explanations of random modules: every axis leads back to who gave it, and the steps to the result."""

from __future__ import annotations

from collections import Counter

import pytest

from sdykit.errors import SdykitError
from sdykit.explain import explain_text, json_text
from sdykit.explain.model import Explanation
from sdykit.explain.questions import Index, obstacles, why
from sdykit.explain.questions.axes import axes_of
from support.generators import module_text, seeded_spec
from support.sdy.random_shardings import sharded_model

MODULES = 120
MODELS = (0, 2, 12)
"""Models with groups whose members are in one step, and have user priorities."""
GROUPED = """
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}p1]>},
    %arg1: tensor<8x8xf32>, %arg2: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  sdy.sharding_group %arg0 group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %arg1 group_id=0 : tensor<8x8xf32>
  %0 = stablehlo.add %arg1, %arg1 : tensor<8x8xf32>
  sdy.sharding_group %0 group_id=1 : tensor<8x8xf32>
  sdy.sharding_group %arg2 group_id=1 : tensor<8x8xf32>
  return %0, %arg2 : tensor<8x8xf32>, tensor<8x8xf32>
}
"""


def check(explanation: Explanation) -> int:
    """Check the steps and chains of an explanation; return the number of chains."""
    now = {}
    for tensor in explanation.tensors:
        given = tensor.given.sharding.dims if tensor.given is not None else ()
        now |= {(tensor.number, at): () for at in range(len(tensor.shape))}
        now |= {(tensor.number, at): dim.axes for at, dim in enumerate(given)}
    for step in explanation.steps:
        for change in step.changes:
            assert now[change.tensor, change.dimension] == change.before
            assert change.gains
            now[change.tensor, change.dimension] = change.after
    index, chains = Index(explanation), 0
    for tensor in explanation.tensors:
        for at, dim in enumerate(tensor.final.dims if tensor.final is not None else ()):
            assert now[tensor.number, at] == dim.axes
        for axis in axes_of(tensor.final):
            links = why(index, tensor.number, axis)
            assert links
            assert links[-1].given is not None
            chains += 1
    obstacles(index)
    assert json_text(explanation)
    return chains


def explained(text: str, counts: Counter[str]) -> None:
    try:
        explanation = explain_text(text)
    except SdykitError:  # What the passes refuse, such as dynamic shapes.
        counts["refused"] += 1
        return
    counts["chains"] += check(explanation)
    counts["explained"] += 1


def test_random_modules() -> None:
    counts: Counter[str] = Counter()
    # 214 and 367 have several blocks, 262 tensors on one device.
    for number in (*range(MODULES), 214, 262, 367):
        explained(module_text(seeded_spec(number)), counts)
    assert counts["explained"] > MODULES // 2
    assert counts["chains"] > MODULES


@pytest.mark.parametrize("number", MODELS)
def test_models_with_random_shardings(number: int) -> None:
    assert check(explain_text(sharded_model(number))) > 100


def test_groups_and_their_priorities() -> None:
    explanation = explain_text(GROUPED)
    assert check(explanation) == 12  # Three arguments, a sum, two results; two axes each.
    index = Index(explanation)
    for axis in ("a", "b"):
        last = next(each for each in explanation.tensors if each.name == "%arg2")
        links = why(index, last.number, axis)
        assert [explanation.tensors[link.tensor].name for link in links] == [
            "%arg2",
            "%arg1",
            "%arg0",
        ]
        assert links[-1].given is not None
        assert links[-1].given.by == "argument"
