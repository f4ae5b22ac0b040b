"""An error of one of several devices: all fail with it, at once."""

from __future__ import annotations

import pytest

from support.bridge.ffi_programs import run_python

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

GROUPS = """
import jax
import numpy as np
import sdykit.sparsecore as sc
from jax.sharding import PartitionSpec as P

auto = jax.sharding.AxisType.Auto
mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(auto, auto))
table = np.ones((64, 8), np.float32)
ids = np.zeros((64, 2), np.int32)
wrong = ids.copy()
wrong[0, 0] = 1000
for axes, is_checked in ((("x",), True), (("x",), False), ((), False)):
    def total(table, ids):
        return jax.lax.psum(sc.lookup(table, ids, axis_name=axes).sum(), ("x", "y"))[None]

    mapped = jax.shard_map(
        total,
        mesh=mesh,
        in_specs=(P(axes) if axes else P(), P(("y", "x"))),
        out_specs=P(),
        check_vma=is_checked,
    )
    for given in (ids, wrong, ids):
        try:
            print(jax.jit(mapped)(table, given).tolist())
        except (jax.errors.JaxRuntimeError, ValueError) as error:
            print(str(error).splitlines()[0].removeprefix("INVALID_ARGUMENT: "))
"""

BRANCHES = """
import jax
import jax.numpy as jnp
import numpy as np
import sdykit.sparsecore as sc
from jax.sharding import PartitionSpec as P

auto = jax.sharding.AxisType.Auto
mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(auto, auto))
table = np.ones((64, 8), np.float32)
ids = np.zeros((64, 2), np.int32)
for axes in (("x",), ()):
    def total(table, ids):
        def look_up():
            return sc.lookup(table, ids, axis_name=axes).sum()

        def rest():
            return jax.lax.pcast(jnp.float32(0), ("x", "y"), to="varying")

        first = jax.lax.axis_index("y") == 0
        of_cond = jax.lax.cond(first, look_up, rest)
        of_switch = jax.lax.switch(jnp.int32(first), [rest, jax.jit(look_up)])
        return jax.lax.psum(of_cond + of_switch, ("x", "y"))[None]

    specs = (P(axes) if axes else P(), P(("y", "x")))
    mapped = jax.shard_map(total, mesh=mesh, in_specs=specs, out_specs=P())
    print(jax.jit(mapped)(table, ids).tolist())
"""


def test_lookups_in_a_branch_do_not_wait_for_devices_in_another() -> None:
    """The devices that run the branch share the table; they do not wait for the others."""
    flags = "--xla_force_host_platform_device_count=4"
    assert run_python(BRANCHES, XLA_FLAGS=flags).splitlines() == ["[1024.0]"] * 2


def test_errors_end_devices_with_another_table_too() -> None:
    """Of four devices, two or one see the wrong id; all wait for each other after the lookup."""
    flags = "--xla_force_host_platform_device_count=4"
    lines = run_python(GROUPS, XLA_FLAGS=flags).splitlines()
    error = (
        "lookup: ids: sample 0, position 0: id 1000 is not in the vocabulary of 64 rows; expected "
        "an id in [0, 64), or a negative one for no row"
    )
    assert lines == ["[1024.0]", error, "[1024.0]"] * 3


@pytest.mark.parametrize("devices", [2, 4])
def test_an_error_of_one_device_ends_all_devices(devices: int) -> None:
    flags = f"--xla_force_host_platform_device_count={devices}"
    # If one device failed alone, XLA would end the process after 40 seconds.
    lines = run_python(PROGRAM, XLA_FLAGS=flags).splitlines()
    row = 8 * devices - 3
    of_bad = [
        f"{where}: NaN read from table at or after [5, 0]" for where in ("lookup", "grad_update")
    ]
    at = row % (4 * devices)
    expected = [
        *of_bad,
        str([2.0 * row, 2.0 * row + 1]),
        str([2.0 * at, 2.0 * at + 1]),
        *of_bad,
        "lookup: NaN read from gradients at or after [1, 0]",
    ]
    assert lines == expected
