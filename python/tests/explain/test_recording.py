"""What a recorded propagation holds agrees with what the passes write."""

from __future__ import annotations

import json
from typing import cast

import pytest

from examples.models import control_flow, mixture_of_experts, recommender, transformer
from sdykit.core import FUNC, functions_of, run_pipeline
from sdykit.core.portable import read_module
from sdykit.dialects import sdy
from sdykit.explain import as_json, explain_text, json_text
from sdykit.explain.model import Explanation
from sdykit.explain.run import IMPORT
from sdykit.mlir import ModuleOp, ir, make_context

MODELS = (control_flow, mixture_of_experts, recommender, transformer)
OTHER_ATTRIBUTES = frozenset(
    ("sdy.sharding_constraint", "sdy.named_computation", "sdy.manual_computation")
) | {"stablehlo.while", "stablehlo.case", "stablehlo.optimization_barrier"}
"""Ops whose shardings, or those of their edges, are in attributes of other names."""


@pytest.fixture(scope="module", params=MODELS, ids=lambda model: model.__name__.split(".")[-1])
def text(request: pytest.FixtureRequest) -> str:
    return request.param.program().text(debuginfo=True)


@pytest.fixture(scope="module")
def explanation(text: str) -> Explanation:
    return explain_text(text, "model.mlir")


def propagated(text: str) -> list[str | None]:
    """Return the shardings of results that the passes write, in program order; arguments first."""
    with make_context() as context:
        module = read_module(text, context)
        run_pipeline(module, f"{IMPORT},sdy-user-priority-propagate")
        found: list[str | None] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            attribute = op.attributes.get("sdy.sharding")
            if attribute is not None:
                views = sdy.TensorShardingPerValueAttr.of(attribute).shardings
                found.extend(str(view.to_attr()) for view in views)
            return ir.WalkResult.ADVANCE

        for function in functions_of(cast("ModuleOp", module.operation.opview)).values():
            assert function.name == FUNC
            function.walk(visit, ir.WalkOrder.PRE_ORDER)
        return found


def test_finals_are_what_the_passes_write(text: str, explanation: Explanation) -> None:
    found = []
    for op in explanation.ops:
        own = [explanation.tensors[each] for each in op.results]
        finals = [tensor.final for tensor in own if tensor.op == op.number]
        if not op.is_erased and op.name not in OTHER_ATTRIBUTES:
            found += [f"#sdy.sharding<@{each.mesh}, {each}>" for each in finals if each]
    assert found == propagated(text)


def test_steps_lead_from_given_to_final(explanation: Explanation) -> None:
    """What was given and each change give the final axes."""
    now: dict[tuple[int, int], tuple[str, ...]] = {}
    for tensor in explanation.tensors:
        sharding = tensor.given.sharding if tensor.given is not None else None
        for at in range(len(tensor.shape)):
            now[tensor.number, at] = () if sharding is None else sharding.dims[at].axes
    for step in explanation.steps:
        for change in step.changes:
            assert now[change.tensor, change.dimension] == change.before
            assert change.gains
            now[change.tensor, change.dimension] = change.after
    for tensor in explanation.tensors:
        if tensor.final is not None:
            assert [now[tensor.number, at] for at in range(len(tensor.shape))] == [
                dim.axes for dim in tensor.final.dims
            ]


def test_json_has_the_fields_of_the_model(explanation: Explanation) -> None:
    found = json.loads(json_text(explanation))
    assert found == as_json(explanation)
    assert found["format"] == 1
    assert len(found["ops"]) == len(explanation.ops)
    assert found["steps"][-1].get("number") == explanation.steps[-1].number
