"""The spec of a random module: seeds for its header, functions and statements."""

from __future__ import annotations

import random
from dataclasses import dataclass

from hypothesis import strategies as st

_SEED_BITS = 24
"""Hypothesis draws integers of more bits mostly among the small ones."""


@dataclass(frozen=True)
class FunctionSpec:
    """A function: a seed for its signature and one for each of its statements."""

    header: int
    statements: tuple[int, ...]


@dataclass(frozen=True)
class ModuleSpec:
    """A module: a seed for its meshes and its profile, and its functions, callees first."""

    header: int
    functions: tuple[FunctionSpec, ...]


@st.composite
def module_specs(draw: st.DrawFn, max_functions: int = 4, max_statements: int = 14) -> ModuleSpec:
    """Draw a spec by hypothesis, which shrinks it by leaving out functions and statements."""
    seeds = st.integers(0, 2**_SEED_BITS - 1)

    def function() -> FunctionSpec:
        # The number first: the strategy for lists prefers short ones.
        count = draw(st.integers(0, max_statements))
        return FunctionSpec(draw(seeds), tuple(draw(seeds) for _ in range(count)))

    count = draw(st.integers(1, max_functions))
    return ModuleSpec(draw(seeds), tuple(function() for _ in range(count)))


def seeded_spec(seed: int, max_functions: int = 4, max_statements: int = 14) -> ModuleSpec:
    """Draw a spec without hypothesis, for sweeps over many modules."""
    source = random.Random(seed)

    def function() -> FunctionSpec:
        count = source.randint(0, max_statements)
        return FunctionSpec(
            source.getrandbits(_SEED_BITS),
            tuple(source.getrandbits(_SEED_BITS) for _ in range(count)),
        )

    count = source.randint(1, max_functions)
    return ModuleSpec(source.getrandbits(_SEED_BITS), tuple(function() for _ in range(count)))
