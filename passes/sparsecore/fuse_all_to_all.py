"""`-sparsecore-fuse-all-to-all`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, fail, ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._programs.entry import entry_of, phases_of

_MARK = "sparsecore.all_to_all"
_FOR = "scf.for"
_EQUAL = 0
_PURE = ("arith.", "memref.dim")
_EXPECTED = (
    "expected the last op but the 'scf.yield' of a loop over what is exchanged, alone in a loop "
    "over the SparseCores, and the comparison of a SparseCore with the other loop's counter"
)


@dataclass(frozen=True)
class FuseAllToAllPass(ModulePass):
    """Take rows from all SparseCores at once.

    In an all-to-all a tile gets what it gathers from one SparseCore after the other, each of
    which gives what is in its partition. An `scf.if` with the attribute `sparsecore.all_to_all`
    says which one that is, and what it guards is done for each SparseCore once. SparseCores of a
    chip share its HBM: a tile may as well take everything in one pass, in any order.

    That each row is in the partition of one of the SparseCores that the loop counts is up to the
    program.

    Before:

    ```mlir
    scf.for %core = %c0 to %c4 step %c1 {
      scf.for %k = %c0 to %n step %c1 {
        %owner = arith.remui %row, %c4 : index
        %gives = arith.cmpi eq, %owner, %core : index
        scf.if %gives {
          memref.copy %from, %to : ...
        } {sparsecore.all_to_all}
      }
    }
    ```

    After:

    ```mlir
    scf.for %k = %c0 to %n step %c1 {
      memref.copy %from, %to : ...
    }
    ```
    """

    name = "sparsecore-fuse-all-to-all"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        for phase in phases_of(entry):
            for op in list(ops_named(phase, "scf.if")):
                if _MARK in op.attributes:
                    _fuse(op)


def _fuse(choice: ir.Operation) -> None:
    loop = _loop_over_cores(choice)
    for view in list(choice.regions[0].blocks[0])[:-1]:
        view.operation.move_before(choice)
    condition = choice.operands[0].owner
    choice.erase()
    assert not isinstance(condition, ir.Block)
    condition.operation.erase()
    for view in list(loop.regions[0].blocks[0])[:-1]:
        view.operation.move_before(loop)
    loop.erase()


def _loop_over_cores(choice: ir.Operation) -> ir.Operation:
    """Give the loop over the SparseCores that give.

    Raises:
        PassFailure: there is none.
    """
    inner = _loop_around(choice)
    outer = inner and _loop_around(inner)
    if inner is None or outer is None:
        fail(choice, f"is an all-to-all; {_EXPECTED}")
    body, others = (list(op.regions[0].blocks[0]) for op in (inner, outer))
    is_alone = body[-2].operation == choice and all(
        view.operation == inner or view.operation.name.startswith(_PURE) for view in others[:-1]
    )
    carries = len(choice.results) or len(inner.results) or len(outer.results)
    if not is_alone or carries or not _is_guarded(choice, outer):
        fail(choice, f"is an all-to-all; {_EXPECTED}")
    return outer


def _loop_around(op: ir.Operation) -> ir.Operation | None:
    parent = op.parent
    return parent.operation if parent is not None and parent.operation.name == _FOR else None


def _is_guarded(choice: ir.Operation, outer: ir.Operation) -> bool:
    """Tell whether a choice is made by the counter of a loop, and nothing else depends on it."""
    core = outer.regions[0].blocks[0].arguments[0]
    condition = choice.operands[0].owner
    if isinstance(condition, ir.Block) or condition.operation.name != "arith.cmpi":
        return False
    is_equal = ir.IntegerAttr(condition.operation.attributes["predicate"]).value == _EQUAL
    users = [use.owner.operation for use in core.uses]
    uses = list(choice.operands[0].uses)
    return is_equal and users == [condition.operation] and len(uses) == 1 and not _else(choice)


def _else(choice: ir.Operation) -> bool:
    """Tell whether something is done otherwise."""
    return any(len(list(block)) > 1 for block in choice.regions[1])
