"""Recordings of loops with kernels of users, beside lookups and updates and alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import sdykit.sparsecore as sc
from sdykit.cli.main import main
from sdykit.sparsecore.memory.step import memory_of_run
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.run import read_run
from sdykit.sparsecore.run.breakdown import breakdown_of
from sdykit.sparsecore.timeline.measured import measured
from sdykit.viz.run_report.model import report_of
from support.pallas.kernels import Kernel, add_one, one_subcore
from support.xspaces import read_planes

STEPS = 5


@pytest.fixture(autouse=True)
def _chip() -> Iterator[None]:
    sc.configure("7x", pallas="reference")
    yield
    sc.configure()


def test_kernels_alone(tmp_path: Path) -> None:
    with sc.record(tmp_path / "run"):
        step = jax.jit(lambda x: add_one()(x * 2))
        x: Any = jnp.zeros(16)
        for _ in range(STEPS):
            x = jax.block_until_ready(step(x))
    run = read_run(tmp_path / "run")
    assert [(each.name, each.kind, each.source) for each in run.programs] == [
        ("add_one", "kernel", "compiled")
    ]
    spec = run.programs[0].spec
    assert isinstance(spec, MosaicSpec)
    assert "func.func @add_one" in spec.module
    assert (spec.mode, spec.chip.name) == ("reference", "7x")
    assert run.programs[0].compile_seconds > 0
    assert run.calls.step.tolist() == list(range(STEPS))
    spans = [each for each in measured(run) if each.kind == "program"]
    assert [each.name for each in spans] == ["kernel add_one"] * STEPS
    seconds = breakdown_of(run).seconds()
    assert 0 < seconds["kernels"] <= seconds["total"]
    assert (seconds["lookups"], seconds["updates"], seconds["tensor_core"]) == (0, 0, 0)
    report = report_of(run)
    assert report.parts["kernels"] == "kernels"
    assert report.operations[0].name == "kernel add_one"
    assert report.operations[0].count == STEPS


def test_a_kernel_between_a_lookup_and_an_update(tmp_path: Path) -> None:
    layer = sc.Embedding(
        [sc.FeatureSpec("seen", sc.TableSpec("items", 40, 8, optimizer=SGD(0.1)), 16)]
    )
    batch = layer.preprocess({"seen": np.tile([[1, 3]], (16, 1))})
    kernel = add_one()

    @jax.jit
    def step(variables: Any) -> Any:
        activations = layer.lookup(variables, batch)["seen"]
        shifted = kernel(activations.reshape(-1)[:16])
        gradients = {"seen": activations + shifted[0]}
        return layer.update(variables, batch, gradients)

    with sc.record(tmp_path / "run"):
        variables = layer.init(jax.random.key(0), jax.nn.initializers.ones)
        for _ in range(STEPS):
            variables = jax.block_until_ready(step(variables))
    run = read_run(tmp_path / "run")
    assert sorted(each.kind for each in run.programs) == ["kernel", "lookup", "update"]
    found = breakdown_of(run)
    assert len(found.steps) == STEPS
    for name in ("lookups", "kernels", "updates"):
        assert (getattr(found, name) > 0).all(), name
    parts = found.lookups + found.tensor_core + found.kernels + found.updates + found.input
    assert (parts <= found.total + 1e-9).all()
    kinds = [each.arguments["what"] for each in measured(run) if each.kind == "program"]
    assert kinds == ["lookup", "kernel", "update"] * STEPS
    report = report_of(run)
    assert {each.name for each in report.operations} >= {"kernel add_one", "lookup items"}


def test_what_changed_of_a_kernel_is_named(tmp_path: Path) -> None:
    def run(size: int) -> None:
        # Programs of a name are compared with those that the process had before.
        jax.block_until_ready(jax.jit(add_one(size, name="changing"))(jnp.zeros(size)))

    with sc.record(tmp_path / "run"):
        run(16)
        run(32)
        sc.configure("7x", pallas="fast")
        run(32)
    first, second, third = read_run(tmp_path / "run").programs
    assert first.changed == ()
    assert [each.name for each in second.changed] == ["module"]
    assert all(len(each) == 12 for each in (second.changed[0].before, second.changed[0].after))
    assert [(each.name, each.before, each.after) for each in third.changed] == [
        ("mode", "reference", "fast")
    ]


def test_the_memory_of_a_kernel(tmp_path: Path) -> None:
    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((64,), jnp.float32),
        mesh=one_subcore(),
        scratch_types=[pltpu.VMEM((64,), jnp.float32), pltpu.SMEM((8,), jnp.int32)],
    )
    def scoped(x: Any, out: Any, held: Any, numbers: Any) -> None:
        del numbers
        pltpu.sync_copy(x, held)

        def first(half: Any) -> None:
            with jax.named_scope("halves"):
                half[...] = held[pl.ds(0, 32)] + 1
                held[pl.ds(0, 32)] = half[...]

        def second(quarter: Any) -> None:
            quarter[...] = held[pl.ds(0, 16)] + 1
            held[pl.ds(0, 16)] = quarter[...]

        pl.run_scoped(first, pltpu.VMEM((32,), jnp.float32))
        pl.run_scoped(second, pltpu.VMEM((16,), jnp.float32))
        pltpu.sync_copy(held, out)

    called: Kernel = scoped
    with sc.record(tmp_path / "run"):
        jax.block_until_ready(jax.jit(called)(jnp.zeros(64)))
    (held,) = memory_of_run(read_run(tmp_path / "run")).programs
    assert (held.name, held.capacity, held.tiles) == ("kernel of scoped", 2**19, 16)
    assert held.bytes == 256 + 128  # Both scopes have the same place: they are not open at once.
    (phase,) = held.phases
    lines = Path(__file__).read_text().splitlines()
    line = next(number for number, each in enumerate(lines, 1) if "pl.run_scoped(second" in each)
    assert phase.steps == ("all", "halves", f"test_record_kernels.py:{line}")
    assert [
        (each.offset, each.bytes, each.shape, each.first, each.last) for each in phase.buffers
    ] == [
        (0, 256, "64xf32", 0, 2),
        (256, 128, "32xf32", 1, 1),
        (256, 64, "16xf32", 2, 2),
    ]


def test_a_timeline_of_kernels_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with sc.record("run"):
        for _ in range(STEPS):
            jax.block_until_ready(jax.jit(add_one())(jnp.zeros(16)))
    capfd.readouterr()
    why = "kernels have no simulated time: the cost model is one of lookups and updates"
    assert main(["timeline", "run", "-o", "run.xplane.pb"]) == 0
    found = capfd.readouterr()
    assert found.err == ""
    first, measured_, last = found.out.splitlines()
    assert (first[:15], last) == ("run.xplane.pb: ", why)
    assert measured_.startswith("measured: ")
    assert len(read_planes(Path("run.xplane.pb").read_bytes())) > 0
    assert main(["timeline", "run", "-o", "no.html", "--simulated"]) == 1
    assert f"run 'run': {why}; --measured writes the time on the CPU" in capfd.readouterr().err
    assert not Path("no.html").exists()
