"""The names under which XLA keeps what belongs to sdy."""

from __future__ import annotations

SHARDING = "sdy.sharding"
RULE = "sdy.sharding_rule"
"""The attributes in which sdy keeps shardings and rules."""

SHARDING_TEXT = "xla.sdy.sharding"
RULE_TEXT = "xla.sdy.sharding_rule"
IN_SHARDINGS_TEXT = "xla.sdy.in_shardings"
OUT_SHARDINGS_TEXT = "xla.sdy.out_shardings"
MANUAL_AXES_TEXT = "xla.sdy.manual_axes"
GROUP_ID_TEXT = "xla.sdy.sharding_group_id"
DIRECTION_TEXT = "xla.sdy.allowed_direction"
"""The frontend attributes that hold attributes of sdy as text."""

CUSTOM_CALL = "stablehlo.custom_call"

SHARDING_TARGET = "Sharding"
GROUP_TARGET = "xla.sdy.ShardingGroup"
BARRIER_TARGET = "xla.sdy.PropagationBarrier"
RESULT_TARGET = "xla.sdy.FuncResultSharding"
GLOBAL_TO_LOCAL_TARGET = "xla.sdy.GlobalToLocalShape"
LOCAL_TO_GLOBAL_TARGET = "xla.sdy.LocalToGlobalShape"
"""The targets of the custom calls that stand for ops of sdy."""

MANUAL_BODY = "xla.sdy.manual_computation_body"
"""A function whose name contains it is the body of a manual computation."""
