"""Parse a piece of input into a verified top-level op whose locations name the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sdykit.core import Diagnostic, FileLocation, Severity, capture, portable
from sdykit.core.diagnostics import Sink
from sdykit.errors import SdykitError
from sdykit.mlir import ir
from sdykit.opt.diagnostics.rendering import renamed
from sdykit.opt.io.inputs import Piece

MODULE = "builtin.module"
_LOOKS_LIKE_MODULE = re.compile(rb'^\s*(module|builtin\.module|"builtin\.module")', re.MULTILINE)
_SEVERAL_OPS = "source must contain a single top-level operation"
_NAMELESS = "-"
"""How `Module.parse` names its file."""


class ParseError(SdykitError):
    """The input is not valid IR; the diagnostics have been emitted already."""


@dataclass(frozen=True)
class Root:
    """A top-level op, and the object that keeps it alive."""

    op: ir.Operation
    owner: ir.Module | ir.OpView


def parse(
    piece: Piece,
    context: ir.Context,
    sink: Sink,
    implicit_module: bool = True,
    keep_vhlo: bool = False,
) -> Root:
    """Parse and verify a piece; portable artifacts (VHLO) are read as StableHLO.

    Args:
        piece: the text or bytecode.
        context: the context that the op is created in.
        sink: the receiver of diagnostics.
        implicit_module: whether to put a module around several ops, or one that is not a module.
        keep_vhlo: whether to keep VHLO ops as they are.

    Raises:
        ParseError: the piece is not valid IR, or a portable artifact of an unknown version; the
            diagnostics have been emitted.
    """
    if piece.is_bytecode:
        _check_version(piece, sink)
    root = _parse(piece, context, sink, implicit_module)
    if not keep_vhlo and portable.holds_vhlo(root.op):
        with capture(context, sink), _errors_to(sink):
            portable.to_stablehlo(root.op)
    return root


def _check_version(piece: Piece, sink: Sink) -> None:
    try:
        portable.check_version(piece.data)
    except portable.PortableArtifactError as error:
        sink(Diagnostic(Severity.ERROR, str(error), FileLocation(piece.name, 0, 0)))
        raise ParseError(str(error)) from None


def _parse(piece: Piece, context: ir.Context, sink: Sink, implicit_module: bool) -> Root:
    if piece.is_bytecode:
        return _parse_module(piece, context, sink)
    if not implicit_module:
        return _parse_op(piece, context, sink)
    if _LOOKS_LIKE_MODULE.search(piece.data):
        root = _try_module_op(piece, context, sink)
        if root is not None:
            return root
    root = _parse_module(piece, context, sink)
    _name_file(root.op, piece.name)
    return root


def _parse_op(piece: Piece, context: ir.Context, sink: Sink) -> Root:
    """Parse a single op. Unlike `Module.parse`, this entry of the bindings takes a file name."""
    with capture(context, sink), _errors_to(sink):
        op = ir.Operation.parse(piece.data.decode(), source_name=piece.name, context=context)
    return Root(op.operation, op)


def _try_module_op(piece: Piece, context: ir.Context, sink: Sink) -> Root | None:
    """Parse a piece that seems to hold one module; return None if it holds something else."""
    held: list[Diagnostic] = []
    try:
        root = _parse_op(piece, context, held.append)
        if root.op.name == MODULE:
            return root
    except ParseError:
        if not (held and held[0].message.startswith(_SEVERAL_OPS)):
            for diagnostic in held:
                sink(diagnostic)
            raise
    return None


def _parse_module(piece: Piece, context: ir.Context, sink: Sink) -> Root:
    """Parse any ops; the bindings put a module around them unless they are one."""

    def name_file(diagnostic: Diagnostic) -> None:
        sink(renamed(diagnostic, _NAMELESS, piece.name))

    with capture(context, name_file), _errors_to(sink):
        module = ir.Module.parse(piece.data, context)
    return Root(module.operation, module)


@contextmanager
def _errors_to(sink: Sink) -> Iterator[None]:
    """Turn exceptions of the parser into `ParseError`."""
    try:
        yield
    except ir.MLIRError:
        raise ParseError("the input is not valid") from None
    except (RuntimeError, ValueError) as error:
        # C++ exceptions, on corrupt bytecode.
        text = f"the input is not valid, and MLIR says of it only: {error}"
        sink(Diagnostic(Severity.ERROR, text, None))
        raise ParseError(text) from None


def _name_file(root: ir.Operation, name: str) -> None:
    """Put the name of the file into the locations that `Module.parse` made."""
    made: dict[ir.Location, ir.Location | None] = {}

    def named(location: ir.Location) -> ir.Location | None:
        if location not in made:
            made[location] = None
            if isinstance(location, ir.FileLineColLoc) and location.filename == _NAMELESS:
                line, column = location.start_line, location.start_col
                made[location] = ir.Location.file(name, line, column, context=root.context)
        return made[location]

    def visit(op: ir.Operation) -> ir.WalkResult:
        location = named(op.location)
        if location is not None:
            op.location = location
        for argument in [a for region in op.regions for block in region for a in block.arguments]:
            location = named(argument.location)
            if location is not None:
                argument.set_location(location)
        return ir.WalkResult.ADVANCE

    root.walk(visit)
