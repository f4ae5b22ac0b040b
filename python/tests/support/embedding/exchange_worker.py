"""One of several processes that look up and update raw ids together; `test_exchange` starts them.

    python python/tests/support/embedding/exchange_worker.py NUMBER PROCESSES ADDRESS

Each process has one device. Results are compared, bit by bit, with the reference, and the bytes that came
by the sockets of the process in each step are printed, with those that `Exchange` says.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

STEPS, SAMPLES, ROWS, DIM = 6, 512, 2048, 32
_BYTES_RECEIVED = 128
"""The offset of `tcpi_bytes_received`, 64 bits, in Linux's `struct tcp_info`."""


def received_bytes() -> int:
    """Return the bytes that have come by the TCP sockets of this process."""
    total = 0
    for each in list(Path("/proc/self/fd").iterdir()):
        if not each.is_socket():
            continue
        with socket.socket(fileno=os.dup(int(each.name))) as own:
            if own.family in (socket.AF_INET, socket.AF_INET6) and own.type == socket.SOCK_STREAM:
                info = own.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
                total += struct.unpack_from("Q", info, _BYTES_RECEIVED)[0]
    return total


def main(number: int, processes: int, address: str) -> None:
    """Run the process."""
    import sdykit.sparsecore as sc

    sc.lookup  # noqa: B018  # Sets NPROC, and starts no backend.
    import jax

    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(address, processes, number)
    compare_all(processes)
    measure(processes)
    fail(processes)


def mapped(function: Any, processes: int, **options: Any) -> tuple[Any, Any]:
    """Return a function on all devices, and one that puts an array on them."""
    import jax
    from jax.sharding import AxisType, NamedSharding, PartitionSpec

    mesh = jax.make_mesh((processes,), ("x",), axis_types=(AxisType.Auto,))
    split = PartitionSpec("x")
    sharding = NamedSharding(mesh, split)
    run = jax.jit(jax.shard_map(function, mesh=mesh, in_specs=split, out_specs=split), **options)
    return run, lambda x: jax.make_array_from_callback(x.shape, sharding, lambda place: x[place])


def compare_all(processes: int) -> None:
    """Compare steps of two tables: rows of one travel, and of the other sums of rows; and of buffers."""
    from sdykit.sparsecore.exchange import Exchange
    from support.embedding import embedding_cases as cases

    sizes = ((1, SAMPLES, 1), (2, 12, 16))
    given = [
        cases.raw_case(seed, processes, samples=samples, valency=valency, rows=ROWS, dim=DIM)
        for seed, samples, valency in sizes
    ]
    compare(processes, given)
    with mock.patch.object(Exchange, "sends_rows", True):
        compare(processes, [cases.buffers_case(3, processes, samples_per_core=16, dim=DIM)])


def compare(processes: int, given: list[Any]) -> None:
    """Compare a step of several tables with the reference."""
    import jax

    import sdykit.sparsecore as sc
    from support.embedding import embedding_cases as cases

    optimizers = cases.OPTIMIZERS[: len(given)]
    held = [cases.make_slots(*each, 0) for each in zip(given, optimizers, strict=True)]
    rng = np.random.default_rng(0)
    gradients = [rng.normal(size=(each.samples, DIM)).astype(np.float32) for each in given]

    def step(*tables: Any) -> Any:
        return [
            (
                sc.lookup(table, ids, weights),
                sc.grad_update(table, slots, ids, weights, gradient, optimizer=optimizer, step=3),
            )
            for (table, slots, ids, weights, gradient), optimizer in zip(
                tables, optimizers, strict=True
            )
        ]

    run, put = mapped(step, processes)
    arrays = [
        jax.tree.map(put, (case.flat, slots, case.ids, case.weights, gradient))
        for case, slots, gradient in zip(given, held, gradients, strict=True)
    ]
    expected = [
        (case.lookup(), case.update(slots, gradient, optimizer, 3))
        for case, slots, gradient, optimizer in zip(given, held, gradients, optimizers, strict=True)
    ]
    for _ in range(STEPS):
        for found, (activations, after) in zip(run(*arrays), expected, strict=True):
            check_own(found[0], activations)
            check_own(found[1][0], after["table"])
            for name, slot in found[1][1].items():
                check_own(slot, after[name])


def check_own(found: Any, expected: np.ndarray) -> None:
    """Compare the parts of an array that are on this process's devices."""
    from support.embedding import embedding_cases as cases

    for each in found.addressable_shards:
        assert cases.same(each.data, expected[each.index])


def measure(processes: int) -> None:
    """Print the bytes of a step by the sockets, and by `Exchange`."""
    import jax

    import sdykit.sparsecore as sc
    from sdykit.sparsecore.exchange import Exchange
    from sdykit.sparsecore.optimizers import SGD

    def step(table: Any, ids: Any) -> Any:
        rows = sc.lookup(table, ids)
        return sc.grad_update(table, {}, ids, None, rows + 1, optimizer=SGD(0.5))[0]

    run, put = mapped(step, processes, donate_argnums=0)
    ids = np.random.default_rng(3).integers(0, ROWS * processes, (SAMPLES * processes, 1))
    ids = put(ids.astype(np.int32))
    table = run(put(np.zeros((ROWS * processes, DIM), np.float32)), ids)
    jax.block_until_ready(table)
    before = received_bytes()
    for _ in range(STEPS):
        table = run(table, ids)
    jax.block_until_ready(table)
    found = (received_bytes() - before) / STEPS
    sizes = Exchange(processes, SAMPLES, 1, DIM, ROWS)
    assert sizes.sends_rows
    print(f"{found:.0f} of {sizes.lookup_bytes + sizes.update_bytes}", flush=True)


def fail(processes: int) -> None:
    """Check that an id of the last process that is not in the table ends all processes alike."""
    import jax

    import sdykit.sparsecore as sc

    run, put = mapped(sc.lookup, processes)
    ids = np.zeros((SAMPLES * processes, 1), np.int32)
    ids[-1] = ROWS * processes
    expected = f"lookup: ids: sample {len(ids) - 1}, position 0: id {ROWS * processes} is not"
    table = put(np.ones((ROWS * processes, DIM), np.float32))
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match=expected):
        jax.block_until_ready(run(table, put(ids)))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
