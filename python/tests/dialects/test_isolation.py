"""Our op classes live beside jaxlib's in one process, and import little."""

from __future__ import annotations

import subprocess
import sys

import pytest

USE_OURS = """
from sdykit.dialects import mpmd, sdy
from sdykit.dialects.views import view
from sdykit.mlir import ir, make_context
with make_context(), ir.Location.unknown():
    module = ir.Module.parse('sdy.mesh @mesh = <["x"=2]>')
    with ir.InsertionPoint(module.body):
        sdy.MeshOp("other", sdy.MeshAttr())
    assert [view(sdy.MeshOp, op).sym_name.value for op in module.body] == ["mesh", "other"]
    module = ir.Module.parse("func.func @f(%a: tensor<f32>) { return }")
    block = module.body.operations[0].regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(block):
        mpmd.NamedTensorOp(block.arguments[0], "x")
    named = view(mpmd.NamedTensorOp, block.operations[0])
    assert type(named) is mpmd.NamedTensorOp and named.name.value == "x"
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
from jaxlib.mlir.dialects import mpmd as jaxlib_mpmd
from jaxlib.mlir.dialects import sdy as jaxlib_sdy
assert jaxlib_sdy.MeshOp.OPERATION_NAME == "sdy.mesh"
from jaxlib.mlir import ir
from jax._src.interpreters.mlir import make_ir_context
with make_ir_context(), ir.Location.unknown():
    module = ir.Module.parse("func.func @f(%a: tensor<f32>) { return }")
    block = module.body.operations[0].regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(block):
        jaxlib_mpmd.NamedTensorOp(block.arguments[0], "x")
    assert type(block.operations[0]) is jaxlib_mpmd.NamedTensorOp
    origin = jaxlib_mpmd.UserOriginAttr.get("x", 1)
    assert str(origin) == '#mpmd.user_origin<"x"(1)>'
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
def test_our_classes_and_jax_work_in_one_process(code: str) -> None:
    assert run(code) == ""


@pytest.mark.parametrize(
    ("dialect", "text", "op_class"),
    [
        ("sdy", "sdy.mesh @mesh = <[]>", "MeshOp"),
        (
            "mpmd",
            'mpmd.named_computation<"f"> () () { mpmd.return } : () -> ()',
            "NamedComputationOp",
        ),
    ],
)
def test_jaxlib_meets_an_operation_before_and_after_us(
    dialect: str, text: str, op_class: str
) -> None:
    run(
        f"""
from sdykit.mlir import ir, make_context
context = make_context()
module = ir.Module.parse({text!r}, context)
theirs = type(next(iter(module.body)))
from sdykit.dialects import {dialect}
assert theirs.__module__ == "jaxlib.mlir.dialects._{dialect}_ops_gen", theirs
assert type(next(iter(module.body))) is theirs
assert type(module.body.operations[0].operation.opview) is theirs
assert {dialect}.{op_class} is not theirs
"""
    )


@pytest.mark.parametrize("dialect", ["sdy", "mpmd"])
def test_importing_a_dialect_imports_neither_jax_nor_its_classes(dialect: str) -> None:
    loaded = run(
        f"""
import sys
from sdykit.dialects import {dialect}
from sdykit.dialects import views
jaxlib = "jaxlib.mlir.dialects."
for name in ("jax", jaxlib + "{dialect}", jaxlib + "_{dialect}_ops_gen"):
    assert name not in sys.modules, name
"""
    )
    assert not loaded
