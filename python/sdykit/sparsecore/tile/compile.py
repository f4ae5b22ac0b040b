"""From a spec to machine code: the tile program, the passes over it, code generation.

Each stage can be printed, edited, and read again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from sdykit.core import Diagnostic, FileLocation, capture, run_pipeline
from sdykit.errors import PassFailure
from sdykit.mlir import ir, make_context
from sdykit.sparsecore.codegen import ObjectCache, Program, compile_source
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.memory import Entry, ledger_of
from sdykit.sparsecore.memory.staging import staged_in
from sdykit.sparsecore.tile.arguments import TileArgument, TileProgram
from sdykit.sparsecore.tile.build import arguments_of, build_module
from sdykit.sparsecore.tile.builder.contexts import tile_context
from sdykit.sparsecore.tile.lookup.held import entry_bytes
from sdykit.sparsecore.tile.spec import AnyUpdateSpec, LookupSpec, Reading, TileSpec

_PIPELINES: Mapping[Reading, str] = {
    "chip": "sparsecore-chip-pipeline",
    "cpu": "sparsecore-cpu-pipeline",
}
_LAYOUT = "sparsecore-stage-in-hbm,sparsecore-assign-spmem"
_BOUNDS = "sparsecore-check-bounds"
_NAN = "sparsecore-check-nan"
_COUNT = "sparsecore-count"
_SANITIZE = "sparsecore-sanitize"
_LAUNCH = "sparsecore-verify-launch"
_FOR_A_CPU = "sparsecore-stage-in-hbm{always=true}"


class TileError(SparseCoreError):
    """A tile program is invalid, or too large; `str()` begins with file, line and column."""

    def __init__(self, location: FileLocation | None, message: str) -> None:
        super().__init__(f"{location}: error: {message}" if location else message)
        self.message = message


@dataclass(frozen=True)
class CompiledTile:
    """A tile program with its machine code.

    Attributes:
        source: the program that code was generated from, and its arguments.
        code: the compiled program.
    """

    source: TileProgram
    code: Program


def compile_tile(spec: TileSpec, *, cache: ObjectCache | None) -> CompiledTile:
    """Compile a lookup or an update.

    Args:
        spec: the spec of the lookup or update.
        cache: the directory in which machine code is kept for other processes; None: it is not
            kept.

    Raises:
        SparseCoreError: there is no such chip, or its memory is too small.
    """
    arguments = arguments_of(spec)
    # A chip may be described by a file, which may change.
    source = f"{spec.to_json()}\n{spec.hardware}"
    with ExitStack() as stack:  # A program that is in the cache needs no context.
        code = compile_source(source, lambda: _finished(spec, stack), cache=cache)
    if _counts_itself(spec):
        rows, columns = code.interface.arguments[len(arguments)].shape
        assert rows  # The pass makes them static.
        assert columns
        counters = TileArgument("counters", "int64", (rows, columns), "counters")
        arguments = (*arguments, counters)
    return CompiledTile(TileProgram(code.module, arguments), code)


def _counts_itself(spec: TileSpec) -> bool:
    """Return whether a program counts what it does: only a chip's does, see `counts.runs` for others."""
    return spec.counters and spec.reading == "chip"


def _finished(spec: TileSpec, stack: ExitStack) -> ir.Module:
    """Build a program, and run all passes over it; the module is valid until the stack is closed."""
    module, _ = build_checked(stack.enter_context(tile_context()), spec)
    with _errors_without_place():
        lay_out(module, spec.reading)
    finish(module, spec)
    return module


@contextmanager
def _errors_without_place() -> Iterator[None]:
    """Raise errors of tile programs without their location: the user has not seen the text."""
    try:
        yield
    except TileError as error:
        raise SparseCoreError(error.message) from None


def check_chip(spec: TileSpec) -> list[Entry]:
    """Check that what the chip holds for a program fits in its SPMEM and HBM.

    Returns:
        The buffers that are staged in HBM, as entries of a ledger.

    Raises:
        SparseCoreError: it does not fit; the text lists the buffers, and limits that would fit.
    """
    ledger_of(spec).check(spec.kind)  # A lack of HBM is known before anything is built.
    with tile_context() as context:
        return _staged_by_chip(build_module(context, _on_chip(spec)), spec)


def build_checked(context: ir.Context, spec: TileSpec) -> tuple[ir.Module, list[Entry]]:
    """Build a program, and check that what the chip holds for it fits, as `check_chip` does.

    Returns:
        The program as it is built, and the buffers that are staged in HBM.

    Raises:
        SparseCoreError: as `build_module` and `check_chip`.
    """
    ledger_of(spec).check(spec.kind)
    module = build_module(context, spec)
    chip = module if _has_buffers_of_chip(spec) else build_module(context, _on_chip(spec))
    return module, _staged_by_chip(_clone(chip), spec)


def _on_chip(spec: TileSpec) -> TileSpec:
    return dataclasses.replace(spec, reading="chip", transport="collectives")


def _has_buffers_of_chip(spec: TileSpec) -> bool:
    """Return whether a program is built with the buffers of its chip reading.

    An update for a CPU is not if it has minibatches: it sorts the entries of all together.
    """
    is_for_all = isinstance(spec, AnyUpdateSpec) and spec.minibatches
    return spec.reading == "chip" or not (is_for_all or spec.transport == "memory")


def _staged_by_chip(module: ir.Module, spec: TileSpec) -> list[Entry]:
    """Lay out the buffers of a program, in place; return those that are staged in HBM."""
    with _errors_without_place():
        _run(module, _LAYOUT)
    staged = staged_in(module, spec)
    ledger_of(spec).plus(staged).check(spec.kind)
    return staged


def _clone(module: ir.Module) -> ir.Module:
    """Return a copy of a program in the same context."""
    with module.operation.location:
        copy = ir.Module.create()
    for op in module.body:
        copy.body.append(op.operation.clone())
    return copy


def check_entries(spec: LookupSpec) -> None:
    """Check that what the chip holds of the entries of a partition fits in its SPMEM.

    It is the part of `check_chip` that needs no program: buffers of a batch with such limits may be
    larger than the memory of the host.

    Raises:
        SparseCoreError: it does not fit, as of `check_chip`.
    """
    if entry_bytes(spec) > spec.hardware.tile_memory_bytes:
        check_chip(spec)


def compile_printed(text: str, *, cache: ObjectCache | None) -> Program:
    """Compile a tile program that was printed, and maybe edited, before or after its layout.

    Args:
        text: the output of `sdykit compile --emit=tile` or `--emit=spmem`.
        cache: the directory in which machine code is kept for other processes; None: it is not
            kept.

    Raises:
        TileError: the text is not a module, or SPMEM is too small.
        CodegenError: it has an op that cannot be translated.
    """

    def placed() -> ir.Module:
        module = parse_tile(text)
        check_layout(module)
        lay_out(module)
        # Nothing observable depends on the buffers of tiles, which are as large as the limits.
        place_for_cpu(module)
        return module

    return compile_source(text, placed, cache=cache)


def check_layout(module: ir.Module) -> None:
    """Check that what a chip holds for a program that was printed fits; the module does not change.

    Raises:
        TileError: SPMEM is too small.
    """
    _run(_clone(module), _LAYOUT)


def parse_tile(text: str) -> ir.Module:
    """Parse and verify a tile program.

    Raises:
        TileError: the text is not a module.
    """
    context = make_context()
    with _errors(context):
        return ir.Module.parse(text, context)


def lay_out(module: ir.Module, reading: Reading = "cpu") -> None:
    """Run the pipeline of a reading, in place.

    Args:
        module: the program as it is built.
        reading: `chip`: what tiles hold is laid out; `cpu`: steps are fused, and there is no layout.

    Raises:
        TileError: SPMEM is too small, or an attribute about it is invalid.
    """
    _run(module, _PIPELINES[reading])


def place_for_cpu(module: ir.Module) -> None:
    """Store sums to HBM directly, as a CPU has no SPMEM, in place; nothing observable changes.

    Raises:
        TileError: the program does not copy them from SPMEM, as tile programs do.
    """
    _run(module, _FOR_A_CPU)


def finish(module: ir.Module, spec: TileSpec) -> None:
    """Run the passes between the layout and code generation, in place: counters, then checks."""
    if spec.verify_launch:
        _run(module, _LAUNCH)
    if _counts_itself(spec):  # While sums are in SPMEM: the traffic of the chip is counted.
        _run(module, _COUNT)
    if spec.reading == "cpu":
        place_for_cpu(module)
    add_checks(module, bounds=spec.check_bounds, nan=spec.check_nan)
    if spec.sanitize:  # The others would take its loads for the program's.
        _run(module, f"{_SANITIZE}{{cores={','.join(spec.sanitize)}}}")


def add_checks(module: ir.Module, *, bounds: bool, nan: bool) -> None:
    """Run `sparsecore-check-nan` and `sparsecore-check-bounds`, in place."""
    if nan:
        _run(module, _NAN)
    if bounds:
        _run(module, _BOUNDS)


def _run(module: ir.Module, pipeline: str) -> None:
    with _errors(module.context):
        run_pipeline(module, pipeline)


@contextmanager
def _errors(context: ir.Context) -> Iterator[None]:
    """Raise the first diagnostic as an exception."""
    found: list[Diagnostic] = []
    try:
        with capture(context, found.append):
            yield
    except (ir.MLIRError, PassFailure) as error:
        if not found:
            raise TileError(None, str(error)) from None
        raise TileError(found[0].location, found[0].message) from None
