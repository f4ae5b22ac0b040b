"""Reading portable artifacts: those that JAX keeps to stay compatible, and those it writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax import export
from jax.sharding import AbstractMesh, NamedSharding
from jax.sharding import PartitionSpec as P

from sdykit.core import PortableArtifactError, read_module, run_pipeline
from sdykit.errors import SdykitError
from sdykit.mlir import ir, make_context, stablehlo
from support.kept_artifacts import artifacts

MESH = AbstractMesh((4, 2), ("x", "y"))


def exported() -> export.Exported:
    """A function with shardings of arguments, a constraint and a manual computation."""

    @jax.jit
    def fn(a: jax.Array, b: jax.Array) -> jax.Array:
        constrained = NamedSharding(MESH, P("x", "y"))
        c = jax.lax.with_sharding_constraint(a @ b, constrained)
        summed = jax.shard_map(
            lambda c: jax.lax.psum(c, "x"), mesh=MESH, in_specs=P("x"), out_specs=P()
        )
        return summed(c)

    arguments = [
        jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(MESH, spec))
        for shape, spec in (((16, 8), P("x", None)), ((8, 4), P(None, "y")))
    ]
    return export.export(fn)(*arguments)


def test_all_versions_are_read_as_stablehlo_reads_them() -> None:
    context = make_context()
    compared = 0
    for artifact in artifacts():
        expected = stablehlo.deserialize_portable_artifact(context, artifact)
        module = read_module(artifact, context)
        assert module.operation.get_asm(enable_debug_info=True) == expected.operation.get_asm(
            enable_debug_info=True
        )
        compared += 1
    assert compared > 50


def test_the_shardings_of_an_export_come_out() -> None:
    context = make_context()
    module = read_module(exported().mlir_module_serialized, context)
    run_pipeline(module, "sdy-import-pipeline")
    text = str(module)
    assert 'sdy.mesh @mesh = <["x"=4, "y"=2]>' in text
    assert '%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}' in text
    assert '<@mesh, [{"x"}, {"y"}]> : tensor<16x4xf32>' in text
    assert 'manual_axes={"x", "y"}' in text
    assert "sdy.data_flow_edge" in text


def test_the_driver_reads_an_export(tmp_path: Path) -> None:
    file = tmp_path / "exported"
    file.write_bytes(exported().mlir_module_serialized)
    command = [Path(sys.executable).parent / "sdy-opt", str(file), "-sdy-import-pipeline"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    module = read_module(file.read_bytes(), make_context())
    run_pipeline(module, "sdy-import-pipeline")
    assert done.stdout.strip() == str(module).strip()
    assert not done.stderr


def test_text_and_bytecode_of_other_dialects_are_read_as_they_are() -> None:
    context = make_context()
    text = "func.func private @f(!quant.uniform<i8:f32, 2.0>)"
    assert "@f(!quant.uniform<i8:f32, 2.000000e+00>)" in str(read_module(text, context))
    with pytest.raises(SdykitError, match=r"the module is not valid: error: .*:1:13: expected"):
        read_module("func.func @f(", context)


def test_an_invalid_module_is_told_by_its_errors_alone() -> None:
    text = """func.func @f(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
      return
    }"""
    with pytest.raises(SdykitError) as raised:
        read_module(text, make_context())
    assert str(raised.value) == (
        "the module is not valid: error: \"-\":1:1: 'func.func' op arg 0 - unknown mesh: @mesh"
    )


def test_a_pipeline_refuses_vhlo() -> None:
    module = ir.Module.parse(exported().mlir_module_serialized, make_context())
    with pytest.raises(PortableArtifactError, match=r"read it with sdykit.core.read_module"):
        run_pipeline(module, "sdy-import-pipeline")


@pytest.mark.parametrize(
    ("version", "hint"),
    [
        ("99.1.0", "; a newer jaxlib reads it, or export it for an older version"),
        ("1.999.0", "; a newer jaxlib reads it, or export it for an older version"),
        ("0.8.0", ""),
        ("1.2", ""),
        ("x\xe9", ""),
    ],
)
def test_versions_that_cannot_be_read(version: str, hint: str) -> None:
    artifact = b"ML\xefR\x0dStableHLO_v" + version.encode("latin-1") + b"\0"
    with pytest.raises(PortableArtifactError) as raised:
        read_module(artifact, make_context())
    oldest, newest = stablehlo.get_minimum_version(), stablehlo.get_current_version()
    found = version.encode("latin-1").decode(errors="replace")
    assert str(raised.value) == (
        f"the portable artifact is of StableHLO {found!r}, and the StableHLO inside jaxlib reads"
        f" {oldest} to {newest}{hint}"
    )


def test_a_corrupt_artifact_is_an_error() -> None:
    artifact = exported().mlir_module_serialized
    for data in (artifact[:20], artifact[:100], artifact[: len(artifact) // 2], artifact[:5]):
        with pytest.raises(SdykitError, match=r"the module (is not valid|cannot be read): "):
            read_module(data, make_context())
