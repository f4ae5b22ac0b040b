"""HLO modules under the interface of the passes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from sdykit import hlo
from sdykit.core.diagnostics import Diagnostic, Severity, emit
from sdykit.hlo import async_ops
from sdykit.hlo.opcodes import opcode_of
from sdykit.passes.async_hlo._hlo.facts import (
    Effects,
    facts_of,
    inner_first,
    overwritten,
    runnable,
)
from sdykit.passes.async_hlo._hlo.threads import Threads
from sdykit.passes.async_hlo._hlo.wrapping import unwrapped, wrapped_in_chain
from sdykit.passes.async_hlo._program import Chain, Facts, Role

_ROLES = {
    async_ops.START: Role.START,
    async_ops.UPDATE: Role.UPDATE,
    async_ops.DONE: Role.DONE,
}
_OWN_OPCODES = async_ops.FIRST_CLASS | async_ops.FIRST_CLASS_OPCODES


@dataclass
class _Edit:
    """Changes to a computation, collected so that its list is rebuilt once, in linear time."""

    before: dict[hlo.Instruction, list[hlo.Instruction]] = field(default_factory=dict)
    erased: set[hlo.Instruction] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """The names of instructions that are to be inserted."""

    def order(self, computation: hlo.Computation) -> Iterator[hlo.Instruction]:
        for op in computation.instructions:
            yield from self.before.get(op, ())
            if op not in self.erased:
                yield op


class HloProgram:
    """`Program` of `sdykit.hlo`; a block is a computation."""

    def __init__(self, module: hlo.Module) -> None:
        self._module = module
        self._edits: dict[hlo.Computation, _Edit] = {}
        self._wrapped: dict[hlo.Computation, list[hlo.Computation]] = {}
        self._unwrapped: list[hlo.Computation] = []
        self._threads = Threads(module)
        self._effects = Effects(module)

    def fail(self, op: hlo.Instruction, message: str) -> NoReturn:
        raise hlo.HloError(op.location, f"The {op.opcode} instruction %{op.name} {message}")

    def warn(self, message: str) -> None:
        source = self._module.source
        place = None if source is None else source.location(0)
        emit(Diagnostic(Severity.WARNING, message, place))

    def blocks(self) -> Iterable[Sequence[hlo.Instruction]]:
        for computation in inner_first(self._module):
            if any(op.opcode == async_ops.START for op in computation):
                yield computation.instructions

    def role(self, op: hlo.Instruction) -> Role | None:
        return _ROLES.get(op.opcode)

    def users(self, op: hlo.Instruction) -> Sequence[hlo.Instruction]:
        return list(op.users)

    def same_block(self, op: hlo.Instruction, other: hlo.Instruction) -> bool:
        return op.parent is other.parent

    def thread(self, start: hlo.Instruction) -> str:
        return async_ops.thread_of(start)

    # --- wrapping ---

    def runnable_ops(self) -> Iterable[hlo.Instruction]:
        return [op for computation in runnable(self._module) for op in computation]

    def own_name(self, name: str) -> str:
        return name if name.startswith("%") else opcode_of(name)

    def facts(self, op: hlo.Instruction) -> Facts:
        return facts_of(op)

    def refusal(self, op: hlo.Instruction) -> str | None:
        if op.opcode in _OWN_OPCODES:
            return f"{op.opcode} has asynchronous opcodes of its own"
        if op.opcode == "parameter" or async_ops.is_async(op):
            return f"{op.opcode} is not an operation that a thread could run"
        return None

    def wrap(self, op: hlo.Instruction, thread: str) -> None:
        computation = _parent(op)
        wrapped, start, done = wrapped_in_chain(self._module, op, thread)
        self._wrapped.setdefault(computation, []).append(wrapped)
        self._threads.move(wrapped.root, thread)
        edit = self._edit(computation)
        edit.before[op] = [start, done]
        edit.erased.add(op)

    def unwrap(self, chain: Chain[hlo.Instruction]) -> None:
        computation = _parent(chain.start)
        wrapped = async_ops.wrapped(chain.start)
        if wrapped is None:
            self.fail(chain.start, "should have 1 called computation")
        # Chains unwrapped inside it are replaced first, so that their copies are copied.
        self._apply_edit(wrapped)
        edit = self._edit(computation)
        ops = unwrapped(chain, wrapped, edit.names)
        for op in ops:
            self._threads.follow(op)
        edit.before[chain.done] = ops
        edit.erased.update(chain.ops)
        self._unwrapped.append(wrapped)

    # --- updates ---

    def add_updates(self, chain: Chain[hlo.Instruction], places: Sequence[hlo.Instruction]) -> None:
        computation = _parent(chain.start)
        last = chain.ops[-2]
        for place in places:
            update = hlo.Instruction(
                self._module.fresh_name(_update_name(chain.start.name)),
                last.shape,
                async_ops.UPDATE,
                [last],
                spelling=last.spelling,
                offset=chain.start.offset,
            )
            self._edit(computation).before.setdefault(place, []).append(update)
            last = update
        chain.done.operands = [last]

    def drop_updates(self, chain: Chain[hlo.Instruction], kept: int) -> None:
        edit = self._edit(_parent(chain.start))
        last = chain.ops[kept]
        for update in chain.updates[kept:]:
            # Instructions that wait for the update wait for the last phase that is kept.
            for waiting in list(update.control_users or ()):
                others = [last if op is update else op for op in waiting.control_predecessors]
                waiting.control_predecessors = [op for op in others if op is not waiting]
            mine = [op for op in update.control_predecessors if op is not last]
            chain.done.control_predecessors = [*chain.done.control_predecessors, *mine]
            edit.erased.add(update)
        chain.done.operands = [last]

    # --- order ---

    def movable(self, block: Sequence[hlo.Instruction]) -> Sequence[hlo.Instruction]:
        # Leading parameters stay first, where readers of the text look for them.
        parameters = 0
        while parameters < len(block) and block[parameters].opcode == "parameter":
            parameters += 1
        return block[parameters:]

    def stays_last(self, op: hlo.Instruction) -> bool:
        return op.is_root

    def results(self, op: hlo.Instruction) -> Iterable[object]:
        return (op,)

    def operands(self, op: hlo.Instruction) -> Iterable[object]:
        return op.operands

    def overwritten(self, op: hlo.Instruction) -> Collection[object]:
        return overwritten(op)

    def control_predecessors(self, op: hlo.Instruction) -> Iterable[hlo.Instruction]:
        return op.control_predecessors

    def has_effect(self, op: hlo.Instruction) -> bool:
        return self._effects.has(op)

    def reorder(self, block: Sequence[hlo.Instruction], order: Sequence[hlo.Instruction]) -> None:
        parameters = block[: len(block) - len(order)]
        _parent(block[0]).set_order([*parameters, *order])

    def finish(self) -> None:
        for computation in list(self._edits):
            self._apply_edit(computation)
        if self._wrapped or self._unwrapped:
            self._module.set_order(self._computations())
        self._threads.finish()

    def _computations(self) -> Iterator[hlo.Computation]:
        callers = self._module.callers() if self._unwrapped else {}
        unused = {each for each in self._unwrapped if not callers[each]}
        for computation in self._module.computations:
            # XLA requires callees before their callers.
            yield from self._wrapped.get(computation, ())
            if computation not in unused:
                yield computation

    def _edit(self, computation: hlo.Computation) -> _Edit:
        return self._edits.setdefault(computation, _Edit())

    def _apply_edit(self, computation: hlo.Computation) -> None:
        edit = self._edits.pop(computation, None)
        if edit is not None:
            computation.set_order(list(edit.order(computation)))


def _update_name(start: str) -> str:
    return f"{start.removesuffix('-start')}-update"


def _parent(op: hlo.Instruction) -> hlo.Computation:
    assert op.parent is not None, "an instruction of a module has a parent"
    return op.parent
