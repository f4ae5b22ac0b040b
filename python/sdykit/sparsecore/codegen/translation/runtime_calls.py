"""`func.call` of functions of the runtime: native code in this process, linked by name."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core.sparsecore.names import RUNTIME, TOGETHER
from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.emitter import Emitter, is_constant
from sdykit.sparsecore.codegen.emission.memory import address
from sdykit.sparsecore.codegen.emission.types import I64, Type
from sdykit.sparsecore.codegen.emission.values import Lowered, MemRef, Value
from sdykit.sparsecore.codegen.runtime_functions import (
    FUNCTIONS,
    HEADER_BYTES,
    LINE_BITS,
    MARKS_OFFSET,
    TOUCH,
    UNDER_WAY_OFFSET,
    RuntimeFunction,
)
from sdykit.sparsecore.codegen.translation.located_errors import error_of
from sdykit.sparsecore.codegen.translation.translator import Translator

_I64 = Type(I64)
_MOST_LINES = 32
"""How many lines an access may touch of which marks are read; there are that many after the last."""


def call_runtime(t: Translator, op: ir.Operation, function: ir.Operation) -> None:
    """Translate a call of a function that is declared as one of the runtime.

    Raises:
        CodegenError: there is no such function, or the operands are not those that it takes.
    """
    name = _native_name(op, function)
    known = FUNCTIONS[name]
    lowered = t.operands(op)
    _check(op, name, known, lowered)
    fixed = len(known.operands)
    if known.is_of_agents and not t.arena:
        raise error_of(op, f"'{name}' is for agents; expected a phase with '{TOGETHER}' around it")
    arguments = [f"ptr {t.arena}"] if known.is_of_agents else []
    for kind, value in zip(known.operands, lowered[:fixed], strict=True):
        arguments.append(_argument(t.emitter, value, is_read_only=kind == "read"))
    if known.more is not None:
        arguments += _packed(t, lowered[fixed:])
    types = [argument.split()[0] for argument in arguments]
    if name == TOUCH:
        _call_touch(t, arguments, types)
        return
    result = "i64" if known.has_result else "void"
    text = t.emitter.call(name, result, arguments, types, attributes="nounwind")
    if known.has_result:
        t.set_result(op, text)


def _call_touch(t: Translator, arguments: list[str], types: list[str]) -> None:
    """Call the function if something under way may touch the same memory."""
    e = t.emitter
    then, after = e.labels("touch", "touched")
    e.branch(_may_be_under_way(t, arguments), then, after)
    e.start(then)
    e.call(TOUCH, "void", arguments, types, attributes="nounwind")
    e.jump(after)
    e.start(after)


def _may_be_under_way(t: Translator, arguments: list[str]) -> str:
    """Return whether there are marks where an access touches memory; see native/checks/marks.h."""
    e = t.emitter
    pointer, offset, size = (argument.split()[-1] for argument in arguments[1:4])
    lines = -(-int(size) // (8 << LINE_BITS)) if is_constant(size) else _MOST_LINES + 1
    if lines > _MOST_LINES:
        under_way = e.set(f"load i64, ptr {_in_header(t, UNDER_WAY_OFFSET)}")
        return e.set(f"icmp ne i64 {under_way}, 0")
    first = e.set(f"ptrtoint ptr {pointer} to i64")
    address = e.set(f"add i64 {first}, {e.set(f'ashr i64 {offset}, 3')}")
    line = e.set(f"lshr i64 {address}, {LINE_BITS}")
    start = e.set(f"load ptr, ptr {_in_header(t, MARKS_OFFSET)}")
    marks = e.set(f"getelementptr i8, ptr {start}, i64 {line}")
    type_ = f"i{8 * (1 << (lines - 1).bit_length())}"
    return e.set(f"icmp ne {type_} {e.set(f'load {type_}, ptr {marks}, align 1')}, 0")


def _in_header(t: Translator, offset: int) -> str:
    """Return the address of a field of the header before the agent's arena."""
    return t.emitter.set(f"getelementptr inbounds i8, ptr {t.arena}, i64 {offset - HEADER_BYTES}")


def _native_name(op: ir.Operation, function: ir.Operation) -> str:
    attribute = function.attributes[RUNTIME]
    name = attribute.value if isinstance(attribute, ir.StringAttr) else str(attribute)
    if name not in FUNCTIONS:
        known = ", ".join(sorted(FUNCTIONS))
        raise error_of(op, f"the runtime has no function '{name}'; expected one of {known}")
    return name


def _check(op: ir.Operation, name: str, known: RuntimeFunction, lowered: Sequence[Lowered]) -> None:
    wanted, more = len(known.operands), known.more
    least = wanted + (more or 0)
    if len(lowered) < least or (len(lowered) > least and more is None):
        several = "" if more is None else " or more"
        raise error_of(op, f"'{name}' takes {least}{several} operands, found {len(lowered)}")
    for number, value in enumerate(lowered):
        expected = known.operands[number] if number < wanted else "integer"
        if (expected == "integer") != _is_integer(value):
            what = "an integer" if expected == "integer" else "a memref"
            raise error_of(
                op,
                f"operand {number} of '{name}' is of type '{op.operands[number].type}'; "
                f"expected {what}",
            )
    results = [str(result.type) for result in op.results]
    expected_results = ["i64"] if known.has_result else []
    if results != expected_results:
        raise error_of(
            op,
            f"'{name}' returns {expected_results[0] if expected_results else 'nothing'}; "
            f"found {', '.join(results) or 'nothing'}",
        )


def _is_integer(value: Lowered) -> bool:
    return isinstance(value, Value) and value.type.shape is None and not value.type.element.is_float


def _argument(e: Emitter, value: Lowered, *, is_read_only: bool) -> str:
    if isinstance(value, MemRef):
        pointer = address(e, value, ["0"] * len(value.sizes))
        # Not `ptr %name`: which buffers are written is read from the text.
        return f"ptr readonly {pointer}" if is_read_only else f"ptr {pointer}"
    return f"i64 {_as_i64(e, value)}"


def _as_i64(e: Emitter, value: Value) -> str:
    bits = value.type.element.bits
    if bits == 64:
        return value.text
    return e.set(f"{'zext' if bits == 1 else 'sext'} {value.operand} to i64")


def _packed(t: Translator, values: Sequence[Lowered]) -> list[str]:
    """Store integers in an array of the function's frame; return its address and their number."""
    e = t.emitter
    t.packed = max(t.packed, len(values))
    for number, value in enumerate(values):
        assert isinstance(value, Value)
        text = _as_i64(e, value)
        place = e.set(f"getelementptr inbounds i64, ptr {PACKED}, i64 {number}")
        e.do(f"store i64 {text}, ptr {place}")
    return [f"ptr {PACKED}", f"i64 {len(values)}"]


PACKED = "%packed"
"""The array in the frame of a body that calls take their last integers from."""
