"""Collectives of whole programs: models, random modules, and reshards whose elements are counted."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from examples.models import control_flow, mixture_of_experts, recommender, transformer
from sdykit.core import ops_named, run_pipeline
from sdykit.core.portable import read_module
from sdykit.errors import SdykitError
from sdykit.explain import Explanation, explain_text, json_text
from sdykit.explain.costs.answers import costs_text
from sdykit.explain.costs.numbering import number_locations
from sdykit.explain.costs.program import PIPELINE, RESHARDING
from sdykit.explain.costs.totals import by_axes, by_kind, total
from sdykit.explain.questions import Index
from sdykit.explain.run import IMPORT
from sdykit.mlir import make_context
from support.generators import module_text, seeded_spec
from support.sdy.random_shardings import sharded_model

MODULES = 60
MODELS = 4
RESHARDS = 60


def explained(text: str) -> Explanation:
    return explain_text(text, "program.mlir", to="collectives")


def operand_bytes(explanation: Explanation) -> dict[str, int]:
    assert explanation.costs is not None
    return {
        kind: each.operand_bytes for kind, each in by_kind(explanation.costs.collectives).items()
    }


@pytest.mark.parametrize(("layers", "size"), [(1, 58_244), (3, 124_292)])
def test_all_reduces_of_a_transformer(layers: int, size: int) -> None:
    # The figures are those of the program that XLA compiles: see test_compiled.
    text = transformer.program(transformer.Config(layers=layers)).text()
    assert operand_bytes(explained(text)) == {"all_reduce": size}


def test_a_loop_over_layers_has_the_sums_of_the_layers() -> None:
    config = transformer.Config(layers=2, scan=True)
    explanation = explained(transformer.program(config).text())
    assert operand_bytes(explanation)["all_reduce"] >= 91_268
    assert explanation.costs is not None
    assert {each.runs for each in explanation.costs.collectives} == {1, 2}


def test_sums_of_a_recommender() -> None:
    found = operand_bytes(explained(recommender.program().text()))
    assert found["reduce_scatter"] + found["all_reduce"] == 176_200


def test_totals_are_sums() -> None:
    explanation = explained(mixture_of_experts.program().text())
    assert explanation.costs is not None
    collectives = explanation.costs.collectives
    whole = total(collectives)
    assert whole.count == len(collectives) == 13
    for groups in (by_kind(collectives), by_axes(collectives)):
        assert sum(each.bytes for each in groups.values()) == whole.bytes
        assert sum(each.count for each in groups.values()) == whole.count
        sizes = [each.bytes for each in groups.values()]
        assert sizes == sorted(sizes, reverse=True)
    assert set(by_axes(collectives)) == {("data",), ("model",)}


def test_numbers_in_locations_change_nothing_else() -> None:
    texts = []
    for is_numbered in (False, True):
        with make_context() as context:
            module = read_module(control_flow.program().text(), context)
            run_pipeline(module, f"{IMPORT},sdy-user-priority-propagate")
            if is_numbered:
                # What propagation has erased is gone from this module, too.
                number_locations(module.operation, explained(control_flow.program().text()))
            run_pipeline(module, PIPELINE)
            texts.append(str(module.operation.get_asm()))
    assert texts[0] == texts[1]


# Random programs.


def collectives_of_passes(text: str) -> Counter[str]:
    """Return how many collectives of each kind the passes leave."""
    with make_context() as context:
        module = read_module(text, context)
        run_pipeline(module, f"{IMPORT},sdy-user-priority-propagate,{PIPELINE}")
        names = (op.name.removeprefix("sdy.") for op in ops_named(module.operation, *RESHARDING))
        return Counter(name for name in names if not name.endswith("unreduced"))


def assert_is_of_the_program(message: str) -> None:
    assert "sdykit." not in message


def check(text: str) -> int:
    """Check the collectives of a program; return how many there are, -1 if it is refused.

    Random shardings may be such that no collectives express them, such as axes that are manual around
    a call; then the verifier says so, as it does of what C++ makes of them.
    """
    try:
        explanation = explained(text)
    except SdykitError as error:
        assert_is_of_the_program(str(error))
        return -1
    costs = explanation.costs
    assert costs is not None
    ours = Counter(
        each.kind for each in costs.collectives if all(c.kind != "written" for c in each.causes)
    )
    if "sdy.data_flow_edge" not in text:
        assert ours == collectives_of_passes(text)
    index = Index(explanation)
    for at, each in enumerate(costs.collectives):
        assert each.number == at
        assert [cause.axis for cause in each.causes] == (list(each.axes) or [""] * len(each.causes))
        assert each.bytes <= 2 * each.operand_bytes * each.devices
        if each.tensor is not None:
            assert each.operand_bytes <= explanation.tensors[each.tensor].bytes
        for cause in each.causes:
            if cause.refusal is not None:
                assert cause.refusal.axis.partition(":")[0] == cause.axis.partition(":")[0]
    assert costs_text(index).startswith("program.mlir: ")
    assert json_text(explanation)
    return len(costs.collectives)


def test_random_modules() -> None:
    # 262 has tensors on one device.
    found = [check(module_text(seeded_spec(number))) for number in (*range(MODULES), 262)]
    assert found.count(-1) < MODULES // 2
    assert sum(each for each in found if each > 0) > MODULES // 4


def test_models_with_random_shardings() -> None:
    found = [check(sharded_model(number)) for number in range(MODELS)]
    assert found.count(-1) < MODELS - 1
    assert sum(found) > 20 * MODELS


# Reshards, by the elements that each device has.

MESH = {"a": 2, "b": 2, "c": 4}
SHAPE = (16, 16, 16)
Dims = list[list[str]]


def random_dims(of: random.Random) -> Dims:
    dims: Dims = [[] for _ in SHAPE]
    parts = ["a", "b", *(["c"] if of.random() < 0.6 else ["c:(1)2", "c:(2)2"])]
    of.shuffle(parts)
    for part in parts:
        at = of.randrange(len(SHAPE) + 1)
        if at < len(SHAPE):
            dims[at].append(part)
    # Neighbouring parts of an axis would have to be written as one.
    return [["c" if each == ["c:(1)2", "c:(2)2"] else name for name in each] for each in dims]


def sharding_text(dims: Dims) -> str:
    listed = ", ".join(
        "{" + ", ".join(re.sub(r"^(\w+)", r'"\1"', axis) for axis in axes) + "}" for axes in dims
    )
    return f"<@mesh, [{listed}]>"


def elements(dims: Dims) -> Iterator[set[tuple[int, ...]]]:
    """Yield the elements that each device has."""
    for at in itertools.product(*map(range, MESH.values())):
        digits = dict(zip(MESH, at, strict=True))
        ranges = []
        for size, axes in zip(SHAPE, dims, strict=True):
            place, count = 0, 1
            for axis in axes:
                name, pre, part = re.fullmatch(r"(\w)(?::\((\d+)\)(\d+))?", axis).groups()  # type: ignore[union-attr]
                whole = MESH[name]
                own = int(part or whole)
                digit = digits[name] // (whole // (int(pre or 1) * own)) % own
                place, count = place * own + digit, count * own
            ranges.append(range(place * size // count, (place + 1) * size // count))
        yield set(itertools.product(*ranges))


def chain(text: str, dims: Dims) -> Iterator[tuple[str, Dims, Dims]]:
    """Yield the collectives of a program that has nothing else, with the shardings around each."""
    with make_context() as context:
        module = read_module(text, context)
        run_pipeline(module, f"{IMPORT},sdy-user-priority-propagate,{PIPELINE}")
        lines = str(module.operation.get_asm()).splitlines()
    for line in lines:
        found = re.search(r"= sdy\.(\w+) .*out_sharding=<@mesh, \[(.*)\]>", line)
        if found is not None:
            after = [
                re.findall(r"\w+(?::\(\d+\)\d+)?", each.replace('"', ""))
                for each in re.findall(r"\{(.*?)\}", found[2])
            ]
            yield found[1], dims, after
            dims = after


def test_reshards_move_the_elements_that_devices_lack() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(RESHARDS):
        of = random.Random(seed)
        before, after = random_dims(of), random_dims(of)
        shape = "x".join(map(str, SHAPE))
        text = (
            'sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>\n'
            f"func.func @main(%x: tensor<{shape}xf32> {{sdy.sharding = #sdy.sharding{sharding_text(before)}}})"
            f" -> (tensor<{shape}xf32> {{sdy.sharding = #sdy.sharding{sharding_text(after)}}}) {{\n"
            f"  return %x : tensor<{shape}xf32>\n}}\n"
        )
        costs = explained(text).costs
        assert costs is not None
        steps = list(chain(text, before))
        assert [kind for kind, _, _ in steps] == [each.kind for each in costs.collectives]
        for each, (_, has, wants) in zip(costs.collectives, steps, strict=True):
            pairs = list(zip(elements(has), elements(wants), strict=True))
            lacking = {4 * len(new - old) for old, new in pairs}
            assert {4 * len(old) for old, _ in pairs} == {each.operand_bytes}
            if each.kind == "collective_permute":
                # Some devices may have a part of what they need.
                assert max(lacking) <= each.bytes
            else:
                assert lacking == {each.bytes}
            kinds[each.kind] += 1
    assert set(kinds) == {"all_gather", "all_slice", "all_to_all", "collective_permute"}
    assert min(kinds.values()) > 5, kinds
