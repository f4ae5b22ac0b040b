"""Propagation: every tensor gets a sharding, from those that users gave.

Read `run` first. `axes`, `projection` and `factors` are what happens at one op, which `steps` keeps;
`driver` is the order in which ops are visited, on the tables of `program`. `edges`, `manual` and `calls`
lead into regions and functions, `groups` ties values together, `priorities` says who comes first.
"""

from sdykit.passes.sdy._propagation.run import Propagation
from sdykit.passes.sdy._propagation.steps import StrategyName as Strategy

__all__ = ["Propagation", "Strategy"]
