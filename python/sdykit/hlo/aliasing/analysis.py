"""The analysis of the buffers that asynchronous chains share, and of their live ranges.

An asynchronous start holds its operands' buffers until the done: element {0,i} of its
value is operand i, element {1} is the result of the done, and further elements are
context. Updates forward all of it. `analyse` finds, for every buffer that a chain
touches, all the places that are the same buffer, also outside of the chain: through
`tuple`, `get-tuple-element`, `bitcast` and others that copy nothing, and through
`output_to_operand_aliasing`.
"""

from __future__ import annotations

from sdykit.hlo import async_ops
from sdykit.hlo.aliasing.flow import Flow
from sdykit.hlo.aliasing.result import (
    AsyncAliasing,
    Buffer,
    Chain,
    ComputationAliasing,
    Index,
    Role,
    Slot,
    Use,
)
from sdykit.hlo.model import Computation, Instruction, Module
from sdykit.hlo.verify import check


def analyse(module: Module) -> AsyncAliasing:
    """Return the buffers of all asynchronous chains, with their live ranges.

    Two places are one buffer if they have to be, whatever the compiler does: reuse that it may
    choose, such as that of the operand of a `dynamic-update-slice`, does not count. Values
    that a `while` carries stay in their buffers.

    Args:
        module: the module to analyse; it is not changed.

    Raises:
        VerificationError: `verify` finds errors.
    """
    check(module)
    flow = Flow()
    found = [_analyse(computation, flow) for computation in module.computations]
    return AsyncAliasing(
        tuple(each for each in found if each.chains),
        module.attributes.get("is_scheduled") == "true",
    )


def _analyse(computation: Computation, flow: Flow) -> ComputationAliasing:
    starts = [op for op in computation.instructions if op.opcode == async_ops.START]
    if not starts:
        return ComputationAliasing(computation, (), ())
    position = {op: at for at, op in enumerate(computation.instructions)}
    chains = tuple(_chain(start, position) for start in starts)
    uses: dict[tuple[Instruction, Index], list[Use]] = {}
    for chain in chains:
        for index in flow.leaves(chain.start):
            source = flow.origin(chain.start, index)
            uses.setdefault(source, []).append(Use(chain, _role(index), index))
    buffers = [_buffer(flow, place, found, position) for place, found in uses.items()]
    buffers.sort(key=lambda each: (each.first, position[each.slots[0].instruction]))
    return ComputationAliasing(computation, chains, tuple(buffers))


def _chain(start: Instruction, position: dict[Instruction, int]) -> Chain:
    _, *updates, done = async_ops.chain(start)
    called = async_ops.wrapped(start)
    assert called is not None, "the verifier has found it"
    first, last = position[start], position[done]
    thread = async_ops.thread_of(start)
    return Chain(start, tuple(updates), done, first, last, called, thread)


def _role(index: Index) -> Role:
    return {0: Role.OPERAND, 1: Role.OUTPUT}.get(index[0], Role.CONTEXT)


def _buffer(
    flow: Flow,
    place: tuple[Instruction, Index],
    uses: list[Use],
    position: dict[Instruction, int],
) -> Buffer:
    slots = sorted(flow.reach(*place), key=lambda slot: (position[slot[0]], slot[1]))
    origin, index = place
    readers = [user for slot in slots for user in flow.readers(*slot)]
    escapes = any(op.is_root for op, _ in slots)
    last = max(position[op] for op in [*readers, *(op for op, _ in slots)])
    return Buffer(
        shape=flow.leaves(origin).get(index, origin.shape),
        slots=tuple(Slot(*slot) for slot in slots),
        uses=tuple(uses),
        first=0 if origin.opcode == "parameter" else position[origin],
        last=len(position) - 1 if escapes else last,
        escapes=escapes,
    )
