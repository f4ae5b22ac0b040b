"""Training loops: a layer whose tables are carried and donated, and updates under `vmap`."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import sdykit.sparsecore as sc
from sdykit.sparsecore.optimizers import Adagrad
from support.embedding.embedding_cases import make_slots, raw_case, same
from support.embedding.many_tables import FEATURES, make_ids

STEPS = 3


def pointers(tree: Any) -> list[int]:
    return sorted(each.unsafe_buffer_pointer() for each in jax.tree.leaves(tree))


def test_a_layer_in_a_scan_is_updated_in_place() -> None:
    embedding = sc.Embedding(FEATURES)
    first = embedding.init(jax.random.key(0), jax.nn.initializers.normal(0.1))
    batches = [embedding.preprocess(*make_ids(seed)) for seed in range(STEPS)]

    def step(variables: Any, given: Any) -> Any:
        batch, number = given
        found = embedding.lookup(variables, batch)
        return embedding.update(variables, batch, found, number), jnp.sum(found["user"])

    expected, sums = first, []
    for number, batch in enumerate(batches):
        expected, total = jax.jit(step)(expected, (batch, jnp.int32(number)))
        sums.append(total)
    stacked = jax.tree.map(lambda *parts: jnp.stack(parts), *batches)
    numbers = jnp.arange(STEPS, dtype=jnp.int32)
    run = jax.jit(lambda variables, given: jax.lax.scan(step, variables, given), donate_argnums=0)
    # What was made on the host may still be numpy's memory, which cannot be donated.
    donated = jax.tree.map(jax.jit(jnp.copy), first)
    before = pointers(donated)
    compiled = run.lower(donated, (stacked, numbers)).compile()
    found, totals = compiled(donated, (stacked, numbers))
    assert pointers(found) == before
    tables = sum(each.nbytes for each in jax.tree.leaves(found))
    memory = compiled.memory_analysis()
    assert memory is not None
    assert memory.alias_size_in_bytes == tables
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(totals, np.stack(sums))


def test_updates_work_under_vmap() -> None:
    cases = [raw_case(seed) for seed in range(3)]
    optimizer = Adagrad(0.1)
    slots = [make_slots(case, optimizer, seed) for seed, case in enumerate(cases)]
    gradients = [np.random.default_rng(9).normal(size=case.lookup().shape) for case in cases]
    gradients = [each.astype(np.float32) for each in gradients]

    def update(step: Any, table: Any, slots: Any, *batch: Any) -> Any:
        return sc.grad_update(table, slots, *batch, optimizer=optimizer, step=step)

    def stack(*parts: Any) -> Any:
        return jax.tree.map(lambda *each: np.stack(each), *parts)

    given = [
        (case.flat, slot, case.ids, np.asarray(case.weights), gradient)
        for case, slot, gradient in zip(cases, slots, gradients, strict=True)
    ]
    run = jax.jit(jax.vmap(update, in_axes=(None, 0, 0, 0, 0, 0)))
    table, held = run(jnp.int32(2), *stack(*given))
    for number, case in enumerate(cases):
        expected = case.update(slots[number], gradients[number], optimizer, 2)
        assert same(table[number], expected["table"])
        assert same(held["accumulator"][number], expected["accumulator"])
