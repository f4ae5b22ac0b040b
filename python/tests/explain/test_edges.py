"""The steps of explanations are the edges that the C++ propagation records: step, axis, source and target."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest

from examples.models import control_flow, mixture_of_experts, recommender, transformer
from sdykit.errors import SdykitError
from sdykit.explain import explain_text
from sdykit.explain.model import Explanation, Op
from support.amounts import examples
from support.explain.cpp_edges import PIPELINE, PROPAGATION, RecordedOp, recorded_edges
from support.generators import module_text, seeded_spec
from support.oracle_process import ServedProcess
from support.sdy.random_shardings import sharded_model

STEP = re.compile(r"\{step-(\d+) = \[(\{.*?\})\]\}")
FLOW = re.compile(r'\{?"([^"]+)"(:\(\d+\)\d+)? = (\S+) -> \[(.*?)\]')

Flow = tuple[int, str, object, object]
"""A step, an axis, what it came from, and what it went to."""


@pytest.fixture(scope="module")
def cpp() -> Iterator[ServedProcess[str, list[RecordedOp]]]:
    process = ServedProcess(recorded_edges)
    yield process
    process.close()


def earliest(flows: Iterable[Flow]) -> set[Flow]:
    """Return flows without those of a later step that an earlier one has, too."""
    first: dict[tuple[object, ...], Flow] = {}
    for flow in sorted(flows, key=lambda each: each[0]):
        first.setdefault(flow[1:], flow)
    return set(first.values())


def in_text(text: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield what an attribute says: step, axis, source and target, such as `operand-0`."""
    for step, flows in STEP.findall(text):
        for name, part, source, targets in FLOW.findall(flows):
            for target in targets.split(", "):
                yield int(step), f"{name}{part}", source, target


def operands_of(recorded: RecordedOp, op: Op, ops: list[Op]) -> tuple[int, ...]:
    """Return the tensors of an op's operands; of an edge those of its sources."""
    if not recorded.sources:
        return op.operands
    return tuple(ops[number].operands[at] for number, at in recorded.sources)


def of_cpp(recorded: RecordedOp, operands: tuple[int, ...], results: tuple[int, ...]) -> set[Flow]:
    """Return the flows at an op that C++ recorded, between tensors of the explanation."""

    def tensor(reference: str) -> object:
        if recorded.name == "func.func":
            return reference
        kind, number = reference.split("-")
        return (operands if kind == "operand" else results)[int(number)]

    return earliest(
        (step, axis, tensor(source), tensor(target))
        for step, axis, source, target in in_text(recorded.edges)
    )


def of_explanation(explanation: Explanation, around: dict[int, set[int]]) -> dict[int, set[Flow]]:
    """Return the flows at each op; of a function, C++ does not say between which of its results.

    C++ records none to the other members of a group.

    Args:
        explanation: the explanation.
        around: the tensors that each op has a step on.
    """
    results = {each.number for each in explanation.tensors if each.kind == "result"}
    found: dict[int, list[Flow]] = {}
    for step in explanation.steps:
        if step.number is None:
            continue
        for change in step.changes:
            for gain in change.gains:
                source, target = gain.source, change.tensor
                flows = found.setdefault(step.op, [])
                if step.result is not None:
                    words = [
                        "result-0" if end in results else "operand-0" for end in (source, target)
                    ]
                    flows.append((step.number, gain.axis, words[0], words[1]))
                elif target in around.get(step.op, ()):
                    flows.append((step.number, gain.axis, source, target))
    return {op: earliest(flows) for op, flows in found.items() if flows}


def compare(
    process: ServedProcess[str, list[RecordedOp]], text: str, pipeline: str = PIPELINE
) -> int:
    """Compare all flows of a program; return how many there are."""
    explanation = explain_text(text)
    process.ask(text, (pipeline,))
    (recorded,) = process.answers()
    if recorded is None:  # Several functions and none called main: C++ ended.
        return 0
    erased: set[int] = set()
    ops: list[Op] = []
    for op in explanation.ops:
        if op.is_erased or op.parent in erased:
            erased.add(op.number)
        else:
            ops.append(op)
    assert [op.name for op in ops] == [each.name for each in recorded]
    around: dict[int, set[int]] = {}
    expected: dict[int, set[Flow]] = {}
    for op, each in zip(ops, recorded, strict=True):
        operands = operands_of(each, op, ops)
        around[op.number] = {*operands, *op.results}
        flows = of_cpp(each, operands, op.results)
        if flows:
            expected[op.number] = flows
    assert of_explanation(explanation, around) == expected, text
    return sum(map(len, expected.values()))


@pytest.mark.parametrize(
    "model",
    [control_flow, mixture_of_experts, recommender, transformer],
    ids=lambda each: each.__name__.split(".")[-1],
)
def test_models(cpp: ServedProcess[str, list[RecordedOp]], model: object) -> None:
    assert compare(cpp, model.program().text(debuginfo=True)) > 20  # type: ignore[attr-defined]


def test_models_with_random_shardings(cpp: ServedProcess[str, list[RecordedOp]]) -> None:
    # These are imported.
    counts = [compare(cpp, sharded_model(seed), PROPAGATION) for seed in range(examples(3))]
    assert sum(counts) > 150


def test_random_modules(cpp: ServedProcess[str, list[RecordedOp]]) -> None:
    count = 0
    for seed in range(examples(300)):
        try:
            count += compare(cpp, module_text(seeded_spec(seed)))
        except SdykitError:  # What the passes refuse, such as dynamic shapes.
            continue
    assert count > 100
