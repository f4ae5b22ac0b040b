"""Stacks: tables that share a program, and how their arrays are laid out.

Read `stacked` first, which describes a stack; `stacks` decides what goes into one, and `arrays` converts tables and activations
to the layout of a stack and back.
"""

from sdykit.sparsecore.stacking.stacked import (
    ADVISED_TABLES,
    LIMITS,
    Stack,
    StackedFeature,
    StackedTable,
)
from sdykit.sparsecore.stacking.stacks import (
    ROW_ALIGNMENT,
    check_stacks,
    check_system,
    stack,
    stack_name,
)

__all__ = [
    "ADVISED_TABLES",
    "LIMITS",
    "ROW_ALIGNMENT",
    "Stack",
    "StackedFeature",
    "StackedTable",
    "check_stacks",
    "check_system",
    "stack",
    "stack_name",
]
