"""The modules that passes and pipelines write for debugging have the names and texts of C++'s."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdykit.core import Diagnostic, capture, run_pipeline
from sdykit.errors import PassFailure, PipelineError
from sdykit.passes.sdy.pipeline import PropagationPipeline
from support.generators import module_text, seeded_spec
from support.oracle import ours, parse
from support.oracle_process import OracleProcess
from support.sdy.random_shardings import sharded_model

USER = "sdy-user-priority-propagate"
DEBUG = "debug-sharding-origins=true debug-propagation-edge-sharding=true"
PRIORITIES = """
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
    %y: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}p1, {?}]>},
    %z: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}p3, {"c"}p1]>}) -> tensor<16x8xf32> {
  %dead = stablehlo.add %x, %x : tensor<16x8xf32>
  %0 = stablehlo.add %x, %x : tensor<16x8xf32> loc("here")
  %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {"b", ?}p2]> : tensor<16x8xf32>
  %2 = stablehlo.add %1, %z : tensor<16x8xf32>
  %3 = stablehlo.add %2, %y : tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}
"""
XLA = """
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P
import jax._src.compiler as compiler
from jaxlib.mlir import ir

compile = compiler.backend_compile_and_load


def with_priorities(backend, module, *rest, **named):
    text = str(module).replace('{"data"}', '{"data"}p1').replace('{"model"}', '{"model"}p2')
    with module.context:
        return compile(backend, ir.Module.parse(text), *rest, **named)


compiler.backend_compile_and_load = with_priorities
mesh = jax.make_mesh((4, 2), ("data", "model"))
specs = P("data", None), P(None, "model")
step = jax.jit(lambda x, w: jnp.tanh(x @ w), in_shardings=[NamedSharding(mesh, each) for each in specs])
step.lower(jnp.ones((16, 8)), jnp.ones((8, 4))).compile()
"""


@pytest.fixture(scope="module")
def oracle() -> Iterator[OracleProcess]:
    process = OracleProcess()
    yield process
    process.close()


def files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def check_same(oracle: OracleProcess, text: str, pipeline: str, folder: Path) -> dict[str, str]:
    """Compare the files that a pipeline with `{}` for a directory writes; return ours."""
    folders = folder / "cpp", folder / "ours"
    for each in folders:
        each.mkdir(parents=True)  # C++ makes none.
    oracle.ask(text, (pipeline.format(folders[0]),))
    (expected,) = oracle.answers()
    found = ours(text, pipeline.format(folders[1]))
    if expected is not None:
        assert found == expected
        assert files(folders[1]) == files(folders[0])
    return files(folders[1])


@pytest.mark.parametrize("options", ["", DEBUG, "keep-sharding-rules=true"])
def test_modules_after_user_priorities(oracle: OracleProcess, tmp_path: Path, options: str) -> None:
    pipeline = f"{USER}{{{{module-dump-directory={{}} {options}}}}}"
    written = check_same(oracle, PRIORITIES, pipeline, tmp_path)
    # Not after the last one, 3: that is what the pass leaves.
    assert list(written) == [f"00.propagation_after_user_priority_{at}.mlir" for at in range(3)]
    without = ours(PRIORITIES, f"{USER}{{{options}}}")
    assert ours(PRIORITIES, pipeline.format(tmp_path / "more")) == without


def test_models_after_user_priorities(oracle: OracleProcess, tmp_path: Path) -> None:
    count = 0
    for number in range(5):
        pipeline = f"{USER}{{{{module-dump-directory={{}}}}}}"
        count += len(check_same(oracle, sharded_model(number), pipeline, tmp_path / str(number)))
    assert count >= 5


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("", ["after_propagation", "after_minimal_partitioner_with_global_shapes"]),
        ("avoid-export-for-partitioning=true", ["after_propagation"]),
        (
            "enable-insert-explicit-collectives=true",
            [
                "after_propagation",
                "after_explicit_reshards",
                "after_partitioner_with_global_shapes",
            ],
        ),
    ],
)
def test_modules_of_the_export_pipeline(
    oracle: OracleProcess, tmp_path: Path, options: str, names: list[str]
) -> None:
    pipeline = f"sdy-export-pipeline{{{{dump-directory={{}} {options}}}}}"
    for number in range(8):
        text = ours(module_text(seeded_spec(number)), "sdy-import-pipeline").text
        if text is not None:
            propagated = ours(text, f"{USER}{{keep-sharding-rules=true}}").text
            assert propagated is not None
            written = check_same(oracle, propagated, pipeline, tmp_path / str(number))
            assert list(written) == [f"{at:02}.{name}.mlir" for at, name in enumerate(names)]


def test_modules_of_the_propagation_pipeline_are_those_of_xla(tmp_path: Path) -> None:
    flags = "--xla_force_host_platform_device_count=8 --xla_dump_hlo_pass_re=shardy.*"
    environment = {**os.environ, "XLA_FLAGS": f"{flags} --xla_dump_to={tmp_path}"}
    subprocess.run([sys.executable, "-c", XLA], env=environment, check=True, timeout=120)
    (folder,) = (tmp_path / "shardy").glob("*lambda*")
    # Its numbers begin with what it reads; the last one is what it makes of our result.
    theirs = {name: text for name, text in files(folder).items() if name[:2] in ("01", "02", "03")}
    # As XLA imports them from HLO, which the bindings cannot do.
    imported = parse(theirs["01.before_propagation.mlir"])
    run_pipeline(imported, f"sdy-propagation-pipeline{{dump-directory={tmp_path}/ours}}")
    found = {
        f"{int(name[:2]) + 1:02}{name[2:]}": text for name, text in files(tmp_path / "ours").items()
    }
    assert found == theirs


def test_a_directory_is_quoted_in_the_text_of_passes(tmp_path: Path) -> None:
    folder = tmp_path / "a {b} 'c'"
    run_pipeline(parse(PRIORITIES), f'sdy-propagation-pipeline{{dump-directory="{folder}"}}')
    assert len(files(folder)) == 6
    with pytest.raises(
        PipelineError, match="found both kinds of quotes in the value 'a\"; expected one or none"
    ):
        PropagationPipeline(dump_directory="'a\"").passes()


@pytest.mark.parametrize("name", [USER, "sdy-save-module"])
def test_a_bad_directory_is_an_error(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file"
    path.touch()
    module, found = parse(PRIORITIES), list[Diagnostic]()
    with capture(module.context, found.append), pytest.raises(PassFailure):
        run_pipeline(module, f"{name}{{module-dump-directory={path}}}")
    (error,) = found
    assert str(error).partition("error: ")[2].startswith(f"cannot write '{path}/00.")
    assert str(error).endswith("File exists; expected a directory that files can be written to")


def test_other_passes_tell_that_they_write_nothing(tmp_path: Path) -> None:
    for name in ("basic", "aggressive", "op-priority"):
        module, found = parse(PRIORITIES), list[Diagnostic]()
        with capture(module.context, found.append):
            run_pipeline(module, f"sdy-{name}-propagate{{module-dump-directory={tmp_path}}}")
        (warning,) = found
        assert f"nothing is written to '{tmp_path}': this pass propagates at one priority" in str(
            warning
        )
    assert not files(tmp_path)
