"""The constants of a scope, what they are made of, and where they are used."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from sdykit.core import has_single_blocks
from sdykit.mlir import ir
from sdykit.passes.sdy._call_graph import CALL
from sdykit.passes.sdy.constant_splitter.ops import (
    BROADCAST,
    CONSTANT,
    CONSTANT_PRESERVING,
    IOTA,
    NAMED_COMPUTATION,
    PURE_IF_STATIC,
    SHARDING_GROUP,
    Shape,
    Shapes,
    keeps_constants,
)
from sdykit.passes.sdy.constant_splitter.order import precedes
from sdykit.passes.sdy.constant_splitter.scopes import Computation, Scope, computation_of, ops_in

_LEAVES = (CONSTANT, IOTA)
_COMPUTATIONS = (CALL, NAMED_COMPUTATION)
_CANDIDATES = CONSTANT_PRESERVING.union(_COMPUTATIONS)
"""The ops that may be constants if all their operands are."""


@dataclass(slots=True, eq=False)
class Constant:
    """An op that is a constant, or the expansion of a scalar that is none.

    Attributes:
        op: the op.
        operands: the results that its operands are; empty for an expansion.
        results: its results.
    """

    op: ir.Operation
    operands: Sequence[Result]
    results: list[Result] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Result:
    """A result of a constant.

    Attributes:
        constant: the constant.
        value: the result itself.
        number: its number among the results of the op.
        shape: the shape of its type.
        uses: the number of its uses; a use that gets a copy is counted no longer.
        groups: the `sdy.sharding_group`s that it is in.
    """

    constant: Constant
    value: ir.Value
    number: int
    shape: Shape
    uses: int = 0
    groups: list[ir.Operation] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Use:
    """A use of a constant by an op that is none: the op, the number of its operand, the result."""

    user: ir.Operation
    number: int
    result: Result


class Constants:
    """The constants of a scope, found by following uses, which is faster than a walk over all ops."""

    def __init__(self, scope: Scope, varying: set[Computation], shapes: Shapes) -> None:
        """Find the constants.

        Args:
            scope: the scope.
            varying: the computations that do not make constants out of constants. The scope's own
                is added if it is one.
            shapes: the shapes of types.
        """
        self.found: list[Constant] = []
        """Operands before users."""
        self.expansions: list[Constant] = []
        """The broadcasts of scalars that are no constants, in program order."""
        self.uses: list[Use] = []
        """Those of results that are not scalars, in any order."""
        self._scope = scope
        self._varying = varying
        self._shapes = shapes
        self._is_in_order = has_single_blocks(scope.op)
        self._candidates: dict[ir.Operation, dict[int, Result]] = {}
        """Ops that are constants if all their operands are, and those known to be, by number."""
        self._first_varying: ir.Operation | None = None
        """The first op that keeps the scope itself from making constants out of constants."""
        self._decide()
        self._find()

    def _decide(self) -> None:
        """Find out whether the scope itself makes constants out of constants."""
        own = self._scope.computation
        if own is None or own in self._varying:
            return
        ops = (
            op.operation for region in self._scope.op.regions for block in region for op in block
        )
        self._first_varying = next((op for op in ops if not self._may_be_in(op)), None)
        if self._first_varying is not None:
            self._varying.add(own)

    def _may_be_in(self, op: ir.Operation) -> bool:
        """Return whether a computation with an op in it may make constants out of constants."""
        name = op.name
        return (
            name in (*_LEAVES, SHARDING_GROUP)
            or self._keeps_constants(op, name)
            or op.has_trait(ir.IsTerminatorTrait)
        )

    def _keeps_constants(self, op: ir.Operation, name: str) -> bool:
        """Return whether an op would be a constant if its operands were."""
        if name in CONSTANT_PRESERVING:
            return keeps_constants(op, name)
        if name == NAMED_COMPUTATION or (name == CALL and not self._scope.is_nested):
            computation = computation_of(op)
            if self._first_varying is not None and computation == self._scope.computation:
                # It is in itself. As in C++, it counts as a constant until it is known to vary.
                return precedes(op, self._first_varying)
            return computation not in self._varying
        return False

    def _find(self) -> None:
        broadcasts: list[ir.Operation] = []
        for op in ops_in(self._scope, *_LEAVES, *_COMPUTATIONS, BROADCAST):
            name = op.name
            if name == BROADCAST:
                broadcasts.append(op)
            elif name in _LEAVES or (not len(op.operands) and self._keeps_constants(op, name)):
                self._add(Constant(op, []), self.found)
        for constant in self.found:  # It grows meanwhile.
            self._follow(constant, _CANDIDATES)
        for user, operands in self._candidates.items():
            for number, result in operands.items():
                self._add_use(user, number, result)
        constants = {constant.op for constant in self.found if constant.operands}
        for op in broadcasts:
            if op not in constants and self._shapes[op.operands[0].type].is_scalar:
                self._add(Constant(op, []), self.expansions)
                self._follow(self.expansions[-1], candidates=())

    def _add(self, constant: Constant, to: list[Constant]) -> None:
        for number, value in enumerate(constant.op.results):
            constant.results.append(Result(constant, value, number, self._shapes[value.type]))
        to.append(constant)

    def _follow(self, constant: Constant, candidates: Container[str]) -> None:
        """Add the users of a constant; `candidates` are the names of those that may be constants."""
        for result in constant.results:
            for use in result.value.uses:
                result.uses += 1
                user = use.owner.operation
                name = user.name
                if name == SHARDING_GROUP:
                    result.groups.append(user)
                elif not self._is_in_order and not precedes(constant.op, user):
                    continue  # Its block comes first, or cannot be reached.
                elif name in candidates:
                    self._add_operand(user, name, use.operand_number, result)
                else:
                    self._add_use(user, use.operand_number, result)

    def _add_operand(self, op: ir.Operation, name: str, number: int, result: Result) -> None:
        """Add an operand of a candidate: with its last one it may be a constant."""
        count = len(op.operands)
        operands = self._candidates.setdefault(op, {})
        operands[number] = result
        if len(operands) == count:
            in_order = [operands[number] for number in range(count)]
            is_static = all(each.shape.is_static for each in in_order)
            if (is_static and name in PURE_IF_STATIC) or self._keeps_constants(op, name):
                del self._candidates[op]
                self._add(Constant(op, in_order), self.found)

    def _add_use(self, user: ir.Operation, number: int, result: Result) -> None:
        if not result.shape.is_scalar:
            self.uses.append(Use(user, number, result))
