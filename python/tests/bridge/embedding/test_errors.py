"""Errors of wrong calls, with their text."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.optimizers import SGD, Adagrad, Adam, Custom
from sdykit.sparsecore.preprocess.results import StackBuffers
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import stack
from support.embedding.embedding_cases import Case, buffers_case

TABLE = np.ones((16, 8), np.float32)
IDS = np.zeros((4, 2), np.int32)
WEIGHTS = np.ones((4, 2), np.float32)
GRADIENTS = np.ones((4, 8), np.float32)
SLOT = {"accumulator": TABLE}


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (
            {"table": TABLE[0]},
            "table is float32[8]; expected [rows, dim] of float32 or bfloat16 or int8 or int32",
        ),
        (
            {"table": TABLE.astype(np.float16)},
            "table is float16[16,8]; expected [rows, dim] of float32 or bfloat16 or int8 or int32",
        ),
        (
            {"table": TABLE[:0]},
            "table is float32[0,8]; expected at least 1 row and 1 column",
        ),
        ({"table": TABLE.astype(">f4")}, "table is >f4[16,8]; expected a dtype that JAX has"),
        ({"ids": [["a"]]}, "ids is <U1[1,1]; expected a dtype that JAX has"),
        ({"ids": IDS[0]}, "ids is int32[2]; expected integers [batch, valency], or DeviceBuffers"),
        (
            {"ids": WEIGHTS},
            "ids is float32[4,2]; expected integers [batch, valency], or DeviceBuffers",
        ),
        (
            {"ids": np.array([[1, 2], [3, 2**32 + 1]])},
            "ids[1, 1] is 4294967297; expected at most 2147483647",
        ),
        ({"weights": WEIGHTS[:2]}, "weights is float32[2,2]; expected float32[4,2]"),
        ({"weights": IDS}, "weights is int32[4,2]; expected float32[4,2]"),
        ({"combiner": "max"}, "combiner is 'max'; expected one of sum, mean, sqrtn"),
        ({"quantization": 8}, "quantization is 8; expected None, or a Quantization"),
        (
            {"axis_name": "x"},
            "axis_name names 'x'; the manual axes of the mesh are none: the call is not in a "
            "jax.shard_map",
        ),
    ],
)
def test_wrong_arguments_of_lookups_are_errors(changed: dict[str, Any], text: str) -> None:
    given = {"table": TABLE, "ids": IDS, "weights": WEIGHTS, **changed}
    with pytest.raises(BridgeError) as raised:
        sc.lookup(given.pop("table"), given.pop("ids"), given.pop("weights"), **given)
    assert str(raised.value) == f"lookup: {text}"


def test_a_table_that_is_not_an_array_is_an_error() -> None:
    with pytest.raises(BridgeError, match=r"^lookup: table is a str; expected an array \(.+\)$"):
        sc.lookup("table", IDS)


def test_a_table_of_integers_cannot_be_quantized() -> None:
    with pytest.raises(sc.SparseCoreError) as raised:
        sc.lookup(TABLE.astype(np.int32), IDS, quantization=Quantization(-1, 1))
    assert str(raised.value) == (
        "lookup: the table is int32 and quantized; expected float32, bfloat16 or int8"
    )


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (
            {"table": TABLE.astype(jnp.bfloat16)},
            "table is bfloat16[16,8]; expected [rows, dim] of float32",
        ),
        ({"slots": {}}, "slots are none; expected those of adagrad: accumulator"),
        (
            {"slots": {"momentum": TABLE, "velocity": TABLE}},
            "slots are momentum, velocity; expected those of adagrad: accumulator",
        ),
        ({"slots": [TABLE]}, "slots are list; expected those of adagrad: accumulator"),
        (
            {"slots": {"accumulator": TABLE[:2]}},
            "slots['accumulator'] is float32[2,8]; expected float32[16,8]",
        ),
        ({"gradients": GRADIENTS[:3]}, "gradients is float32[3,8]; expected float32[4,8]"),
        ({"gradients": GRADIENTS[:, :4]}, "gradients is float32[4,4]; expected float32[4,8]"),
        (
            {"optimizer": "adagrad"},
            "optimizer is 'adagrad'; expected an optimizer of sdykit.sparsecore.optimizers, for "
            "instance SGD(0.01)",
        ),
        ({"step": jnp.float32(1)}, "step is float32[]; expected int32[]"),
        ({"step": 1.5}, "step is 1.5; expected an integer"),
        ({"step": 2**31}, "step is 2147483648; expected at most 2147483647"),
        ({"step": jnp.zeros(2, jnp.int32)}, "step is int32[2]; expected int32[]"),
        ({"learning_rate": jnp.ones(2)}, "learning_rate is float32[2]; expected float32[]"),
    ],
)
def test_wrong_arguments_of_updates_are_errors(changed: dict[str, Any], text: str) -> None:
    given = {"optimizer": Adagrad(0.1), "table": TABLE, "slots": SLOT, "gradients": GRADIENTS}
    given |= changed
    # Adam's hyperparameters follow from the step.
    if "step" in changed:
        given |= {"optimizer": Adam(0.1), "slots": {"momentum": TABLE, "velocity": TABLE}}
    arguments = (given.pop("table"), given.pop("slots"), IDS, None, given.pop("gradients"))
    with pytest.raises(BridgeError) as raised:
        sc.grad_update(*arguments, **given)
    assert str(raised.value) == f"grad_update: {text}"


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"step": -1}, "optimizer sgd: step is -1; expected an integer >= 0 or None"),
        (
            {"learning_rate": float("nan")},
            "optimizer sgd: learning_rate is nan; expected a finite number",
        ),
    ],
)
def test_known_steps_and_rates_out_of_range_are_errors(changed: dict[str, Any], text: str) -> None:
    with pytest.raises(sc.SparseCoreError) as raised:
        sc.grad_update(TABLE, {}, IDS, None, GRADIENTS, optimizer=SGD(0.1), **changed)
    assert str(raised.value) == text


def test_a_users_update_must_return_table_and_slots() -> None:
    wrong = Custom(0.1, update=lambda g, w, lr: (w[0], g))
    with pytest.raises(BridgeError) as raised:
        sc.grad_update(TABLE, {}, IDS, None, GRADIENTS, optimizer=wrong)
    assert str(raised.value) == (
        "optimizer custom: update returns float32[8], float32[1,8]; expected table and 0 slots, "
        "each float32[1,8]"
    )


def clipped(g: Any, w: Any, lr: Any) -> Any:
    return w - lr * jnp.sort(g, axis=1)


def test_a_users_update_with_another_op_is_an_error_with_its_line() -> None:
    """The error names the user's line, although the op is in a function of JAX."""
    with pytest.raises(sc.SparseCoreError) as raised:
        sc.grad_update(TABLE, {}, IDS, None, GRADIENTS, optimizer=Custom(0.1, update=clipped))
    place, _, message = str(raised.value).partition(": ")
    assert place.startswith(f"{__file__}:{clipped.__code__.co_firstlineno + 1}:")
    assert message.startswith(
        "error: 'stablehlo.sort' op with result tensor<1x8xf32> cannot be part of an update; "
        "expected element-wise ops on float32: abs, acos, "
    )


CASE = buffers_case(0)
LIBRARY = buffers_case(0, layout="jax_tpu_embedding")


def with_buffers(case: Case, **changed: Any) -> str:
    buffers = dataclasses.replace(case.ids, **changed)
    with pytest.raises(BridgeError) as raised:
        sc.lookup(case.flat, buffers)
    return str(raised.value)


def test_buffers_that_do_not_fit_are_errors() -> None:
    ids = CASE.ids
    entries = len(ids.gains)
    assert with_buffers(CASE, sparse_cores=2) == (
        "lookup: ids are made for devices of 2 SparseCores; expected 4, those of v5p "
        "(see sdykit.sparsecore.configure)"
    )
    assert with_buffers(CASE, row_pointers=ids.row_pointers[:8]) == (
        "lookup: ids.row_pointers is int32[8]; expected int32[32]"
    )
    assert with_buffers(CASE, gains=ids.gains[1:]) == (
        f"lookup: ids.gains is float32[{entries - 1}]; expected float32[{entries}]"
    )
    assert with_buffers(CASE, sample_ids=ids.gains) == (
        f"lookup: ids.sample_ids is float32[{entries}]; expected int32[{entries}]"
    )
    assert with_buffers(CASE, splits=ids.splits[:, 1:]) == (
        "lookup: ids.splits is int32[4,3]; expected int32[4,4]"
    )
    assert with_buffers(CASE, sample_rows=None, splits=None) == (
        "lookup: ids.splits and ids.sample_rows is None; expected the whole index, or none of it"
    )
    assert with_buffers(LIBRARY, num_minibatches=np.ones(1, np.int32)) == (
        "lookup: ids.row_pointers is int32[32]; expected int32[2048]"
    )
    assert with_buffers(CASE, rows_per_core=7) == (
        f"lookup: table is float32[{len(CASE.flat)},8]; expected 28 rows, those that ids are made for"
    )
    assert with_buffers(CASE, num_devices=2) == (
        "lookup: ids are made for 2 devices; the call has 1 (it is not in a jax.shard_map); "
        "expected ids that are preprocessed for these devices"
    )


def test_weights_or_a_combiner_with_buffers_are_errors() -> None:
    for changed, found in (
        ({"weights": WEIGHTS}, "weights"),
        ({"combiner": "mean"}, "combiner 'mean'"),
    ):
        given: dict[str, Any] = changed
        with pytest.raises(BridgeError) as raised:
            sc.lookup(CASE.flat, CASE.ids, **given)
        assert str(raised.value) == (
            f"lookup: found {found} with ids that are DeviceBuffers; expected neither weights nor "
            "combiner, as both are in the buffers"
        )


(STACK,) = stack([sc.FeatureSpec("f", sc.TableSpec("t", 8, 8), 8)], System(1, 4))


def test_buffers_without_a_dimension_of_devices_are_refused() -> None:
    flat = np.zeros(8, np.int32)
    found = StackBuffers(flat, flat, flat, flat.astype(np.float32), None)
    with pytest.raises(BridgeError) as raised:
        sc.DeviceBuffers.from_stack(found, STACK, System(1, 4))
    assert str(raised.value) == (
        "from_stack: row_pointers is int32[8]; expected two dimensions, 8 devices first"
    )


def test_buffers_cannot_be_differentiated() -> None:
    def loss(gains: jax.Array) -> jax.Array:
        return sc.lookup(CASE.flat, dataclasses.replace(CASE.ids, sample_gains=gains)).sum()

    def other(gains: jax.Array) -> jax.Array:
        return sc.lookup(LIBRARY.flat, dataclasses.replace(LIBRARY.ids, gains=gains)).sum()

    for function, case in ((loss, CASE), (other, LIBRARY)):
        with pytest.raises(BridgeError) as raised:
            jax.grad(function)(jnp.asarray(case.ids.gains))
        assert str(raised.value) == (
            "lookup: ids are DeviceBuffers and are differentiated; expected a gradient for the "
            "table alone, as the weights are in the buffers"
        )


# A call that fails at once is a ValueError in a jitted function that has run before.
RUN_ERRORS = (jax.errors.JaxRuntimeError, ValueError)


def test_an_id_outside_of_the_table_is_an_error() -> None:
    run = jax.jit(sc.lookup)
    for ids, text in (
        ([[0, 1], [2, 16]], "sample 1, position 1: id 16 is not in the vocabulary of 16 rows"),
        ([[7, 2**31 - 1]], "sample 0, position 1: id 2147483647 is not in the vocabulary"),
    ):
        with pytest.raises(RUN_ERRORS) as raised:
            run(TABLE, np.array(ids, np.int32)).block_until_ready()
        assert text in str(raised.value)


def test_weights_that_sum_to_zero_are_an_error() -> None:
    weights = np.array([[1, 1], [2, -2], [0, 0], [1, 0]], np.float32)
    for combiner, sample in (("mean", 1), ("sqrtn", 2)):
        text = (
            f"lookup: weights: those of sample {sample}, or their squares, sum to 0, by which the combiner "
            "divides; expected another sum, or no ids in the sample"
        )
        run = jax.jit(lambda w, combiner=combiner: sc.lookup(TABLE, IDS, w, combiner=combiner))
        with pytest.raises(RUN_ERRORS) as raised:
            run(weights).block_until_ready()
        assert str(raised.value).splitlines()[0] == f"INVALID_ARGUMENT: {text}"


def test_a_negative_traced_step_is_an_error_when_it_runs() -> None:
    slots = {"momentum": TABLE, "velocity": TABLE}
    run = jax.jit(
        lambda step: sc.grad_update(
            TABLE, slots, IDS, None, GRADIENTS, optimizer=Adam(0.1), step=step
        )
    )
    with pytest.raises(RUN_ERRORS) as raised:
        jax.block_until_ready(run(-3))
    assert str(raised.value).splitlines()[0] == (
        "INVALID_ARGUMENT: step: it is -3; expected 0 or more"
    )
