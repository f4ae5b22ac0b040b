"""The constants of a scope, what they are made of, and where they are used."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from operator import attrgetter

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
from sdykit.passes.sdy.constant_splitter.scopes import Computation, Scope, computation_of

_LEAVES = (CONSTANT, IOTA)
LISTED = (*_LEAVES, BROADCAST)
"""The ops that scopes must list."""
_HARMLESS = (*_LEAVES, SHARDING_GROUP)
_CANDIDATES = CONSTANT_PRESERVING | {CALL, NAMED_COMPUTATION}
"""The ops that may be constants if all their operands are."""


@dataclass(slots=True, eq=False)
class Constant:
    """An op that is a constant, or the expansion of a scalar that is none.

    Attributes:
        op: the op.
        operands: the results that its operands are; empty for an expansion.
        needs_copies: whether each use gets a copy, even the only one.
        is_used: whether a result has a use that surely stays.
    """

    op: ir.Operation
    operands: Sequence[Result]
    needs_copies: bool
    is_used: bool = False


@dataclass(slots=True, eq=False)
class Result:
    """A result of a constant.

    Attributes:
        constant: the constant.
        number: its number among the results of the op.
        shape: the shape of its type.
        uses: the number of its uses; a use that gets a copy is counted no longer.
        groups: the `sdy.sharding_group`s that it is in.
    """

    constant: Constant
    number: int
    shape: Shape
    uses: int = 0
    groups: Sequence[ir.Operation] = ()


@dataclass(slots=True, eq=False)
class Use:
    """A use of a constant by an op that is none: the op, the number of its operand, the result."""

    user: ir.Operation
    number: int
    result: Result


class Constants:
    """The constants of a scope, found by following uses, which is faster than a walk over all ops."""

    def __init__(
        self, scope: Scope, varying: set[Computation], shapes: Shapes, is_in_order: bool
    ) -> None:
        """Find the constants.

        Args:
            scope: the scope.
            varying: the computations that do not make constants out of constants. The scope's own
                is added if it is one.
            shapes: the shapes of types.
            is_in_order: whether values surely come before their uses in program order.
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
        self._is_in_order = is_in_order
        self._to_follow: list[tuple[Result, ir.Value]] = []
        """The results whose users are not known yet."""
        self._candidates: dict[ir.Operation, list[Use]] = {}
        """For ops that are constants if all their operands are: the operands known to be."""
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
            name in _HARMLESS
            or self._keeps_constants(op, name)
            or op.has_trait(ir.IsTerminatorTrait)
        )

    def _keeps_constants(self, op: ir.Operation, name: str) -> bool:
        """Return whether an op would be a constant if its operands were."""
        if name in CONSTANT_PRESERVING:
            return keeps_constants(op, name, self._shapes)
        if name == NAMED_COMPUTATION or (name == CALL and not self._scope.is_nested):
            computation = computation_of(op)
            if self._first_varying is not None and computation == self._scope.computation:
                # It is in itself. As in C++, it counts as a constant until it is known to vary.
                return precedes(op, self._first_varying)
            return computation not in self._varying
        return False

    def _find(self) -> None:
        broadcasts: list[ir.Operation] = []
        for op in self._scope.ops:
            name = op.name
            if name == BROADCAST:
                broadcasts.append(op)
            elif name in _LEAVES or (not len(op.operands) and self._keeps_constants(op, name)):
                self.found.append(self._added(op, name, ()))
                self._follow_added(_CANDIDATES)
        for uses in self._candidates.values():
            for use in uses:
                self._add_use(use)
        constants = {constant.op for constant in self.found if constant.operands}
        for op in broadcasts:
            if op not in constants and self._shapes[op.operands[0].type].is_scalar:
                self.expansions.append(self._added(op, BROADCAST, ()))
                self._follow_added(candidates=())

    def _added(self, op: ir.Operation, name: str, operands: Sequence[Result]) -> Constant:
        values = op.results
        count = len(values)
        constant = Constant(op, operands, count > 1 or name == CALL)
        for number in range(count):
            value = values[number]
            self._to_follow.append((Result(constant, number, self._shapes[value.type]), value))
        return constant

    def _follow_added(self, candidates: Container[str]) -> None:
        """Add the users of what was added, those of constants among them, and so on.

        `candidates` are the names of those that may be constants.
        """
        while self._to_follow:
            result, value = self._to_follow.pop()
            for use in value.uses:
                result.uses += 1
                user = use.owner.operation
                name = user.name
                if name == SHARDING_GROUP:
                    result.groups = [*result.groups, user]
                elif not self._is_in_order and not precedes(result.constant.op, user):
                    continue  # Its block comes first, or cannot be reached.
                elif name in candidates:
                    self._add_operand(name, Use(user, use.operand_number, result))
                else:
                    self._add_use(Use(user, use.operand_number, result))

    def _add_operand(self, name: str, use: Use) -> None:
        """Add an operand of a candidate: with its last one it may be a constant."""
        op = use.user
        uses = [use]
        if len(op.operands) > 1:
            uses = self._candidates.setdefault(op, [])
            uses.append(use)
            if len(uses) < len(op.operands):
                return
            del self._candidates[op]
            uses.sort(key=attrgetter("number"))
        operands = [use.result for use in uses]
        is_static = name in PURE_IF_STATIC
        for operand in operands:
            is_static = is_static and operand.shape.is_static
        if is_static or self._keeps_constants(op, name):
            self.found.append(self._added(op, name, operands))
        else:
            self._candidates[op] = uses

    def _add_use(self, use: Use) -> None:
        if use.result.shape.is_scalar:
            use.result.constant.is_used = True
        else:
            self.uses.append(use)
