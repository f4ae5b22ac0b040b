"""Kernels on several devices, and in other processes than those that compiled them."""

from __future__ import annotations

from pathlib import Path

from support.bridge.ffi_programs import KEEP_IN_JAX_CACHE
from support.jax_tpu_embedding.plugin_programs import run_with_plugin

DEVICES = {"XLA_FLAGS": "--xla_force_host_platform_device_count=8", "SDYKIT_CHIP": "7x"}

ON_MESHES = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
from support.pallas.kernels import add_one, copy, where_device

def over(devices, kernel, **options):
    mesh = jax.make_mesh((len(devices),), ("d",), (AxisType.Auto,), devices=devices)
    return mesh, jax.jit(jax.shard_map(kernel, mesh=mesh, in_specs=P("d"), out_specs=P("d"), **options))

for count in (4, 8):
    for options in ({}, {"check_vma": False}):
        mesh, run = over(jax.devices()[:count], add_one(), **options)
        x = jax.device_put(np.arange(16.0 * count, dtype=np.float32), NamedSharding(mesh, P("d")))
        for _ in range(20):
            x = run(x)
        np.testing.assert_array_equal(x, np.arange(16.0 * count) + 20)

# The position in the mesh, and not the number of the device.
_, run = over(jax.devices()[::-1], where_device(), check_vma=False)
np.testing.assert_array_equal(run(jnp.zeros(128, jnp.int32)), np.repeat(np.arange(8), 16))

mesh = jax.make_mesh((8,), ("d",), (AxisType.Auto,))
x = jax.device_put(jnp.ones(128), NamedSharding(mesh, P("d")))
try:
    jax.jit(copy((128,)))(x)
except NotImplementedError as error:
    print(error)
"""


def test_each_device_runs_its_part(tmp_path: Path) -> None:
    assert run_with_plugin(tmp_path, ON_MESHES, **DEVICES) == (
        "Mosaic kernels cannot be automatically partitioned. Please wrap the call in a shard_map.\n"
    )


WRITES = """
import jax, jax.numpy as jnp
from pathlib import Path
from sdykit.bridge import ffi
from support.pallas.kernels import add_one
allowed = [jax.export.DisabledSafetyCheck.custom_call(ffi.TARGET)]
exported = jax.export.export(jax.jit(add_one()), disabled_checks=allowed)(jnp.ones(16))
Path("{path}").write_bytes(exported.serialize())
"""
READS = """
import jax, jax.numpy as jnp, sys
from pathlib import Path
from sdykit.bridge import ffi
print(jax.export.deserialize(Path("{path}").read_bytes()).call(jnp.ones(16)).sum())
print("jax.experimental.pallas" in sys.modules)
"""


def test_an_exported_kernel_runs_without_pallas(tmp_path: Path) -> None:
    path = tmp_path / "exported"
    run_with_plugin(tmp_path, WRITES.format(path=path), **DEVICES)
    assert run_with_plugin(tmp_path, READS.format(path=path), **DEVICES) == "32.0\nFalse\n"


CACHED = """
import jax.numpy as jnp
from support.pallas.kernels import add_one
print(jax.jit(add_one())(jnp.ones(16)).sum())
tell_hits()
"""


def test_jax_keeps_compiled_kernels(tmp_path: Path) -> None:
    change = f"import os\nos.chdir({str(tmp_path)!r})"
    runs = [run_with_plugin(tmp_path, change, KEEP_IN_JAX_CACHE, CACHED, **DEVICES) for _ in "ab"]
    hits = [int(each.splitlines()[1]) for each in runs]
    assert [each.splitlines()[0] for each in runs] == ["32.0", "32.0"]
    assert hits[1] > hits[0]


INTERPRETED = """
import jax, jax.numpy as jnp, numpy as np, os
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu, tpu_sc as plsc
from support.pallas.kernels import add_one, one_subcore
from sdykit.bridge.kernels.compile import compilations
import sdykit.sparsecore as sc

def last():
    spec = compilations()[-1].spec
    return [spec[name] for name in ("mode", "races", "uninitialized", "out_of_bounds")]

def show(**options):
    kernel = add_one(**options)
    # Each call waits for the one before: the effects of interpret mode are ordered.
    run = jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda _, held: kernel(held), x))
    np.testing.assert_array_equal(run(jnp.zeros(16)), np.full(16, 3))
    print(*last())

show()
show(interpret=True)
show(interpret=pltpu.InterpretParams(detect_races=True))
show(interpret=pltpu.InterpretParams(uninitialized_memory="zero", out_of_bounds_reads="uninitialized"))
with pltpu.force_tpu_interpret_mode():
    show()

def unwritten(params):
    @pl.kernel(out_type=jax.ShapeDtypeStruct((16,), jnp.float32), mesh=one_subcore(),
               scratch_types=[pltpu.VMEM((16,), jnp.float32)], interpret=params)
    def kernel(out, held):
        pltpu.sync_copy(held, out)
    return float(jax.jit(kernel)()[0])

sc.configure(pallas="check")
print(unwritten(False), unwritten(pltpu.InterpretParams(uninitialized_memory="zero")))
"""


def test_interpret_mode_is_taken_over(tmp_path: Path) -> None:
    found = run_with_plugin(tmp_path, INTERPRETED, **DEVICES, SDYKIT_PALLAS="fast")
    assert found.splitlines() == [
        "fast error nan raise",
        "check error nan raise",
        "check error nan raise",
        "check off zero uninitialized",
        "check off nan raise",
        "nan 0.0",
    ]


CHANGES = """
import jax, jax.numpy as jnp
import sdykit.sparsecore as sc
from jax.experimental.pallas import tpu as pltpu, tpu_sc as plsc
from jax.sharding import AbstractDevice, AbstractMesh
from support.pallas.kernels import add_one, vector_mesh, copy
from sdykit.bridge.kernels.compile import compilations

def chip():
    return compilations()[-1].spec["chip"]["name"]

for name in ("v5p", "7x"):
    sc.configure(name)
    jax.jit(add_one())(jnp.ones(16))
    mesh = vector_mesh()
    print(chip(), mesh.num_cores, mesh.num_subcores, plsc.get_sparse_core_info().num_lanes)
device = AbstractDevice("TPU v6e", 1, "tpu")
with jax.sharding.use_abstract_mesh(AbstractMesh((), (), abstract_device=device)):
    print(plsc.get_sparse_core_info().vmem_capacity_bytes)
    jax.jit(add_one())(jnp.ones(16))
    print(chip())

sc.configure("v5p")
wide = add_one(compiler_params=pltpu.CompilerParams(needs_layout_passes=False))
for run in [wide]:
    try:
        jax.jit(run)(jnp.ones(16))
    except NotImplementedError as error:
        print(error)
sc.configure("v5p")
mesh = vector_mesh(num_cores=4)
sc.configure("7x")
from jax.experimental import pallas as pl
@pl.kernel(out_type=jax.ShapeDtypeStruct((16,), jnp.float32), mesh=mesh)
def large(x, out):
    pltpu.sync_copy(x, out)
try:
    jax.jit(large)(jnp.ones(16))
except ValueError as error:
    print(error)
sc.configure("7x", pallas="off")
try:
    vector_mesh()
except ValueError as error:
    print(error)
sc.configure("7x")
print(vector_mesh().num_cores)
"""


def test_kernels_follow_the_chip_that_is_set(tmp_path: Path) -> None:
    assert run_with_plugin(tmp_path, CHANGES, **DEVICES).splitlines() == [
        "v5p 4 16 8",
        "7x 2 16 16",
        "262144",
        "v6e",
        "Get only supports float32 arrays of shapes [(8,)], got (16,); a vector of chip v5p has 8"
        " elements of 32 bits: write the kernel for plsc.get_sparse_core_info().num_lanes, set"
        " SDYKIT_CHIP to a chip with vectors of its size, or leave out needs_layout_passes=False",
        "kernel 'large': its mesh has 4 SparseCores with 16 subcores each; expected at most the 2 with 16"
        " of chip 7x: make the mesh after the chip is set",
        "Unsupported TPU device kind: cpu",
        "2",
    ]
