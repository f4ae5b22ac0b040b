"""Runs of lookups and updates by programs for all devices of a process, compared and counted.

    python python/tests/support/embedding/shared_memory.py --devices 2 4 8 16 --runs 1000

Two tables are looked up and updated in each step, so that devices come to their programs in any
order; each result is compared, bit by bit, with that of a first run through XLA's collectives. Every
fourth run ends with an error of one table, while devices may be waiting for each other at the other.
A run that hangs ends the process, after so many seconds, with the stacks of all threads.
"""

from __future__ import annotations

import argparse
import faulthandler
import itertools
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from support.embedding.shared_memory_steps import KINDS, make

_HANGS_AFTER = 120


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--devices", type=int, nargs="+", default=[4], help="numbers of devices")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS, help="kinds of steps")
    parser.add_argument("--runs", type=int, default=40, help="how many runs on each number")
    arguments = parser.parse_args()
    flags = f"--xla_force_host_platform_device_count={max(arguments.devices)}"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flags}"
    for devices, kind in itertools.product(arguments.devices, arguments.kinds):
        errors = run(kind, devices, arguments.runs)
        counts = f"{arguments.runs} runs, {errors} of them with errors"
        print(f"{devices} devices, {kind}: {counts}", flush=True)


def _error_of(step: Any, arguments: Any) -> str:
    """Return the text of the error that a step ends with; "": it has none."""
    import jax

    try:
        jax.block_until_ready(step(*arguments))
    except (jax.errors.JaxRuntimeError, ValueError) as error:
        return str(error)
    return ""


def _same_bits(left: np.ndarray, right: np.ndarray) -> bool:
    return np.array_equal(left.view(np.int32), right.view(np.int32))


def run(kind: str, devices: int, runs: int) -> int:
    """Run steps and compare their results; return how many ended with the error that was expected."""
    import jax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    from support.embedding.transport import through_collectives

    made = make(kind, devices)
    mesh = Mesh(np.array(jax.devices()[:devices]), ("x",))

    def mapped() -> Any:
        function = jax.shard_map(
            made.run,
            mesh=mesh,
            in_specs=made.specs,
            out_specs=PartitionSpec("x"),
            check_vma=kind != "library",
        )
        return jax.jit(function, donate_argnums=0)

    def put(state: Any, batch: Any) -> Any:
        # JAX may use the memory of an array of numpy, which is not to change.
        own = jax.tree.map(np.copy, state)
        return jax.device_put(own, NamedSharding(mesh, PartitionSpec("x"))), batch

    step, other = mapped(), mapped()
    with through_collectives():
        expected = [jax.tree.map(np.asarray, other(*put(*each))) for each in made.draws]
    assert "all_gather" not in step.lower(*put(*made.draws[0])).as_text()
    errors = 0
    for number in range(runs):
        faulthandler.dump_traceback_later(_HANGS_AFTER, exit=True)
        if number % 4 == 3:
            state, batch, text = made.wrong(number)
            found = _error_of(step, put(state, batch))
            assert text in found, (text, found)
            errors += 1
            continue
        which = number % len(made.draws)
        found = jax.tree.map(np.asarray, step(*put(*made.draws[which])))
        pairs = zip(jax.tree.leaves(found), jax.tree.leaves(expected[which]), strict=True)
        assert all(_same_bits(*pair) for pair in pairs), number
    faulthandler.cancel_dump_traceback_later()
    assert errors == runs // 4, (errors, runs)
    return errors


if __name__ == "__main__":
    main()
