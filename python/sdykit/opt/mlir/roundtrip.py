"""`-verify-roundtrip`: the printed op must parse to an equal op."""

from __future__ import annotations

import io

from sdykit.core import Diagnostic, Severity
from sdykit.core.diagnostics import Sink
from sdykit.errors import PassFailure
from sdykit.mlir import ir
from sdykit.opt.io.inputs import Piece
from sdykit.opt.mlir.parsing import MODULE, ParseError, Root, parse


def check_roundtrip(root: Root, sink: Sink) -> None:
    """Print an op as text and as bytecode, and compare what they parse to with the op.

    Raises:
        PassFailure: one of them cannot be read or is another op; a diagnostic says so.
    """
    buffer = io.BytesIO()
    root.op.write_bytecode(buffer)
    for form, data in (("text", _asm(root.op)), ("bytecode", buffer.getvalue())):
        _check(root, form, data, sink)


def _check(root: Root, form: str, data: bytes, sink: Sink) -> None:
    implicit = root.op.name == MODULE
    try:
        again = parse(Piece(f"<{form}>", data), root.op.context, sink, implicit_module=implicit)
    except ParseError:
        raise _failure(sink, f"round trip: the printed {form} cannot be read") from None
    wanted, found = _asm(root.op), _asm(again.op)
    if found == wanted:
        return
    difference = _first_difference(wanted.decode(), found.decode())
    raise _failure(sink, f"round trip: {form} reads back as something else: {difference}")


def _asm(op: ir.Operation) -> bytes:
    # In local scope there are no aliases, whose numbers depend on how the op was made.
    text = op.get_asm(
        binary=True, assume_verified=True, enable_debug_info=True, use_local_scope=True
    )
    assert isinstance(text, bytes)
    return text


def _first_difference(wanted: str, found: str) -> str:
    for old, new in zip(wanted.splitlines(), found.splitlines(), strict=False):
        if old != new:
            return f"'{old.strip()}' became '{new.strip()}'"
    return "it ends elsewhere"


def _failure(sink: Sink, message: str) -> PassFailure:
    sink(Diagnostic(Severity.ERROR, message, None))
    return PassFailure(message)
