"""The example that trains a transformer in stages: its losses are those of plain JAX."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_a_few_steps_have_the_losses_of_plain_jax() -> None:
    module = "examples.pipelined_training.train"
    done = subprocess.run(
        [sys.executable, "-m", module, "--steps=3", "--microbatches=2", "--batch=4"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = re.search(r"largest relative difference of the losses: (\S+)", done.stdout)
    assert found is not None
    assert float(found[1]) < 1e-5
    losses = [
        float(line.split()[1]) for line in re.findall(r"^ +[02]  .*$", done.stdout, re.MULTILINE)
    ]
    assert losses[1] < losses[0]
