"""What a program is drawn from: a seed for its header and one for each statement."""

from __future__ import annotations

import random
from dataclasses import dataclass

SEED_BITS = 24
"""Hypothesis draws integers of more bits mostly among the small ones."""
STATEMENTS = 10


@dataclass(frozen=True)
class ProgramSpec:
    """A program: a seed for its topology and habits, and one for each of its statements."""

    header: int
    statements: tuple[int, ...]


def seeded_spec(seed: int, max_statements: int = STATEMENTS) -> ProgramSpec:
    """Draw a spec without hypothesis, for sweeps over many programs."""
    source = random.Random(seed)
    count = source.randint(1, max_statements)
    header = source.getrandbits(SEED_BITS)
    return ProgramSpec(header, tuple(source.getrandbits(SEED_BITS) for _ in range(count)))
