"""The constants of one scope, what they are made of, and where they are used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cmp_to_key

from sdykit.mlir import ir
from sdykit.passes.sdy._constant_computations import Computations
from sdykit.passes.sdy._constant_ops import (
    BROADCAST,
    CONSTANT_PRESERVING,
    PURE,
    PURE_ON_STATIC,
    PURE_UNLESS_FIXING,
    SHARDING_GROUP,
    has_static_shape,
    is_scalar,
    keeps_constants,
)
from sdykit.passes.sdy._constant_order import precedes


class Node:
    """An op that is a constant, or expands a scalar."""

    __slots__ = (
        "copied_scalars",
        "copies",
        "groups",
        "is_kept",
        "made",
        "op",
        "operands",
        "results",
        "scalars",
        "static",
    )

    def __init__(self, op: ir.Operation, operands: list[Operand]) -> None:
        self.op = op
        self.operands = operands
        self.groups: list[tuple[int, ir.Operation]] = []
        """Its `sdy.sharding_group` users in the order of MLIR's list of uses, after the
        numbers of the results that they use."""
        self.results = 0
        self.scalars: tuple[int, ...] = ()
        """The numbers of its scalar results."""
        self.static = True
        """Whether all results have a static shape."""
        self.is_kept = False
        """Whether the op itself has a use that gets no copy of its own."""
        self.copies: list[tuple[Use, int]] = []
        """The uses that get a copy, each with the number of the result it asked for first."""
        self.copied_scalars: set[tuple[Use, int]] = set()
        """Scalar operands of copies, by number, that are copies too."""
        self.made: dict[Use, ir.Operation] = {}
        """The copies."""


Operand = tuple[int, Node, int]
"""The number of an operand, and the node and the number of the result that it is."""


class Use:
    """A use of a constant by an op that is none."""

    __slots__ = ("block", "node", "number", "result", "user")

    def __init__(self, user: ir.Operation, number: int, node: Node, result: int) -> None:
        self.user = user
        self.block = user.block
        self.number = number
        """The number of the user's operand."""
        self.node = node
        self.result = result


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

    def __init__(self, computations: Computations, types: dict[ir.Type, tuple[bool, bool]]) -> None:
        self.constants: list[Node] = []
        """Operands first."""
        self.expansions: dict[ir.Operation, Node] = {}
        """Those of scalars that are no constants, in program order."""
        self.uses: list[Use] = []
        """The uses by others, save those of scalars."""
        self._computations = computations
        self._straight = computations.straight
        self._types = types
        # The operands found so far of ops that may be constants, too.
        self._pending: dict[ir.Operation, list[Operand]] = {}
        # The operands of expansions that stand before the constants they expand.
        self._expanded: dict[ir.Operation, list[Operand]] = {}

    def add_constants(self, leaves: Iterable[ir.Operation]) -> None:
        """Add leaves, and all that is made of them."""
        self.constants += [Node(op, []) for op in leaves]
        for node in self.constants:  # Grows meanwhile.
            for result, use, user in self._uses_of(node):
                self._add_use(node, result, use.operand_number, user)
        for user, operands in self._pending.items():
            for number, node, result in operands:
                if user.name == BROADCAST and result in node.scalars:
                    self._expanded[user] = operands
                else:
                    self._use(user, number, node, result)

    def add_expansions(self, broadcasts: Iterable[ir.Operation]) -> None:
        """Add the broadcasts of scalars that are not constants already."""
        known = {node.op for node in self.constants}
        for op in broadcasts:
            if op in known or not self._describe(op.operands[0])[0]:
                continue
            node = self.expansions[op] = Node(op, self._expanded.get(op, []))
            for result, use, user in self._uses_of(node):
                if user in self.expansions:
                    # Both expand scalars to scalars, and the user stands first.
                    self.expansions[user].operands.append((use.operand_number, node, result))
                else:
                    self._use(user, use.operand_number, node, result)

    def _uses_of(self, node: Node) -> Iterator[tuple[int, ir.OpOperand, ir.Operation]]:
        """List the uses of a node's results, save those by sharding groups, and note those."""
        for result, value in enumerate(node.op.results):
            node.results = result + 1
            scalar, static = self._describe(value)
            if scalar:
                node.scalars += (result,)
            if not static:
                node.static = False
            for use in value.uses:
                user = use.owner.operation
                if user.name == SHARDING_GROUP:
                    node.groups.append((result, user))
                else:
                    yield result, use, user

    def _describe(self, value: ir.Value) -> tuple[bool, bool]:
        """Tell whether a value is a scalar, and whether its shape is static."""
        type_ = value.type
        known = self._types.get(type_)
        if known is None:
            known = self._types[type_] = (is_scalar(type_), has_static_shape(type_))
        return known

    def _add_use(self, node: Node, result: int, number: int, user: ir.Operation) -> None:
        name = user.name
        if name not in CONSTANT_PRESERVING and not self._computations.are_constant(user, name):
            self._use(user, number, node, result)
            return
        operands = self._pending.setdefault(user, [])
        operands.append((number, node, result))
        if len(operands) == len(user.operands) and self._is_constant(user, name, operands):
            del self._pending[user]
            if len(operands) > 1:
                operands.sort(key=_number)
            self.constants.append(Node(user, operands))

    def _is_constant(self, op: ir.Operation, name: str, operands: list[Operand]) -> bool:
        """Tell whether an op is a constant, all of whose operands are."""
        if not self._straight and not all(precedes(node.op, op) for _, node, _ in operands):
            return False
        if name in PURE:
            return True
        if name in PURE_ON_STATIC or name in PURE_UNLESS_FIXING:
            return all(node.static for _, node, _ in operands) or keeps_constants(op, name)
        return name not in CONSTANT_PRESERVING or keeps_constants(op, name)

    def _use(self, user: ir.Operation, number: int, node: Node, result: int) -> None:
        if result in node.scalars:
            node.is_kept = True
        elif not self._straight and not precedes(node.op, user):
            node.is_kept = True
        else:
            self.uses.append(Use(user, number, node, result))


def _number(operand: Operand) -> int:
    return operand[0]


def sub_computation(node: Node, result: int) -> list[tuple[Node, int]]:
    """List the nodes that are copied for a use of a node's result, operands first.

    Beside each node stands the number of its result that was asked for first. Scalars are
    not copied.
    """
    order: list[tuple[Node, int]] = []
    met = {node}
    stack = [(node, result, iter(node.operands))]
    while stack:
        node, result, operands = stack[-1]
        for _, operand, its_result in operands:
            if operand not in met and its_result not in operand.scalars:
                met.add(operand)
                stack.append((operand, its_result, iter(operand.operands)))
                break
        else:
            order.append((node, result))
            stack.pop()
    return order
