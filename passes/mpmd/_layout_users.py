"""Where a value of an MPMD program goes."""

from __future__ import annotations

from dataclasses import dataclass, field

from sdykit.dialects import mpmd
from sdykit.mlir import ir
from sdykit.passes.mpmd._program import FRAGMENT, TRANSFER, is_cpu_mesh


@dataclass(slots=True)
class Users:
    """The uses of a value by kind, the newest first."""

    results: list[int] = field(default_factory=list)
    """The results of the function that it is returned as."""
    fragments: list[tuple[ir.Operation, int]] = field(default_factory=list)
    """The fragments that it is an operand of, and which one."""
    transfers: list[ir.Operation] = field(default_factory=list)
    program_uses: int = 0
    """The uses by fragments, transfers and other ops of the dialect, such as calls."""
    all_uses: int = 0

    @property
    def has_transfer_to_cpu(self) -> bool:
        """Whether one of the transfers goes to a mesh of CPUs."""
        return any(
            is_cpu_mesh(mpmd.MeshTensorType.of(op.results[0].type).mesh_name)
            for op in self.transfers
        )


def users_of(value: ir.Value, return_op: ir.Operation) -> Users:
    """List the uses of a value in the function that ends with `return_op`.

    Those by ops of other dialects have no say: they are in functions over a single mesh,
    which one compiler sees as a whole.
    """
    users = Users()
    for use in value.uses:
        users.all_uses += 1
        op = use.owner.operation
        name = op.name
        if name.startswith("mpmd."):
            users.program_uses += 1
        if name == FRAGMENT:
            users.fragments.append((op, use.operand_number))
        elif name == TRANSFER:
            users.transfers.append(op)
        elif op == return_op:
            users.results.append(use.operand_number)
    return users
