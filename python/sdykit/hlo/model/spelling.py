"""How instructions are written in text, so that they can be printed as they were read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spelling:
    """How an instruction is written; the reader takes it from the text."""

    percent: bool = True
    """Its name is written `%name`."""
    operand_percent: bool = True
    """And those of its operands."""
    operand_shapes: bool = False
    """Operands are written with their shapes: `f32[4] %x`."""
    index_comments: bool = True
    """Every fifth operand is counted: `/*index=5*/`."""


XLA_SPELLING = Spelling()
"""What XLA prints by default."""
