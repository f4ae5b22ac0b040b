"""Checkpoints and optimizers in StableHLO, which jax-tpu-embedding has since 0.2.0."""

from __future__ import annotations

from importlib import metadata

import pytest

from support.jax_tpu_embedding.layer_runs import errors

NEW = ("checkpoints", "stablehlo")

pytestmark = pytest.mark.skipif(
    metadata.version("jax-tpu-embedding").startswith("0.1."),
    reason="jax-tpu-embedding 0.1 has none; 0.2 wants Python 3.12",
)


@pytest.mark.parametrize("program", NEW)
def test_programs_run_on_4_devices_of_4_sparse_cores(program: str) -> None:
    error = errors("layer_programs_of_0_2.py", "v5p", 4, NEW)[program]
    assert error is None, error
