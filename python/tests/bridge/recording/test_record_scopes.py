"""When scopes of kernels began and ended, in all engines: within their calls, and within each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

import sdykit.sparsecore as sc
from sdykit.cli.main import main
from sdykit.sparsecore.mosaic.scopes import KEPT
from sdykit.sparsecore.run import Run, read_run
from sdykit.sparsecore.timeline import Cut, Span, measured
from support.pallas.kernels import Kernel, vector_mesh

CORES, SUBCORES, RUNS, TIMES = 2, 4, 4, KEPT + 3
LIMIT = 100


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    yield
    sc.configure()


@pytest.fixture(params=("check", "fast", "reference"))
def mode(request: pytest.FixtureRequest) -> str:
    sc.configure("7x", pallas=request.param, counters=True)
    return request.param


def scoped(*, meets: bool = False) -> Kernel:
    """Return a kernel with a scope, and in it a loop with another."""

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((CORES * SUBCORES, 16), jnp.float32),
        mesh=vector_mesh(num_cores=CORES, num_subcores=SUBCORES),
        scratch_types=[pltpu.VMEM((1, 16), jnp.float32)],
        name="scoped",
    )
    def kernel(x: Any, out: Any, row: Any) -> None:
        at = jax.lax.axis_index("core") * SUBCORES + jax.lax.axis_index("subcore")
        with jax.named_scope("whole"):

            @pl.loop(0, TIMES)
            def _(_: Any) -> None:
                with jax.named_scope("copy"):
                    pltpu.sync_copy(x.at[pl.ds(at, 1)], row)

            if meets:
                with jax.named_scope("meet"):
                    plsc.subcore_barrier()
        with jax.named_scope("write"):
            pltpu.sync_copy(row, out.at[pl.ds(at, 1)])

    return kernel  # pyright: ignore[reportReturnType]


def recorded(path: Path, kernel: Kernel, runs: int = RUNS) -> Run:
    function, x = jax.jit(kernel), jnp.ones((CORES * SUBCORES, 16))
    with sc.record(path):
        for _ in range(runs):
            jax.block_until_ready(function(x))
    return read_run(path)


def on_tiles(spans: list[Span]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for each in spans:
        if "tile" in each.track:
            found.setdefault(each.track, []).append(each)
    return found


def test_scopes_are_in_each_other_and_in_their_call(tmp_path: Path, mode: str) -> None:
    run = recorded(tmp_path / "run", scoped())
    assert run.scopes.name.dtype.kind == "U"
    calls = [each for each in measured(run) if each.kind == "program"]
    tiles = on_tiles(measured(run))
    assert sorted(tiles) == [
        f"TPU:0 SparseCore {core} tile {tile}" for core in range(CORES) for tile in range(SUBCORES)
    ]
    # Of runs 0, 1, 2, 4 and so on.
    for spans in tiles.values():
        assert {each.arguments["step"] for each in spans} == {0, 1, 2}
    for spans in tiles.values():
        first = [each for each in spans if each.arguments["step"] == 0]
        names = [each.name for each in sorted(first, key=lambda each: (each.start, -each.seconds))]
        assert names == ["whole", *["copy"] * KEPT, "write"], mode
        by_name = {each.name: each for each in first}
        whole, last = by_name["whole"], by_name["copy"]
        assert whole.arguments["scope"] == "whole"
        assert last.arguments["scope"] == "whole/copy"
        assert last.arguments["kernel"] == "scoped"
        assert last.arguments["left out"] == TIMES - KEPT
        assert 0 <= float(last.arguments["seconds left out"]) <= whole.end - last.end
        copies = [each for each in first if each.name == "copy"]
        assert [each.arguments.get("left out", 0) for each in copies] == [0] * (KEPT - 1) + [
            TIMES - KEPT
        ]
        times = [whole.start, *(t for each in copies for t in (each.start, each.end)), whole.end]
        assert times == sorted(times)
        assert calls[0].start <= whole.start
        assert whole.end <= by_name["write"].start <= by_name["write"].end <= calls[0].end


def test_who_waits_for_the_others_is_in_the_scope(tmp_path: Path, mode: str) -> None:
    """All leave a barrier after the last has come to it."""
    spans = on_tiles(measured(recorded(tmp_path / "run", scoped(meets=True), 1)))
    for core in range(CORES):
        meet = [
            each
            for track, on_track in spans.items()
            for each in on_track
            if each.name == "meet" and track.startswith(f"TPU:0 SparseCore {core} ")
        ]
        assert len(meet) == SUBCORES, mode
        assert max(each.start for each in meet) <= min(each.end for each in meet)


def test_scalar_subcores_are_sequencers(tmp_path: Path, mode: str) -> None:
    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((16,), jnp.float32),
        mesh=plsc.ScalarSubcoreMesh(axis_name="core", num_cores=1),
    )
    def copied(x: Any, out: Any) -> None:
        with jax.named_scope("copy"):
            pltpu.sync_copy(x, out)

    kernel: Kernel = copied
    with sc.record(tmp_path / "run"):
        jax.block_until_ready(jax.jit(kernel)(jnp.zeros(16)))
    spans = [each for each in measured(read_run(tmp_path / "run")) if "scope" in each.arguments]
    assert [(each.track, each.name) for each in spans] == [("TPU:0 SparseCore 0 sequencer", "copy")]
    assert mode


def test_a_cut_has_the_tiles_that_it_names(tmp_path: Path) -> None:
    sc.configure("7x", pallas="fast", counters=True)
    run = recorded(tmp_path / "run", scoped())
    cut = measured(run, Cut(first=1, last=2, cores=((0, 1),), tiles=(2,)))
    assert Counter(each.track for each in cut if "scope" in each.arguments) == {
        "TPU:0 SparseCore 1 tile 2": KEPT + 2
    }


def test_scopes_keep_to_the_limit_of_spans(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of the first step, the last subcores are left out; none is there in part."""
    sc.configure("7x", pallas="fast", counters=True)
    monkeypatch.chdir(tmp_path)
    run = recorded(Path("run"), scoped())
    spans = measured(run, Cut(spans=LIMIT))
    assert {each.name for each in spans if each.kind == "step"} == {"0"}
    others = sum("scope" not in each.arguments for each in spans)
    of_tile = KEPT + 2
    kept = (LIMIT - others) // of_tile
    assert 0 < kept < CORES * SUBCORES
    names = [f"TPU:0 SparseCore {at // SUBCORES} tile {at % SUBCORES}" for at in range(kept)]
    assert {track: len(on_track) for track, on_track in on_tiles(spans).items()} == dict.fromkeys(
        names, of_tile
    )
    capfd.readouterr()
    assert main(["timeline", "run", "-o", "run.html", "--measured", f"--spans={LIMIT}"]) == 0
    assert (
        f"  left out: the scopes of kernels on {CORES * SUBCORES - kept} subcores, beyond {LIMIT} "
        "spans; --core and --tile choose some, --spans allows more\n"
    ) in capfd.readouterr().out
    # Those of one tile leave room for all steps.
    one = ("--core=0:1", "--tile=2", f"--spans={LIMIT}")
    assert main(["timeline", "run", "-o", "run.html", "--measured", *one]) == 0
    found = capfd.readouterr().out
    assert found.endswith(f"steps 0 to {RUNS - 1}\n")


def test_a_run_without_room_for_scopes_has_its_calls(tmp_path: Path) -> None:
    sc.configure("7x", pallas="fast", counters=True)
    spans = measured(recorded(tmp_path / "run", scoped()), Cut(spans=1))
    assert on_tiles(spans) == {}
    assert [each.name for each in spans if each.kind == "program"] == ["kernel scoped"]


def test_nothing_is_noted_without_counters(tmp_path: Path) -> None:
    sc.configure("7x", pallas="fast")
    run = recorded(tmp_path / "run", scoped(), 1)
    assert len(run.scopes) == 0
    assert on_tiles(measured(run)) == {}


def test_a_failed_run_has_no_scopes(tmp_path: Path) -> None:
    """What it noted is not whole."""
    sc.configure("7x", pallas="fast", counters=True)

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((1, 16), jnp.float32),
        mesh=vector_mesh(num_cores=1, num_subcores=1),
        scratch_types=[pltpu.VMEM((1, 16), jnp.float32)],
    )
    def failing(x: Any, at: Any, out: Any, row: Any) -> None:
        with jax.named_scope("copy"):
            pltpu.sync_copy(at, row)
            first = row[0, ...].astype(jnp.int32)[0]
            pltpu.sync_copy(x.at[pl.ds(first, 1)], row)
        pltpu.sync_copy(row, out)

    kernel: Kernel = failing
    function, x = jax.jit(kernel), jnp.ones((4, 16))
    with sc.record(tmp_path / "run"):
        jax.block_until_ready(function(x, jnp.zeros((1, 16))))
        with pytest.raises(jax.errors.JaxRuntimeError, match="out of bounds"):
            jax.block_until_ready(function(x, jnp.full((1, 16), 9.0)))
    run = read_run(tmp_path / "run")
    assert np.unique(run.scopes.call).tolist() == [0]
