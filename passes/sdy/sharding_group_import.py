"""`-sdy-sharding-group-import`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sdykit.core import ModulePass, fail, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._value_shardings import MANUAL_COMPUTATION


class Member(NamedTuple):
    """A `sdy.sharding_group` op: the value it puts into a group, and the group's id."""

    op: ir.Operation
    value: ir.Value
    group: int


@dataclass(frozen=True)
class ShardingGroupImportPass(ModulePass):
    """Check and unify sharding groups, and number them from 0.

    First the groups are checked as they are written. All members of a group must have the
    same shape (element types may differ), and all of them must be in one and the same
    `sdy.manual_computation`, or all outside of any. A group spans functions.

    Then groups that have a value in common become one group, transitively, and each value keeps
    one op. The groups are numbered without gaps: values are visited in the order of their first
    op; the group of a value's first id absorbs those of its other ids; the groups that remain are
    numbered in the order in which their ids were met.

    Before:

    ```mlir
    sdy.sharding_group %arg0 group_id=8 : tensor<8x2xi64>
    sdy.sharding_group %arg1 group_id=5 : tensor<8x2xi64>
    sdy.sharding_group %arg1 group_id=8 : tensor<8x2xi64>
    sdy.sharding_group %arg2 group_id=3 : tensor<4xf32>
    ```

    After:

    ```mlir
    sdy.sharding_group %arg0 group_id=0 : tensor<8x2xi64>
    sdy.sharding_group %arg1 group_id=0 : tensor<8x2xi64>
    sdy.sharding_group %arg2 group_id=1 : tensor<4xf32>
    ```
    """

    name = "sdy-sharding-group-import"

    def run(self, module: ModuleOp) -> None:
        ids: dict[ir.Attribute, int] = {}
        members = []
        for op in ops_named(module, sdy.ShardingGroupOp.OPERATION_NAME):
            attr = op.attributes["group_id"]
            group = ids.get(attr)
            if group is None:
                group = ids[attr] = ir.IntegerAttr(attr).value
            members.append(Member(op, op.operands[0], group))
        _validate(members)
        _renumber(members, _unify(members))


def _validate(members: Sequence[Member]) -> None:
    """Fail at the first op whose value does not fit the first value of its group."""
    first: dict[int, tuple[ir.Type, ir.Operation]] = {}
    scopes: dict[ir.Operation, ir.Operation] = {}
    for op, value, group in members:
        block_op = op.block.owner.operation
        scope = scopes.get(block_op)
        if scope is None:
            scope = scopes[block_op] = _scope(block_op)
        kind = value.type
        first_kind, first_scope = first.setdefault(group, (kind, scope))
        if scope != first_scope:
            fail(
                op.location,
                "ShardingGroupOps values cannot cross ManualComputationOp boundaries for"
                f" groupId: {group}",
            )
        if kind != first_kind and _shape(kind) != _shape(first_kind):
            fail(
                op.location,
                f"ShardingGroupOps values must have the same shape for groupId: {group}",
            )


def _scope(op: ir.Operation) -> ir.Operation:
    """Return the innermost manual computation around `op`, or `op` itself; else the module."""
    while op.name != MANUAL_COMPUTATION and op.parent is not None:
        op = op.parent.operation
    return op


def _shape(kind: ir.Type) -> list[int]:
    return ir.RankedTensorType(kind).shape


def _unify(members: Sequence[Member]) -> dict[int, int]:
    """Return the new number of the group of each id."""
    groups_of_value: dict[ir.Value, list[int]] = {}
    for _, value, group in members:
        groups_of_value.setdefault(value, []).append(group)
    absorbed_by: dict[int, int] = {}
    for first, *others in groups_of_value.values():
        leader = _leader(absorbed_by, first)
        for other in others:
            absorbed_by[_leader(absorbed_by, other)] = leader
    # Every id is a key of `absorbed_by` by now, in the order in which it was met.
    leaders = [group for group, by in absorbed_by.items() if group == by]
    numbers = {group: number for number, group in enumerate(leaders)}
    return {group: numbers[_leader(absorbed_by, group)] for group in absorbed_by}


def _leader(absorbed_by: dict[int, int], group: int) -> int:
    """Return the id that stands for the merged group of an id; a new id stands for its own."""
    path = []
    leader = group
    while (by := absorbed_by.setdefault(leader, leader)) != leader:
        path.append(leader)
        leader = by
    for passed in path:
        absorbed_by[passed] = leader
    return leader


def _renumber(members: Sequence[Member], numbers: dict[int, int]) -> None:
    """Set the new number of each op; erase all ops of a value but the first."""
    i64 = ir.IntegerType.get_signless(64)
    attributes = {number: ir.IntegerAttr.get(i64, number) for number in set(numbers.values())}
    seen: set[ir.Value] = set()
    duplicates: list[ir.Operation] = []
    for op, value, group in members:
        # All ids of a value are in one group by now: another op on it has the same number.
        if value in seen:
            duplicates.append(op)
            continue
        seen.add(value)
        op.attributes["group_id"] = attributes[numbers[group]]
    for op in duplicates:
        op.erase()
