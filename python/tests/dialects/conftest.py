from __future__ import annotations

import pytest

from sdykit.mlir import ir, make_context


@pytest.fixture(scope="module")
def context() -> ir.Context:
    """A context that the tests of a module share, so that hypothesis may use it."""
    return make_context()
