"""Which ops MLIR's greedy driver erases when it comes to them: those without uses and side effects.

The bindings cannot ask for side effects, so a table has the ops with some. To derive it for another
jaxlib: run the C++ pass `trivial-dce` on a function of ops without uses, and see which are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.program import Program
from sdykit.passes.sdy.constant_splitter.ops import PURE

_WITH_EFFECTS: Final = frozenset(
    (
        "sdy.all_gather",
        "sdy.all_reduce",
        "sdy.all_slice",
        "sdy.all_to_all",
        "sdy.collective_permute",
        "sdy.reduce_scatter",
        "sdy.replicated_to_unreduced",
        "sdy.sharded_to_unreduced",
        "sdy.data_flow_edge",
        "sdy.func_data_flow_edge",
        "sdy.mesh",
        "sdy.sharding_constraint",
        "sdy.sharding_group",
        "stablehlo.all_gather",
        "stablehlo.all_reduce",
        "stablehlo.all_to_all",
        "stablehlo.collective_broadcast",
        "stablehlo.collective_permute",
        "stablehlo.composite",
        "stablehlo.infeed",
        "stablehlo.outfeed",
        "stablehlo.recv",
        "stablehlo.reduce_scatter",
        "stablehlo.send",
    )
)
_TERMINATORS: Final = ("stablehlo.return", "sdy.return")
RETURNS: Final = frozenset((*_TERMINATORS, "func.return", "mpmd.return"))
_DIALECTS: Final = ("stablehlo.", "sdy.")


def may_be_erased(op: ir.Operation) -> bool:
    """Return whether an op has no side effects, nor any op in its regions."""
    if op.name == "stablehlo.custom_call":
        effect = op.attributes.get("has_side_effect")
        return effect is None or not ir.BoolAttr(effect).value
    is_free = op.name in PURE or (
        op.name.startswith(_DIALECTS) and op.name not in (*_WITH_EFFECTS, *_TERMINATORS)
    )
    return is_free and all(
        inner.operation.name in _TERMINATORS or may_be_erased(inner.operation)
        for region in op.regions
        for block in region.blocks
        for inner in block.operations
    )


class Dead:
    """The dead ops of a program: those to be erased when they are visited, and those that were.

    Attributes:
        waiting: the ops that are dead, and not erased yet.
        is_gone: for each op, whether it was erased, or an op around it.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self.is_gone = bytearray(len(program.ops))
        users, results = program.users, program.results
        used_by = users.__getitem__
        unused = [node for node, of in enumerate(results) if not any(map(used_by, of))]
        self.waiting = {node for node in unused if self._may_be_erased(node)}
        self._erased: list[int] = []

    def uses(self, value: int) -> list[int]:
        """Return the ops that use a value, once for each use, without those that are gone."""
        return [user for user in self._program.users[value] if not self.is_gone[user]]

    def count_uses(self, value: int) -> int:
        """Return how many operands a value is, without those of ops that are gone."""
        return len(self.uses(value) if self._erased else self._program.users[value])

    def erase(self, node: int) -> list[int]:
        """Erase an op and those in its regions, for propagation; return the values that they used."""
        program = self._program
        self.waiting.discard(node)
        self._erased.append(node)
        nodes = range(node, program.subtree_ends.get(node, node + 1))
        for each in nodes:
            self.is_gone[each] = True
        used = [value for each in nodes for value in program.operands[each]]
        for value in used:
            owner = program.owners[value]
            is_unused = not any(self.uses(result) for result in program.results[owner])
            if is_unused and not self.is_gone[owner] and self._may_be_erased(owner):
                self.waiting.add(owner)
        return used

    def write(self, ops: Sequence[ir.Operation]) -> None:
        """Erase, of the ops of a module, those that were erased; of an op and its users, the users first."""
        for node in self._erased:
            ops[node].erase()

    def _may_be_erased(self, node: int) -> bool:
        name = self._program.names[node]
        return name not in RETURNS and may_be_erased(self._program.ops[node])
