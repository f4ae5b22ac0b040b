"""Wrap HLO instructions in chains, and unwrap them."""

from __future__ import annotations

from collections.abc import Iterable

from sdykit import hlo
from sdykit.hlo import async_ops
from sdykit.hlo.attributes import quoted
from sdykit.passes.async_hlo._program import Chain

_METADATA = "metadata"

_OF_OPERATION = frozenset({"backend_config", "frontend_attributes", _METADATA})
"""Attributes of a start that may be those of the operation: sugar has one place for both."""


def wrapped_in_chain(
    module: hlo.Module, op: hlo.Instruction, thread: str
) -> tuple[hlo.Computation, hlo.Instruction, hlo.Instruction]:
    """Return a computation, a start and a done that replace `op`.

    Users of `op` use the done after this, and its control successors wait for the done. The
    caller inserts the three and erases `op`.
    """
    computation = _computation_of(module, op, thread)
    percent = "%" if op.spelling.percent else ""
    attributes = {"calls": percent + computation.name}
    if thread != hlo.MAIN_THREAD:
        attributes = {"async_execution_thread": quoted(thread)} | attributes
    metadata = {name: op.attributes[name] for name in (_METADATA,) if name in op.attributes}
    start = hlo.Instruction(
        module.fresh_name(f"{op.name}-start"),
        hlo.tuple_shape([_operands_shape(op), op.shape]),
        async_ops.START,
        op.operands,
        attributes | metadata,
        spelling=op.spelling,
        offset=op.offset,
    )
    done = hlo.Instruction(
        module.fresh_name(f"{op.name}-done"),
        op.shape,
        async_ops.DONE,
        [start],
        metadata,
        spelling=op.spelling,
        offset=op.offset,
    )
    if op.control_predecessors:
        start.control_predecessors = op.control_predecessors
    for waiting in list(op.control_users or ()):
        _wait_instead(waiting, op, [done])
    op.replace_uses(done)
    return computation, start, done


def _computation_of(module: hlo.Module, op: hlo.Instruction, thread: str) -> hlo.Computation:
    computation = hlo.Computation(module.fresh_name(f"async_{op.name}"), offset=op.offset)
    if op.parent is not None:
        computation.percent, computation.signature = op.parent.percent, op.parent.signature
    if thread != hlo.MAIN_THREAD:
        computation.attributes["execution_thread"] = quoted(thread)
    # Instructions of two computations may have the same name, those of one may not.
    name = "operand" if op.name.startswith("param_") else "param"
    parameters = [
        computation.append(
            hlo.Instruction(
                f"{name}_{number}",
                operand.shape,
                "parameter",
                literal=str(number),
                spelling=op.spelling,
                offset=op.offset,
            )
        )
        for number, operand in enumerate(op.operands)
    ]
    computation.root = computation.append(_copy(op, op.name, parameters))
    return computation


def _operands_shape(op: hlo.Instruction) -> str:
    return hlo.tuple_shape([operand.shape for operand in op.operands])


def _copy(op: hlo.Instruction, name: str, operands: Iterable[hlo.Instruction]) -> hlo.Instruction:
    return hlo.Instruction(
        name,
        op.shape,
        op.opcode,
        tuple(operands),
        op.attributes,
        literal=op.literal,
        spelling=op.spelling,
        offset=op.offset,
    )


def unwrapped(
    chain: Chain[hlo.Instruction], computation: hlo.Computation, taken: set[str]
) -> list[hlo.Instruction]:
    """Return copies of the instructions that a chain wraps; users of the done use their result.

    Instructions that waited for the done wait for the result. Those that waited for the start
    or an update wait for the control predecessors of these: they do not need the result. The
    caller inserts the copies and erases the chain. The copies keep their names unless these
    are in the computation or in `taken`, to which they are added.
    """
    start, done = chain.start, chain.done
    parent, module = start.parent, computation.module
    assert parent is not None
    assert module is not None
    value = dict(zip(computation.parameters, start.operands, strict=True))
    copies: list[hlo.Instruction] = []
    for op in computation:
        if op.opcode == "parameter":
            continue
        is_free = op.name not in parent.by_name and op.name not in taken
        name = op.name if is_free else module.fresh_name(op.name)
        taken.add(name)
        copy = _copy(op, name, [value[operand] for operand in op.operands])
        copy.control_predecessors = [value[other] for other in op.control_predecessors]
        value[op] = copy
        copies.append(copy)
    result = value[computation.root]
    # The result may be an operand of the start, and no copy.
    for name, text in start.attributes.items() if result in copies else ():
        if name in _OF_OPERATION:
            result.attributes.setdefault(name, text)
    _inherit_control(chain, copies, result)
    done.replace_uses(result)
    return copies


def _inherit_control(
    chain: Chain[hlo.Instruction], copies: list[hlo.Instruction], result: hlo.Instruction
) -> None:
    phases = set(chain.ops)
    waited_for: list[hlo.Instruction] = []
    for op in chain.ops:
        waited_for += [each for each in op.control_predecessors if each not in phases]
        for waiting in list(op.control_users or ()):
            if waiting not in phases:
                _wait_instead(waiting, op, [result] if op is chain.done else waited_for)
    for copy in copies:
        copy.control_predecessors = [*copy.control_predecessors, *waited_for]


def _wait_instead(
    waiting: hlo.Instruction, old: hlo.Instruction, new: Iterable[hlo.Instruction]
) -> None:
    """Let an instruction wait for `new` instead of `old`."""
    predecessors: list[hlo.Instruction] = []
    for op in waiting.control_predecessors:
        predecessors += new if op is old else [op]
    waiting.control_predecessors = [op for op in predecessors if op is not waiting]
