"""Print a module as HLO text, as XLA does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sdykit.hlo.async_ops import START, THREAD
from sdykit.hlo.attributes import AFTER_CONTROL, CONTROL
from sdykit.hlo.model import Computation, Instruction, Module, Spelling
from sdykit.hlo.shape import without_layouts
from sdykit.hlo.text.sugar import sugared


def to_text(module: Module, *, syntax_sugar: bool = True) -> str:
    """Return a module as text.

    Names and operands are spelled as they were read: with `%` or not, with shapes or not.

    Args:
        module: the module to print.
        syntax_sugar: whether asynchronous operations are printed as `add-start` and so on
            where that means the same; otherwise all are `async-start`, with their
            computations.
    """
    roots = sugared(module) if syntax_sugar else {}
    hidden = {root.parent for root in roots.values()}
    parts = [f"HloModule {module.name}{_attributes(module.attributes)}\n"]
    for title, rows in module.sections.items():
        parts.append("\n".join(["", title, *rows, ""]))
    if module.sections:
        parts.append("\n")
    for computation in module.computations:
        if computation not in hidden:
            parts.append("\n")
            parts.extend(_computation(computation, roots))
    parts.append("\n")
    return "".join(parts)


def _computation(
    computation: Computation, roots: Mapping[Instruction, Instruction]
) -> Iterator[str]:
    entry = "ENTRY " if computation.is_entry else ""
    name = f"%{computation.name}" if computation.percent else computation.name
    yield f"{entry}{name}{_signature(computation)} {{\n"
    root = computation.root
    for op in computation.instructions:
        spelling = op.spelling
        sigil = "%" if spelling.percent else ""
        if op.literal is not None:
            operands = op.literal
        elif not op.operands:
            operands = ""
        else:
            operands = _operands(op.operands, spelling)
        if op in roots:
            opcode, attributes = _sugar(op, roots[op])
        else:
            opcode, attributes = op.opcode, op.attributes
        text = _attributes(attributes) if attributes else ""
        if op.control_predecessors:
            text = _attributes(_with_control(attributes, op))
        mark = "  ROOT " if op is root else "  "
        yield f"{mark}{sigil}{op.name} = {op.shape} {opcode}({operands}){text}\n"
    yield f"}}{_attributes(computation.attributes)}\n"


def _signature(computation: Computation) -> str:
    if not computation.signature:
        return ""
    parameters = [f"{op.name}: {without_layouts(op.shape)}" for op in computation.parameters]
    return f" ({', '.join(parameters)}) -> {without_layouts(computation.root.shape)}"


def _operands(operands: tuple[Instruction, ...], spelling: Spelling) -> str:
    sigil = "%" if spelling.operand_percent else ""
    if spelling.operand_shapes:
        parts = [f"{op.shape} {sigil}{op.name}" for op in operands]
    else:
        parts = [sigil + op.name for op in operands]
    if spelling.index_comments and len(parts) > 5:
        for at in range(5, len(parts), 5):
            parts[at] = f"/*index={at}*/{parts[at]}"
    return ", ".join(parts)


def _attributes(attributes: Mapping[str, str]) -> str:
    return "".join([f", {name}={value}" for name, value in attributes.items()])


def _sugar(op: Instruction, root: Instruction) -> tuple[str, dict[str, str]]:
    """Return the opcode and attributes of an instruction of a chain as sugar."""
    opcode = f"{root.opcode}{op.opcode.removeprefix('async')}"
    if op.opcode != START:
        return opcode, op.attributes
    if len(op.attributes) == 1:  # `calls`, which sugar leaves out.
        return opcode, root.attributes
    thread = {key: value for key, value in op.attributes.items() if key == THREAD}
    rest = {key: value for key, value in op.attributes.items() if key not in {THREAD, "calls"}}
    return opcode, {**thread, **root.attributes, **rest}


def _with_control(attributes: Mapping[str, str], op: Instruction) -> dict[str, str]:
    """Insert the control predecessors where XLA prints them."""
    sigil = "%" if op.spelling.operand_percent else ""
    names = ", ".join([f"{sigil}{each.name}" for each in op.control_predecessors])
    before = {key: value for key, value in attributes.items() if key not in AFTER_CONTROL}
    after = {key: value for key, value in attributes.items() if key in AFTER_CONTROL}
    return {**before, CONTROL: f"{{{names}}}", **after}
