"""Find the asynchronous chains that can be printed as sugar without changing the program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from sdykit.hlo.async_ops import ASYNC_SUFFIXES, DONE, FIRST_CLASS, START, THREAD, UPDATE
from sdykit.hlo.attributes import COMMON_ATTRIBUTES, unquoted
from sdykit.hlo.model import MAIN_THREAD, Computation, Instruction, Module
from sdykit.hlo.shape import equal_shape, parse_shape


def sugared(module: Module) -> dict[Instruction, Instruction]:
    """Return the instructions to print as sugar, with the instruction that each one wraps.

    A start is among them if reading `op-start` builds the same computation again, but for
    names: no other instruction calls the computation, and it is on the thread of the start;
    it holds its parameters in order and the root, which uses each of them once, in order;
    it has nothing that sugar cannot express, and `op` has no `-start` of its own.
    """
    started: dict[Computation, Instruction] = {}
    callers = Counter[Computation]()
    for op, called in module.calls():
        callers.update(called)
        if op.opcode == START and len(called) == 1:
            started[called[0]] = op
    roots = dict[Instruction, Instruction]()
    for computation, start in started.items():
        if callers[computation] == 1 and _fits(start, computation):
            roots[start] = computation.root
            roots |= dict.fromkeys(_phases_after(start), computation.root)
    return roots


def _phases_after(start: Instruction) -> Iterator[Instruction]:
    """Yield the updates and dones of a chain, up to the first that sugar cannot express."""
    pending = [start]
    while pending:
        for op in pending.pop().users:
            if op.opcode in {UPDATE, DONE} and len(op.operands) == 1 and _has_common_only(op):
                yield op
                pending.append(op)


def _fits(start: Instruction, called: Computation) -> bool:
    if called.is_entry or len(called) != len(start.operands) + 1:
        return False
    *parameters, root = called.instructions
    return (
        root.operands == tuple(parameters)
        and all(_is_plain_parameter(op, number) for number, op in enumerate(parameters))
        and _is_plain_root(root, called)
        and called.attributes == _attributes_for(start)
        and _has_common_only(start, "calls")
        and _has_shapes_of(start, called)
    )


def _is_plain_parameter(op: Instruction, number: int) -> bool:
    return op.opcode == "parameter" and op.literal == str(number) and _is_alone(op, op.attributes)


def _is_plain_root(op: Instruction, called: Computation) -> bool:
    return (
        called.root is op
        and op.literal is None
        and op.opcode not in FIRST_CLASS
        # `async-start` and so on, or `async`, of which the start would be that.
        and not f"{op.opcode}-".startswith("async-")
        and not op.opcode.endswith(ASYNC_SUFFIXES)
        and _is_alone(op, COMMON_ATTRIBUTES.intersection(op.attributes))
    )


def _is_alone(op: Instruction, attributes: Collection[str]) -> bool:
    return not attributes and not op.control_predecessors and not op.control_users


def _attributes_for(start: Instruction) -> dict[str, str]:
    """Return the attributes of the computation that the reader builds for a sugared start."""
    thread = start.attributes.get(THREAD)
    if thread is None or unquoted(thread) == MAIN_THREAD:
        return {}
    return {"execution_thread": thread}


def _has_common_only(op: Instruction, *besides: str) -> bool:
    return COMMON_ATTRIBUTES.issuperset(op.attributes) or all(
        key in COMMON_ATTRIBUTES or key in besides for key in op.attributes
    )


def _has_shapes_of(start: Instruction, called: Computation) -> bool:
    elements = parse_shape(start.shape).elements
    if elements is None or len(elements) < 2:
        return False
    pairs = [
        (called.root.shape, elements[1].text),
        *[(op.shape, mine.shape) for op, mine in zip(called, start.operands, strict=False)],
    ]
    return all(equal_shape(there, here) for there, here in pairs)
