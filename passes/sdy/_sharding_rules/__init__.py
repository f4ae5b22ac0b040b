"""The sharding rule of every op: which dimensions of its operands and results correspond.

A rule names *factors*: dimensions with the same factor are sharded alike. `table` holds the rules by the
name of the op, `elementwise`, `movement`, `reshape`, `dots`, `gathers`, `windows` and `collectives` put
them there, and `custom_calls` those by target. `finding` looks them up: the user's first.
"""

from sdykit.passes.sdy._sharding_rules.finding import RULE, ShardingRules

__all__ = ["RULE", "ShardingRules"]
