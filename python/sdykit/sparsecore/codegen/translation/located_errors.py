"""Errors with their place in the tile program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sdykit.core.diagnostics import Diagnostic, capture, file_location
from sdykit.mlir import ir
from sdykit.sparsecore.codegen.errors import CodegenError


def error_at(location: ir.Location, message: str) -> CodegenError:
    """Return an error at a location of the module."""
    return CodegenError(file_location(location), message)


def error_of(op: ir.Operation, reason: str) -> CodegenError:
    """Return the error of an op that has no translation."""
    return error_at(op.location, f"'{op.name}' op cannot be translated: {reason}")


@contextmanager
def mlir_errors(context: ir.Context) -> Iterator[None]:
    """Raise what MLIR's parser and verifier report as a `CodegenError`.

    Raises:
        CodegenError: the module is invalid; the text is that of the first diagnostic.
    """
    found: list[Diagnostic] = []
    try:
        with capture(context, found.append):
            yield
    except ir.MLIRError as error:
        if not found:
            raise CodegenError(None, str(error)) from None
        raise CodegenError(found[0].location, found[0].message.rstrip()) from None
