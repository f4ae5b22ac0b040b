"""Ops of CHLO are replaced as XLA does it: what is explained is what JAX compiles."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from sdykit.explain import Explanation, explain
from sdykit.explain.answers import about_tensors
from sdykit.explain.questions import Index
from sdykit.explain.selection import tensors_named

MESH = AbstractMesh((4, 2), ("data", "model"))
X = jax.ShapeDtypeStruct((16, 32), jnp.float32)

PROGRAM = """
import json
import jax, jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
from sdykit.explain import explain

def f(x):
    squares = jnp.square(x)
    special = [jax.lax.erf_inv(x), jnp.sinh(x), jax.lax.lgamma(x), jax.lax.erf(squares)]
    return squares, jax.lax.top_k(squares + 1, 4), special

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
x = jax.ShapeDtypeStruct((16, 32), jnp.float32)
found = []
for spec in (P("data"), P("data", "model"), P(None, "model")):
    compiled = jax.jit(f, in_shardings=NamedSharding(mesh, spec)).lower(x).compile()
    specs = [tuple(each.spec) for each in jax.tree.leaves(compiled.output_shardings)]
    tensors = explain(f, x, in_shardings=(spec,), mesh=mesh).tensors
    explained = [each.final for each in tensors if each.kind == "result"]
    found.append([
        [[[axis] if axis else [] for axis in spec + (None,) * (2 - len(spec))] for spec in specs],
        [[dim.axes for dim in each.dims] if each else [[], []] for each in explained],
    ])
print(json.dumps(found))
"""


def test_the_shardings_are_those_that_jax_compiles() -> None:
    flags = "--xla_force_host_platform_device_count=8"
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    cases = json.loads(done.stdout)
    assert len(cases) == 3
    for compiled, explained in cases:
        assert len(compiled) == 7
        assert explained == compiled
    # Not all of them are trivial: a square keeps all axes, a top_k those of the other dimension.
    squares, values = cases[1][0][:2]
    assert (squares, values) == ([["data"], ["model"]], [["data"], []])


@pytest.fixture(scope="module")
def inverse() -> Explanation:
    return explain(lambda x: 2 * jax.lax.erf_inv(x), X, in_shardings=(P("data"),), mesh=MESH)


def test_a_value_is_the_last_of_the_ops_that_replace_one(inverse: Explanation) -> None:
    (value,) = tensors_named(inverse, "%0")
    op = inverse.ops[value.op]
    assert op.text.startswith("%0 = chlo.erf_inv %arg0")
    within = [each for each in inverse.tensors if each.name == "in %0"]
    assert len(within) > 20
    assert all(inverse.ops[each.op].line == op.line for each in within)
    assert about_tensors(Index(inverse), [value]).startswith("%0: f32[16,32] at ")


def test_nothing_is_told_of_ops_without_rules(capfd: pytest.CaptureFixture[str]) -> None:
    explain(lambda x: jax.lax.top_k(jnp.square(x), 4), X, in_shardings=(P("data"),), mesh=MESH)
    assert capfd.readouterr() == ("", "")
