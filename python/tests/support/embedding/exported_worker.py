"""One of two processes that compile a program for devices of both, which was exported in one.

    python python/tests/support/embedding/exported_worker.py NUMBER PROCESSES ADDRESS PROGRAM

The error that it ends with is printed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def main(number: int, processes: int, address: str, path: str) -> None:
    """Run the process."""
    import sdykit.sparsecore as sc

    sc.lookup  # noqa: B018  # Sets NPROC, and starts no backend.
    import jax
    import numpy as np

    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(address, processes, number)
    exported = jax.export.deserialize(bytearray(Path(path).read_bytes()))
    half = exported.nr_devices // processes
    of_each = [
        [each for each in jax.devices() if each.process_index == one] for one in range(processes)
    ]
    chosen = [each for devices in of_each for each in devices[:half]]
    mesh = jax.sharding.Mesh(np.array(chosen).reshape(2, -1), ("a", "b"))
    shardings = exported.in_shardings_jax(mesh)

    def zeros(aval: Any, sharding: Any) -> jax.Array:
        value = np.zeros(aval.shape, aval.dtype)
        return jax.make_array_from_callback(value.shape, sharding, lambda place: value[place])

    flat = [zeros(*each) for each in zip(exported.in_avals, shardings, strict=True)]
    args, _ = jax.tree.unflatten(exported.in_tree, flat)
    try:
        jax.block_until_ready(jax.jit(exported.call)(*args))
    except (jax.errors.JaxRuntimeError, ValueError) as error:
        print(error, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
