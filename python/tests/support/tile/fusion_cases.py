"""Programs that are compiled after only some of the fusions."""

from __future__ import annotations

from sdykit.core import run_pipeline
from sdykit.sparsecore.codegen import compile_module
from sdykit.sparsecore.tile.arguments import STATUS, TileArgument, TileProgram
from sdykit.sparsecore.tile.build import arguments_of, build_tile
from sdykit.sparsecore.tile.compile import CompiledTile, add_checks, parse_tile
from sdykit.sparsecore.tile.spec import TileSpec


def compile_after(spec: TileSpec, *passes: str) -> CompiledTile:
    """Compile a program after these passes, and those that count and check, without any other."""
    module = parse_tile(build_tile(spec).text)
    for each in passes:
        run_pipeline(module, each)
    if spec.counters:
        run_pipeline(module, "sparsecore-count")
    add_checks(module, bounds=spec.check_bounds, nan=spec.check_nan)
    code = compile_module(str(module), cache=None)
    arguments = arguments_of(spec)
    if spec.counters:
        shape = tuple(size or 0 for size in code.interface.arguments[len(arguments)].shape)
        arguments = (*arguments, TileArgument("counters", "int64", shape, "counters"))
    if (spec.check_bounds or spec.check_nan) and STATUS not in arguments:
        arguments = (*arguments, STATUS)
    return CompiledTile(TileProgram(code.module, arguments), code)
