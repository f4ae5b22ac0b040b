"""`-sdy-sharding-group-import`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._shardings import every_op_named


@dataclass(frozen=True, slots=True)
class Member:
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

    Then groups that have a value in common become one group, transitively, and a value is
    left with one op. The groups are numbered without gaps, in this order: values are
    taken in the order of their first op. The class of a value's first id absorbs the
    classes of its other ids. Ids count in the order in which they were met, but only those
    that no other id has absorbed.

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
        ops = every_op_named(module, sdy.ShardingGroupOp.OPERATION_NAME)
        members = [
            Member(op, op.operands[0], ir.IntegerAttr(op.attributes["group_id"]).value)
            for op in ops
        ]
        _validate(members)
        _renumber(members, _unify(members))


def _validate(members: Sequence[Member]) -> None:
    """Fail at the first op that does not fit the first one of its group."""
    first: dict[int, tuple[Sequence[int], ir.Operation]] = {}
    for member in members:
        shape = ir.RankedTensorType(member.value.type).shape
        scope = _scope(member.op)
        first_shape, first_scope = first.setdefault(member.group, (shape, scope))
        if scope != first_scope:
            fail(
                member.op.location,
                "ShardingGroupOps values cannot cross ManualComputationOp boundaries for"
                f" groupId: {member.group}",
            )
        if shape != first_shape:
            fail(
                member.op.location,
                f"ShardingGroupOps values must have the same shape for groupId: {member.group}",
            )


def _scope(op: ir.Operation) -> ir.Operation:
    """Find the innermost manual computation around an op; without one, the module."""
    while (parent := op.parent) is not None:
        op = parent.operation
        if op.name == sdy.ManualComputationOp.OPERATION_NAME:
            break
    return op


def _unify(members: Sequence[Member]) -> dict[int, int]:
    """Map each group id to the number of the group it ends up in."""
    groups_of_value: dict[ir.Value, list[int]] = {}
    for member in members:
        groups_of_value.setdefault(member.value, []).append(member.group)
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
    """Find the id that leads the class of `group`; a new id leads its own."""
    path = []
    leader = group
    while (by := absorbed_by.setdefault(leader, leader)) != leader:
        path.append(leader)
        leader = by
    for passed in path:
        absorbed_by[passed] = leader
    return leader


def _renumber(members: Sequence[Member], numbers: dict[int, int]) -> None:
    """Give every op its final number; erase ops that repeat the one before them."""
    i64 = ir.IntegerType.get_signless(64)
    attributes = {number: ir.IntegerAttr.get(i64, number) for number in set(numbers.values())}
    seen: set[ir.Value] = set()
    duplicates: list[ir.Operation] = []
    for member in members:
        # All ids of a value are in one class, so a second op on it has the same number.
        if member.value in seen:
            duplicates.append(member.op)
            continue
        seen.add(member.value)
        member.op.attributes["group_id"] = attributes[numbers[member.group]]
    for op in duplicates:
        op.erase()
