"""Errors of pipelines, each with its text."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AxisType, Mesh
from jax.sharding import PartitionSpec as P

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.pipelining import PipelineState, asynchronous_hlo
from sdykit.sparsecore.optimizers import SGD
from support.embedding.pipelines import Model, dense, make_model


@pytest.fixture(scope="module")
def model() -> Model:
    return make_model(SGD(0.1), steps=2)


def _expect(text: str) -> Any:
    return pytest.raises(BridgeError, match=rf"^{re.escape(text)}(\n|$)")


def _second_step(model: Model, function: Any) -> None:
    pipeline = sc.pipelined(model.embedding, function)
    state = pipeline.init(model.variables(), model.carry())
    state, _ = pipeline.step(state, *model.data[0])
    pipeline.step(state, *model.data[1])


def test_arguments(model: Model) -> None:
    with _expect("pipelined: embedding is of type dict; expected an Embedding"):
        sc.pipelined({}, dense)  # type: ignore[arg-type]
    with _expect(
        "pipelined: dense is of type int; expected a function (carry, activations, inputs) -> "
        "(carry, gradients, outputs)"
    ):
        sc.pipelined(model.embedding, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["step", "schedule"])
def test_state_of_another_type(model: Model, name: str) -> None:
    pipeline = sc.pipelined(model.embedding, dense)
    with _expect(
        f"{name}: state is of type dict; expected a PipelineState, which init and step return"
    ):
        getattr(pipeline, name)({}, *model.data[0])


def test_finish_without_a_batch(model: Model) -> None:
    pipeline = sc.pipelined(model.embedding, dense)
    with _expect("finish: no batch is under way; expected a state that step returned"):
        pipeline.finish(pipeline.init(model.variables(), model.carry()))


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        (
            lambda w, a, t: a,
            "pipelined: dense returned dict; expected (carry, gradients, outputs)",
        ),
        (
            lambda w, a, t: (w, a),
            "pipelined: dense returned a tuple of 2; expected (carry, gradients, outputs)",
        ),
        (
            lambda w, a, t: ({"w": w}, a, None),
            "pipelined: dense returned its new carry as PyTreeDef({'w': *}); expected the structure "
            "of the carry, PyTreeDef(*)",
        ),
        (
            lambda w, a, t: (w[0], a, None),
            "pipelined: dense returned its new carry as float32[16]; expected float32[8, 16], as in "
            "the carry",
        ),
        (
            lambda w, a, t: (w, {"user": a["user"]}, None),
            "pipelined: dense returned gradients for 'user'; expected a dictionary for 'friend', "
            "'seen', 'user', the features",
        ),
        (
            lambda w, a, t: (w, None, None),
            "pipelined: dense returned gradients for nothing; expected a dictionary for 'friend', "
            "'seen', 'user', the features",
        ),
        (
            lambda w, a, t: (w, {**a, "user": a["user"].astype(jnp.bfloat16)}, None),
            "pipelined: dense returned gradients['user'] as bfloat16[16, 8]; expected "
            "float32[16, 8], as in activations",
        ),
    ],
)
def test_results_of_the_dense_part(model: Model, returned: Any, text: str) -> None:
    with _expect(text):
        _second_step(model, returned)


def test_items_of_run(model: Model) -> None:
    pipeline = sc.pipelined(model.embedding, dense)
    with _expect("run: item 0 of batches is of type dict; expected a tuple (batch, inputs)"):
        list(pipeline.run(pipeline.init(model.variables(), model.carry()), [model.data[0][0]]))  # type: ignore[list-item]
    with _expect("run: batches is empty; expected at least one pair (batch, inputs)"):
        list(pipeline.run(pipeline.init(model.variables(), model.carry()), []))


def test_a_batch_of_another_layer(model: Model) -> None:
    pipeline = sc.pipelined(model.embedding, dense)
    state = pipeline.init(model.variables(), model.carry())
    batch, inputs = model.data[0]
    with pytest.raises(BridgeError, match=r"^lookup: stacks of the batch"):
        pipeline.step(state, {"users": batch["users"]}, inputs)


def test_within_a_shard_map(model: Model) -> None:
    pipeline = sc.pipelined(model.embedding, dense)
    state = pipeline.init(model.variables(), model.carry())
    mesh = Mesh(jax.devices()[:1], "x", (AxisType.Auto,))
    run = jax.shard_map(pipeline.step, mesh=mesh, in_specs=P(), out_specs=P(), check_vma=False)
    with _expect(
        "step: it is called in a jax.shard_map over 'x'; expected a call outside of it, with whole "
        "arrays (dense may have a shard_map of its own)"
    ):
        run(state, *model.data[0])


def test_errors_of_programs_end_the_step(model: Model) -> None:
    """The TensorCore's part ends, and so does the program that failed."""
    pipeline = sc.pipelined(model.embedding, dense)
    state = pipeline.init(model.variables(), model.carry())
    for batch, inputs in model.data:
        state, _ = pipeline.step(state, batch, inputs)
    batch, inputs = model.data[0]
    wrong = jax.tree.map(lambda x: x, batch)
    users = wrong["users"]
    wrong["users"] = jax.tree.unflatten(
        jax.tree.structure(users),
        [x + 1_000_000 if x.dtype == jnp.int32 else x for x in jax.tree.leaves(users)],
    )
    with pytest.raises(Exception, match="lookup: "):
        jax.block_until_ready(pipeline.step(state, wrong, inputs))


def test_programs_without_lookups_have_no_schedule() -> None:
    compiled = jax.jit(jnp.sin).lower(jnp.ones(3)).compile()
    with _expect(
        "asynchronous_hlo: module 'jit_sin' has no lookups or updates; expected custom calls of "
        "'sdykit_sparsecore', as a compiled program for CPU devices has them"
    ):
        asynchronous_hlo(compiled)


def test_a_state_is_a_pytree(model: Model) -> None:
    state = sc.pipelined(model.embedding, dense).init(model.variables(), model.carry())
    assert isinstance(jax.tree.map(lambda x: x, state), PipelineState)
