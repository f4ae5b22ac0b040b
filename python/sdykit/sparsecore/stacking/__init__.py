"""Stacks: tables that share a program, and how their arrays are laid out.

Read `stacks` first, which decides what goes into a stack; `arrays` converts tables and activations
to the layout of a stack and back.
"""

from sdykit.sparsecore.stacking.stacks import (
    ADVISED_TABLES,
    ROW_ALIGNMENT,
    Stack,
    StackedFeature,
    StackedTable,
    check_stacks,
    check_system,
    stack,
    stack_name,
)

__all__ = [
    "ADVISED_TABLES",
    "ROW_ALIGNMENT",
    "Stack",
    "StackedFeature",
    "StackedTable",
    "check_stacks",
    "check_system",
    "stack",
    "stack_name",
]
