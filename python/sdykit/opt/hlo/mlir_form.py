"""Reading and printing HLO programs as MLIR: `--import-mlir`, `--emit-mlir`."""

from __future__ import annotations

from functools import cached_property

from sdykit import hlo
from sdykit.core.diagnostics import Sink
from sdykit.hlo.model.source import Source
from sdykit.mlir import ModuleOp, ir, make_context
from sdykit.opt.flags.arguments import HloArguments, UsageError
from sdykit.opt.io import outputs
from sdykit.opt.io.foreign_inputs import hinting, not_mlir
from sdykit.opt.io.inputs import STDIN, Piece
from sdykit.opt.mlir.parsing import ParseError, parse
from sdykit.opt.mlir.printing import bytecode_of
from sdykit.opt.process.guard import Status

_SUFFIXES = (".mlir", ".mlirbc")
_READ_HLO = "hlo-opt reads it with --import-mlir=false"
_BYTECODE = "the input is MLIR bytecode, which --import-mlir=false leaves unread"


class MlirForm:
    """Reads and prints programs as MLIR, in one context that is made when first needed."""

    def __init__(self, arguments: HloArguments, status: Status) -> None:
        self._arguments = arguments
        self._status = status

    @cached_property
    def _context(self) -> ir.Context:
        return make_context()

    def check(self) -> None:
        """Check the flags before the work.

        Raises:
            UsageError: flags contradict each other.
            OutputError: bytecode would fill a terminal.
        """
        arguments = self._arguments
        if arguments.emit_bytecode:
            outputs.check_bytecode_target(arguments.o)
        if arguments.mlir_print_debuginfo and not self.is_asked_for:
            raise UsageError(
                "'-mlir-print-debuginfo' needs '-emit-mlir': HLO text has no locations"
            )
        if arguments.print_async_aliasing and self.is_asked_for:
            flag = "-emit-mlir" if arguments.emit_mlir else "-emit-bytecode"
            raise UsageError(f"'-print-async-aliasing' prints a table, and '{flag}' the program")

    @property
    def is_asked_for(self) -> bool:
        """Whether the result is to be MLIR."""
        return self._arguments.emit_mlir or self._arguments.emit_bytecode

    def is_in(self, piece: Piece) -> bool:
        """Return whether a piece of the input is MLIR: by flag, or by its suffix or first bytes.

        Raises:
            ParseError: the flag says HLO text, and the piece is bytecode.
        """
        asked = self._arguments.import_mlir
        if asked is not None:
            if asked == "false" and piece.is_bytecode:
                raise ParseError(_BYTECODE)
            return asked == "true"
        return piece.is_bytecode or (piece.name != STDIN and piece.name.endswith(_SUFFIXES))

    def read(self, piece: Piece, sink: Sink) -> hlo.Module:
        """Parse a piece and translate it to HLO.

        Raises:
            ParseError: the piece is not valid MLIR; the diagnostics have been emitted.
            HloError: something in it has no form in HLO.
        """
        text = "" if piece.is_bytecode else piece.data.decode()
        root = parse(piece, self._context, hinting(sink, not_mlir(piece.data, _READ_HLO)))
        assert isinstance(root.owner, ir.Module | ModuleOp)
        from sdykit.hlo.from_mlir import from_mlir

        self._status("translating MLIR to HLO")
        return from_mlir(root.owner, Source(piece.name, text) if text else None)

    def printed(self, module: hlo.Module) -> bytes:
        """Translate a program to MLIR and print it; return the text or bytecode.

        Raises:
            HloError: something in it has no form in MLIR.
        """
        from sdykit.hlo.to_mlir import to_mlir

        self._status("translating HLO to MLIR")
        made = to_mlir(module, self._context)
        if self._arguments.emit_bytecode:
            return bytecode_of(made.operation, None)
        text = made.operation.get_asm(
            binary=True,
            assume_verified=True,
            enable_debug_info=self._arguments.mlir_print_debuginfo,
        )
        assert isinstance(text, bytes)
        return text + b"\n"
