"""The library's gradients on several CPU devices, compared with the reference bit by bit.

    python python/tests/support/jax_tpu_embedding/gradients_on_devices.py 4x4 cpu

The second argument is the reading that is run: cpu or chip.

A process of its own: the number of devices is fixed when JAX starts. Counts, gains and duplicates
differ from device to device.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

CHIPS = {4: "v5p", 2: "v6e"}
"""By the SparseCores of a device."""


def main() -> None:
    system, execute = sys.argv[1:]
    devices, cores = map(int, system.split("x"))
    flags = f"--xla_force_host_platform_device_count={devices}"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flags}"
    import sdykit.sparsecore as sc

    sc.configure(chip=CHIPS[cores], execute=execute)  # type: ignore[arg-type]
    for number in range(4):
        compare(number, devices, cores)
    check_places(devices)
    tell_bad_id(cores)
    tell_error(devices)


def compare(number: int, devices: int, cores: int) -> None:
    """Compare all optimizers, a user's own among them, on a mesh of one or two axes."""
    import jax
    from jax.sharding import PartitionSpec as P

    from sdykit.sparsecore.specs import System
    from support.jax_tpu_embedding import custom_cases, gradient_cases

    system = System(devices, cores)
    case = gradient_cases.make_case(number, system, minibatching=number % 2 == 1)
    shape, names = ((devices,), ("x",)) if number < 2 else ((devices // 2, 2), ("a", "b"))
    mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(shape), names)
    optimizers = (*gradient_cases.OPTIMIZERS, custom_cases.MOMENTUM)
    tables = [flat_tables(case, optimizer) for optimizer in optimizers]

    def step(buffers: Any, tables: Any, gradient: Any) -> Any:
        *built_in, own = tables
        found = [
            gradient_cases.update(optimizer, case, buffers, each, gradient)
            for optimizer, each in zip(gradient_cases.OPTIMIZERS, built_in, strict=True)
        ]
        return [*found, custom_cases.update(case, buffers, own, gradient)]

    split = P(names)
    mapped = jax.shard_map(
        step,
        mesh=mesh,
        in_specs=((split, split, split, split, P()), split, split),
        out_specs=split,
        check_vma=number == 2,
    )
    gradient = case.gradient.reshape(-1, case.gradient.shape[-1])
    results = jax.jit(mapped)(case.buffers, tables, gradient)
    for optimizer, found, before in zip(optimizers, results, tables, strict=True):
        for array, old, expected in zip(found, before, case.expected(optimizer), strict=True):
            assert gradient_cases.same(array, expected), (number, optimizer.name)
            untouched = case.untouched.reshape(-1)
            assert gradient_cases.same(np.asarray(array)[untouched], old[untouched])
    print(f"{case.packed.num_minibatches or 1} minibatches")


def flat_tables(case: Any, optimizer: Any) -> list[np.ndarray]:
    """Return table and slots of all devices, one after another."""
    given = [case.table, *case.slots(optimizer).values()]
    return [each.reshape(-1, each.shape[-1]) for each in given]


def check_places(devices: int) -> None:
    """Check that donated tables stay where they are, on every device."""
    import jax
    import jax.numpy as jnp
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    from sdykit.bridge.settings import current
    from sdykit.sparsecore.specs import System
    from support.jax_tpu_embedding import gradient_cases as cases

    case = cases.make_case(0, System(devices, current().sparse_cores))
    adam = cases.OPTIMIZERS[4]
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))

    def step(buffers: Any, tables: Any, gradient: Any) -> Any:
        return cases.update(adam, case, buffers, tables, gradient)

    split = P("x")
    specs = ((split, split, split, split, P()), split, split)
    mapped = jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=split, check_vma=False)
    place = NamedSharding(mesh, split)
    make = jax.jit(lambda: jnp.ones((devices * 2**17, 8), jnp.float32), out_shardings=place)
    tables = [make() for _ in range(3)]
    gradient = case.gradient.reshape(-1, 8)
    jitted = jax.jit(mapped, donate_argnums=1)
    memory: Any = jitted.lower(case.buffers, tables, gradient).compile().memory_analysis()
    of_table = 2**17 * 8 * 4
    assert memory.alias_size_in_bytes == 3 * of_table
    assert memory.temp_size_in_bytes < of_table, memory.temp_size_in_bytes
    before = places_of(tables)
    assert places_of(jitted(case.buffers, tables, gradient)) == before


def places_of(tables: list[Any]) -> list[int]:
    """Return the sharding of tables."""
    return [
        part.data.unsafe_buffer_pointer() for each in tables for part in each.addressable_shards
    ]


def tell_bad_id(cores: int) -> None:
    """Print the error of an id that no table has."""
    import jax
    from jax.sharding import PartitionSpec as P

    import sdykit.sparsecore as sc
    from sdykit.sparsecore.specs import System
    from support.jax_tpu_embedding import gradient_cases as cases

    sc.configure(chip=CHIPS[cores])
    case = cases.make_case(0, System(len(jax.devices()), cores))
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
    sgd = cases.OPTIMIZERS[0]

    def step(buffers: Any, tables: Any, gradient: Any) -> Any:
        return cases.update(sgd, case, buffers, tables, gradient)

    split = P("x")
    specs = ((split, split, split, split, P()), split, split)
    mapped = jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=split, check_vma=False)
    pointers, ids, *rest = case.buffers
    ids[0] = 1000
    gradient = case.gradient.reshape(-1, 8)
    try:
        jax.block_until_ready(
            jax.jit(mapped)((pointers, ids, *rest), flat_tables(case, sgd), gradient)
        )
    except jax.errors.JaxRuntimeError as error:
        print(str(error).splitlines()[0])


def tell_error(devices: int) -> None:
    """Print the error of a program that is sharded without `shard_map`."""
    import jax
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    from sdykit.bridge.settings import current
    from sdykit.sparsecore.specs import System
    from support.jax_tpu_embedding import gradient_cases as cases

    case = cases.make_case(0, System(1, current().sparse_cores))
    sgd = cases.OPTIMIZERS[0]
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
    place = NamedSharding(mesh, P("x"))
    table = jax.device_put(case.table[0], place)
    try:
        jax.jit(lambda table: cases.update(sgd, case, case.buffers, [table], case.gradient[0]))(
            table
        )
    except ValueError as error:
        print(f"{devices} devices: {error}")


if __name__ == "__main__":
    main()
