"""The constants of a scope, what they are made of, and where they are used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sdykit.core import FUNC
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
    keeps_constants,
)
from sdykit.passes.sdy.constant_splitter.scopes import Computation, Scope, computation_of

_LEAVES = (CONSTANT, IOTA)
_STARTS = frozenset({BROADCAST, CALL, NAMED_COMPUTATION, SHARDING_GROUP})
"""The other ops that matter even if none of their operands is a constant."""

_INTO = ir.WalkResult.ADVANCE
_PAST = {FUNC: ir.WalkResult.SKIP, NAMED_COMPUTATION: ir.WalkResult.SKIP}
"""The ops that are scopes of their own; the walk skips their regions."""

_SPECIAL = frozenset({*_LEAVES, *_STARTS, *_PAST})


@dataclass(slots=True, eq=False)
class Constant:
    """An op that is a constant, or the expansion of a scalar that is none.

    Attributes:
        op: the op.
        operands: the results that its operands are; empty for an expansion.
        is_expansion: whether it is a broadcast of a scalar that is no constant.
        results: its results.
    """

    op: ir.Operation
    operands: Sequence[Result]
    is_expansion: bool = False
    results: list[Result] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Result:
    """A result of a constant.

    Attributes:
        constant: the constant.
        value: the result itself.
        number: its number among the results of the op.
        shape: the shape of its type.
        groups: the `sdy.sharding_group`s that it is in.
    """

    constant: Constant
    value: ir.Value
    number: int
    shape: Shape
    groups: Sequence[ir.Operation] = ()


@dataclass(slots=True, eq=False)
class Use:
    """A use of a constant by an op that is none: the op, the number of its operand, the result."""

    user: ir.Operation
    number: int
    result: Result


class Constants:
    """The constants of a scope, and their uses, found by a walk over it.

    The walk also decides whether the scope itself makes a constant out of constants: whether all
    its ops are sharding groups, terminators, or constants if its arguments are.
    """

    def __init__(
        self, scope: Scope, varying: set[Computation], shapes: dict[ir.Type, Shape]
    ) -> None:
        """Find the constants.

        Args:
            scope: the scope.
            varying: the computations that do not make constants out of constants. The scope's own
                is added at the first op that keeps it from that: before, it qualifies, as in C++.
            shapes: a cache of the shapes of types.
        """
        self.found: list[Constant] = []
        """Operands before users, as in the walk."""
        self.expansions: list[Constant] = []
        """The broadcasts of scalars that are no constants."""
        self.uses: list[Use] = []
        """Those of results that are not scalars; a user comes before the ops in its regions."""
        self._scope = scope
        self._varying = varying
        self._shapes = shapes
        self._results: dict[ir.Value, Result] = {}
        # The scope's own computation, until it is known to vary.
        self._undecided = scope.computation if scope.computation not in varying else None
        self._groups: list[ir.Operation] = []
        scope.op.walk(self._visit, ir.WalkOrder.PRE_ORDER)
        self._add_groups()

    def _visit(self, op: ir.Operation) -> ir.WalkResult:
        name = op.name
        if self._undecided is None and name not in _SPECIAL:
            # Nearly all ops come here, and half of the pass's time is spent on it.
            for operand in op.operands:
                if operand in self._results:
                    self._add_op(op, name)
                    break
            return _INTO
        return self._visit_special(op, name)

    def _visit_special(self, op: ir.Operation, name: str) -> ir.WalkResult:
        """Visit an op that matters even without constants, or any until the scope is decided."""
        if name in _PAST and op == self._scope.op:
            return _INTO
        if name in _LEAVES:
            self._add(Constant(op, []), self.found)
        else:
            self._add_op(op, name)
        if self._undecided and not self._may_be_in(op, name):
            self._varying.add(self._undecided)
            self._undecided = None
        return _PAST.get(name, _INTO)

    def _add_op(self, op: ir.Operation, name: str) -> None:
        """Add an op to what it is: a constant, an expansion, a sharding group, or a user."""
        operands = [*map(self._results.get, op.operands)]
        if not any(operands) and name not in _STARTS:
            return
        constants = [each for each in operands if each and not each.constant.is_expansion]
        if len(constants) == len(operands) and self._is_constant(op, name, constants):
            self._add(Constant(op, constants), self.found)
        elif name == BROADCAST and self._shape(op.operands[0]).is_scalar:
            self._add(Constant(op, [], is_expansion=True), self.expansions)
        elif name == SHARDING_GROUP:
            self._groups.append(op)
        else:
            for number, result in enumerate(operands):
                if result and not result.shape.is_scalar:
                    self.uses.append(Use(op, number, result))

    def _is_constant(self, op: ir.Operation, name: str, operands: list[Result]) -> bool:
        """Return whether an op, all of whose operands are constants, is one."""
        if name in PURE_IF_STATIC and all(each.shape.is_static for each in operands):
            return True
        return self._keeps_constants(op, name)

    def _keeps_constants(self, op: ir.Operation, name: str) -> bool:
        """Return whether an op would be a constant if its operands were."""
        if name in CONSTANT_PRESERVING:
            return keeps_constants(op, name)
        if name == NAMED_COMPUTATION or (name == CALL and not self._scope.is_nested):
            return computation_of(op) not in self._varying
        return False

    def _may_be_in(self, op: ir.Operation, name: str) -> bool:
        """Return whether a computation with an op in it may make constants out of constants."""
        return (
            name in _LEAVES
            or name == SHARDING_GROUP
            or self._keeps_constants(op, name)
            or op.has_trait(ir.IsTerminatorTrait)
        )

    def _add(self, constant: Constant, to: list[Constant]) -> None:
        to.append(constant)
        for number, value in enumerate(constant.op.results):
            result = Result(constant, value, number, self._shape(value))
            constant.results.append(result)
            self._results[value] = result

    def _add_groups(self) -> None:
        for group in self._groups:
            value = group.operands[0]
            result = self._results.get(value)
            if result and not result.groups:
                users = [use.owner.operation for use in value.uses]
                result.groups = [user for user in users if user.name == SHARDING_GROUP]

    def _shape(self, value: ir.Value) -> Shape:
        type_ = value.type
        shape = self._shapes.get(type_)
        if shape is None:
            shape = self._shapes[type_] = Shape.of(type_)
        return shape
