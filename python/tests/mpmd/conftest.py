from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.mpmd.oracle import MpmdOracle


@pytest.fixture(scope="session")
def partitioner() -> Iterator[MpmdOracle]:
    """The C++ partitioner, in a process of its own."""
    with MpmdOracle() as made:
        yield made
