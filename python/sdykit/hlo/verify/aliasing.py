"""Check `output_to_operand_aliasing`: it pairs existing indices of equal shape."""

from __future__ import annotations

from sdykit.hlo.attributes import ALIASING, Alias, index_text, parse_aliases
from sdykit.hlo.model import Instruction
from sdykit.hlo.shape import parse_shape, part_of
from sdykit.hlo.verify.report import Report, note
from sdykit.hlo.verify.shapes import same_shape, versus


def check_aliasing_attribute(op: Instruction, layout_sensitive: bool, report: Report) -> None:
    """Check the attribute of an instruction, if it has it.

    As in XLA, the output indices of a start are those of its whole shape, {1} the output.
    """
    if ALIASING not in op.attributes:
        return
    text = op.attributes[ALIASING]
    aliases = parse_aliases(text)
    if aliases is None:
        form = "{{output index}: (operand, {operand index}), ...}"
        report.error(op, f"{ALIASING} expects {form}, found {text}")
        return
    for alias in aliases:
        _check(op, alias, layout_sensitive, report)


def _check(op: Instruction, alias: Alias, layout_sensitive: bool, report: Report) -> None:
    if alias.operand >= len(op.operands):
        message = (
            f"Invalid aliasing operand index. %{op.name} has {len(op.operands)} operands, "
            f"found {alias.operand}"
        )
        report.error(op, message)
        return
    operand = op.operands[alias.operand]
    source = part_of(parse_shape(operand.shape), alias.operand_index)
    if source is None:
        message = (
            f"Invalid aliasing operand shape index. {_nothing_at(operand, alias.operand_index)}"
        )
        report.error(op, message, note(operand, f"%{operand.name} is here"))
        return
    output = part_of(parse_shape(op.shape), alias.output)
    if output is None:
        report.error(op, f"Invalid aliasing output shape index. {_nothing_at(op, alias.output)}")
        return
    if not same_shape(output.text, source.text, layout_sensitive):
        shapes = versus(source.text, output.text)
        report.error(
            op,
            f"Different aliasing shapes: {shapes}",
            note(operand, f"operand {alias.operand}, %{operand.name}, is here"),
        )


def _nothing_at(op: Instruction, index: tuple[int, ...]) -> str:
    return f"%{op.name} of shape {op.shape} has nothing at {index_text(index)}"
