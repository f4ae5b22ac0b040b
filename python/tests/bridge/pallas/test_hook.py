"""Kernels in processes of their own: what JAX is with the plugin, and what it stays without."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.jax_tpu_embedding.plugin_programs import run_with_plugin, start_with_plugin

# The mesh is made before anything else of JAX ran.
DOUBLE = """
import jax, jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu, tpu_sc as plsc

mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")

@pl.kernel(out_type=jax.ShapeDtypeStruct((64, 16), jnp.float32), mesh=mesh,
           scratch_types=[pltpu.VMEM((1, 16), jnp.float32)])
def double(x, out, v):
    i = jax.lax.axis_index("core") * 16 + jax.lax.axis_index("subcore")
    pltpu.sync_copy(x.at[pl.ds(i, 1)], v)
    v[...] = v[...] * 2
    pltpu.sync_copy(v, out.at[pl.ds(i, 1)])
"""
CALL = """
import sys
found = jax.jit(double)(jnp.ones((64, 16)))
rows = mesh.num_cores * mesh.num_subcores
print(rows, bool((found[:rows] == 2).all()))
"""


@pytest.mark.parametrize(("chip", "rows"), [("", 64), ("v6e", 32), ("7x", 32)])
def test_a_script_runs_as_it_is(tmp_path: Path, chip: str, rows: int) -> None:
    assert run_with_plugin(tmp_path, DOUBLE, CALL, SDYKIT_CHIP=chip) == f"{rows} True\n"


def test_a_kernel_imports_nothing_of_passes_and_embeddings(tmp_path: Path) -> None:
    others = ("sdykit.core.registry", "sdykit.sparsecore.optimizers", "sdykit.sparsecore.tile.spec")
    imported = f"print([name for name in {others} if name in sys.modules])"
    assert run_with_plugin(tmp_path, DOUBLE, CALL, imported, SDYKIT_CHIP="7x") == "32 True\n[]\n"


def test_a_chip_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('base = "7x"\nsparse_cores_per_device = 1\ntiles_per_sparse_core = 4\n')
    numbers = "print(plsc.get_sparse_core_info())"
    found = run_with_plugin(tmp_path, DOUBLE, CALL, numbers, SDYKIT_CHIP=str(path)).splitlines()
    assert found == [
        "4 True",
        "SparseCoreInfo(num_cores=1, num_subcores=4, num_lanes=16, vmem_capacity_bytes=524288,"
        " dma_granule_size_bytes=32)",
    ]


def test_v4_has_no_kernels_as_in_jax(tmp_path: Path) -> None:
    done = start_with_plugin(tmp_path, DOUBLE, SDYKIT_CHIP="v4")
    assert done.returncode == 1
    assert done.stderr.endswith("RuntimeError: The current TPU does not have SparseCores\n")


OTHERS = """
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
import jax
try:
    pltpu.get_tpu_info()
except ValueError as error:
    print(error)
from jax._src.pallas.mosaic import tpu_info
print(tpu_info.registry)
"""


def test_without_tpu_sc_nothing_changes(tmp_path: Path) -> None:
    assert run_with_plugin(tmp_path, OTHERS) == "Unsupported TPU device kind: cpu\n{}\n"


@pytest.mark.parametrize("variable", ["SDYKIT_PLUGIN", "SDYKIT_PALLAS"])
def test_off_is_jax_as_without_us(tmp_path: Path, variable: str) -> None:
    program = "from jax.experimental.pallas import tpu_sc"
    found = run_with_plugin(tmp_path, program, OTHERS, **{variable: "off"})
    assert found == "Unsupported TPU device kind: cpu\n{}\n"


def test_a_wrong_setting_is_an_error_when_a_mesh_is_made(tmp_path: Path) -> None:
    done = start_with_plugin(tmp_path, DOUBLE, SDYKIT_PALLAS="quick")
    assert done.returncode == 1
    assert done.stderr.endswith(
        "SparseCoreError: SDYKIT_PALLAS is 'quick'; expected one of check, fast, reference, off\n"
    )


REGISTERED = """
import dataclasses
from jax._src.pallas.mosaic import tpu_info
def own():
    info = tpu_info.get_tpu_info_for_chip(tpu_info.ChipVersion.TPU_7X, 1)
    cores = dataclasses.replace(info.sparse_core, num_cores=1, num_subcores=2)
    return dataclasses.replace(info, sparse_core=cores)
tpu_info.registry["cpu"] = own
"""


def test_numbers_that_another_library_registered_stay(tmp_path: Path) -> None:
    assert run_with_plugin(tmp_path, REGISTERED, DOUBLE, CALL) == "2 True\n"


WITHOUT = """
import warnings
import {module} as module
del module.{name}
"""
FAILS = """
try:
    jax.jit(double)(jnp.ones((64, 16)))
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("jax._src.pallas.mosaic.lowering", "lower_jaxpr_into_unpipelined_module"),
        ("jax._src.pallas.mosaic.pallas_call_registration", "_rewrite_jaxpr_for_lowering"),
    ],
)
def test_without_a_name_of_jax_there_is_one_warning(tmp_path: Path, module: str, name: str) -> None:
    gone = WITHOUT.format(module=module, name=name)
    done = start_with_plugin(tmp_path, DOUBLE, gone, FAILS, FAILS)
    assert done.stdout == "Only interpret mode is supported on CPU backend.\n" * 2
    assert done.stderr.count("UserWarning") == 1
    assert (
        "UserWarning: sdykit: Pallas kernels for SparseCores will not run on CPU devices: JAX 0."
        in done.stderr
    )
    assert f" has no {module}.{name}; expected JAX 0.10\n" in done.stderr


def test_without_the_registry_of_jax_there_is_one_warning(tmp_path: Path) -> None:
    gone = WITHOUT.format(module="jax._src.pallas.mosaic.tpu_info", name="registry")
    done = start_with_plugin(
        tmp_path, "import jax\njax.devices()", gone, "from jax.experimental.pallas import tpu_sc"
    )
    assert done.returncode == 0
    assert done.stderr.count("UserWarning") == 1
    assert " has no jax._src.pallas.mosaic.tpu_info.registry; expected JAX 0.10\n" in done.stderr
