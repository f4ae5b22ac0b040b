"""Where reshards go: at each op of a function, and at what the function returns."""

from __future__ import annotations

from sdykit.core import ops_named, symbols_around
from sdykit.mlir import FuncOp, ir
from sdykit.passes.sdy._call_graph import CALL
from sdykit.passes.sdy._propagation.program import Program
from sdykit.passes.sdy._shardings import REGION_OPS, RESULT_ATTRIBUTE, SHARDING, sharding_keys
from sdykit.passes.sdy._value_shardings import DATA_FLOW_OPS
from sdykit.passes.sdy.insert_explicit_reshards.flows import TERMINATORS, Flows
from sdykit.passes.sdy.insert_explicit_reshards.planning import Plan
from sdykit.passes.sdy.insert_explicit_reshards.plans import RESHARDED, Plans
from sdykit.passes.sdy.insert_explicit_reshards.tables import Tables
from sdykit.passes.sdy.insert_explicit_reshards.unreduced import (
    RESHARD,
    Collectives,
    resharded,
    sum_of,
)
from sdykit.passes.sdy.insert_explicit_reshards.values import BARRIER, Tensors, Values

_CONVERTED = frozenset((*DATA_FLOW_OPS, CALL, RESHARD))
"""The ops whose operands get reshards that no sharding rule asks for."""


class Inserter:
    """Inserts reshards in a function."""

    def __init__(self, func: FuncOp, *, is_full: bool) -> None:
        self._func = func
        self._values = Values(symbols_around(func.operation))
        self._shardings = self._values.shardings
        collectives = Collectives(self._shardings)
        self._plans = Plans(self._values, collectives, is_full=is_full)
        self._flows = Flows(func, self._values, collectives, is_full=is_full)
        self._is_full = is_full

    def run(self) -> None:
        """Insert all of them."""
        if self._is_full or _has_unreduced(self._func.operation):
            self._visit_all()
        else:
            self._visit_some()

    def _visit_all(self) -> None:
        program = Program(self._func)
        tables = Tables(program, self._shardings)
        ops, names, attributes = program.ops, program.names, program.attributes
        for node in program.in_post_order()[:-1]:
            name = names[node]
            if name in TERMINATORS:
                continue
            op, tensors = ops[node], tables.tensors(node)
            if name in _CONVERTED or tables.is_after_barrier(node):
                tensors = self._converted(program, tables, node, tensors)
                if tensors is None:
                    continue
            plan = self._plans.of(op, name, attributes[node], tensors)
            if plan is not None:
                self._apply(op, plan)
                tables.set_results(node, plan.seen)
        self._flows.convert_returned(program, tables)

    def _converted(
        self, program: Program, tables: Tables, node: int, tensors: Tensors
    ) -> Tensors | None:
        """Convert what flows into an op; return its tensors after it, None if the op was replaced."""
        op, name = program.ops[node], program.names[node]
        is_stale = tables.is_after_barrier(node)
        if name in DATA_FLOW_OPS:
            is_stale |= self._flows.convert(program, tables, node)
        elif name == CALL:
            is_stale |= self._flows.convert_call(op, tensors)
        elif name == RESHARD and self._adds_unreduced(tensors):
            new = self._flows.with_unreduced(op)
            if new is not None:
                tables.set_results(node, (self._values.number(new),))
                return None
        return self._values.tensors(op, has_barriers=True) if is_stale else tensors

    def _visit_some(self) -> None:
        """Visit the ops that get reshards even if not all are inserted."""
        ops = ops_named(self._func, CALL, *RESHARDED)
        has_barriers = bool(ops and ops_named(self._func, BARRIER))
        for op in ops:
            name, tensors = op.name, self._values.tensors(op, has_barriers=has_barriers)
            if name == CALL and self._flows.convert_call(op, tensors):
                tensors = self._values.tensors(op, has_barriers=has_barriers)
            plan = self._plans.of(op, name, op.attributes, tensors)
            if plan is not None:
                self._apply(op, plan)

    def _adds_unreduced(self, tensors: Tensors) -> bool:
        """Return whether a reshard of tensors is one to a sharding with unreduced axes."""
        wants = self._shardings.find(tensors.numbers[-1])
        return wants is not None and bool(wants.unreduced)

    def _apply(self, op: ir.Operation, plan: Plan) -> None:
        place = ir.InsertionPoint(op)
        for number, sharding, axes in plan.operand_sums:
            op.operands[number] = sum_of(op.operands[number], sharding, axes, place)
        for number, sharding in plan.operand_reshards:
            op.operands[number] = resharded(op.operands[number], sharding, place)
        for number, sharding in plan.result_reshards:
            place = ir.InsertionPoint.after(op)
            _replace_uses(op.results[number], resharded(op.results[number], sharding, place))
        if plan.sharding is not None:
            op.attributes[RESULT_ATTRIBUTE.get(op.name, SHARDING)] = plan.sharding
        for number, sharding, axes in plan.result_sums:
            place = ir.InsertionPoint.after(op)
            _replace_uses(op.results[number], sum_of(op.results[number], sharding, axes, place))


def _replace_uses(value: ir.Value, new: ir.Value) -> None:
    """Let the result of a new op take over the uses of its operand."""
    value.replace_all_uses_except(new, ir.OpResult(new).owner.operation)


def _has_unreduced(func: ir.Operation) -> bool:
    """Return whether a sharding in a function may have unreduced axes."""
    ops = [func, *ops_named(func, *RESULT_ATTRIBUTE, *REGION_OPS)]
    found = {op.attributes.get(key) for op in ops for key in sharding_keys(op.name)}

    def collect(op: ir.Operation) -> ir.WalkResult:
        found.add(op.attributes.get(SHARDING))
        return ir.WalkResult.ADVANCE

    func.walk(collect)
    return any("unreduced" in str(attribute) for attribute in found)
