"""Random programs drawn by hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from support.mpmd.programs.features import OPTIONAL, Features
from support.mpmd.programs.modules import program_text
from support.mpmd.programs.spec import SEED_BITS, STATEMENTS, ProgramSpec


@st.composite
def programs(
    draw: st.DrawFn, *, oracle: bool = True, max_statements: int = STATEMENTS, **features: bool
) -> str:
    """Draw the text of a program by hypothesis.

    It shrinks by leaving out statements, by switching off the features that are not among
    `features`, and towards what clean-up passes leave as it is.
    """
    # The number first: the strategy for lists prefers short ones.
    count = draw(st.integers(0, max_statements))
    seeds = st.integers(0, 2**SEED_BITS - 1)
    spec = ProgramSpec(draw(seeds), tuple(draw(seeds) for _ in range(count)))
    free = [name for name in OPTIONAL if name not in features]
    off = {name: False for name in free if draw(st.integers(0, 4)) == 0}
    clean = oracle or draw(st.integers(0, 4)) == 0
    return program_text(spec, Features(oracle=clean, **{**off, **features}))
