"""A module or function as tables: its ops in pre-order, and their values, all by number.

Reading the bindings is most of the time of a pass that looks at all ops: each op, operand and type is
read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from sdykit.core import FUNC, fail
from sdykit.mlir import FuncOp, ModuleOp, ir
from sdykit.passes.sdy._value_shardings import shaped_type

NO_NODE = -1


@dataclass(frozen=True, eq=False)
class TypeInfo:
    """What is needed of a type; equal types share one in a program.

    Attributes:
        rank: its rank, 0 if it has no shape or rank.
        shape: its shape, None if it has none or a dynamic one.
        is_supported: whether the result of an op may have it.
    """

    rank: int
    shape: tuple[int, ...] | None
    is_supported: bool


class Body(NamedTuple):
    """A block.

    Attributes:
        arguments: the values that are its arguments.
        end: its last op, `NO_NODE` if it has none.
    """

    arguments: tuple[int, ...]
    end: int


class Program:
    """The ops below a module, or a function and those in it, in pre-order, and their values.

    Ops and values are numbers here.

    Attributes:
        root: the module or function.
        ops: each op.
        names: the name of each op.
        attributes: the attributes of each op.
        parents: the op around each op; `NO_NODE` for those at the top of the module, and for the function.
        operands: the values that are the operands of each op.
        results: the values that are the results of each op.
        subtree_ends: one past the last op in the regions of an op, for ops with regions.
        bodies: the blocks of each region of an op, for ops with regions.
        values: each value.
        types: the type of each value.
        owners: the op that each value is a result of, or, of block arguments, that has the region.
    """

    def __init__(self, root: ModuleOp | FuncOp) -> None:
        self.root = root
        self.ops: list[ir.Operation] = []
        self.names: list[str] = []
        self.attributes: list[ir.OpAttributeMap] = []
        self.parents: list[int] = []
        self.results: list[tuple[int, ...]] = []
        self.subtree_ends: dict[int, int] = {}
        self.bodies: dict[int, list[list[Body]]] = {}
        self.values: list[ir.Value] = []
        self.types: list[TypeInfo] = []
        self.owners: list[int] = []
        self._infos: dict[ir.Type, TypeInfo] = {}
        self._numbers: dict[ir.Value, int] = {}
        self._function: int | None = None
        self._ahead = iter(_ops_of(root))
        if isinstance(root, FuncOp):
            self._read_ops(1, NO_NODE)
        else:
            next(self._ahead)
            self._read_regions(root.operation, NO_NODE)
        self.operands = self._operands()

    def _read_regions(self, op: ir.Operation, number: int) -> list[list[Body]]:
        bodies: list[list[Body]] = []
        for region in op.regions:
            blocks: list[Body] = []
            for block in region:
                arguments = self._define(block.arguments, number)
                blocks.append(Body(arguments, self._read_ops(len(block.operations), number)))
            bodies.append(blocks)
        return bodies

    def _read_ops(self, count: int, parent: int) -> int:
        """Read ops of a block; return the last one."""
        ops, names, parents, results = self.ops, self.names, self.parents, self.results
        attributes, define = self.attributes, self._define
        number = NO_NODE
        # Iterating a block takes longer: it makes a view of each op.
        for op in islice(self._ahead, count):
            number = len(ops)
            ops.append(op)
            names.append(op.name)
            attributes.append(op.attributes)
            parents.append(parent)
            results.append(define(op.results, number))
            if len(op.regions):
                self.bodies[number] = self._read_regions(op, number)
                self.subtree_ends[number] = len(ops)
        return number

    def _define(self, values: Sequence[ir.Value], owner: int) -> tuple[int, ...]:
        """Number values; return their numbers."""
        first = len(self.values)
        count = len(values)
        # By index, which is quicker than iterating: most ops have one result.
        for index in range(count):
            value = values[index]
            self._numbers[value] = first + index
            self.values.append(value)
            type_ = value.type
            info = self._infos.get(type_)
            if info is None:
                info = self._infos[type_] = type_info(type_)
            self.types.append(info)
            self.owners.append(owner)
        return tuple(range(first, first + count))

    def _operands(self) -> list[tuple[int, ...]]:
        # In blocks that are not in order, a value may come after its uses: all have numbers now.
        numbers = self._numbers
        return [tuple([numbers[value] for value in op.operands]) for op in self.ops]

    @cached_property
    def users(self) -> list[list[int]]:
        """The ops that use each value, one for each use, in pre-order."""
        users: list[list[int]] = [[] for _ in self.values]
        for node, operands in enumerate(self.operands):
            for value in operands:
                users[value].append(node)
        return users

    @property
    def is_supported(self) -> bool:
        """Whether all values have types that propagation can have."""
        return all(info.is_supported for info in self._infos.values())

    def is_result(self, value: int) -> bool:
        """Return whether a value is the result of an op, and not a block argument."""
        return value in self.results[self.owners[value]]

    def number_in_owner(self, value: int) -> int:
        """Return the number of a result of its op, or of a block argument of its block."""
        results = self.results[self.owners[value]]
        if value in results:
            return results.index(value)
        return ir.BlockArgument(self.values[value]).arg_number

    def returned(self, node: int, region: int = 0) -> tuple[int, ...]:
        """Return the operands of the last op of a region's first block; nothing if there is none."""
        blocks = self.bodies[node][region]
        return self.operands[blocks[0].end] if blocks and blocks[0].end != NO_NODE else ()

    def in_post_order(self) -> list[int]:
        """Return the ops, each after those in its regions."""
        found: list[int] = []
        around: list[int] = []
        for node in range(len(self.ops)):
            while around and self.subtree_ends[around[-1]] <= node:
                found.append(around.pop())
            (around if node in self.subtree_ends else found).append(node)
        return found + around[::-1]

    def named(self, name: str) -> list[int]:
        """Return the ops of a name."""
        return [node for node, each in enumerate(self.names) if each == name]

    def functions(self) -> dict[str, int]:
        """Return the functions at the top of the module by name, in program order."""
        return {
            ir.StringAttr(self.ops[node].attributes["sym_name"]).value: node
            for node in self.named(FUNC)
            if self.parents[node] == NO_NODE
        }

    def function(self) -> int:
        """Return the function whose results shardings propagate to: `@main`, or the only one."""
        if self._function is None:
            functions = self.functions()
            if "main" not in functions and len(functions) != 1:
                fail(self.root, "propagation needs a function @main or a single function")
            self._function = functions.get("main", next(iter(functions.values())))
        return self._function

    def uses_in_order(self, value: int) -> list[tuple[int, int]]:
        """Return the uses of a value, the newest first: the op, and which of its operands it is."""
        users = self.users[value]
        if len(users) <= 1:
            return [(user, self.operands[user].index(value)) for user in users]
        # The attributes of ops, and so their hashes, do not change while this is in use.
        nodes = {self.ops[user]: user for user in users}
        uses = self.values[value].uses
        return [(nodes[use.owner.operation], use.operand_number) for use in uses]


def _ops_of(root: ModuleOp | FuncOp) -> list[ir.Operation]:
    """Return an op and those below it, in pre-order."""
    found: list[ir.Operation] = []
    append, advance = found.append, ir.WalkResult.ADVANCE

    def collect(op: ir.Operation) -> ir.WalkResult:
        append(op)
        return advance

    root.operation.walk(collect, ir.WalkOrder.PRE_ORDER)
    return found


def type_info(type_: ir.Type) -> TypeInfo:
    """Return what is needed of a type."""
    shaped = shaped_type(type_)
    if shaped is None or not shaped.has_rank:
        is_supported = shaped is None and not isinstance(type_, ir.TupleType)
        return TypeInfo(0, None, is_supported)
    shape = tuple(shaped.shape) if shaped.has_static_shape else None
    return TypeInfo(shaped.rank, shape, shape is not None)
