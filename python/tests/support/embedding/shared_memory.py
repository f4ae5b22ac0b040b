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
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

ROWS, DIM, BATCH, VALENCY = 512, 12, 128, 5
_HANGS_AFTER = 120
_TEXT = "ids: sample {sample}, position 2: id 999999 is not in the vocabulary of 512 rows"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--devices", type=int, nargs="+", default=[4], help="numbers of devices")
    parser.add_argument("--runs", type=int, default=40, help="how many runs on each number")
    arguments = parser.parse_args()
    flags = f"--xla_force_host_platform_device_count={max(arguments.devices)}"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flags}"
    for devices in arguments.devices:
        errors = run(devices, arguments.runs)
        print(f"{devices} devices: {arguments.runs} runs, {errors} of them with errors", flush=True)


def make_step(devices: int) -> Any:
    """Return a jitted training step of two tables, and the function that puts arrays on the devices."""
    import jax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    import sdykit.sparsecore as sc
    from sdykit.sparsecore.optimizers import SGD, Adagrad

    split = PartitionSpec("x")
    mesh = Mesh(np.array(jax.devices()[:devices]), ("x",))

    def step(tables: Any, slots: Any, ids: Any, weights: Any) -> Any:
        found = []
        for number, optimizer in enumerate((SGD(0.1), Adagrad(0.1))):
            own, combiner = ids[number], ("sum", "mean")[number]
            rows = sc.lookup(tables[number], own, weights, combiner=combiner)
            table, slot = sc.grad_update(
                tables[number],
                slots[number],
                own,
                weights,
                rows * 0.5,
                optimizer=optimizer,
                combiner=combiner,
            )
            found.append((rows, table, slot))
        return found

    mapped = jax.shard_map(step, mesh=mesh, in_specs=split, out_specs=split)
    put = lambda tree: jax.device_put(tree, NamedSharding(mesh, split))  # noqa: E731
    return jax.jit(mapped, donate_argnums=(0, 1)), put


def draw(random: np.random.Generator) -> Any:
    """Return the arguments of a step."""
    tables = [random.normal(size=(ROWS, DIM)).astype(np.float32) for _ in range(2)]
    slots = [{}, {"accumulator": np.full((ROWS, DIM), 0.1, np.float32)}]
    ids = [random.integers(-1, ROWS, (BATCH, VALENCY)).astype(np.int32) for _ in range(2)]
    ids[1] = np.minimum(random.zipf(1.3, (BATCH, VALENCY)), ROWS - 1).astype(np.int32)
    weights = random.uniform(0.5, 1, (BATCH, VALENCY)).astype(np.float32)
    return tables, slots, ids, weights


def collectives(step: Any, arguments: Any) -> Any:
    """Return what a step returns whose devices are not taken to be of one process."""
    from unittest import mock

    import jax

    from sdykit.bridge.embedding.axes import Axes

    with mock.patch.object(Axes, "are_in_one_process", return_value=False):
        return jax.tree.map(np.asarray, step(*arguments))


def _error_of(step: Any, arguments: Any) -> str:
    """Return the text of the error that a step ends with; "": it has none."""
    import jax

    try:
        jax.block_until_ready(step(*arguments))
    except (jax.errors.JaxRuntimeError, ValueError) as error:
        return str(error)
    return ""


def run(devices: int, runs: int) -> int:
    """Run steps and compare their results; return how many ended with the error that was expected."""
    import jax

    drawn = [draw(np.random.default_rng(number)) for number in range(3)]
    other, put = make_step(devices)
    expected = [collectives(other, put(each)) for each in drawn]
    step, put = make_step(devices)
    errors = 0
    for number in range(runs):
        faulthandler.dump_traceback_later(_HANGS_AFTER, exit=True)
        which = number % len(drawn)
        if number % 4 == 3:
            tables, slots, ids, weights = drawn[which]
            sample = (number * 7) % BATCH
            wrong = [ids[0].copy(), ids[1]]
            wrong[0][sample, 2] = 999_999
            text = _error_of(step, put((tables, slots, wrong, weights)))
            assert _TEXT.format(sample=sample) in text, text
            errors += 1
            continue
        found = jax.tree.map(np.asarray, step(*put(drawn[which])))
        for left, right in zip(
            jax.tree.leaves(found), jax.tree.leaves(expected[which]), strict=True
        ):
            assert np.array_equal(left.view(np.int32), right.view(np.int32)), number
    faulthandler.cancel_dump_traceback_later()
    assert errors == runs // 4, (errors, runs)
    return errors


if __name__ == "__main__":
    main()
