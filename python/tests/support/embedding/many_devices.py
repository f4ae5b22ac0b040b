"""Lookups and updates on several CPU devices, compared with the reference bit by bit.

    python python/tests/support/embedding/many_devices.py --devices 8 --runs 100

A process of its own: the number of devices is fixed when JAX starts. Batch, gains and duplicates
differ from device to device. `NPROC` is not set here: the import of the API has to see to it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

PROGRAMS = 5
"""Different ones, each with a mesh, batches, layouts and an optimizer of its own."""

MESHES = ("line", "grid", "swapped", "partly manual")


def main() -> None:
    parser = argparse.ArgumentParser(description="Lookups and updates on several CPU devices.")
    parser.add_argument("--devices", type=int, default=4, help="CPU devices: 1, 2, 4 or 8")
    parser.add_argument("--runs", type=int, default=5, help="how often programs are run")
    parser.add_argument("--execute", default="cpu", help="the reading that is run: cpu or chip")
    parser.add_argument(
        "--capacity",
        type=int,
        help="exchange ids as devices of several processes do, in rounds of so many",
    )
    parser.add_argument("--transport", default="memory", choices=("memory", "collectives"))
    arguments = parser.parse_args()
    flags = f"--xla_force_host_platform_device_count={arguments.devices}"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flags}"
    import sdykit.sparsecore as sc
    from support.embedding.transport import through_collectives

    sc.configure(execute=arguments.execute)
    programs = min(arguments.runs, PROGRAMS)
    context: Any = nullcontext()
    if arguments.capacity:
        context = exchanged(arguments.capacity)
    elif arguments.transport == "collectives":
        context = through_collectives()
    with context:
        for number in range(programs):
            runs = len(range(number, arguments.runs, programs))
            compare(number, arguments.devices, runs)
    print(f"{arguments.runs} runs on {arguments.devices} devices")


@contextmanager
def exchanged(capacity: int) -> Iterator[None]:
    """Let devices send each other ids and rows, so many in a round, whatever is fewer bytes."""
    from sdykit.bridge.embedding.axes import Axes
    from sdykit.bridge.embedding.exchange import entries
    from sdykit.bridge.embedding.programs.raw_ids import find_wrong_id
    from sdykit.sparsecore.exchange import Exchange
    from sdykit.sparsecore.tile.entries.owners import own_entries_program

    with (
        mock.patch.object(Axes, "are_in_one_process", return_value=False),
        mock.patch.object(Exchange, "sends_rows", True),
        mock.patch.object(Exchange, "capacity", capacity),
        mock.patch.object(entries, "own_entries_program", wraps=own_entries_program) as of_buffers,
        mock.patch.object(entries, "find_wrong_id", wraps=find_wrong_id) as of_ids,
    ):
        yield
    assert of_buffers.called
    assert of_ids.called


def make_mesh(kind: str, devices: int) -> tuple[Any, tuple[str, ...], dict[str, Any]]:
    """Return a mesh, the axes that tables are split over, and options of `shard_map`."""
    import jax
    from jax.sharding import AxisType

    two = 2 if devices > 1 else 1
    shapes = {"line": (devices,)}
    shape = shapes.get(kind, (devices // two, two))
    names = ("a", "b")[: len(shape)]
    mesh = jax.make_mesh(shape, names, axis_types=(AxisType.Auto,) * len(shape))
    if kind == "partly manual":
        return mesh, ("a",), {"axis_names": {"a"}}
    return mesh, names[::-1] if kind == "swapped" else names, {}


def compare(number: int, devices: int, runs: int) -> None:
    """Compare a lookup, its gradient and an update of each layout."""
    from support.embedding import embedding_cases as cases

    kind = MESHES[number % len(MESHES)]
    mesh, names, options = make_mesh(kind, devices)
    parts = int(np.prod([mesh.shape[name] for name in names]))
    rng = np.random.default_rng(number)
    some = {"dim": int(rng.integers(1, 40)), "combiner": ("sum", "mean", "sqrtn")[number % 3]}
    minibatching = ("off", "vocabulary", "sample")[number % 3]
    limit = 1000 if minibatching == "off" else 6
    check_vma = number % 2 == 0 or kind == "partly manual"
    given = [
        cases.raw_case(number, parts, **some),
        cases.buffers_case(number, parts, minibatching=minibatching, limit=limit, **some),
        cases.buffers_case(number, parts, layout="jax_tpu_embedding", **some),
    ]
    optimizer = cases.OPTIMIZERS[number % len(cases.OPTIMIZERS)]
    for case in given:
        options["check_vma"] = check_vma
        check_case(
            case,
            mesh=mesh,
            names=names,
            options=options,
            optimizer=optimizer,
            seed=number,
            runs=runs,
        )


def check_case(
    case: Any,
    *,
    mesh: Any,
    names: tuple[str, ...],
    options: dict[str, Any],
    optimizer: Any,
    seed: int,
    runs: int,
) -> None:
    """Compare all lookups, gradients and updates of one batch."""
    import jax
    import jax.numpy as jnp
    from jax.sharding import PartitionSpec as P

    import sdykit.sparsecore as sc
    from support.embedding import embedding_cases as cases

    gradients = np.random.default_rng(seed).normal(size=(case.samples, case.table.shape[2]))
    gradients = gradients.astype(np.float32)
    slots = cases.make_slots(case, optimizer, seed)
    weights = () if case.weights is None else (case.weights,)

    def run(table: Any, slots: Any, ids: Any, gradients: Any, step: Any, *weights: Any) -> Any:
        more = {"combiner": case.combiner, "axis_name": names}
        own = weights[0] if weights else None
        found, transposed = jax.vjp(lambda table: sc.lookup(table, ids, own, **more), table)
        after = sc.grad_update(
            table, slots, ids, own, gradients, optimizer=optimizer, step=step, **more
        )
        return found, transposed(gradients)[0], after

    split = P(names)
    mapped = jax.shard_map(
        run,
        mesh=mesh,
        in_specs=(split, split, split, split, P(), *[split] * len(weights)),
        out_specs=split,
        **options,
    )
    compiled = jax.jit(mapped)
    expected = case.update(slots, gradients, optimizer, seed)
    for _ in range(runs):
        found, gradient, (table, held) = compiled(
            case.flat, slots, case.ids, gradients, jnp.int32(seed), *weights
        )
        assert cases.same(found, case.lookup()), "lookup"
        assert cases.same(gradient, case.dense_gradient(gradients)), "gradient"
        for name, array in {"table": table, **held}.items():
            assert cases.same(array, expected[name]), f"update: {optimizer.name}, {name}"


if __name__ == "__main__":
    main()
