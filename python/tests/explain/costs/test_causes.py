"""Why collectives are needed: the op, its line, the shardings that disagree, and who decided."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from sdykit.explain import Explanation, explain
from sdykit.explain.costs import Collective
from sdykit.explain.costs.sentences import often_text, reasons_of, shardings_text
from sdykit.explain.questions import Index

MESH = AbstractMesh((4, 2), ("data", "model"))
FILE = "python/tests/explain/costs/test_causes.py"
X, UP, DOWN = (jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((16, 8), (8, 32), (32, 8)))
constrain = jax.lax.with_sharding_constraint


def costs(
    fn: Callable[..., Any], *args: Any, **shardings: Any
) -> tuple[Explanation, tuple[Collective, ...]]:
    explanation = explain(fn, *args, mesh=MESH, to="collectives", **shardings)
    assert explanation.costs is not None
    return explanation, explanation.costs.collectives


def one(
    fn: Callable[..., Any], *args: Any, **shardings: Any
) -> tuple[Collective, list[str], Index]:
    """Return the only collective of a program, and why it is needed."""
    explanation, (found,) = costs(fn, *args, **shardings)
    index = Index(explanation)
    return found, reasons_of(index, found), index


def line_of(fn: Callable[..., Any], text: str) -> str:
    """Return the line of a function that holds a text, as answers name it."""
    lines, first = inspect.getsourcelines(fn)
    (at,) = [number for number, line in enumerate(lines, first) if text in line]
    return f"{FILE}:{at}"


def test_a_constraint_makes_an_all_gather() -> None:
    def step(x, up):
        hidden = jnp.tanh(x @ up)
        return constrain(hidden, P("data", None))

    found, reasons, _ = one(step, X, UP, in_shardings=(P("data", None), P(None, "model")))
    assert (found.kind, found.axes, found.devices) == ("all_gather", ("model",), 2)
    assert (found.operand_bytes, found.bytes) == (16 * 32 * 4 / 8, 16 * 32 * 4 / 8)
    assert str(found.source) == line_of(step, "jnp.tanh")
    assert shardings_text(found) == '[{"data"}, {"model"}] becomes [{"data"}, {}]'
    (reason,) = reasons
    assert reason.startswith(f"stablehlo.tanh at {found.source} does not pass on model from %0: ")
    constraint = line_of(step, "constrain(hidden")
    assert reason.endswith(f"is closed, as constraint at {constraint} says")


def test_a_divided_contraction_makes_an_all_reduce() -> None:
    def step(x, up, down):
        hidden = x @ up
        return hidden @ down

    found, reasons, index = one(
        step, X, UP, DOWN, in_shardings=(P("data", None), P(None, "model"), None)
    )
    assert (found.kind, found.axes, found.operand_bytes) == ("all_reduce", ("model",), 128)
    assert found.bytes == 2 * 128 / 2
    (cause,) = found.causes
    assert (cause.kind, cause.dimension) == ("sum", 1)
    assert index.explanation.tensors[cause.tensor or 0].name == "%0"
    step_number = cause.step
    assert step_number is not None
    (made,) = [each for each in index.explanation.steps if each.number == step_number]
    assert any(change.tensor == cause.tensor for change in made.changes)
    assert reasons == [
        f"stablehlo.dot_general at {line_of(step, 'hidden @ down')} reduces over dimension 1 of %0, "
        f"which is divided along model since step {step_number}, from argument up"
    ]


def test_a_sum_that_is_divided_again_is_a_reduce_scatter() -> None:
    def step(x, w):
        return constrain(x @ w, P(None, "model"))

    x, w = (jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((16, 64), (64, 8)))
    found, (reason, *_), _ = one(step, x, w, in_shardings=(P(None, "model"), P("model", None)))
    assert (found.kind, found.operand_bytes, found.bytes) == ("reduce_scatter", 512, 256)
    assert reason == (
        f"stablehlo.dot_general at {line_of(step, 'x @ w')} reduces over dimension 1 of x, "
        "which is divided along model, from argument x"
    )
    assert shardings_text(found) == '[{}, {}] becomes [{}, {"model"}]'


def test_what_an_op_cannot_do_in_parts() -> None:
    def step(x):
        return jnp.sort(x, axis=0)

    explanation, found = costs(step, X, in_shardings=(P("data", None),))
    assert [each.kind for each in found] == ["all_to_all", "all_to_all"]
    index, line = Index(explanation), line_of(step, "jnp.sort")
    assert reasons_of(index, found[0]) == [
        f"stablehlo.sort at {line} cannot run on parts of dimension 0 of %arg0, "
        "which is divided along data since step 0, from argument x"
    ]
    # It has that only for this op.
    assert reasons_of(index, found[1]) == [
        f"stablehlo.sort at {line} is computed with dimension 1 of %arg0 divided along data"
    ]


def test_two_dimensions_that_want_one_axis() -> None:
    def step(x, up):
        return x @ up

    shardings = (P("data", None), P(None, "data"))
    found, reasons, _ = one(step, X, UP, in_shardings=shardings)
    assert found.kind == "all_gather"
    assert all("stablehlo.dot_general" in each for each in reasons)
    assert "no axis divides a tensor twice" in reasons[0]


def test_arguments_and_results_that_disagree() -> None:
    def step(x):
        return x * 2

    found, (reason, *_), _ = one(
        step, X, in_shardings=(P("data", None),), out_shardings=P(None, "data")
    )
    assert (found.kind, found.devices) == ("all_to_all", 4)
    assert found.bytes == 16 * 8 * 4 / 4 * 3 / 4
    assert "dimension 1 of %0 is divided along data since step " in reason


def test_collectives_of_the_user() -> None:
    def inside(x):
        return jax.lax.psum(x, "data") + jax.lax.all_gather(x, "model", tiled=True)[: x.shape[0]]

    def step(x):
        return jax.shard_map(
            inside, mesh=MESH, in_specs=P("data", None), out_specs=P("data", None), check_vma=False
        )(x)

    explanation, found = costs(step, X)
    kinds = {each.kind: each for each in found}
    assert kinds["all_reduce"].axes == ("data",)
    assert kinds["all_gather"].axes == ("model",)
    assert kinds["all_reduce"].operand_bytes == 16 * 8 * 4 / 4
    assert kinds["all_gather"].bytes == 16 * 8 * 4 / 4
    (reason,) = reasons_of(Index(explanation), kinds["all_reduce"])
    assert reason.startswith("the program has it itself, as stablehlo.all_reduce at ")
    assert str(kinds["all_reduce"].source) == line_of(inside, "psum")


@pytest.mark.parametrize("length", [1, 6])
def test_collectives_in_loops_count_each_time(length: int) -> None:
    def step(x, up, down):
        def body(value, _):
            return (value @ up) @ down, None

        return jax.lax.scan(body, x, None, length=length)[0]

    _, found = costs(step, X, UP, DOWN, in_shardings=(P("data", None), P(None, "model"), None))
    (reduce,) = [each for each in found if each.kind == "all_reduce"]
    assert (reduce.runs, reduce.total_bytes) == (length, length * 128)
    assert often_text(reduce) == ("" if length == 1 else "6 times")


def test_collectives_in_loops_and_branches_that_are_not_known() -> None:
    def step(x, up, down):
        def body(value):
            return jax.lax.cond(value[0, 0] > 0, lambda v: (v @ up) @ down, lambda v: v, value)

        return jax.lax.while_loop(lambda value: jnp.sum(value) < 3, body, x)

    _, found = costs(step, X, UP, DOWN, in_shardings=(P("data", None), P(None, "model"), None))
    reduce = next(each for each in found if each.operand_bytes == 128)
    assert (reduce.runs, reduce.is_in_unknown_loop, reduce.is_in_branch) == (1, True, True)
    assert often_text(reduce) == ("per iteration, trip count unknown, in a branch that may not run")


def test_a_program_without_collectives() -> None:
    _, found = costs(lambda x: x + 1, X, in_shardings=(P("data", None),))
    assert found == ()
