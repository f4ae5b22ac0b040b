"""Faults that are planted in chip programs: stores that no step says it makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from sdykit.core.sparsecore.steps import Step, steps_in
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._programs.buffers import buffers_of
from sdykit.passes.sparsecore._programs.entry import entry_of
from sdykit.sparsecore.codegen import compile_module
from sdykit.sparsecore.tile.arguments import TileProgram
from sdykit.sparsecore.tile.build import arguments_of, build_module
from sdykit.sparsecore.tile.builder.contexts import tile_context
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.compile import CompiledTile, finish, lay_out
from sdykit.sparsecore.tile.spec import TileSpec

Fault = Callable[[ir.Operation], None]
"""Changes an entry function in place, as a faulty pass does."""


def faulty_text(spec: TileSpec, fault: Fault) -> str:
    """Return the chip's program of a spec, with a fault that is planted before the checks."""
    with tile_context() as context:
        module = build_module(context, spec)
        lay_out(module, "chip")
        entry = entry_of(cast(ModuleOp, module.operation.opview))
        assert entry is not None
        with context, ir.Location.unknown():
            fault(entry)
        finish(module, spec)
        return str(module)


def compile_faulty(spec: TileSpec, fault: Fault) -> CompiledTile:
    """Compile a program with a fault."""
    code = compile_module(faulty_text(spec, fault), cache=None)
    return CompiledTile(TileProgram(code.module, arguments_of(spec)), code)


def store_in(step: str, buffer: str) -> Fault:
    """Return a fault: each tile overwrites the first element of a float32 buffer in a step."""

    def fault(entry: ir.Operation) -> None:
        loop = step_named(entry, step).op
        with ir.InsertionPoint(loop.regions[0].blocks[0].operations[-1]):
            _store(entry, buffer, 0)

    return fault


def store_before(step: str, buffer: str) -> Fault:
    """Return a fault: the sequencer overwrites the first element of a float32 buffer before a step."""

    def fault(entry: ir.Operation) -> None:
        with ir.InsertionPoint(step_named(entry, step).op):
            _store(entry, buffer, 0)

    return fault


def overrun_in(step: str, buffer: str) -> Fault:
    """Return a fault: each tile stores a float32 row after the last one of a buffer in a step."""

    def fault(entry: ir.Operation) -> None:
        rows = ir.MemRefType(buffers_of(entry)[buffer].type).shape[0]
        loop = step_named(entry, step).op
        with ir.InsertionPoint(loop.regions[0].blocks[0].operations[-1]):
            _store(entry, buffer, rows)

    return fault


def step_named(entry: ir.Operation, name: str) -> Step:
    """Return the first step of a name."""
    return next(step for step in steps_in(entry) if step.name == name)


def _store(entry: ir.Operation, name: str, row: int) -> None:
    b, buffer = Builder(entry.context, entry.regions[0].blocks[0]), buffers_of(entry)[name]
    columns = [0] * (ir.MemRefType(buffer.type).rank - 1)
    b.store(b.constant("1.25e9", "f32"), buffer, row, *columns)
