"""Element-wise ops of bodies."""

from __future__ import annotations

from support.generators.choices import Choices
from support.mpmd.programs.bodies import KINDS, BodyBuilder, Slot, tensor_of

UNARY = {
    "float": ("sine", "cosine", "tanh", "exponential", "abs", "negate"),
    "integer": ("negate", "abs", "not"),
    "flag": ("not",),
    "complex": ("negate", "sine"),
}
_BINARY = {
    "float": ("add", "subtract", "multiply", "maximum", "minimum"),
    "integer": ("add", "subtract", "multiply", "maximum", "minimum", "xor"),
    "flag": ("and", "or", "xor"),
    "complex": ("add", "subtract", "multiply"),
}
LITERALS = {
    "float": ("2.5", "0.5", "3.0"),
    "integer": ("2", "3", "5"),
    "complex": ("(2.0,1.0)",),
}
"""Constants that fold with nothing."""
_CONVERTED = ("f32", "bf16", "i32", "i8")


def unary(body: BodyBuilder, choices: Choices) -> None:
    if slot := body.pick(*KINDS):
        unary_on(body, choices, slot)


def unary_on(body: BodyBuilder, choices: Choices, slot: Slot) -> None:
    """Use a value in an op of one operand that is not there yet."""
    tensor = tensor_of(slot)
    for op in choices.shuffled(UNARY[tensor.kind]):
        if op != slot.maker and body.emit(op, tensor, [slot], f" : {tensor.text}"):
            return


def binary(body: BodyBuilder, choices: Choices) -> None:
    if not (left := body.pick(*KINDS)):
        return
    tensor, right = tensor_of(left), body.like(left)
    op = choices.pick(_BINARY[tensor.kind])
    if left == right and op not in {"add", "multiply"}:
        return
    body.emit(op, tensor, [left, right], f" : {tensor.text}")


def with_constant(body: BodyBuilder, choices: Choices) -> None:
    if not (slot := body.pick("float", "integer", "complex")):
        return
    tensor = tensor_of(slot)
    op = choices.pick([op for op in ("add", "multiply", "subtract") if op != slot.maker])
    name = body.constant(choices.pick(LITERALS[tensor.kind]), tensor)
    body.write(f"{op} {slot.name}, {name} : {tensor.text}", tensor, [slot], op)


def compare(body: BodyBuilder, choices: Choices) -> None:
    if not (left := body.pick("float", "integer")) or (right := body.like(left)) == left:
        return
    tensor = tensor_of(left)
    tail = f" : ({tensor.text}, {tensor.text}) -> {tensor.of('i1').text}"
    how = choices.pick(("LT", "GT", "LE", "GE", "EQ", "NE"))
    body.emit(f"compare {how},", tensor.of("i1"), [left, right], tail)


def select(body: BodyBuilder, choices: Choices) -> None:
    if not (flag := body.pick("flag", maker="not")):
        return
    shape = tensor_of(flag).shape
    found = [s for s in body.slots if s.tensor and s.tensor.shape == shape and s != flag]
    if not found:
        return
    left = choices.pick(found)
    if (right := body.like(left)) in {left, flag}:
        return
    tensor = tensor_of(left)
    tail = f" : {tensor_of(flag).text}, {tensor.text}"
    body.emit("select", tensor, [flag, left, right], tail)


def convert(body: BodyBuilder, choices: Choices) -> None:
    slot = body.pick("float", "integer", "flag", maker="convert")
    if slot is None:
        return
    tensor = tensor_of(slot)
    wanted = tensor.of(choices.pick([e for e in _CONVERTED if e != tensor.element]))
    body.emit("convert", wanted, [slot], f" : ({tensor.text}) -> {wanted.text}")
