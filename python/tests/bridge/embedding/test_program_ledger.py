"""The ledger of a compiled JAX program against XLA's own figures."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.memory import Entry, Ledger
from sdykit.sparsecore.optimizers import SGD, Adagrad
from support.bridge.ffi_programs import run_python
from support.embedding import ledgers


def entries_of(ledger: Ledger, kind: str) -> dict[str, Entry]:
    return {each.name: each for each in ledger.entries if each.kind == kind}


@pytest.fixture(name="step", scope="module")
def make_step() -> Any:
    """A training step with a dense layer, whose gradient depends on the activations."""
    table = sc.TableSpec("users", 2000, 32, Adagrad(0.1))
    layer = sc.Embedding([sc.FeatureSpec("watched", table, 512)])
    variables = layer.init(jax.random.key(0), jax.nn.initializers.zeros)
    batch = layer.preprocess({"watched": np.zeros((512, 1), np.int32)})

    def loss(found: Any, kernel: Any) -> Any:
        return jnp.sum((found["watched"] @ kernel) ** 2)

    def step(variables: Any, batch: Any, kernel: Any) -> Any:
        found = layer.lookup(variables, batch)
        gradients, slope = jax.grad(loss, argnums=(0, 1))(found, kernel)
        return layer.update(variables, batch, gradients), kernel - slope

    return jax.jit(step, donate_argnums=0).lower(variables, batch, jnp.ones((32, 8))).compile()


def test_arguments_are_those_of_the_python_function(step: Any) -> None:
    ledger = sc.program_ledger(step)
    size = 2016 * 32 * 4
    tables, slots = entries_of(ledger, "table"), entries_of(ledger, "slot")
    assert {name: each.bytes for name, each in tables.items()} == {
        "variables['users']['table']": size
    }
    assert {name: each.bytes for name, each in slots.items()} == {
        "variables['users']['slots']['accumulator']": size
    }
    assert {each.owner for each in (*tables.values(), *slots.values())} == {
        "table 'users' (feature 'watched')"
    }
    assert {name: each.note for name, each in entries_of(ledger, "weights").items()} == {
        "kernel": "f32[32,8]"
    }
    assert {
        "batch['users'].embedding_ids",
        "batch['users'].gains",
    } <= entries_of(ledger, "input").keys()
    assert {"words", "pairs", "batch['users'].splits"} <= entries_of(ledger, "simulator").keys()


def test_the_sums_are_those_of_xla(step: Any) -> None:
    ledger, memory = sc.program_ledger(step), step.memory_analysis()
    arguments = sum(
        each.bytes
        for each in ledger.entries
        if not each.phase and each.kind not in ("other", "constant")
    )
    assert arguments == memory.argument_size_in_bytes
    other = entries_of(ledger, "other")
    results = memory.output_size_in_bytes - memory.alias_size_in_bytes
    assert other["results"].bytes == results
    listed = sum(
        each.bytes
        for each in ledger.entries
        if each.phase and each.kind in ("simulator", "temporary")
    )
    rest = other["temporaries of XLA"].bytes if "temporaries of XLA" in other else 0
    assert rest == max(memory.temp_size_in_bytes - listed, 0)


def test_both_stacks_are_entries(step: Any) -> None:
    stacks = entries_of(sc.program_ledger(step), "stack")
    assert {name: each.bytes for name, each in stacks.items()} == {
        "HBM stack of the lookup": (2 * 32 + 1) * 256 * 4,
        "HBM stack of the update": 3 * 32 * 256 * 4,
    }


@pytest.mark.parametrize("is_loop", [False, True])
def test_tables_are_found_in_loops_and_branches(*, is_loop: bool) -> None:
    table, ids = jnp.ones((64, 16)), jnp.zeros((8, 2), jnp.int32)

    def update(table: Any) -> Any:
        return sc.grad_update(table, {}, ids, None, jnp.ones((8, 16)), optimizer=SGD(0.1))[0]

    def run(first: Any, second: Any, count: Any) -> Any:
        if is_loop:
            return jax.lax.fori_loop(0, count, lambda _, x: update(update(x)), first), second
        return jax.lax.cond(count > 0, update, lambda x: x, first), second

    compiled = jax.jit(run, donate_argnums=0).lower(table, table, 3).compile()
    ledger = sc.program_ledger(compiled)
    assert list(entries_of(ledger, "table")) == ["first"]
    assert set(entries_of(ledger, "weights")) == {"second", "count"}


def test_a_program_without_lookups_has_weights_alone() -> None:
    compiled = jax.jit(lambda x: x @ x).lower(jnp.ones((16, 16), jnp.bfloat16)).compile()
    ledger = sc.program_ledger(compiled)
    assert ledger.chip.name == "v5p"
    assert next((each.kind, each.bytes) for each in ledger.entries) == ("weights", 512)
    assert ledger.bytes >= 1024


def test_several_tables_that_do_not_fit_together_are_found(tmp_path: Any) -> None:
    """Each lookup has room, and is traced; the program has not."""
    file = tmp_path / "small.toml"
    file.write_text(f'base = "v5p"\nhbm_bytes = {2**20}\n')
    sc.configure(str(file))
    try:
        ids = jnp.zeros((8, 2), jnp.int32)
        tables = [jnp.ones((5120, 32)), jnp.zeros((5120, 32))]
        run = jax.jit(lambda a, b: sc.lookup(a, ids) + sc.lookup(b, ids))
        ledger = sc.program_ledger(run.lower(*tables).compile())
    finally:
        sc.configure()
    with pytest.raises(sc.SparseCoreError, match=r"^train: .* largest: a 655360 .*; b 655360 "):
        ledger.check("train")


def test_what_is_no_compiled_program_is_an_error() -> None:
    with pytest.raises(
        BridgeError, match=r"^program_ledger: compiled is a Lowered; expected a prog"
    ):
        sc.program_ledger(jax.jit(jnp.sin).lower(1.0))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "check", ['assert ledgers.check_programs() == ["lookup", "update"]', "ledgers.check_raw_ids()"]
)
def test_figures_are_those_of_a_device_in_shard_map(check: str) -> None:
    program = f"from support.embedding import ledgers\n{check}"
    assert run_python(program, XLA_FLAGS="--xla_force_host_platform_device_count=4") == ""


def test_figures_are_those_of_one_device() -> None:
    assert ledgers.check_programs(1) == ["lookup", "update"]


@pytest.mark.parametrize("is_update", [False, True])
def test_equal_tables_without_names_have_a_stack_each(*, is_update: bool) -> None:
    """Two lookups or updates of one table share a stack, as they run one after another."""
    stack_ = sc.FeatureSpec("f", sc.TableSpec("t", 64, 16, SGD(0.1)), 8)
    layer = sc.Embedding([stack_])
    buffers = layer.preprocess({"f": np.zeros((8, 2), np.int32)})["t"]
    tables = [jnp.ones((64, 16)), jnp.zeros((64, 16))]

    def use(table: Any) -> Any:
        if not is_update:
            return sc.lookup(table, buffers)
        gradients = jnp.ones((8, 16))
        return sc.grad_update(table, {}, buffers, None, gradients, optimizer=SGD(0.1))[0]

    def of_both(first: Any, second: Any) -> Any:
        return use(first), use(second)

    def of_one(first: Any) -> Any:
        return use(use(first)) if is_update else (use(first), use(first * 1))

    words = 3 * 16 if is_update else 2 * 16 + 1
    for function, given, count in ((of_both, tables, 2), (of_one, tables[:1], 1)):
        compiled = jax.jit(function).lower(*given).compile()
        ledger = sc.program_ledger(compiled)
        stacks = [each.bytes for each in ledger.entries if each.kind == "stack"]
        assert stacks == [words * 256 * 4] * count
