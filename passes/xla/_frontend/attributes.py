"""Frontend attributes, the custom calls that have them, and attributes of sdy as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sdykit.core import fail
from sdykit.core.frontend import FRONTEND_ATTRIBUTES
from sdykit.dialects.views import AttributeView
from sdykit.errors import AttributeSyntaxError
from sdykit.mlir import ir
from sdykit.passes.xla._frontend.names import CUSTOM_CALL

Attributes = dict[str, ir.Attribute]
_ESCAPED = re.compile(r"\\([\"\\])")


def entries(dictionary: ir.Attribute) -> Attributes:
    """Return the entries of a dictionary attribute."""
    return {entry.name: entry.attr for entry in ir.DictAttr(dictionary)}


def frontend_attributes(op: ir.Operation) -> Attributes:
    """Return the frontend attributes of an op."""
    return frontend_entries(op, op.attributes.get(FRONTEND_ATTRIBUTES))


def frontend_entries(op: ir.Operation, dictionary: ir.Attribute | None) -> Attributes:
    """Return the entries of frontend attributes that `op`, or a value of it, has; {} for None."""
    if dictionary is None:
        return {}
    if not isinstance(dictionary, ir.DictAttr):
        fail(op, f"'{FRONTEND_ATTRIBUTES}' must be a dictionary, found {dictionary}")
    return entries(dictionary)


def set_frontend_attributes(op: ir.Operation, attributes: Attributes) -> None:
    """Set the frontend attributes of an op; if there are none, the dictionary is removed."""
    if attributes:
        op.attributes[FRONTEND_ATTRIBUTES] = ir.DictAttr.get(attributes)
    elif FRONTEND_ATTRIBUTES in op.attributes:
        del op.attributes[FRONTEND_ATTRIBUTES]


def target(op: ir.Operation) -> str:
    """Return the target of a custom call, or an empty text for another op."""
    if op.name != CUSTOM_CALL:
        return ""
    return ir.StringAttr(op.attributes["call_target_name"]).value


def custom_call(
    call_target: str,
    operands: Sequence[ir.Value],
    results: Sequence[ir.Type],
    attributes: Mapping[str, ir.Attribute],
    before: ir.Operation,
    *,
    has_side_effect: bool = False,
) -> ir.Operation:
    """Insert a custom call before an op, with the location of the op."""
    own: Attributes = {**attributes, "call_target_name": ir.StringAttr.get(call_target)}
    if has_side_effect:
        own["has_side_effect"] = ir.BoolAttr.get(True)
    return ir.Operation.create(
        CUSTOM_CALL,
        results=results,
        operands=operands,
        attributes=own,
        loc=before.location,
        ip=ir.InsertionPoint(before),
    )


def as_texts(attributes: Attributes) -> Attributes:
    """Return the attributes as text: each as a string attribute."""
    return {name: ir.StringAttr.get(str(value)) for name, value in attributes.items()}


class Texts:
    """Reads attributes of sdy from text; each text is parsed once."""

    def __init__(self) -> None:
        self._read: dict[tuple[type, str], ir.Attribute] = {}

    def read(
        self,
        op: ir.Operation,
        name: str,
        text: ir.Attribute,
        kind: type[AttributeView],
        where: str = "",
    ) -> ir.Attribute:
        """Return the attribute that a frontend attribute holds as text.

        Args:
            op: the op at which an error is reported.
            name: the name of the frontend attribute.
            text: its value, which must be a string attribute.
            kind: the kind of the attribute in it.
            where: a phrase for errors, such as " of argument #0", if it is not the op's own.
        """
        if not isinstance(text, ir.StringAttr):
            fail(op, f"'{name}'{where} must be a string, found {text}")
        key = kind, text.value
        if key not in self._read:
            try:
                self._read[key] = kind.parse(unescaped(text.value)).to_attr()
            except AttributeSyntaxError as error:
                fail(op, f"'{name}'{where} cannot be read: {error}")
        return self._read[key]


def unescaped(text: str) -> str:
    """Remove the backslashes with which HLO escapes quotes and backslashes."""
    return _ESCAPED.sub(r"\1", text)
