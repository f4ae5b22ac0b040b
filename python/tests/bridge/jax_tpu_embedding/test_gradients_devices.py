"""The library's gradients on several CPU devices, each number in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from support import SUPPORT

pytest.importorskip("jax_tpu_embedding", reason="jax-tpu-embedding is not installed")

PROGRAM = SUPPORT / "jax_tpu_embedding/gradients_on_devices.py"


@pytest.mark.parametrize(("system", "execute"), [("4x4", "cpu"), ("8x2", "cpu"), ("8x2", "chip")])
def test_updates_on_several_devices_have_the_bits_of_the_reference(
    system: str, execute: str
) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NPROC"}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), system, execute],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    devices = system[0]
    counts = [r"1 minibatches", r"[2-9]\d* minibatches|1\d minibatches"] * 2
    *found, bad_id, error = done.stdout.splitlines()
    for line, count in zip(found, counts, strict=True):
        assert re.fullmatch(count, line), line
    cores = int(system[2])
    assert bad_id.startswith(
        f"INVALID_ARGUMENT: sparse_dense_matmul_grad_with_sgd: embedding_table float32[{40 * cores}"
        ",8]: embedding_ids: device 0, SparseCore 0, position 0: row 1000 of partition 0, which has "
        "40 rows: id 16000 of the table"
    )
    assert error == (
        f"{devices} devices: sparse_dense_matmul_grad_with_sgd: the program runs on {devices} "
        "devices without jax.shard_map; expected jax.shard_map, in which each device has its part "
        "of table and batch"
    )
