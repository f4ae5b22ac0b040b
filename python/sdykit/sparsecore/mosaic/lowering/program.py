"""The tile program of a kernel: its entry function, with a phase of the kernel's subcores."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sdykit.core.sparsecore.names import (
    ENTRY,
    LOCATIONS,
    MESSAGES,
    RUNTIME,
    SERIAL_BYTES,
    STOPS,
    WORK,
)
from sdykit.mlir import ir, passmanager
from sdykit.sparsecore.codegen.runtime_functions import FUNCTIONS
from sdykit.sparsecore.mosaic.counting import Counting
from sdykit.sparsecore.mosaic.kernel import Kernel
from sdykit.sparsecore.mosaic.layout import check_capacity, lay_out
from sdykit.sparsecore.mosaic.lowering import (
    accesses,
    logs,
    structure,
    transfers,
    vectors,
    views,
    work,
)
from sdykit.sparsecore.mosaic.lowering.arguments import Arguments
from sdykit.sparsecore.mosaic.lowering.emitter import STOP
from sdykit.sparsecore.mosaic.lowering.large import making
from sdykit.sparsecore.mosaic.lowering.phase import Phase
from sdykit.sparsecore.mosaic.lowering.poison import Poison
from sdykit.sparsecore.mosaic.scopes import Scopes
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.tile.builder.ops import Builder

OPS = (accesses, logs, making, structure, transfers, vectors, views)
"""The modules that register the lowerings of ops."""

_PASSES = "builtin.module(cse,loop-invariant-code-motion,cse)"


def lower(kernel: Kernel, spec: MosaicSpec) -> ir.Module:
    """Return the tile program of a kernel, in the context of the kernel's module.

    Its arguments are the arrays of the call, each as one row of elements: the operands, then the
    results that no operand is aliased with; then the counters, if the spec asks for them, and the times of scopes, if there are any; then the settings of the machine, if subcores may wait for
    each other; then the status.

    Args:
        kernel: the kernel.
        spec: how it is to run.

    Raises:
        NotLowered: it has what cannot be compiled yet.
        SparseCoreError: the chip's memory is too small.
    """
    layouts = lay_out(kernel)
    check_capacity(kernel, layouts, spec.chip.name, spec.chip.vmem_bytes)
    is_checked = spec.mode == "check"
    is_together = is_checked or not kernel.is_free
    counting = Counting(kernel) if spec.counters else None
    counted = None if counting is None else counting.shape
    scopes = Scopes(kernel) if spec.counters and Scopes(kernel).names else None
    timed = None if scopes is None else scopes.shape
    arguments = Arguments(kernel.functions[0], spec, counted, timed, is_together=is_together)
    poison = Poison(spec.uninitialized) if is_checked else None
    phase = Phase(kernel, layouts, arguments, spec, is_together, poison, counting, scopes)
    with kernel.module.context, ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            attributes = _attributes(kernel, arguments, is_together=is_together)
            entry = ir.Operation.create("func.func", attributes=attributes, regions=1)
        types = [ir.Type.parse(each) for each in arguments.types]
        locations = [ir.Location.unknown()] * len(types)
        block = ir.Block.create_at_start(entry.regions[0], types, locations)
        builder = Builder(kernel.module.context, block)
        with ir.InsertionPoint(block):
            phase.add(builder)
            builder.op("func.return", [])
        entry.attributes[MESSAGES] = _strings(("ok", *phase.messages))
        entry.attributes[LOCATIONS] = _strings(kernel.places.texts)
        with ir.InsertionPoint(module.body):
            _declare(STOP, "() -> ()", {STOPS: "unit"})
            for (function, types_of), name in phase.declared.items():
                result = "i64" if FUNCTIONS[function].has_result else "()"
                type_ = f"({', '.join(types_of)}) -> {result}"
                _declare(name, type_, {RUNTIME: json.dumps(function)})
        module.operation.verify()
        passmanager.PassManager.parse(_PASSES).run(module.operation)
        _move_into_phase(block)
    return module


def _move_into_phase(block: ir.Block) -> None:
    """Move what loop-invariant code motion took out of the phase back to its start.

    Only constants and scalars can be between phases, and there is only one.
    """
    ops = [view.operation for view in block]
    at = next(number for number, op in enumerate(ops) if op.name == "scf.parallel")
    first = ops[at].regions[0].blocks[0].operations[0]
    for op in ops[:at]:
        if op.name != "arith.constant":
            op.move_before(first.operation)


def _attributes(
    kernel: Kernel, arguments: Arguments, *, is_together: bool
) -> dict[str, ir.Attribute]:
    marks = list(arguments.marks)
    texts = {ENTRY: "unit"}
    if not is_together and work.only_moves(kernel):
        texts[SERIAL_BYTES] = f"{work.SERIAL_BYTES} : i64"
        for number, count in work.work_of(kernel, arguments.numbers).items():
            marks[number] += f", {WORK} = {count} : i64"
    texts |= {
        "sym_name": json.dumps(kernel.name),
        "function_type": f"({', '.join(arguments.types)}) -> ()",
        "arg_attrs": f"[{', '.join(f'{{{mark}}}' for mark in marks)}]",
    }
    return {key: ir.Attribute.parse(text) for key, text in texts.items()}


def _strings(texts: Sequence[str]) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])


def _declare(name: str, type_: str, marks: dict[str, str]) -> None:
    texts = {
        "sym_name": json.dumps(name),
        "sym_visibility": '"private"',
        "function_type": type_,
        **marks,
    }
    attributes = {key: ir.Attribute.parse(text) for key, text in texts.items()}
    ir.Operation.create("func.func", attributes=attributes, regions=1)
