"""Propagation: every tensor gets a sharding, from those that users gave.

Read `run` first. A module becomes tables: `program` has its ops and values by number, `slots` the sharding
of each value, `kinds` what steps of alike ops depend on. `axes`, `projection` and `factors` are what happens
at one op, which `steps` computes and `tables` keeps; `run_tables` says which table an op has in a run.
`driver` is the order in which ops are visited, with `worklist`, `affected` and `dead`. `edges`, `manual`,
`calls` and `results` lead into regions and functions, `groups` ties values together, `priorities` says who
comes first, `records` is for debugging.
"""

from sdykit.passes.sdy._propagation.run import Propagation
from sdykit.passes.sdy._propagation.steps import StrategyName as Strategy

__all__ = ["Propagation", "Strategy"]
