"""The ledger of a layer against what XLA allocates for its programs."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from support.bridge.ffi_programs import run_python
from support.embedding import ledgers
from support.embedding.ledgers import layer_of

FOUR = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}


@pytest.mark.parametrize("execute", ["cpu", "chip"])
@pytest.mark.parametrize("minibatching", ["off", "vocabulary", "sample"])
def test_temporaries_are_those_that_xla_allocates(minibatching: Any, execute: Any) -> None:
    try:
        ledgers.check_single(1, minibatching, execute)
    finally:
        sc.configure()


def test_xla_shares_temporaries_between_tables() -> None:
    ledgers.check_several(1)


def test_arguments_are_tables_slots_buffers_and_gradients() -> None:
    ledgers.check_arguments(1)


@pytest.mark.parametrize(
    "check",
    [
        "check_single(2, 'off')",
        "check_single(4, 'off')",
        "check_single(4, 'vocabulary')",
        "check_single(4, 'off', 'chip')",
        "check_several(4)",
        "check_arguments(4)",
        "check_weights()",
    ],
)
def test_the_same_holds_for_each_of_several_devices(check: str) -> None:
    run_python(f"from support.embedding import ledgers\nledgers.{check}", **FOUR)


def test_minibatches_multiply_the_temporaries_of_the_simulator_alone() -> None:
    """Buffers hold up to 64 of them, and the workspaces of the sort as many entries."""
    one, many = (layer_of(1, each).ledger() for each in ("off", "vocabulary"))
    words = [
        next(each.bytes for each in ledger.entries if each.name == "words")
        for ledger in (one, many)
    ]
    assert words[1] == 64 * words[0]
    for kind in ("table", "slot", "stack", "activations"):
        assert one.bytes_by_kind()[kind] == many.bytes_by_kind()[kind]


def test_weights_and_constants_of_the_model_are_entries() -> None:
    weights = {
        "dense": {"kernel": np.ones((8, 16)), "bias": jax.ShapeDtypeStruct((16,), jnp.bfloat16)}
    }
    ledger = layer_of(1, "off").ledger(weights=weights, constants=[np.ones(3), 2.5])
    kinds = ("weights", "constant")
    found = {each.name: (each.kind, each.bytes) for each in ledger.entries if each.kind in kinds}
    assert found == {
        "dense.bias": ("weights", 32),
        "dense.kernel": ("weights", 8 * 16 * 8),
        "0": ("constant", 24),
        "1": ("constant", 4),
    }


def test_a_model_that_is_no_array_is_an_error() -> None:
    with pytest.raises(
        BridgeError, match=r"^ledger: dense.kernel is a str; expected arrays, or sh"
    ):
        layer_of(1, "off").ledger(weights={"dense": {"kernel": "ones"}})


def test_weights_that_leave_no_room_are_an_error() -> None:
    weights = {"kernel": jax.ShapeDtypeStruct((200_000, 200_000), jnp.float32)}
    with pytest.raises(sc.SparseCoreError) as raised:
        layer_of(1, "off").ledger(weights).check("train")
    assert ". The largest: kernel 160000000000 (float32[200000,200000]); items: table " in str(
        raised.value
    )
    assert str(raised.value).startswith("train: Ran out of memory in HBM: 16000")
