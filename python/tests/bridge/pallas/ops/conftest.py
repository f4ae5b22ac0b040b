"""Chips and modes that each op is tested on."""

from collections.abc import Iterator

import pytest

import sdykit.sparsecore as sc


@pytest.fixture(params=["reference", "fast"])
def mode(request: pytest.FixtureRequest) -> str:
    """How kernels run."""
    return request.param


@pytest.fixture(params=["7x", "v5p"])
def chip(request: pytest.FixtureRequest, mode: str) -> Iterator[str]:
    """The chip: vectors of 16 lanes, and of 8."""
    sc.configure(request.param, pallas=mode)
    yield request.param
    sc.configure()
