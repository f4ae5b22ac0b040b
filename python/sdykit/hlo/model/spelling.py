"""The spelling of instructions in text, which is kept so that they are printed as they were read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spelling:
    """The spelling of an instruction, which the reader finds in the text."""

    percent: bool = True
    """Whether its name is written `%name`."""
    operand_percent: bool = True
    """Whether names of operands are written `%name`."""
    operand_shapes: bool = False
    """Whether operands are written with their shapes: `f32[4] %x`."""
    index_comments: bool = True
    """Whether every fifth operand has a comment with its number: `/*index=5*/`."""


XLA_SPELLING = Spelling()
"""The spelling that XLA prints by default."""
