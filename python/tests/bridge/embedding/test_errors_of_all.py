"""An error of one device among several: all end with it, at once."""

from __future__ import annotations

import pytest

from bridge.ffi_programs import run_python

PROGRAM = """
import jax
import numpy as np
import sdykit.sparsecore as sc
from jax.sharding import PartitionSpec as P
from sdykit.sparsecore.optimizers import SGD

sc.configure("v5p", xla_sc_detect_nan=True)
devices = len(jax.devices())
mesh = jax.make_mesh((devices,), ("chips",))
split = jax.NamedSharding(mesh, P("chips"))
values = np.arange(16 * devices, dtype=np.float32).reshape(8 * devices, 2)
good = jax.device_put(values, split)
values = values.copy()
values[-3] = np.nan
bad = jax.device_put(values, split)
row = len(values) - 3
ids = jax.device_put(np.full((4 * devices, 1), row), split)
numbers = np.ones((4 * devices, 2), np.float32)
ones = jax.device_put(numbers, split)
# JAX may use a numpy array's memory: it is not to change.
numbers = numbers.copy()
numbers[1] = np.nan


def on_all(f):
    return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P("chips"), out_specs=P("chips")))


def show(f, *arrays):
    try:
        print(np.asarray(f(*arrays))[row % (4 * devices)].tolist())
    except (jax.errors.JaxRuntimeError, ValueError) as error:
        print(str(error).splitlines()[0].removeprefix("INVALID_ARGUMENT: "))


lookup = on_all(sc.lookup)
update = on_all(lambda t, i, g: sc.grad_update(t, {}, i, None, g, optimizer=SGD(0.5))[0])
gradient = on_all(lambda t, i, g: jax.vjp(lambda t: sc.lookup(t, i), t)[1](g)[0])
for table in (bad, good, bad):
    show(lookup, table, ids)
    show(update, table, ids, ones)
show(gradient, good, ids, jax.device_put(numbers, split))
"""


@pytest.mark.parametrize("devices", [2, 4])
def test_all_devices_end_together(devices: int) -> None:
    flags = f"--xla_force_host_platform_device_count={devices}"
    # A device that ended alone would end the process, after 40 seconds.
    lines = run_python(PROGRAM, XLA_FLAGS=flags).splitlines()
    row = 8 * devices - 3
    of_bad = ["NaN read from table at or behind [5, 0]"] * 2
    at = row % (4 * devices)
    expected = [
        *of_bad,
        str([2.0 * row, 2.0 * row + 1]),
        str([2.0 * at, 2.0 * at + 1]),
        *of_bad,
        "NaN read from gradients at or behind [1, 0]",
    ]
    assert lines == expected
