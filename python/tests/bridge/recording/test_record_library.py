"""A loop of jax-tpu-embedding is recorded by one line around it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sdykit.sparsecore.run import read_run
from support.bridge.ffi_programs import run_python

pytest.importorskip("jax_tpu_embedding")

EXAMPLES = Path(__file__).parents[4] / "examples" / "jax_tpu_embedding_on_cpu"
PROGRAM = f"""
import logging, runpy, sys
import sdykit.sparsecore as sc

logging.getLogger("absl").setLevel("ERROR")
sys.argv = ["two_tower.py", "--steps=5"]
sys.path.insert(0, {str(EXAMPLES)!r})
try:
    with sc.record({{!r}}):
        runpy.run_path({str(EXAMPLES / "two_tower.py")!r}, run_name="__main__")
except SystemExit as stop:
    print("ended with", stop)
"""


def test_a_loop_of_the_library(tmp_path: Path) -> None:
    flags = "--xla_force_host_platform_device_count=2"
    assert "ended with 1" in run_python(PROGRAM.format(str(tmp_path / "run")), XLA_FLAGS=flags)
    run = read_run(tmp_path / "run")
    assert run.error == "SystemExit: 1"
    assert run.devices == 2
    assert [each.name for each in run.stacks] == ["history", "item_user"]
    assert {each.name for each in run.tables} == {"history", "item", "user"}
    names = {(each.name, each.kind) for each in run.programs}
    assert {("history", "lookup"), ("item_user", "lookup"), ("history", "update")} <= names
    assert run.host.name.tolist().count("preprocess") >= 5
    assert set(run.batches.stack.tolist()) == {"history", "item_user"}
    assert run.batches.max_ids.shape[1] == 8
    assert run.batches.max_ids.max() > 0
    trained = [step for step in run.steps if np.sum(run.calls.step == step) == 8]
    assert len(trained) >= 4
    assert run.sampled_steps
    for (program, _), figures in run.figures(run.sampled_steps[0]).items():
        figures.check(run.programs[program].tile)
    values, splits = run.ids[0].ids["history"]
    assert splits[-1] == len(values)
    assert len(splits) == run.tables[0].features[0].batch_size + 1
    assert run.ledger is not None
    assert run.settings["allow_id_dropping"] is False
