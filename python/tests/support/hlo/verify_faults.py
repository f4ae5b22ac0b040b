"""Faults to put into a chain of a legal program, and the errors that the verifier must report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from hypothesis import assume

from sdykit import hlo
from sdykit.hlo.async_ops import FIRST_CLASS, thread_of, wrapped

OTHER = "u4[77]"
"""A shape that the programs do not have."""


@dataclass
class Case:
    """A chain of a legal program, to put a fault into."""

    random: Random
    module: hlo.Module
    ops: list[hlo.Instruction]

    @property
    def start(self) -> hlo.Instruction:
        return self.ops[0]

    @property
    def done(self) -> hlo.Instruction:
        return self.ops[-1]

    @property
    def last(self) -> hlo.Instruction:
        """The start or update right before the done."""
        return self.ops[-2]

    @property
    def body(self) -> hlo.Computation:
        assert self.start.parent is not None
        return self.start.parent

    @property
    def wrapped(self) -> hlo.Computation:
        found = wrapped(self.start)
        assert found is not None
        return found

    def add(
        self, opcode: str, shape: str, *operands: hlo.Instruction, **attributes: str
    ) -> hlo.Instruction:
        """Add an instruction before the done."""
        return self.body.add("new", shape, opcode, operands, attributes, before=self.done)

    def add_first(self) -> hlo.Instruction:
        """Add an instruction of a new shape before the start."""
        return self.body.add("first", OTHER, "custom-call", before=self.start)


Expected = list[tuple[hlo.Instruction, str]]
"""The instructions at which errors must be reported, and the beginnings of their messages."""
Fault = Callable[[Case], Expected]
"""Puts a fault into a chain."""


def second_user(case: Case) -> Expected:
    op = case.random.choice(case.ops[:-1])
    case.add("custom-call", OTHER, op)
    return [(op, f"The {op.opcode} instruction requires one consumer, found 2")]


def second_done(case: Case) -> Expected:
    op = case.random.choice(case.ops[:-1])
    case.add("async-done", case.done.shape, op)
    return [(op, f"The {op.opcode} instruction requires one consumer, found 2")]


def no_user(case: Case) -> Expected:
    case.done.opcode, case.done.operands = "custom-call", ()
    return [(case.last, f"The {case.last.opcode} instruction requires one consumer, found 0")]


def wrong_user(case: Case) -> Expected:
    case.done.opcode = "custom-call"
    message = (
        f"The consumer of a {case.last.opcode} instruction needs to be one of (async-update, "
        "async-done), found custom-call"
    )
    return [(case.last, message)]


def done_of_no_chain(case: Case) -> Expected:
    value = case.add("custom-call", case.last.shape)
    case.done.operands = (value,)
    return [
        (case.last, f"The {case.last.opcode} instruction requires one consumer, found 0"),
        (
            case.done,
            "async-done expects operand to be async-start or async-update, found custom-call.",
        ),
    ]


def second_operand(case: Case) -> Expected:
    op = case.random.choice(case.ops[1:])
    op.operands = (*op.operands, case.add_first())
    kind = op.opcode.removeprefix("async-")
    return [(op, f"Async {kind} requires one singular operand, found 2")]


def other_thread(case: Case) -> Expected:
    op = case.random.choice(case.ops[1:])
    op.attributes["async_execution_thread"] = '"elsewhere"'
    return [(op, _disagrees(case, op, case.wrapped.name, "elsewhere"))]


def other_computation(case: Case) -> Expected:
    op = case.random.choice(case.ops[1:])
    op.attributes["calls"] = f"%{case.body.name}"
    return [(op, _disagrees(case, op, case.body.name, thread_of(case.start)))]


def thread_of_computation(case: Case) -> Expected:
    case.wrapped.attributes["execution_thread"] = '"elsewhere"'
    message = (
        "async-start expects same async thread name as wrapped computation's thread name "
        f"({thread_of(case.start)} vs elsewhere)."
    )
    return [(case.start, message)]


def output_of_start(case: Case) -> Expected:
    _set_element(case.start, 1, OTHER)
    return [
        (case.start, "The async-start expects the async shape at index {1} to match the async ")
    ]


def operands_of_start(case: Case) -> Expected:
    _set_element(case.start, 0, f"({OTHER})")
    return [(case.start, "The async-start expects the async shape at index {0} to match async ")]


def too_small(case: Case) -> Expected:
    case.start.shape = f"({OTHER})"
    message = (
        "The async-start expects the async shape to be a tuple of at least two elements, "
        f"found ({OTHER})."
    )
    return [(case.start, message)]


def context_of_update(case: Case) -> Expected:
    assume(len(case.ops) > 2)
    update = case.random.choice(case.ops[1:-1])
    update.shape = f"{update.shape[:-1]}, {OTHER})"
    return [(update, "The async-update expects the shape of operand and output to match (")]


def shape_of_done(case: Case) -> Expected:
    assume(not case.done.users)
    case.done.shape = OTHER
    message = f"The async-done expects the shape of output to match the async shape at index {{1}} ({OTHER} vs "
    return [(case.done, message)]


def one_operand_more(case: Case) -> Expected:
    count = len(case.start.operands)
    case.start.operands = (*case.start.operands, case.add_first())
    noun = "operand" if count == 1 else "operands"
    return [(case.start, f"The async-start expects {count} {noun}, as many as the async shape has")]


def other_operand(case: Case) -> Expected:
    assume(case.start.operands)
    at = case.random.randrange(len(case.start.operands))
    operands = list(case.start.operands)
    operands[at] = case.add_first()
    case.start.operands = operands
    message = (
        f"The async-start expects the shape of operand {at} to match the async shape at index {{0}} "
        f"({OTHER} vs "
    )
    return [(case.start, message)]


def shared_computation(case: Case) -> Expected:
    start = case.body.add(
        "twin",
        case.start.shape,
        "async-start",
        case.start.operands,
        case.start.attributes,
        before=case.done,
    )
    case.add("async-done", case.done.shape, start)
    return [(start, f"Computation {case.wrapped.name} is called by more than one async op.")]


def called_by_others(case: Case) -> Expected:
    case.add("custom-call", OTHER, called_computations=f"{{%{case.wrapped.name}}}")
    message = f"Async computations should have a unique caller: {case.wrapped.name} has others"
    return [(case.start, message)]


def more_in_computation(case: Case) -> Expected:
    assume("frontend_attributes" not in case.start.attributes)
    case.wrapped.add("more", OTHER, "custom-call", before=case.wrapped.root)
    message = (
        f"Asynchronous computation {case.wrapped.name} expected to contain only the root and "
        "parameter instructions."
    )
    return [(case.start, message)]


def first_class(case: Case) -> Expected:
    root = case.wrapped.root
    assume(root.opcode == "custom-call")
    root.opcode = case.random.choice(sorted(FIRST_CLASS))
    return [(case.start, f"async-start cannot wrap {root.opcode}, which has opcodes of its own")]


def done_first(case: Case) -> Expected:
    assume(not case.done.users)
    rest = [op for op in case.body if op is not case.done]
    at = case.random.randrange(rest.index(case.last) + 1)
    case.body.set_order([*rest[:at], case.done, *rest[at:]])
    name = case.last.name
    return [(case.done, f"operand %{name} of %{case.done.name} is defined after it, not before")]


def leaves_as_root(case: Case) -> Expected:
    case.body.root = case.last
    message = (
        f"The {case.last.opcode} instruction is the root of computation %{case.body.name}, and has "
        f"the consumer %{case.done.name}; an asynchronous value must not leave its computation"
    )
    return [(case.last, message)]


def calls_nothing(case: Case) -> Expected:
    del case.start.attributes["calls"]
    message = "Async start instruction should have 1 called computation but sees 0"
    return [(case.start, message)]


def calls_itself(case: Case) -> Expected:
    case.wrapped.root.attributes["to_apply"] = f"%{case.wrapped.name}"
    name = case.wrapped.name
    return [
        (case.wrapped.root, f"computation {name} calls itself through %{case.wrapped.root.name}"),
        (case.start, f"Async computations should have a unique caller: {name} has others"),
    ]


def aliases_no_output(case: Case) -> Expected:
    assume(case.start.operands)
    case.start.attributes["output_to_operand_aliasing"] = "{{9}: (0, {})}"
    return [(case.start, "Invalid aliasing output shape index. ")]


def aliases_no_operand(case: Case) -> Expected:
    case.start.attributes["output_to_operand_aliasing"] = "{{1}: (9, {})}"
    return [(case.start, "Invalid aliasing operand index. ")]


FAULTS: tuple[Fault, ...] = (
    *(second_user, second_done, no_user, wrong_user),
    *(done_of_no_chain, second_operand, other_thread, other_computation),
    *(thread_of_computation, output_of_start, operands_of_start, too_small),
    *(context_of_update, shape_of_done, one_operand_more, other_operand),
    *(shared_computation, called_by_others, more_in_computation, first_class),
    *(done_first, leaves_as_root, calls_nothing, calls_itself),
    *(aliases_no_output, aliases_no_operand),
)


def _disagrees(case: Case, op: hlo.Instruction, name: str, thread: str) -> str:
    return (
        f"The {op.opcode} expects its wrapped async computation to be identical to its operand's "
        f"wrapped async computation ({name} vs {case.wrapped.name}), "
        f"thread name ({thread} vs {thread_of(case.start)})."
    )


def _set_element(op: hlo.Instruction, at: int, text: str) -> None:
    elements = [each.text for each in hlo.parse_shape(op.shape).elements or ()]
    elements[at] = text
    op.shape = hlo.tuple_shape(elements)
