"""From a spec to machine code: the tile program, the passes over it, code generation.

Each stage can be printed, edited, and read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from sdykit.core import Diagnostic, FileLocation, capture, run_pipeline
from sdykit.errors import PassFailure
from sdykit.mlir import ir, make_context
from sdykit.sparsecore.chip.memory import check_hbm_stack
from sdykit.sparsecore.codegen import ObjectCache, Program, compile_source
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.arguments import TileArgument, TileProgram
from sdykit.sparsecore.tile.build import arguments_of, build_module
from sdykit.sparsecore.tile.builder.contexts import tile_context
from sdykit.sparsecore.tile.spec import TileSpec

_SPMEM = "sparsecore-spmem-pipeline"
_BOUNDS = "sparsecore-check-bounds"
_NAN = "sparsecore-check-nan"
_COUNT = "sparsecore-count"
_FOR_A_CPU = "sparsecore-stage-in-hbm{always=true}"


class TileError(SparseCoreError):
    """A tile program is wrong, or too large; `str()` begins with file, line and column."""

    def __init__(self, location: FileLocation | None, message: str) -> None:
        super().__init__(f"{location}: error: {message}" if location else message)
        self.message = message


@dataclass(frozen=True)
class CompiledTile:
    """A tile program with its machine code.

    Attributes:
        source: the program that code was generated from, and what its arguments are for.
        code: compiled.
    """

    source: TileProgram
    code: Program


def compile_tile(spec: TileSpec, *, cache: ObjectCache | None) -> CompiledTile:
    """Compile a lookup or an update.

    Args:
        spec: what to compile.
        cache: where objects are kept for other processes; None: nowhere.

    Raises:
        SparseCoreError: there is no such chip, or its memory is too small.
    """
    arguments = arguments_of(spec)
    # A chip may be a file, which may change.
    source = f"{spec.to_json()}\n{spec.hardware}"
    with ExitStack() as stack:  # A program that is found compiled needs no context.
        code = compile_source(source, lambda: _finished(spec, stack), cache=cache)
    if spec.counters:
        rows, columns = code.interface.arguments[len(arguments)].shape
        assert rows  # The pass knows them.
        assert columns
        counters = TileArgument("counters", "int64", (rows, columns), "counters")
        arguments = (*arguments, counters)
    return CompiledTile(TileProgram(code.module, arguments), code)


def _finished(spec: TileSpec, stack: ExitStack) -> ir.Module:
    """Build a program, and run all passes over it; it is of use until the stack is closed."""
    check_hbm_stack(spec)
    module = build_module(stack.enter_context(tile_context()), spec)
    try:
        lay_out(module)
    except TileError as error:  # Nobody has seen the text that it has a place in.
        raise SparseCoreError(error.message) from None
    finish(module, spec)
    return module


def compile_printed(text: str, *, cache: ObjectCache | None) -> Program:
    """Compile a tile program that was printed, and maybe edited, before or after its layout.

    Args:
        text: what `sdykit compile --emit=tile` or `--emit=spmem` gives.
        cache: where objects are kept for other processes; None: nowhere.

    Raises:
        TileError: the text is no module, or SPMEM is too small.
        CodegenError: it has an op without a translation.
    """

    def placed() -> ir.Module:
        module = parse_tile(text)
        lay_out(module)
        # What tiles hold is as large as limits say. Nothing observable may depend on them.
        place_for_cpu(module)
        return module

    return compile_source(text, placed, cache=cache)


def parse_tile(text: str) -> ir.Module:
    """Parse and verify a tile program.

    Raises:
        TileError: the text is no module.
    """
    context = make_context()
    with _errors(context):
        return ir.Module.parse(text, context)


def lay_out(module: ir.Module) -> None:
    """Decide where everything that tiles work on is: `sparsecore-spmem-pipeline`, in place.

    Raises:
        TileError: SPMEM is too small, or what is said about it is wrong.
    """
    _run(module, _SPMEM)


def place_for_cpu(module: ir.Module) -> None:
    """Keep activations where they end up, as nothing observable changes; in place.

    Raises:
        TileError: the program does not copy them, as tile programs do.
    """
    _run(module, _FOR_A_CPU)


def finish(module: ir.Module, spec: TileSpec) -> None:
    """Do what comes between the layout and code generation: counters, then checks; in place."""
    if spec.counters:  # Before sums leave SPMEM: the chip's traffic is counted.
        _run(module, _COUNT)
    place_for_cpu(module)
    add_checks(module, bounds=spec.check_bounds, nan=spec.check_nan)


def add_checks(module: ir.Module, *, bounds: bool, nan: bool) -> None:
    """Add `sparsecore-check-nan` and `sparsecore-check-bounds`, in place; the last of passes."""
    if nan:
        _run(module, _NAN)
    if bounds:
        _run(module, _BOUNDS)


def _run(module: ir.Module, pipeline: str) -> None:
    with _errors(module.context):
        run_pipeline(module, pipeline)


@contextmanager
def _errors(context: ir.Context) -> Iterator[None]:
    """Turn the first diagnostic into an exception."""
    found: list[Diagnostic] = []
    try:
        with capture(context, found.append):
            yield
    except (ir.MLIRError, PassFailure) as error:
        if not found:
            raise TileError(None, str(error)) from None
        raise TileError(found[0].location, found[0].message) from None
