"""Where reshards go: at each op of a function, and at what the function returns."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core import FUNC
from sdykit.mlir import FuncOp, ir
from sdykit.passes.sdy._call_graph import (
    CALL,
    argument_shardings,
    callee_name,
    result_shardings,
)
from sdykit.passes.sdy._propagation.edges import OPERANDS, flows_from
from sdykit.passes.sdy._propagation.manual import boundary_of
from sdykit.passes.sdy._propagation.projection import Dim
from sdykit.passes.sdy._propagation.shardings import Sharding
from sdykit.passes.sdy._shardings import sharding_keys
from sdykit.passes.sdy._value_shardings import ARGUMENTS_OWN_EDGES, DATA_FLOW_OPS, rank
from sdykit.passes.sdy.insert_explicit_reshards.by_rule import RESHARDED, ByRule
from sdykit.passes.sdy.insert_explicit_reshards.unreduced import (
    RESHARD,
    Collectives,
    axes_without,
)
from sdykit.passes.sdy.insert_explicit_reshards.values import Values

_TERMINATORS = frozenset(
    ("func.return", "stablehlo.return", "sdy.return", "mpmd.return", "mhlo.return")
)
_RESHARDED = frozenset((*DATA_FLOW_OPS, CALL, RESHARD, *RESHARDED))
"""The ops that need reshards even if not all are inserted, and no axes are to be summed."""


class Inserter:
    """Inserts reshards in a function."""

    def __init__(self, func: FuncOp, *, is_full: bool) -> None:
        self._func = func.operation
        self._values = Values(_module(self._func))
        self._shardings = self._values.shardings
        self._collectives = Collectives(self._shardings)
        self._by_rule = ByRule(self._values, self._collectives, is_full=is_full)
        self._is_full = is_full

    def run(self) -> None:
        """Insert all of them."""
        ops: list[ir.Operation] = []

        def collect(op: ir.Operation) -> ir.WalkResult:
            ops.append(op)
            return ir.WalkResult.ADVANCE

        for region in self._func.regions:
            for block in region.blocks:
                for op in block.operations:
                    op.operation.walk(collect, ir.WalkOrder.POST_ORDER)
        names = [op.name for op in ops]
        visits_all = self._is_full or _has_unreduced([self._func, *ops], [FUNC, *names])
        for op, name in zip(ops, names, strict=True):
            if name not in _TERMINATORS if visits_all else name in _RESHARDED:
                self._visit(op, name)
        self._returned()

    def _visit(self, op: ir.Operation, name: str) -> None:
        if name in DATA_FLOW_OPS:
            self._flow(op)
        elif name == CALL:
            self._call(op)
        elif name == RESHARD and self._adds_unreduced(op):
            return
        self._reduce_operands(op)
        self._by_rule.visit(op)

    # Data flow, calls and returns.

    def _flow(self, op: ir.Operation) -> None:
        owners = list(op.results)
        if op.name in ARGUMENTS_OWN_EDGES:
            owners += op.regions[0].blocks[0].arguments
        for owner in owners:
            is_argument = isinstance(owner, ir.BlockArgument)
            number = owner.arg_number if is_argument else ir.OpResult(owner).result_number
            wanted = self._values.sharding(owner)
            boundary = boundary_of(op, number, self._shardings, is_argument=is_argument)
            if boundary is not None:
                wanted = boundary.outer if is_argument else boundary.to_inner(boundary.outer)
            for origin in flows_from(op.name, len(op.regions), is_argument=is_argument):
                user = op if origin == OPERANDS else _terminator(op, origin)
                if user is not None:
                    self._convert(user, number, wanted, is_full=self._is_full)

    def _call(self, op: ir.Operation) -> None:
        callee = self._values.functions.get(callee_name(op))
        if callee is None:
            return
        given = [
            None if each is None else self._shardings.read(each)
            for each in argument_shardings(callee)
        ]
        mesh = self._values.mesh(given)
        for number, each in enumerate(given):
            wanted = each
            # As in C++: where an argument of the function has a sharding, the others are open.
            if each is None and mesh is not None:
                wanted = Sharding(mesh, (Dim(),) * rank(op.operands[number].type))
            self._convert(op, number, wanted, is_full=True)

    def _returned(self) -> None:
        terminator = _terminator(self._func)
        if terminator is None or terminator.name not in _TERMINATORS:
            return
        for number, attribute in enumerate(result_shardings(self._func)):
            wanted = None if attribute is None else self._shardings.read(attribute)
            self._convert(terminator, number, wanted, is_full=self._is_full, at=terminator)

    def _convert(
        self,
        user: ir.Operation,
        number: int,
        wanted: Sharding | None,
        *,
        is_full: bool,
        at: ir.Operation | None = None,
    ) -> None:
        """Give an operand a wanted sharding, by new ops after its definition or before an op."""
        value = user.operands[number]
        has = self._values.sharding(value)
        if has is None and wanted is None:
            return
        place = ir.InsertionPoint(at) if at is not None else _after(value)
        new = self._collectives.convert(value, has, wanted, place, is_full=is_full)
        if new != value:
            user.operands[number] = new

    # Unreduced axes.

    def _adds_unreduced(self, op: ir.Operation) -> bool:
        """Replace a reshard to more unreduced axes; return whether it was one."""
        has, wants = self._values.sharding(op.operands[0]), self._values.sharding(op.results[0])
        if has is None or wants is None or not axes_without(wants.unreduced, has.unreduced):
            return False
        place = ir.InsertionPoint(op)
        new = self._collectives.convert(op.operands[0], has, wants, place, is_full=False)
        op.results[0].replace_all_uses_with(new)
        self._values.erase(op)
        return True

    def _reduce_operands(self, op: ir.Operation) -> None:
        """Sum operands over unreduced axes that the first result does not have."""
        if not op.results or op.name in DATA_FLOW_OPS or op.name == CALL:
            return
        result = self._values.sharding(op.results[0])
        kept = result.unreduced if result is not None else ()
        for number, operand in enumerate(op.operands):
            has = self._values.sharding(operand)
            if has is None:
                continue
            axes = axes_without(has.unreduced, kept)
            if axes:
                place = ir.InsertionPoint(op)
                op.operands[number] = self._collectives.all_reduce(operand, has, axes, place)


def _has_unreduced(ops: Sequence[ir.Operation], names: Sequence[str]) -> bool:
    """Return whether a sharding that ops of some names hold may have unreduced axes."""
    found: set[ir.Attribute | None] = set()
    for op, name in zip(ops, names, strict=True):
        attributes = op.attributes
        for key in sharding_keys(name):
            found.add(attributes.get(key))
    return any("unreduced" in str(attribute) for attribute in found)


def _terminator(op: ir.Operation, region: int = 0) -> ir.Operation | None:
    """Return the last op of a region's first block; None if it has none."""
    blocks = list(op.regions[region].blocks)
    return list(blocks[0].operations)[-1].operation if blocks else None


def _after(value: ir.Value) -> ir.InsertionPoint:
    if isinstance(value, ir.BlockArgument):
        return ir.InsertionPoint.at_block_begin(value.owner)
    return ir.InsertionPoint.after(ir.OpResult(value).owner.operation)


def _module(op: ir.Operation) -> ir.Operation:
    parent = op.parent
    return parent.operation if parent is not None else op
