"""Parsing the text of a module, with errors as exceptions."""

from __future__ import annotations

import re

from sdykit.core.diagnostics import Diagnostic, capture
from sdykit.errors import SdykitError
from sdykit.mlir import ir, make_context

_NAME = r'("[^"\n]*"|[\w.$-]+)'
_CALLED = re.compile(rf'\bmpmd\.call\s+@{_NAME}|"mpmd\.call".*?\bcallee\s*=\s*@{_NAME}')
_DEFINED = re.compile(
    rf'\bfunc\.func\s+(?:(?:public|private|nested)\s+)?@{_NAME}|\bsym_name\s*=\s*("[^"\n]*")'
)


def parse_text(text: str) -> ir.Module:
    """Return the module of a text, parsed in a context of its own and verified.

    Raises:
        SdykitError: the text is not valid IR; the message has the diagnostics.
    """
    defined = _names(_DEFINED, text)
    for callee in _names(_CALLED, text):
        # If the callee of an mpmd.call is missing, the verifier crashes.
        if callee not in defined:
            raise SdykitError(f"the module has no function @{callee}, which mpmd.call calls")
    context = make_context()
    held: list[Diagnostic] = []
    try:
        with capture(context, held.append):
            return ir.Module.parse(text, context)
    except ir.MLIRError:
        raise SdykitError("\n".join(map(str, held))) from None


def _names(pattern: re.Pattern[str], text: str) -> dict[str, None]:
    found = ((match[1] or match[2]).strip('"') for match in pattern.finditer(text))
    return dict.fromkeys(found)
