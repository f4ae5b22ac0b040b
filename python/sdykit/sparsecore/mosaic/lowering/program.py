"""The tile program of a kernel: its entry function, and the phase that its subcores are."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core.sparsecore.names import ENTRY, MESSAGES, NAME, STATUS, STOPS
from sdykit.mlir import ir, passmanager
from sdykit.sparsecore.codegen.emission.types import ELEMENTS
from sdykit.sparsecore.mosaic.kernel import Function, Kernel
from sdykit.sparsecore.mosaic.layout import Layout, check_capacity, lay_out
from sdykit.sparsecore.mosaic.lowering.emitter import STOP, Emitter, stored_type
from sdykit.sparsecore.mosaic.lowering.numbers import row_major
from sdykit.sparsecore.mosaic.lowering.registry import NotLowered
from sdykit.sparsecore.mosaic.lowering.semaphores import check_zero, clear
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.mosaic.reports import NOBODY, End
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.mosaic.types import MemRef, is_memref, memref_of
from sdykit.sparsecore.tile.builder.ops import Builder

_PASSES = "builtin.module(cse,loop-invariant-code-motion,cse)"
_OWN_SPACES = ("vmem", "smem", "semaphore_mem")
"""The spaces that each subcore has memory of its own in."""


def lower(kernel: Kernel, spec: MosaicSpec) -> ir.Module:
    """Return the tile program of a kernel, in the context of the kernel's module.

    Its arguments are the arrays of the call, each as one row of elements: the operands, then the
    results that no operand is aliased with; then the status.

    Args:
        kernel: a kernel whose subcores never wait for each other.
        spec: how it is to run.

    Raises:
        NotLowered: it has what cannot be compiled yet.
        SparseCoreError: the chip's memory is too small.
    """
    layouts = lay_out(kernel)
    check_capacity(kernel, layouts, spec.chip.name, spec.chip.vmem_bytes)
    if not kernel.is_free:
        raise NotLowered("subcores that wait for each other")
    (function,) = kernel.functions
    arrays = _Arrays(function, spec)
    with kernel.module.context, ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            entry = ir.Operation.create(
                "func.func", attributes=_attributes(kernel.name, arrays.types), regions=1
            )
        types = [ir.Type.parse(each) for each in arrays.types]
        block = ir.Block.create_at_start(
            entry.regions[0], types, [ir.Location.unknown()] * len(types)
        )
        builder = Builder(kernel.module.context, block)
        messages: dict[str, int] = {}
        with ir.InsertionPoint(block):
            _Phase(kernel, layouts[function.name], arrays, spec, messages).add(builder)
            builder.op("func.return", [])
        entry.attributes[MESSAGES] = _strings(("ok", *messages))
        with ir.InsertionPoint(module.body):
            _declare_stop()
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


class _Arrays:
    """The arrays of a call: which argument of the entry function each array of the kernel is.

    Args:
        function: the kernel's function.
        spec: how it is to run.

    Attributes:
        numbers: the number of the argument that each array is.
        types: the types of all arguments, as texts; the last is that of the status.
        inputs: the numbers of the arguments that no result is aliased with.
        device: the number of the argument that has the number of the device; None if none has.
    """

    def __init__(self, function: Function, spec: MosaicSpec) -> None:
        aliases = {result: operand for operand, result in spec.input_output_aliases}
        self.numbers: list[int] = []
        self.types: list[str] = []
        self.device = spec.operands if spec.passes_device else None
        for at, value in enumerate(function.arrays):
            memref = memref_of(value.type)
            if at == self.device:
                self.types.append("memref<1xi32>")
            if memref.is_semaphore or stored_type(memref) not in ELEMENTS:
                raise NotLowered(f"an array of {memref.element}")
            operand = aliases.get(at - spec.operands) if at >= spec.operands else None
            self.numbers.append(len(self.types) if operand is None else operand)
            if operand is None:
                count = math.prod(size or 0 for size in memref.shape)
                self.types.append(f"memref<{count}x{stored_type(memref)}>")
        if self.device == len(self.types):  # There are no results of their own.
            self.types.append("memref<1xi32>")
        self.types.append("memref<8xi64>")
        self.inputs = sorted(set(range(spec.operands)) - set(aliases.values()))


def _attributes(name: str, types: Sequence[str]) -> dict[str, ir.Attribute]:
    names = (f'{NAME} = "array {number}"' for number in range(len(types) - 1))
    marks = ", ".join(f"{{{mark}}}" for mark in (*names, STATUS))
    texts = {
        "sym_name": json.dumps(name),
        "function_type": f"({', '.join(types)}) -> ()",
        "arg_attrs": f"[{marks}]",
        ENTRY: "unit",
    }
    return {key: ir.Attribute.parse(text) for key, text in texts.items()}


def _strings(texts: Sequence[str]) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])


def _declare_stop() -> None:
    texts = {
        "sym_name": f'"{STOP}"',
        "sym_visibility": '"private"',
        "function_type": "() -> ()",
        STOPS: "unit",
    }
    attributes = {key: ir.Attribute.parse(text) for key, text in texts.items()}
    ir.Operation.create("func.func", attributes=attributes, regions=1)


@dataclass(frozen=True)
class _Phase:
    """The phase whose iterations are the subcores that run a kernel's function.

    Attributes:
        kernel: the kernel.
        layout: the places of the function's buffers.
        arrays: the arguments of the entry function.
        spec: how the kernel is to run.
        messages: the reports that the program can end with, see `Emitter`; `add` adds to them.
    """

    kernel: Kernel
    layout: Layout
    arrays: _Arrays
    spec: MosaicSpec
    messages: dict[str, int]

    def add(self, b: Builder) -> None:
        """Add the phase to the entry function."""
        (function,) = self.kernel.functions
        axes: dict[str, int] = dict(zip(("core", "subcore"), function.bounds, strict=False))
        b.phase(axes, lambda *point: self._subcore(b, function, point))

    def _subcore(self, b: Builder, function: Function, point: Sequence[ir.Value]) -> None:
        """Add what a subcore does, by its position in the mesh."""
        arguments: list[ir.Value] = list(b.block.arguments)
        agent = point[0]
        for position, bound in zip(point[1:], function.bounds[1:], strict=True):
            agent = b.add(b.mul(agent, bound), position)
        e = Emitter(
            b,
            self.kernel,
            function,
            self.layout,
            lanes=self.spec.chip.lanes,
            agent=agent,
            memory=_memory(b, self.layout),
            inputs={arguments[number]: number for number in self.arrays.inputs},
            status=arguments[-1],
            device=None if self.arrays.device is None else arguments[self.arrays.device],
            messages=self.messages,
        )
        for value, position in zip(function.indices, point, strict=True):
            e.set(value, b.to_integer(position, str(value.type)))
        for value, number in zip(function.arrays, self.arrays.numbers, strict=True):
            e.set(value, _array(b, memref_of(value.type), arguments[number]))
        _run(e)


def _memory(b: Builder, layout: Layout) -> dict[str, ir.Value]:
    """Return a subcore's memory in each space, bytes."""
    return {
        space: b.spmem([size], "i8")
        for space, size in layout.sizes.items()
        if space in _OWN_SPACES and size
    }


def _array(b: Builder, memref: MemRef, buffer: ir.Value) -> View:
    sizes = tuple(size or 0 for size in memref.shape)
    return View(buffer, 0, sizes, row_major(b, sizes), memref.element, memref.space, memref.bits)


def _run(e: Emitter) -> None:
    """Add what a subcore does, from memory that is its own to the checks at its end."""
    for value in e.function.scratch:
        if not is_memref(value.type):
            raise NotLowered(f"scratch of type '{value.type}'")
        if memref_of(value.type).space not in _OWN_SPACES:
            raise NotLowered(f"scratch in {memref_of(value.type).space}")
        view = e.placed(value)
        e.set(value, view)
        if memref_of(value.type).is_semaphore:
            clear(e, view)
            e.semaphores.append((view, NOBODY))
    e.block(e.function.body)
    for view, place in e.semaphores:
        check_zero(e, view, place, End.KERNEL)
