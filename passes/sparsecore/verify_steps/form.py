"""The form of a step: its op, its place and its attributes."""

from __future__ import annotations

from collections.abc import Mapping

from sdykit.core import fail
from sdykit.core.sparsecore.names import READS, STEP, WRITES
from sdykit.core.sparsecore.nesting import parents_of
from sdykit.core.sparsecore.steps import LOOPS, STEPS
from sdykit.mlir import ir
from sdykit.sparsecore.errors import suggestion

DECLARED = {READS: "reads", WRITES: "writes"}


def check_form(op: ir.Operation, buffers: Mapping[str, ir.Value]) -> None:
    """Check that an op is a well-formed step, if it has attributes of one.

    Args:
        op: any op.
        buffers: the buffers of the program, by name.

    Raises:
        PassFailure: it is not.
    """
    if STEP not in op.attributes:
        for attribute in DECLARED:
            if attribute in op.attributes:
                fail(op, f"has the attribute '{attribute}' and no '{STEP}'; expected both or none")
        return
    name = _name_of(op)
    if name not in STEPS:
        fail(op, f"is step '{name}', which is unknown; {suggestion(name, STEPS)}")
    if op.name not in LOOPS:
        fail(op, f"is step '{name}'; expected a loop: {', '.join(LOOPS)}")
    outer = next((each for each in parents_of(op) if each != op and STEP in each.attributes), None)
    if outer is not None:
        around = _name_of(outer)
        fail(op, f"is step '{name}' within step '{around}'; expected one step after the other")
    for attribute, verb in DECLARED.items():
        for buffer in _buffers_in(op, attribute):
            if buffer not in buffers:
                hint = suggestion(buffer, buffers)
                fail(op, f"is step '{name}' and {verb} '{buffer}', which is no buffer; {hint}")


def _name_of(step: ir.Operation) -> str:
    name = step.attributes[STEP]
    return name.value if isinstance(name, ir.StringAttr) else str(name)


def _buffers_in(step: ir.Operation, attribute: str) -> list[str]:
    """Return the names in an attribute of a step."""
    if attribute not in step.attributes:
        return []
    found = step.attributes[attribute]
    texts = list(found) if isinstance(found, ir.ArrayAttr) else [found]
    names = [each.value for each in texts if isinstance(each, ir.StringAttr)]
    if not isinstance(found, ir.ArrayAttr) or len(set(names)) < len(texts):
        fail(
            step,
            f"is step '{_name_of(step)}' and has '{attribute}' = {found}; expected an array of names "
            "of buffers, each once",
        )
    return names
