"""The ways in which a program may call jax-tpu-embedding's public API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jax_tpu_embedding.sparsecore.lib.nn import embedding

from support.jax_tpu_embedding.matrix_axes import Case
from support.jax_tpu_embedding.matrix_features import TABLES, Training, Tree, rows_of_tables

Variables = Mapping[str, embedding.EmbeddingVariables]


def make_mesh(case: Case) -> tuple[Mesh, Any]:
    """Return a mesh, and the axis or axes over which tables and batches are split."""
    if case.call == "explicit":
        return jax.make_mesh((case.devices,), ("x",), axis_types=(AxisType.Explicit,)), "x"
    if case.call != "grid":
        return Mesh(np.array(jax.devices()), ("x",)), "x"
    shape = (max(case.devices // 2, 1), -1)
    return Mesh(np.array(jax.devices()).reshape(shape), ("a", "b")), ("a", "b")


def start_variables(training: Training) -> Variables:
    """Make tables and slots with the library: its initializers, or values at the rows it tells."""
    case = training.case
    mesh, axes = make_mesh(case)
    tables = embedding.get_table_specs(training.features)
    spec = P(axes, None, None) if case.call == "pmap" else P(axes, None)
    if case.start == "initialized":
        return embedding.init_embedding_variables(
            jax.random.key(3), tables, NamedSharding(mesh, spec)
        )
    return jax.tree.map(
        lambda array: jax.device_put(array, NamedSharding(mesh, spec)), _given_variables(training)
    )


def _given_variables(training: Training) -> Variables:
    """Draw tables and slots; what is padding is no number."""
    case, chance = training.case, np.random.default_rng(5)
    parts = (case.devices, -1) if case.call == "pmap" else (-1,)
    stacks: dict[str, list[np.ndarray]] = {}
    for name, spec in embedding.get_stacked_table_specs(training.features).items():
        shape = (spec.stack_vocab_size, spec.stack_embedding_dim)
        count = 1 + len(training.optimizer.reference.slots)
        stacks[name] = [np.full(shape, np.nan, np.float32) for _ in range(count)]
    for name, (stack, rows) in rows_of_tables(training).items():
        dim = TABLES[name][1]
        table, *slots = stacks[stack]
        table[rows, :dim] = chance.normal(0, 0.5, (len(rows), dim))
        for slot in slots:
            slot[rows, :dim] = chance.uniform(0.1, 2, (len(rows), dim))
    return {
        name: embedding.EmbeddingVariables(arrays[0], tuple(arrays[1:]))
        for name, arrays in jax.tree.map(
            lambda array: array.reshape(*parts, array.shape[-1]), stacks
        ).items()
    }


def run_steps(
    training: Training, gradients: list[Any], variables: Variables
) -> tuple[list[Any], Variables]:
    """Look up and update in each step, and return the activations of each and the last variables.

    Args:
        training: what to do.
        gradients: of each step, as the case has them: of features or stacks.
        variables: tables and slots before.
    """
    case, inputs = training.case, [batch.inputs for batch in training.batches]
    one_step = _one_step(case, training.features)
    if case.call == "scan":
        return _scan(one_step, inputs, gradients, variables)
    call: Callable[..., Any] | None = None
    found = []
    for step, (batch, gradient) in enumerate(zip(inputs, gradients, strict=True)):
        given = (gradient, batch, variables, jnp.int32(step))
        if case.call == "explicit":
            mesh, axes = make_mesh(case)
            given = (*jax.device_put(given[:3], NamedSharding(mesh, P(axes))), given[3])
        call = call or _compiled(case, one_step, given)
        activations, variables = call(*given)
        found.append(jax.tree.map(np.asarray, activations))
    return found, variables


def _one_step(case: Case, features: Tree) -> Callable[..., Any]:
    """Return a step of training, mapped over the devices where there are several."""
    options: dict[str, Any] = {
        "global_device_count": case.devices,
        "enable_minibatching": case.minibatches != "off",
    }
    by_primitive = case.unstacking == "primitive"
    stacks = case.unstacking != "left to us"
    limits = dict.fromkeys(embedding.get_stacked_table_specs(features), case.limits)

    def step(gradients: Any, inputs: Any, variables: Any, number: Any) -> Any:
        activations = embedding.tpu_sparse_dense_matmul(
            inputs,
            variables,
            features,
            perform_unstacking=stacks,
            use_activation_unstack_primitive=by_primitive,
            **options,
        )
        after = embedding.tpu_sparse_dense_matmul_grad(
            gradients,
            inputs,
            variables,
            features,
            step=number,
            perform_stacking=stacks,
            use_gradient_stacking_primitive=by_primitive,
            embedding_var_limits=None if case.bounds == "none" else limits,
            **options,
        )
        return activations, after

    if case.call == "pmap" or (case.devices == 1 and case.call not in ("grid", "explicit")):
        return step
    mesh, axes = make_mesh(case)
    split = P(axes)
    return jax.shard_map(
        step, mesh=mesh, in_specs=(split, split, split, P()), out_specs=split, check_vma=False
    )


def _compiled(case: Case, step: Callable[..., Any], given: tuple[Any, ...]) -> Callable[..., Any]:
    """Return the function that the program calls in each step."""
    if case.call == "eager":
        return step
    if case.call == "pmap":
        return jax.pmap(step, in_axes=(0, 0, 0, None))
    jitted = jax.jit(step, donate_argnums=(2,) if case.call == "donated" else ())
    return jitted.lower(*given).compile() if case.call == "ahead of time" else jitted


def _scan(
    step: Callable[..., Any], inputs: list[Any], gradients: list[Any], variables: Variables
) -> tuple[list[Any], Variables]:
    """Run all steps in one loop of the compiled program."""

    def body(carry: Any, given: Any) -> Any:
        gradient, batch, number = given
        activations, after = step(gradient, batch, carry, number)
        return after, activations

    def stack(trees: list[Any]) -> Any:
        return jax.tree.map(lambda *leaves: np.stack(leaves), *trees)

    numbers = np.arange(len(inputs), dtype=np.int32)
    given = (stack(gradients), stack(inputs), numbers)
    after, found = jax.jit(lambda *of: jax.lax.scan(body, *of))(variables, given)
    return [jax.tree.map(lambda leaf, i=i: np.asarray(leaf[i]), found) for i in numbers], after
