"""The constants of one scope, what they are made of, and where they are used."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cmp_to_key

from sdykit.mlir import ir
from sdykit.passes.sdy.constant_splitter.computations import Computations
from sdykit.passes.sdy.constant_splitter.ops import (
    BROADCAST,
    CONSTANT_PRESERVING,
    PURE,
    PURE_ON_STATIC,
    PURE_UNLESS_FIXING,
    SHARDING_GROUP,
    Shape,
    keeps_constants,
)
from sdykit.passes.sdy.constant_splitter.order import precedes


class Node:
    """An op that is a constant, or expands a scalar."""

    __slots__ = (
        "copies",
        "groups",
        "is_kept",
        "is_static",
        "made",
        "op",
        "operands",
        "parts",
        "results",
        "scalars",
    )

    def __init__(self, op: ir.Operation, operands: list[Operand]) -> None:
        self.op = op
        self.operands = operands
        """None of them in the expansion of a scalar that is no constant."""
        self.parts = [part for part in operands if part[2] not in part[1].scalars]
        """The operands that are no scalars."""
        self.results = 0
        self.scalars: tuple[int, ...] = ()
        """The numbers of the scalar results."""
        self.is_static = True
        """Whether all results have static shapes."""
        self.groups: list[tuple[int, ir.Operation]] | None = None
        """The `sdy.sharding_group` users in the order of MLIR's list of uses, after the
        numbers of the results that they use."""
        self.is_kept = False
        """Whether the op itself has a use that gets no copy of its own."""
        self.copies: list[Copy] = []
        self.made: dict[Use, ir.Operation] = {}
        """The copies as ops. The last one is the original unless that is kept."""


class Use:
    """A use of a constant by an op that is none."""

    __slots__ = ("block", "node", "number", "result", "user")

    def __init__(
        self, user: ir.Operation, block: int, number: int, node: Node, result: int
    ) -> None:
        self.user = user
        self.block = block
        """The same number for users in one block."""
        self.number = number
        """The number of the user's operand."""
        self.node = node
        self.result = result


Operand = tuple[int, Node, int]
"""The number of an operand, and the node and the number of the result that it is."""

Copy = tuple[Use, int]
"""The use that a copy is for, and the result of the copy that was asked for first."""


def _compare(use: Use, other: Use) -> int:
    if use.user == other.user:
        return use.number - other.number
    if use.block == other.block:
        return -1 if use.user.is_before_in_block(other.user) else 1
    return -1 if precedes(use.user, other.user) else 1


in_program_order = cmp_to_key(_compare)
"""The key by which uses are sorted."""


class ConstantGraph:
    """The constants of a scope, found by following the uses of its leaves.

    Nothing is looked up by an op once ops are made or erased: a new op can have the
    address of an erased one.
    """

    def __init__(self, computations: Computations, shapes: dict[ir.Type, Shape]) -> None:
        self.constants: list[Node] = []
        """Operands first."""
        self.expansions: dict[ir.Operation, Node] = {}
        """Those of scalars that are no constants, in program order."""
        self.uses: list[Use] = []
        """The uses by others, save those of scalars."""
        self._computations = computations
        self._straight = computations.straight
        self._shapes = shapes
        self._blocks: dict[ir.Block, int] = {}
        # The operands found so far of ops that may be constants, too.
        self._pending: dict[ir.Operation, list[Operand]] = {}
        # The operands of expansions that stand before the constants they expand.
        self._expanded: dict[ir.Operation, list[Operand]] = {}

    def add_constants(self, leaves: Iterable[ir.Operation]) -> None:
        """Add leaves, and all that is made of them."""
        self.constants += [Node(op, []) for op in leaves]
        for node in self.constants:  # Grows meanwhile.
            for result, value in enumerate(node.op.results):
                self._add_result(node, result, value)
                for use in value.uses:
                    self._add_use(use.owner.operation, use.operand_number, node, result)
        for user, operands in self._pending.items():
            for number, node, result in operands:
                if user.name == BROADCAST and result in node.scalars:
                    self._expanded[user] = operands
                else:
                    self._use(user, number, node, result)

    def add_expansions(self, broadcasts: Iterable[ir.Operation]) -> None:
        """Add the broadcasts of scalars that are not constants already."""
        constants = {node.op for node in self.constants if node.op.name == BROADCAST}
        for op in broadcasts:
            if op in constants or not self._shape(op.operands[0]).is_scalar:
                continue
            node = self.expansions[op] = Node(op, self._expanded.get(op, []))
            value = op.results[0]
            self._add_result(node, 0, value)
            for use in value.uses:
                user = use.owner.operation
                if user.name == SHARDING_GROUP:
                    _add_group(node, 0, user)
                elif user in self.expansions:
                    # Both expand scalars to scalars, and the user stands first.
                    self.expansions[user].operands.append((use.operand_number, node, 0))
                else:
                    self._use(user, use.operand_number, node, 0)

    def _add_result(self, node: Node, result: int, value: ir.Value) -> None:
        shape = self._shape(value)
        node.results += 1
        if shape.is_scalar:
            node.scalars += (result,)
        if not shape.is_static:
            node.is_static = False

    def _shape(self, value: ir.Value) -> Shape:
        type_ = value.type
        shape = self._shapes.get(type_)
        if shape is None:
            shape = self._shapes[type_] = Shape.of(type_)
        return shape

    def _add_use(self, user: ir.Operation, number: int, node: Node, result: int) -> None:
        name = user.name
        if name in CONSTANT_PRESERVING or self._computations.are_constant(user, name):
            self._add_operand(user, name, (number, node, result))
        elif name == SHARDING_GROUP:
            _add_group(node, result, user)
        else:
            self._use(user, number, node, result)

    def _add_operand(self, op: ir.Operation, name: str, operand: Operand) -> None:
        """Note an operand of what may be a constant; with its last operand, an op is one."""
        count = len(op.operands)
        if count > 1:
            operands = self._pending.setdefault(op, [])
            operands.append(operand)
            if len(operands) < count:
                return
            operands.sort()  # By their numbers, no two of which are equal.
        else:
            operands = [operand]
        if self._is_constant(op, name, operands):
            self._pending.pop(op, None)
            self.constants.append(Node(op, operands))
        else:
            self._pending[op] = operands

    def _is_constant(self, op: ir.Operation, name: str, operands: list[Operand]) -> bool:
        """Tell whether an op is a constant, all of whose operands are."""
        if not self._straight and not all(precedes(node.op, op) for _, node, _ in operands):
            return False
        if name in PURE:
            return True
        if name in PURE_ON_STATIC or name in PURE_UNLESS_FIXING:
            return all(node.is_static for _, node, _ in operands) or keeps_constants(op, name)
        return name not in CONSTANT_PRESERVING or keeps_constants(op, name)

    def _use(self, user: ir.Operation, number: int, node: Node, result: int) -> None:
        if result in node.scalars or (not self._straight and not precedes(node.op, user)):
            node.is_kept = True
        else:
            block = self._blocks.setdefault(user.block, len(self._blocks))
            self.uses.append(Use(user, block, number, node, result))


def _add_group(node: Node, result: int, group: ir.Operation) -> None:
    if node.groups is None:
        node.groups = []
    node.groups.append((result, group))


def sub_computation(node: Node, result: int) -> list[tuple[Node, int]]:
    """List the nodes that are copied for a use of a node's result, operands first.

    Beside each node stands the number of its result that was asked for first. Scalars are
    not copied.
    """
    if not node.parts:
        return [(node, result)]
    order: list[tuple[Node, int]] = []
    met = {node}
    stack = [(node, result, iter(node.parts))]
    while stack:
        node, result, parts = stack[-1]
        for _, part, its_result in parts:
            if part not in met:
                met.add(part)
                stack.append((part, its_result, iter(part.parts)))
                break
        else:
            order.append((node, result))
            stack.pop()
    return order
