"""Random ops of every kind that has a sharding rule, each in a function of its own.

`drawing` draws shapes and writes ops, the other modules have the kinds; `op_functions` returns functions.
"""

from support.sdy.rule_ops import indexed, plain, products  # noqa: F401  (they add kinds)
from support.sdy.rule_ops.drawing import KINDS, op_functions

__all__ = ["KINDS", "op_functions"]
