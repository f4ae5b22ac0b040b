"""Making errors out of places in a module, and of what MLIR reports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sdykit.core.diagnostics import Diagnostic, capture, file_location
from sdykit.mlir import ir
from sdykit.sparsecore.codegen.errors import CodegenError


def error_at(location: ir.Location, message: str) -> CodegenError:
    """Make an error at a place of a module."""
    return CodegenError(file_location(location), message)


def error_of(op: ir.Operation, why: str) -> CodegenError:
    """Make the error of an op that has no translation."""
    return error_at(op.location, f"'{op.name}' op cannot be translated: {why}")


@contextmanager
def mlir_errors(context: ir.Context) -> Iterator[None]:
    """Turn what MLIR's parser and verifier report into an error of ours.

    Raises:
        CodegenError: MLIR refused the module; the text is that of its first diagnostic.
    """
    found: list[Diagnostic] = []
    try:
        with capture(context, found.append):
            yield
    except ir.MLIRError as error:
        if not found:
            raise CodegenError(None, str(error)) from None
        raise CodegenError(found[0].location, found[0].message.rstrip()) from None
