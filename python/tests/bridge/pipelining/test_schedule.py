"""A step as asynchronous HLO, and in which order its parts are executed."""

from __future__ import annotations

import textwrap
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.opt.main import run as run_tool
from sdykit.sparsecore.optimizers import Adam
from sdykit.sparsecore.run import read_run
from support.bridge.ffi_programs import run_python
from support.embedding.pipelines import Model, dense, make_model
from support.embedding.schedules import check_in_order, check_pipelined

WAIT = 0.5
"""Seconds for which the dense part waits, far longer than the programs take."""


def schedule_of(model: Model) -> str:
    """Return the schedule of a step in the steady state."""
    pipeline = sc.pipelined(model.embedding, dense)
    state = pipeline.init(model.variables(), model.carry())
    for batch, inputs in model.data[:2]:
        state, _ = pipeline.step(state, batch, inputs)
    return pipeline.schedule(state, *model.data[2])


def test_the_schedule_on_one_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = schedule_of(make_model(Adam(0.01), steps=3))
    check_pipelined(text)
    file = tmp_path / "step.hlo"
    file.write_text(text)
    assert run_tool([str(file), "-async-verify"], "hlo-opt") == 0
    assert capsys.readouterr().out == text


def test_the_schedule_without_pipelining() -> None:
    check_in_order(schedule_of(make_model(Adam(0.01), steps=3, is_off=True)))


def test_the_schedules_on_four_devices() -> None:
    program = """
    import sdykit.sparsecore as sc
    sc.lookup  # Sets NPROC.
    import sys
    sys.path.insert(0, {folder!r})
    from sdykit.sparsecore.optimizers import Adagrad
    from support.embedding.pipelines import make_model
    from support.embedding.schedules import check_in_order, check_pipelined
    from test_schedule import schedule_of
    check_pipelined(schedule_of(make_model(Adagrad(0.1), devices=4, steps=3)))
    check_in_order(schedule_of(make_model(Adagrad(0.1), devices=4, steps=3, is_off=True)))
    """
    text = textwrap.dedent(program).format(folder=str(Path(__file__).parent))
    assert run_python(text, XLA_FLAGS="--xla_force_host_platform_device_count=4") == ""


def _run_and_record(is_off: bool, folder: Path) -> tuple[Any, Any, float]:
    """Record a step in whose dense part the host waits for `WAIT` seconds.

    Returns:
        The starts and the ends of programs by kind, and the end of the dense part, in seconds after the
        recording began; the last one is a little too early.
    """
    model = make_model(Adam(0.01), is_off=is_off, steps=4)
    spans: list[tuple[float, float]] = []

    def wait(x: Any) -> Any:
        begin = time.perf_counter()
        time.sleep(WAIT)
        spans.append((begin, time.perf_counter()))
        return np.asarray(x)

    def waiting(weight: Any, activations: dict[str, jax.Array], targets: Any) -> Any:
        like = jax.ShapeDtypeStruct((), jnp.float32)
        zero = jax.pure_callback(wait, like, 0.0 * activations["user"][0, 0])
        return dense(weight, {name: x + zero for name, x in activations.items()}, targets)

    pipeline = sc.pipelined(model.embedding, waiting)
    state = pipeline.init(model.variables(), model.carry())
    for batch, inputs in model.data[:3]:
        state, _ = jax.block_until_ready(pipeline.step(state, batch, inputs))
    spans.clear()
    with sc.record(folder):
        zero = time.perf_counter()
        jax.block_until_ready(pipeline.step(state, *model.data[3]))
    run = read_run(folder)
    ((_, end),) = spans
    kinds = np.array([run.programs[number].spec.kind for number in run.calls.program])
    assert sorted(kinds) == ["lookup", "lookup", "update", "update"]
    starts = {kind: run.calls.start[kinds == kind] for kind in kinds}
    ends = {kind: run.calls.end[kinds == kind] for kind in kinds}
    return starts, ends, end - zero


def test_tf_xla_disable_full_embedding_pipelining(tmp_path: Path) -> None:
    starts, ends, _ = _run_and_record(is_off=True, folder=tmp_path / "run")
    assert min(starts["update"]) - max(ends["lookup"]) >= WAIT


def test_without_tf_xla_disable_full_embedding_pipelining(tmp_path: Path) -> None:
    starts, ends, end_of_dense = _run_and_record(is_off=False, folder=tmp_path / "run")
    assert min(ends["update"]) <= min(starts["lookup"])
    assert max(ends["lookup"]) < end_of_dense
