"""The library's public API on CPU devices: against a dense model, and the bits of the reference."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support import SUPPORT
from support.jax_tpu_embedding import matrix_axes as axes
from support.jax_tpu_embedding.layer_runs import errors

PROGRAMS = (
    "eager",
    "eager, minibatches",
    "jit",
    "jit, minibatches",
    "shard_map, 1 device",
    "shard_map, 2 devices",
    "shard_map, 4 devices",
    "shard_map, minibatches",
    "buffers by hand",
    "quantized",
    "gradients",
    "gradients, 4 devices",
    "bounds",
    "features",
    "control flow",
    "threads",
    "shapes",
    "several devices without a map",
)


@pytest.mark.parametrize("system", axes.AXES["system"])
def test_training_has_the_bits_of_the_reference(system: str) -> None:
    program = SUPPORT / "jax_tpu_embedding/matrix.py"
    done = subprocess.run(
        [sys.executable, str(program), f"--system={system}"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    count = sum(case.system == system for case in axes.pairwise())
    assert done.stdout == f"{count} cases on {system}, 0 failed\n", done.stderr
    assert done.returncode == 0


def test_cases_cover_all_pairs_of_values() -> None:
    """Every two values that the library allows together are in a case."""
    cases = axes.pairwise()
    assert len(cases) < 75
    for case in cases:
        assert case.is_possible
    for one, other in [("system", "optimizer"), ("minibatches", "call"), ("inputs", "combiner")]:
        met = {(getattr(case, one), getattr(case, other)) for case in cases}
        assert len(met) == len(axes.AXES[one]) * len(axes.AXES[other])


@pytest.mark.parametrize("program", PROGRAMS)
def test_primitives_can_be_called_directly(program: str) -> None:
    error = errors("matrix_primitives.py", "v5p", 4, PROGRAMS)[program]
    assert error is None, error
