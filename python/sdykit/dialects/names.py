"""Names of symbols and locations as Python strings.

A name need not be UTF-8, and the bindings raise or abort the process when they decode such a
name. So names are read from the text of an attribute or location; bytes that are not UTF-8
become surrogate escapes.
"""

from __future__ import annotations

from sdykit.dialects.text import unquote
from sdykit.mlir import ir


def callee_name(call: ir.Operation) -> str:
    """Return the name of the function that a call calls, without the `@`."""
    name = str(call.attributes["callee"]).removeprefix("@")
    return unquote(name) if name.startswith('"') else name


def location_name(location: ir.NameLoc) -> str:
    """Return the name in a named location."""
    quoted = str(location).split('"', 2)[1]  # A quote inside a name is escaped as \22.
    return unquote(f'"{quoted}"')
