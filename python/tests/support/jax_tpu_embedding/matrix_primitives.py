"""The library's primitives, called one by one with buffers of its own plain preprocessing.

    JAX_NUM_CPU_DEVICES=4 python python/tests/support/jax_tpu_embedding/matrix_primitives.py eager

Tables, gains and gradients are small whole numbers: each sum is exact, so that the expected values
are compared as they are. It prints a JSON object with the error, if any, of each program.
"""

from __future__ import annotations

import functools
import sys
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
from jax_tpu_embedding.sparsecore.lib.core.primitives import (
    sparse_dense_matmul_activation_unstack,
    sparse_dense_matmul_grad_with_adagrad,
    sparse_dense_matmul_grad_with_sgd,
    sparse_dense_matmul_gradient_stack,
    sparse_dense_matmul_optimizer_grad,
)

from sdykit.bridge.errors import BridgeError
from support.jax_tpu_embedding.custom_cases import form_of
from support.jax_tpu_embedding.layer_programs import run
from support.jax_tpu_embedding.matrix_operands import (
    BATCH,
    CORES,
    DIM,
    LIMITS,
    csr,
    held,
    make_case,
    same,
)

sgd = sparse_dense_matmul_grad_with_sgd.tpu_sparse_dense_matmul_grad_with_sgd_primitive
adagrad = sparse_dense_matmul_grad_with_adagrad.tpu_sparse_dense_matmul_grad_with_adagrad_primitive
custom = sparse_dense_matmul_optimizer_grad.tpu_sparse_dense_matmul_optimizer_grad_primitive
unstack_primitive = (
    sparse_dense_matmul_activation_unstack.tpu_sparse_dense_matmul_activation_unstack_primitive
)
stack_primitive = (
    sparse_dense_matmul_gradient_stack.tpu_sparse_dense_matmul_gradient_stack_primitive
)

RATE = np.float32(0.01)


def eager(minibatches: int = 1) -> None:
    """Call it outside of `jit`, with read-only arrays and numbers of several types."""
    case = make_case(minibatches=minibatches)
    for array in (*case.buffers, case.table):
        array.flags.writeable = False
    count = case.minibatches
    for number in (np.int32(count), np.array(count), jnp.int32(count), count):
        same(case.lookup(*case.buffers, number, case.table), case.activations)


def jitted(minibatches: int = 1) -> None:
    """Call `jit` of the primitive itself, on a device that is not the first."""
    case = make_case(minibatches=minibatches)
    operands = jax.device_put(case.operands, jax.devices()[2])
    names = ("device_batch_size", *LIMITS, "sharding_strategy", "enable_minibatching")
    call = jax.jit(csr.bind, static_argnames=names)
    more = {"enable_minibatching": minibatches > 1, "sharding_strategy": 1}
    found = call(*operands, device_batch_size=BATCH, **LIMITS, **more)
    same(found, case.activations)
    assert found.devices() == {jax.devices()[2]}, found.devices()


def mapped(devices: int, minibatches: int = 1) -> None:
    """Map it over some of the devices, the last ones."""
    case = make_case(devices, minibatches)
    mesh = Mesh(jax.devices()[-devices:], ["data"])
    given = (*[P("data")] * 4, P(), P("data"))
    call = jax.shard_map(
        case.lookup, mesh=mesh, in_specs=given, out_specs=P("data"), check_vma=False
    )
    same(jax.jit(call)(*case.operands), case.activations)
    same(call(*case.operands), case.activations)


def buffers_by_hand() -> None:
    """Look up in a buffer that was written down, with rubbish where nothing may be read."""
    pointers = np.array([[1, 8, 10, 16, 16, 16, 16, 16], *[[0] * 8] * 3], np.int32)
    ids, samples, gains = (np.full(4 * 32, rubbish) for rubbish in (10**9, -(10**9), 1e30))
    # Row 3 of partition 0, that is id 12, for sample 1; row 1 of partition 2, id 6, for both.
    ids[[0, 8, 9]], samples[[0, 8, 9]], gains[[0, 8, 9]] = [3, 1, 1], [1, 0, 1], [2.0, 1.0, 5.0]
    table = np.arange(64, dtype=np.float32).reshape(64, 1) * np.ones((1, DIM), np.float32)
    rows = held(table)
    found = csr.bind(
        pointers.reshape(-1),
        ids.astype(np.int32),
        samples.astype(np.int32),
        gains.astype(np.float32),
        np.int32(1),
        rows,
        device_batch_size=BATCH,
        **LIMITS,
    )
    expected = np.zeros((BATCH, DIM), np.float32)
    expected[0], expected[1] = 6.0, 2 * 12.0 + 5 * 6.0
    same(found, expected)


def quantized() -> None:
    """Quantize what is looked up."""
    case = make_case()
    call = jax.jit(functools.partial(case.lookup, quantization_config=(-4.0, 4.0, 9)))
    same(call(*case.operands), (case.matrix @ np.clip(case.dense, -4, 4)).astype(np.float32))


def gradients(devices: int) -> None:
    """Update with SGD and Adagrad; a user's Adagrad has the bits of the library's."""
    case = make_case(devices, seed=1)
    a0 = np.full_like(case.dense, 0.1)
    sums, touched = case.sums, case.touched
    a1 = a0 + sums * sums
    expected = (np.where(touched, case.dense - (RATE * sums) / np.sqrt(a1), case.dense), a1)
    named = {"computation_name": "update"}
    form = form_of(own_adagrad, DIM, 4)

    def update(table: Any, slot: Any, gradient: Any, *buffers: Any) -> Any:
        given = (*buffers, jnp.int32(1))
        plain = sgd.bind(*given, table, gradient, RATE, **LIMITS, **named)
        built_in = adagrad.bind(*given, table, slot, gradient, RATE, **LIMITS)
        own = custom.bind(
            *given,
            gradient,
            jnp.full((1,), RATE),
            table,
            slot,
            num_hyperparameters=1,
            **form,
            **LIMITS,
            **named,
        )
        return plain, built_in, own

    call = update
    if devices > 1:
        mesh = Mesh(jax.devices(), ["data"])
        call = jax.shard_map(
            update, mesh=mesh, in_specs=P("data"), out_specs=P("data"), check_vma=False
        )
    operands = (case.table, held(a0, devices), case.gradient, *case.buffers)
    for compiled in (call, jax.jit(call)):
        plain, built_in, own = compiled(*operands)
        same(plain, held(case.dense - RATE * sums, devices))
        for found in (built_in, own):
            for one, other in zip(found, expected, strict=True):
                same(one, held(other, devices))


def own_adagrad(gradient: Any, table: Any, accumulator: Any, rate: Any) -> Any:
    accumulator = accumulator + gradient * gradient
    return table - (rate * gradient) / jnp.sqrt(accumulator), accumulator


def bounds() -> None:
    """Clip tables, not slots, to one or two bounds; rows that are not touched stay outside."""
    case = make_case(seed=2)
    slot = np.full_like(case.table, 50.0)
    touched = case.touched
    after = case.dense - (RATE * case.sums) / np.sqrt(np.float32(50) + case.sums**2)
    for low, high in [(-2.0, 3.0), (None, 3.0), (-2.0, None), (1.0, 1.0)]:
        table, a = adagrad.bind(
            *case.operands, slot, case.gradient, RATE, min_value=low, max_value=high, **LIMITS
        )
        clipped = np.clip(after, low, high).astype(np.float32)
        same(table, held(np.where(touched, clipped, case.dense)))
        same(a, held(np.float32(50) + case.sums**2))


def features() -> None:
    """Stack what was unstacked; features have batches and widths of their own."""
    sizes, dims = (8, 4, 12), (8, 3, 5)
    stacked = np.arange(24 * DIM, dtype=np.float32).reshape(24, DIM)
    call = functools.partial(
        unstack_primitive.bind, per_feature_batch_sizes=sizes, per_feature_dims=dims
    )
    of_cores, start = stacked.reshape(CORES, 6, DIM), 0
    found = jax.jit(call)(stacked)
    for one, again, size, dim in zip(found, call(stacked), sizes, dims, strict=True):
        expected = of_cores[:, start : start + size // CORES, :dim].reshape(size, dim)
        start += size // CORES
        same(one, expected)
        same(again, expected)
    wide = [np.pad(one, ((0, 0), (0, DIM - one.shape[1]))) for one in found]
    shape = {"stacked_batch_size": 24, "stacked_feature_dim": DIM}
    back = np.asarray(stack_primitive.bind(*wide, **shape)).reshape(CORES, 6, DIM)
    zeroed = of_cores.copy()
    zeroed[:, 2:3, 3:] = 0
    zeroed[:, 3:, 5:] = 0
    same(back, zeroed)


def control_flow() -> None:
    """Look up inside of `cond`, `fori_loop`, `checkpoint` and another `jit`."""
    case = make_case()

    def look(table: Any) -> Any:
        return case.lookup(*case.buffers, jnp.int32(1), table)

    def program(table: Any, flag: Any) -> Any:
        once = jax.lax.cond(flag, look, lambda table: jnp.zeros((BATCH, DIM)), table)
        sums = jax.lax.fori_loop(0, 3, lambda _, total: total + look(table), once)
        return once, sums, jax.checkpoint(jax.jit(look))(table)

    for found, times in zip(jax.jit(program)(case.table, True), (1, 4, 1), strict=True):
        same(found, times * case.activations)
    same(jax.jit(program)(case.table, False)[0], np.zeros((BATCH, DIM), np.float32))


def threads() -> None:
    """Run one program from several threads at once."""
    cases = [make_case(4, seed=seed) for seed in range(4)]
    mesh = Mesh(jax.devices(), ["data"])
    given = (*[P("data")] * 4, P(), P("data"))
    call = jax.jit(
        jax.shard_map(
            cases[0].lookup, mesh=mesh, in_specs=given, out_specs=P("data"), check_vma=False
        )
    )
    found: dict[int, list[np.ndarray]] = {}

    def work(number: int) -> None:
        found[number] = [np.asarray(call(*cases[number].operands)) for _ in range(5)]

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for number, case in enumerate(cases):
        for one in found[number]:
            same(one, case.activations)


def shapes() -> None:
    """Ask for shapes, a jaxpr, and what a TPU would be given: nothing of ours shows there."""
    case = make_case()
    shape = jax.eval_shape(case.lookup, *case.operands)
    assert (shape.shape, shape.dtype) == ((BATCH, DIM), jnp.float32), shape
    (equation,) = jax.make_jaxpr(case.lookup)(*case.operands).eqns
    assert equation.primitive is csr, equation
    text = jax.jit(case.lookup).trace(*case.operands).lower(lowering_platforms=("tpu",)).as_text()
    assert "@SparseDenseMatmulOp" in text, text
    assert "sdykit" not in text, text


def several_devices_without_a_map() -> None:
    """Leave it to XLA to split a lookup: an error that says what to do."""
    case = make_case(4)
    mesh = Mesh(jax.devices(), ["data"])
    split = jax.sharding.NamedSharding(mesh, P("data"))
    *buffers, table = jax.device_put((*case.buffers, case.table), split)
    with pytest.raises(BridgeError, match="shard_map"):
        jax.jit(case.lookup)(*buffers, jnp.int32(1), table)


PROGRAMS = {
    "eager": eager,
    "eager, minibatches": functools.partial(eager, minibatches=3),
    "jit": jitted,
    "jit, minibatches": functools.partial(jitted, minibatches=2),
    "shard_map, 1 device": functools.partial(mapped, 1),
    "shard_map, 2 devices": functools.partial(mapped, 2),
    "shard_map, 4 devices": functools.partial(mapped, 4),
    "shard_map, minibatches": functools.partial(mapped, 4, minibatches=3),
    "buffers by hand": buffers_by_hand,
    "quantized": quantized,
    "gradients": functools.partial(gradients, 1),
    "gradients, 4 devices": functools.partial(gradients, 4),
    "bounds": bounds,
    "features": features,
    "control flow": control_flow,
    "threads": threads,
    "shapes": shapes,
    "several devices without a map": several_devices_without_a_map,
}

if __name__ == "__main__":
    run(PROGRAMS)
