"""Finding the rule of an op."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sdykit.core import fail, warn
from sdykit.core.sdy.rules import RuleBuilder, Shape, shape_of
from sdykit.core.sdy.user_rules import UserRule, user_rule
from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.passes.sdy._sharding_rules import (  # noqa: F401  (they fill the table)
    collectives,
    dots,
    elementwise,
    gathers,
    movement,
    reshape,
    windows,
)
from sdykit.passes.sdy._sharding_rules.custom_calls import QUIET
from sdykit.passes.sdy._sharding_rules.quiet import NO_RULE
from sdykit.passes.sdy._sharding_rules.table import RULES, TARGETS, Entry

RULE: Final = "sdy.sharding_rule"
"""The attribute of an op that holds its rule."""

_CUSTOM_CALL: Final = "stablehlo.custom_call"


@dataclass
class ShardingRules:
    """Finds the rules of ops, for one run of a pass.

    Attributes:
        conservative: whether factors are left out, or blocked, where a sharding along them would need
            communication that not every partitioner can do.
    """

    conservative: bool = False
    _known: dict[Hashable, sdy.OpShardingRuleAttr | None] = field(default_factory=dict)
    _shapes: dict[ir.Type, Shape] = field(default_factory=dict)
    _reads: dict[str, tuple[str, ...] | None] = field(default_factory=dict)

    def of(self, op: ir.Operation) -> sdy.OpShardingRuleAttr | None:
        """Return the rule of an op, or None if it has none.

        The first op of an unknown name, or custom call of an unknown target, is warned of.
        """
        if RULE in op.attributes:
            return sdy.OpShardingRuleAttr.of(op.attributes[RULE])
        name = _name(op)
        found = user_rule(name)
        if found is not None:
            return self._of_user(op, found)
        entry = (TARGETS if op.name == _CUSTOM_CALL else RULES).get(name)
        if entry is None:
            _warn_of(op, name)
            return None
        types = [value.type for value in (*op.operands, *op.results)]
        read = [op.attributes.get(each) for each in entry.reads]
        # By the function, since ops of many names have one.
        facts = entry.facts and entry.facts(op)
        key = (entry.function, len(op.operands), *types, *read, facts)
        if key not in self._known:
            self._known[key] = self._of_entry(op, entry)
        return self._known[key]

    def key(
        self,
        op_name: str,
        attributes: ir.OpAttributeMap,
        operands: int,
        types: Sequence[Hashable],
    ) -> Hashable | None:
        """Return what all ops with one rule have in common, of those that do not hold a rule.

        Args:
            op_name: the name of an op.
            attributes: its attributes.
            operands: how many operands it has.
            types: the types of its operands and results, or what stands for them.

        Returns:
            None if nothing tells it but the op itself, for which `of` is then to be called.
        """
        if op_name not in self._reads:
            self._reads[op_name] = _reads(op_name)
        reads = self._reads[op_name]
        if reads is None:
            return None
        if not reads:
            return (op_name, operands, *types)
        return (op_name, operands, *types, *[attributes.get(each) for each in reads])

    def _of_entry(self, op: ir.Operation, entry: Entry) -> sdy.OpShardingRuleAttr | None:
        builder = self._builder(op)
        return None if entry.function(op, builder) is False else builder.build()

    def _of_user(self, op: ir.Operation, rule: UserRule) -> sdy.OpShardingRuleAttr:
        builder = self._builder(op)
        try:
            rule(op, builder)
        except ValueError as error:
            fail(op, f"sharding rule of '{_name(op)}': {error}")
        return replace(builder.build(), is_custom_rule=op.name == _CUSTOM_CALL)

    def _builder(self, op: ir.Operation) -> RuleBuilder:
        return RuleBuilder(
            self._shapes_of(op, list(op.operands), "operand"),
            self._shapes_of(op, list(op.results), "result"),
            conservative=self.conservative,
        )

    def _shapes_of(self, op: ir.Operation, values: Sequence[ir.Value], word: str) -> list[Shape]:
        found = []
        for value in values:
            shape = self._shapes.get(value.type)
            if shape is None:
                shape = self._shapes[value.type] = shape_of(value.type)
            if any(size < 0 for size in shape):
                # The words of the verifier of rules.
                fail(
                    op,
                    f"{word} - expected a ranked tensor with a static shape. type: '{value.type}'",
                )
            found.append(shape)
        return found


def _reads(op_name: str) -> tuple[str, ...] | None:
    """Return the attributes that rules of ops of a name depend on, besides types; None if also others."""
    entry = RULES.get(op_name)
    is_asked = op_name == _CUSTOM_CALL or user_rule(op_name) is not None
    if is_asked or (entry is not None and entry.facts is not None):
        return None
    return () if entry is None else entry.reads


def _name(op: ir.Operation) -> str:
    """Return the name of an op, or the target of a custom call."""
    if op.name == _CUSTOM_CALL:
        return ir.StringAttr(op.attributes["call_target_name"]).value
    return op.name


def _warn_of(op: ir.Operation, name: str) -> None:
    if name in QUIET if op.name == _CUSTOM_CALL else name in NO_RULE:
        return
    text = f"custom call @{name}" if op.name == _CUSTOM_CALL else f"op '{name}'"
    warn(op.location, f"{text} is unknown to SDY sharding rule registry", once=name, note=str(op))
