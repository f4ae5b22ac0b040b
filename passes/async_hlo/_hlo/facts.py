"""Properties of HLO instructions and computations that the passes depend on."""

from __future__ import annotations

import re
from collections.abc import Collection

from sdykit import hlo
from sdykit.hlo import async_ops
from sdykit.hlo.attributes import entries_in, unquoted
from sdykit.passes.async_hlo._program import Facts

_CONTROL_FLOW = frozenset({"call", "conditional", "while"})
"""Instructions whose computations run as parts of the program."""

_ALIASED_OPERAND = re.compile(r"\(\s*(\d+)", re.ASCII)

_EFFECTS = async_ops.FIRST_CLASS_OPCODES | {
    "infeed",
    "outfeed",
    "recv",
    "rng",
    "rng-get-and-update-state",
    "send",
}
"""Opcodes that have a side effect in XLA, whatever their attributes."""


def facts_of(op: hlo.Instruction) -> Facts:
    """Return the properties that an instruction is chosen by: opcode, `%name`, ..."""
    target = op.attributes.get("custom_call_target")
    return Facts(
        (op.opcode, f"%{op.name}"),
        lambda name: _attribute(op, name),
        lambda: _attribute_names(op),
        None if target is None else unquoted(target),
    )


def _attribute(op: hlo.Instruction, name: str) -> str | None:
    if name in op.attributes:
        return unquoted(op.attributes[name])
    return entries_in(op.attributes.get("frontend_attributes", "{}")).get(name)


def _attribute_names(op: hlo.Instruction) -> list[str]:
    return [*op.attributes, *entries_in(op.attributes.get("frontend_attributes", "{}"))]


def runnable(module: hlo.Module) -> list[hlo.Computation]:
    """Return the computations that run as parts of the program, in program order.

    They are reached from the entry through control flow. A computation that is applied to
    elements, fused or wrapped is none of them, even if it is called as well.
    """
    found: dict[hlo.Computation, None] = {}
    pending = [module.entry]
    while pending:
        computation = pending.pop()
        if computation in found:
            continue
        found[computation] = None
        for op in computation:
            if op.opcode in _CONTROL_FLOW:
                pending += op.called()
    for computation in module:
        for op in computation:
            if op.opcode not in _CONTROL_FLOW:
                for called in op.called():
                    found.pop(called, None)
    return [computation for computation in module if computation in found]


def inner_first(module: hlo.Module) -> list[hlo.Computation]:
    """Return the computations, those that starts wrap before those of the starts."""
    found: dict[hlo.Computation, None] = {}
    entered: set[hlo.Computation] = set()
    pending = module.computations[::-1]
    while pending:
        computation = pending[-1]
        if computation in entered:
            found[pending.pop()] = None
            continue
        entered.add(computation)
        starts = [op for op in computation if op.opcode == async_ops.START]
        pending += [called for op in starts for called in op.called() if called not in entered]
    return list(found)


def overwritten(op: hlo.Instruction) -> Collection[hlo.Instruction]:
    """Return the operands that an instruction, or what it wraps, declares its output an alias of."""
    if not op.attributes:
        return ()
    found = [op.operands[number] for number in _aliased(op)]
    wrapped = async_ops.wrapped(op) if op.opcode == async_ops.START else None
    if wrapped is not None:
        parameters = [wrapped.root.operands[number] for number in _aliased(wrapped.root)]
        found += [
            op.operands[int(each.literal or 0)] for each in parameters if each.opcode == "parameter"
        ]
    return found


def _aliased(op: hlo.Instruction) -> list[int]:
    text = op.attributes.get("output_to_operand_aliasing")
    if text is None:
        return []
    numbers = map(int, _ALIASED_OPERAND.findall(text))
    return [number for number in numbers if number < len(op.operands)]


class Effects:
    """Tells which instructions of a module have side effects."""

    def __init__(self, module: hlo.Module) -> None:
        self._module = module
        self._computations: set[hlo.Computation] | None = None

    def has(self, op: hlo.Instruction) -> bool:
        """Return whether an instruction has a side effect, or a computation that it calls.

        A start and its done have the effects of what they wrap.
        """
        if _has_effect_itself(op):
            return True
        if self._computations is None:
            self._computations = _with_effects(self._module)
        if not self._computations:
            return False
        if op.opcode == async_ops.DONE:
            return async_ops.wrapped(op) in self._computations
        return not self._computations.isdisjoint(op.called())


def _has_effect_itself(op: hlo.Instruction) -> bool:
    if op.opcode in _EFFECTS:
        return True
    return bool(op.attributes) and op.attributes.get("custom_call_has_side_effect") == "true"


def _with_effects(module: hlo.Module) -> set[hlo.Computation]:
    """Return the computations that hold an instruction with a side effect, or call such a one."""
    pending = [each for each in module if any(map(_has_effect_itself, each.instructions))]
    callers = module.callers() if pending else {}
    found: set[hlo.Computation] = set()
    while pending:
        computation = pending.pop()
        if computation not in found:
            found.add(computation)
            pending += [op.parent for op in callers[computation] if op.parent is not None]
    return found
