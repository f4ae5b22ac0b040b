"""What is inserted at an op: it depends on its rule and on the shardings of its tensors only."""

from __future__ import annotations

from collections.abc import Hashable

from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.passes.sdy._call_graph import CALL
from sdykit.passes.sdy._propagation.steps import Rule, rule_of
from sdykit.passes.sdy._sharding_rules import RULE, ShardingRules
from sdykit.passes.sdy._value_shardings import DATA_FLOW_OPS
from sdykit.passes.sdy.insert_explicit_reshards.dots import DOTS
from sdykit.passes.sdy.insert_explicit_reshards.planning import Case, Plan, Planning, Sum
from sdykit.passes.sdy.insert_explicit_reshards.unreduced import Collectives, axes_without
from sdykit.passes.sdy.insert_explicit_reshards.values import Tensors, Values

_CONCATENATE = "stablehlo.concatenate"
_RAGGED_DOT = "mhlo.ragged_dot"

RESHARDED = frozenset((_CONCATENATE, _RAGGED_DOT, *DOTS))
"""The ops whose tensors are resharded even if not all reshards are inserted."""


class Plans:
    """Finds the plans of ops, each once."""

    def __init__(self, values: Values, collectives: Collectives, *, is_full: bool) -> None:
        self._values = values
        self._shardings = values.shardings
        self._collectives = collectives
        self._rules = ShardingRules()
        self._is_full = is_full
        self._cases: dict[Hashable, Case] = {}
        # Views of rules are slow to compare; each is held here, so that its id stays its own.
        self._of_view: dict[int, tuple[sdy.OpShardingRuleAttr, Rule | None]] = {}

    def of(
        self, op: ir.Operation, name: str, attributes: ir.OpAttributeMap, tensors: Tensors
    ) -> Plan | None:
        """Return the plan of an op; None if there is nothing to insert."""
        count, numbers, sources, types = tensors
        if len(numbers) == count:
            return None
        alike = (name, count, numbers)
        if sources is not numbers:
            alike = (*alike, sources)
        case = self._cases.get(alike)
        if case is None:
            case = self._cases[alike] = self._case(name, tensors)
        key = None
        # Rules are made for ops that need them only: those of dynamic shapes have none.
        needs_rule = case.mesh is not None
        if needs_rule:
            own = attributes.get(RULE)
            key = self._rules.key(name, attributes, count, types) if own is None else (own, *types)
            if key is None:
                key = (self._rule(op), *types)
        try:
            return case.plans[key]
        except KeyError:
            rule = self._rule(op) if needs_rule else None
            plan = Planning(case, types, self._shardings, self._collectives).plan(rule)
            case.plans[key] = found = None if plan.is_empty else plan
            return found

    def _rule(self, op: ir.Operation) -> Rule | None:
        """Return the rule of an op; None if it has none that reshards follow."""
        view = self._rules.of(op)
        if view is None:
            return None
        known = self._of_view.get(id(view))
        if known is None:
            known = self._of_view[id(view)] = view, None if view.is_custom_rule else rule_of(view)
        return known[1]

    def _case(self, name: str, tensors: Tensors) -> Case:
        count = tensors.operands
        shardings = list(map(self._shardings.find, tensors.sources))
        result = shardings[count]
        kept = result.unreduced if result is not None else ()
        sums: list[Sum] = []
        if name not in DATA_FLOW_OPS and name != CALL:
            for number, has in enumerate(map(self._shardings.find, tensors.numbers[:count])):
                axes = () if has is None else axes_without(has.unreduced, kept)
                if has is not None and axes:
                    left = has._replace(unreduced=axes_without(has.unreduced, axes))
                    made = self._shardings.make(left), self._collectives.axes(has.mesh, axes)
                    sums.append(Sum(number, *made))
                    shardings[number] = left
        is_odd = name == _CONCATENATE and any(each != result for each in shardings[:count])
        is_whole = self._is_full or name == _RAGGED_DOT or is_odd
        needs_rule = is_whole or bool(kept) or name in DOTS
        mesh = self._values.mesh(shardings) if needs_rule else None
        return Case(name, count, shardings, tuple(sums), mesh, is_whole, bool(kept))
