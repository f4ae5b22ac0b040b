"""MLIR modules with `mhlo.async_*` operations, under the interface of the passes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NoReturn

from sdykit.core import fail, ops_named, warn
from sdykit.hlo.opcodes import opcode_of
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.async_hlo._mlir import names
from sdykit.passes.async_hlo._mlir.effects import Effects
from sdykit.passes.async_hlo._mlir.facts import facts_of, overwritten, refusal, runnable_ops
from sdykit.passes.async_hlo._mlir.wrapping import Unwrapping, Wrapping
from sdykit.passes.async_hlo._program import Chain, Facts, Role


class MlirProgram:
    """`Program` of an MLIR module; blocks are those of functions and of regions in them."""

    def __init__(self, module: ModuleOp) -> None:
        self._module = module
        self._functions = names.Functions()
        self._effects = Effects(module, self._functions)
        self._wrapping = Wrapping()
        self._unwrapping: Unwrapping | None = None

    def fail(self, op: ir.Operation, message: str) -> NoReturn:
        fail(op, message)

    def warn(self, message: str) -> None:
        warn(self._module.location, message)

    def blocks(self) -> Iterable[Sequence[ir.Operation]]:
        blocks = _inner_first(self._module, self._functions)
        return [[op.operation for op in block.operations] for block in blocks]

    def role(self, op: ir.Operation) -> Role | None:
        return names.ROLES.get(op.name)

    def users(self, op: ir.Operation) -> Sequence[ir.Operation]:
        return list(dict.fromkeys(use.owner.operation for use in op.result.uses))

    def same_block(self, op: ir.Operation, other: ir.Operation) -> bool:
        return op.block == other.block

    def thread(self, start: ir.Operation) -> str:
        return names.thread_of(start)

    # --- wrapping ---

    def runnable_ops(self) -> Iterable[ir.Operation]:
        return runnable_ops(self._module)

    def own_name(self, name: str) -> str:
        return name if "." in name else opcode_of(name)

    def facts(self, op: ir.Operation) -> Facts:
        return facts_of(op)

    def refusal(self, op: ir.Operation) -> str | None:
        return refusal(op)

    def wrap(self, op: ir.Operation, thread: str) -> None:
        self._wrapping.wrap(op, thread)

    def unwrap(self, chain: Chain[ir.Operation]) -> None:
        if self._unwrapping is None:
            self._unwrapping = Unwrapping(self._module, self._functions)
        self._unwrapping.unwrap(chain)

    # --- updates ---

    def add_updates(self, chain: Chain[ir.Operation], places: Sequence[ir.Operation]) -> None:
        last = chain.ops[-2].result
        for place in places:
            update = ir.Operation.create(
                names.UPDATE,
                results=[last.type],
                operands=[last],
                loc=chain.start.location,
                ip=ir.InsertionPoint(place),
            )
            last = update.result
        chain.done.operands[0] = last

    def drop_updates(self, chain: Chain[ir.Operation], kept: int) -> None:
        chain.done.operands[0] = chain.ops[kept].result
        for update in reversed(chain.updates[kept:]):
            update.erase()

    # --- order ---

    def movable(self, block: Sequence[ir.Operation]) -> Sequence[ir.Operation]:
        return block

    def stays_last(self, op: ir.Operation) -> bool:
        return True  # It is the terminator.

    def results(self, op: ir.Operation) -> Iterable[object]:
        return op.results

    def operands(self, op: ir.Operation) -> Iterable[ir.Value]:
        if not len(op.regions):
            return op.operands
        found = list(op.operands)
        for region in op.regions:
            for block in region.blocks:
                for each in block.operations:
                    found += self.operands(each.operation)
        return found

    def overwritten(self, op: ir.Operation) -> Collection[object]:
        return overwritten(op, self._functions)

    def control_predecessors(self, op: ir.Operation) -> Iterable[ir.Operation]:
        return ()

    def has_effect(self, op: ir.Operation) -> bool:
        return self._effects.has(op)

    def reorder(self, block: Sequence[ir.Operation], order: Sequence[ir.Operation]) -> None:
        terminator = block[-1]
        for op in order[:-1]:
            op.move_before(terminator)

    def finish(self) -> None:
        pass  # Each change was made at once.


def _inner_first(module: ModuleOp, functions: names.Functions) -> list[ir.Block]:
    """Return the blocks that hold starts, those of a function before those that call it."""
    starts: dict[ir.Operation, list[ir.Operation]] = {}
    for start in ops_named(module, names.START):
        starts.setdefault(_function_around(start), []).append(start)
    # Blocks have no hash of their own, their first operations do.
    found: dict[ir.Operation, ir.Block] = {}
    entered: set[ir.Operation] = set()
    pending = list(starts)[::-1]
    while pending:
        function = pending[-1]
        if function in entered:
            pending.pop()
            found |= {
                start.block.operations[0].operation: start.block for start in starts[function]
            }
            continue
        entered.add(function)
        called = [functions.called_by(start) for start in starts[function]]
        pending += [each for each in called if each in starts and each not in entered]
    return list(found.values())


def _function_around(op: ir.Operation) -> ir.Operation:
    parent = op.parent
    while parent is not None and parent.operation.name != "builtin.module":
        op, parent = parent.operation, parent.operation.parent
    return op
