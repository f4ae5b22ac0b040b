"""Kernels of JAX in all engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import numpy as np
import numpy.typing as npt

import sdykit.sparsecore as sc
from sdykit.sparsecore.mosaic.compile import fallbacks
from support.codegen.tile_programs import assert_same

Array = npt.NDArray[Any]
MODES = ("reference", "fast", "check")


def assert_engines_agree(
    kernel: Callable[..., Any], arguments: Sequence[Array], expected: Sequence[Array]
) -> None:
    """Check that a kernel has the expected bits in all engines, and is compiled where it may be.

    Args:
        kernel: the kernel, or a function that calls some.
        arguments: its operands.
        expected: its results.
    """
    known = sum(each.count for each in fallbacks())
    try:
        for mode in MODES:
            sc.configure("7x", pallas=mode)
            # A function of its own: JAX keeps what it has compiled of others.
            compiled = jax.jit(partial(kernel))
            results = jax.tree.leaves(compiled(*arguments))
            for number, (found, wanted) in enumerate(zip(results, expected, strict=True)):
                assert_same(np.asarray(found).ravel(), wanted.ravel(), f"{mode}, result {number}")
    finally:
        sc.configure()
    assert sum(each.count for each in fallbacks()) == known, fallbacks()[-1]
