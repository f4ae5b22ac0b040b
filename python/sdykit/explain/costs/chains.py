"""Collectives one after the other, and the ops whose shardings disagree about them."""

from __future__ import annotations

from typing import NamedTuple

from sdykit.explain.costs.numbering import op_number, tensor_number
from sdykit.explain.costs.program import PartitionedProgram
from sdykit.explain.model import TensorSharding
from sdykit.mlir import ir

_RETURN = "func.return"


class Chain(NamedTuple):
    """Collectives one after the other, which stand for one reshard.

    Attributes:
        start: the value that they begin with.
        end: the value that they end with.
        producer: the op that defines the first value; None: it is a block argument.
        users: the ops where shardings disagree: those that use the last value, or the producer, if it
            computes another sharding than its result is to have.
        ops: the numbers of these ops in the recorded program.
        tensors: the tensors that are resharded: several if there are constraints between producer and
            consumer.
    """

    start: ir.Value
    end: ir.Value
    producer: ir.Operation | None
    users: tuple[ir.Operation, ...]
    ops: tuple[int, ...]
    tensors: tuple[int, ...]


def chain_of(program: PartitionedProgram, op: ir.Operation) -> Chain:
    """Return the chain that a collective is in."""
    explanation = program.explanation
    start = program.chain_start(op.operands[0])
    end = program.chain_end(op.results[0])
    producer = start.owner.operation if isinstance(start, ir.OpResult) else None
    uses = [(use.owner.operation, use.operand_number) for use in end.uses]
    tensor = tensor_number(start, explanation)
    tensors = [] if tensor is None else [tensor]
    if producer is not None and not _is_as_decided(program, start, tensor):
        number = op_number(producer)
        numbers = () if number is None else (number,)
        return Chain(start, end, producer, (producer,), numbers, tuple(tensors))
    ops: list[int] = []
    for user, operand in uses:
        number = op_number(user)
        if number is None:
            continue
        recorded = explanation.ops[number]
        tensors += recorded.operands[operand : operand + 1]
        # What a function returns has to do with the function.
        function = recorded.parent if user.name == _RETURN else None
        ops.append(number if function is None else function)
    users = tuple(user for user, _ in uses)
    return Chain(start, end, producer, users, tuple(ops), tuple(dict.fromkeys(tensors)))


def _is_as_decided(program: PartitionedProgram, value: ir.Value, tensor: int | None) -> bool:
    """Return whether a value is computed with the sharding that propagation has decided.

    Then it is resharded for those that use it; else for itself.
    """
    if tensor is None:
        return True
    decided, computed = program.explanation.tensors[tensor].final, program.sharding(value)
    return _divisions(decided) == _divisions(computed)


def _divisions(sharding: TensorSharding | None) -> list[tuple[int, tuple[str, ...]]]:
    """Return the dimensions that are divided, with their axes."""
    dims = () if sharding is None else sharding.dims
    return [(at, dim.axes) for at, dim in enumerate(dims) if dim.axes]
