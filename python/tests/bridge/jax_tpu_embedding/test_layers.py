"""Layers, FDO clients, table stacking and auto pipelining of the library, on simulated chips."""

from __future__ import annotations

import pytest

from support.jax_tpu_embedding.layer_runs import errors

ON_BOTH = ("linen", "nnx", "auto_pipelining", "stacking")
ON_V5P = (*ON_BOTH, "auto_pipelining, schedule", "linen, minibatches", "fdo, npz", "fdo, csv")


@pytest.mark.parametrize("program", ON_V5P)
def test_programs_run_on_4_devices_of_4_sparse_cores(program: str) -> None:
    error = errors("layer_programs.py", "v5p", 4, ON_V5P)[program]
    assert error is None, error


@pytest.mark.parametrize("program", ON_BOTH)
def test_programs_run_on_8_devices_of_2_sparse_cores(program: str) -> None:
    error = errors("layer_programs.py", "v6e", 8, ON_BOTH)[program]
    assert error is None, error
