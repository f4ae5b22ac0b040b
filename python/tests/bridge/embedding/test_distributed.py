"""Two processes with two devices each, one of which has more ids than its limits allow."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np

from sdykit.sparsecore import Embedding, System, reference
from sdykit.sparsecore.preprocess import preprocess
from sdykit.sparsecore.stacking import stack
from support.embedding import distributed_worker as worker


def start(number: int, address: str, directory: Path) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if name != "NPROC"}
    environment["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
    return subprocess.Popen(
        [sys.executable, worker.__file__, str(number), address, str(directory)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def expected() -> dict[str, np.ndarray]:
    """Train in numpy, on four devices."""
    system = System(worker.DEVICES, 4)
    stacks = stack(worker.FEATURES, system)
    alone = Embedding(worker.FEATURES)
    variables = alone.init(jax.random.key(1), jax.nn.initializers.normal())
    values = np.zeros((stacks[0].vocabulary_size, 8), np.float32)
    values[: worker.TABLE.vocabulary_size] = alone.tables(variables)["t"]
    table = reference.shard(values, system)
    slots = {"accumulator": np.full_like(table, 0.1)}
    activations = np.empty(0)
    for step in range(worker.STEPS):
        done = preprocess(
            {"f": worker.make_ids(step)},
            stacks,
            system,
            config=worker.CONFIG,
            minibatching="vocabulary",
        )
        buffers = done.buffers["t"]
        entries = reference.entries_from_packed(
            buffers.row_pointers,
            buffers.embedding_ids,
            buffers.sample_ids,
            buffers.gains,
            samples_per_core=worker.SAMPLES // system.num_sparse_cores,
            system=system,
            num_minibatches=done.num_minibatches,
        )
        activations = reference.lookup(table, entries)
        optimizer = worker.TABLE.optimizer
        table, slots = reference.update(
            table,
            slots,
            entries,
            activations - np.float32(1),
            optimizer=optimizer,
            hyperparameters=optimizer.hyperparameters(step),
        )
    size = worker.TABLE.vocabulary_size
    return {
        "activations": activations.reshape(worker.SAMPLES, 8),
        "table": reference.unshard(table, system)[:size],
        "accumulator": reference.unshard(slots["accumulator"], system)[:size],
    }


def test_processes_agree_on_minibatches(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    processes = [start(number, address, tmp_path) for number in range(2)]
    try:
        for process in processes:
            out, _ = process.communicate(timeout=300)
            assert process.returncode == 0, out
    finally:
        for process in processes:
            process.kill()
    found = [np.load(tmp_path / f"{number}.npz") for number in range(2)]
    for step in range(worker.STEPS):
        assert [bool(each[f"overflows_{step}"]) for each in found] == [False, step > 0]
        first, second = (int(each[f"minibatches_{step}"]) for each in found)
        assert first == second
        assert (first > 1) == (step > 0)
    wanted = expected()
    for name in ("table", "accumulator"):
        for each in found:
            np.testing.assert_array_equal(each[name], wanted[name])
    activations = np.concatenate([each["activations"] for each in found])
    np.testing.assert_array_equal(activations, wanted["activations"])
