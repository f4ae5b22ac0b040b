"""Our op classes live beside jaxlib's in one process, and import little."""

from __future__ import annotations

import subprocess
import sys

import pytest

USE_OURS = """
from sdykit.dialects import sdy
from sdykit.dialects.views import view
from sdykit.mlir import ir, make_context
with make_context(), ir.Location.unknown():
    module = ir.Module.parse('sdy.mesh @mesh = <["x"=2]>')
    with ir.InsertionPoint(module.body):
        sdy.MeshOp("other", sdy.MeshAttr())
    assert [view(sdy.MeshOp, op).sym_name.value for op in module.body] == ["mesh", "other"]
"""
USE_JAX = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec
mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
sharding = NamedSharding(mesh, PartitionSpec("x"))
double = jax.jit(
    lambda v: jax.lax.with_sharding_constraint(v * 2, sharding), in_shardings=sharding
)
text = double.lower(jnp.arange(4.0)).as_text()
assert "sdy.sharding_constraint" in text, text
assert double(jnp.arange(4.0)).tolist() == [0.0, 2.0, 4.0, 6.0]
from jaxlib.mlir.dialects import sdy as jaxlib_sdy
assert jaxlib_sdy.MeshOp.OPERATION_NAME == "sdy.mesh"
"""


def run(code: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(
    "code",
    [USE_OURS + USE_JAX, USE_JAX + USE_OURS, USE_OURS + USE_JAX + USE_OURS],
    ids=["ours first", "jax first", "in turn"],
)
def test_jax_in_one_process(code: str) -> None:
    run(code)


def test_jaxlib_meets_an_operation_before_and_after_us() -> None:
    run(
        """
from sdykit.mlir import ir, make_context
context = make_context()
module = ir.Module.parse('sdy.mesh @mesh = <[]>', context)
theirs = type(next(iter(module.body)))
from sdykit.dialects import sdy
assert theirs.__module__ == "jaxlib.mlir.dialects._sdy_ops_gen", theirs
assert type(next(iter(module.body))) is theirs
assert type(module.body.operations[0].operation.opview) is theirs
assert sdy.MeshOp is not theirs
"""
    )


def test_import_is_light() -> None:
    loaded = run(
        """
import sys
from sdykit.dialects import sdy
from sdykit.dialects import views
for name in ("jax", "jaxlib.mlir.dialects.sdy", "jaxlib.mlir.dialects._sdy_ops_gen"):
    assert name not in sys.modules, name
"""
    )
    assert not loaded


def test_import_is_fast() -> None:
    """30 ms on a developer's machine; here, the best of five and four times as much."""
    code = """
import time
import dataclasses
from sdykit import mlir
start = time.perf_counter()
from sdykit.dialects import sdy
print(time.perf_counter() - start)
"""
    assert min(float(run(code)) for _ in range(5)) < 0.12
