"""`memref`: allocation, single elements, copies, prefetches."""

from __future__ import annotations

from sdykit.core.sparsecore.names import DEVICE, SHARED, TOGETHER
from sdykit.mlir import ir
from sdykit.sparsecore.codegen.compiled import ALIGNMENT
from sdykit.sparsecore.codegen.emission.loops import counted_loop
from sdykit.sparsecore.codegen.emission.memory import Access, address, load, row_major, store
from sdykit.sparsecore.codegen.emission.types import Type
from sdykit.sparsecore.codegen.emission.values import Lowered, MemRef
from sdykit.sparsecore.codegen.runtime_functions import DEVICE_OFFSET, SHARED_OFFSET
from sdykit.sparsecore.codegen.translation.located_errors import error_of
from sdykit.sparsecore.codegen.translation.op_attributes import access_of, flag, integer
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator


def _allocate(t: Translator, op: ir.Operation) -> None:
    layout = t.layout(op, op.results[0])
    if None in layout.sizes:
        raise error_of(op, f"expected a static shape, found '{op.results[0].type}'")
    if not layout.is_row_major:
        raise error_of(op, f"expected a row-major layout, found '{op.results[0].type}'")
    alignment = integer(op, "alignment", 1)
    if alignment > ALIGNMENT:
        raise error_of(
            op, f"alignment is {alignment}; expected at most {ALIGNMENT} bytes, that of the arena"
        )
    sizes = [str(size) for size in layout.sizes]
    t[op.results[0]] = row_major(t.emitter, layout, _reserve(t, op, layout.bytes), sizes)


def _reserve(t: Translator, op: ir.Operation, size: int) -> str:
    if SHARED not in op.attributes:
        return t.allocate(size)
    if not t.arena:
        raise error_of(
            op, f"'{SHARED}' is for agents; expected a phase with '{TOGETHER}' around it"
        )
    attribute = op.attributes[SHARED]
    is_of_device = isinstance(attribute, ir.StringAttr) and attribute.value == DEVICE
    if not is_of_device and not isinstance(attribute, ir.UnitAttr):
        raise error_of(op, f"'{SHARED}' is {attribute}; expected no value, or \"{DEVICE}\"")
    return t.allocate_shared(DEVICE_OFFSET if is_of_device else SHARED_OFFSET, size)


def _deallocate(_t: Translator, _op: ir.Operation) -> None:
    """Emit nothing: the arena is freed with its worker."""


def _load(t: Translator, op: ir.Operation) -> None:
    source, *indices = op.operands
    memref, type_ = t.memref(source), t.result_type(op)
    pointer = address(t.emitter, memref, [t.value(index).text for index in indices])
    access = access_of(op, memref.layout.element)
    t[op.results[0]] = load(t.emitter, type_, pointer, access)


def _store(t: Translator, op: ir.Operation) -> None:
    value, target, *indices = op.operands
    memref = t.memref(target)
    pointer = address(t.emitter, memref, [t.value(index).text for index in indices])
    store(t.emitter, t.value(value), pointer, access_of(op, memref.layout.element))


def _prefetch(t: Translator, op: ir.Operation) -> None:
    source, *indices = op.operands
    texts = [t.value(index).text for index in indices]
    pointer = address(t.emitter, t.memref(source), texts, inbounds=False)
    write, data = (int(flag(op, name)) for name in ("isWrite", "isDataCache"))
    numbers = [f"i32 {number}" for number in (write, integer(op, "localityHint"), data)]
    types = ["ptr", "i32", "i32", "i32"]
    t.emitter.call("llvm.prefetch.p0", "void", [f"ptr {pointer}", *numbers], types)


def _copy(t: Translator, op: ir.Operation) -> None:
    source, target = (t.memref(operand) for operand in op.operands)
    if source.layout.is_row_major and target.layout.is_row_major:
        _copy_at_once(t, source, target)
        return
    e, element = t.emitter, source.layout.element
    access = Access(element.bytes)

    def nest(indices: list[str]) -> None:
        if len(indices) == len(source.sizes):
            item = load(e, Type(element), address(e, source, indices), access)
            store(e, item, address(e, target, indices), access)
            return

        def body(counter: str, _: list[Lowered]) -> list[Lowered]:
            nest([*indices, counter])
            return []

        counted_loop(e, ("0", source.sizes[len(indices)], "1"), [], body)

    nest([])


def _copy_at_once(t: Translator, source: MemRef, target: MemRef) -> None:
    e, element = t.emitter, source.layout.element
    size = str(element.bytes)
    for length in source.sizes:
        size = e.multiply(size, length)
    pointers = [f"ptr align {element.bytes} {memref.base}" for memref in (target, source)]
    types = ["ptr", "ptr", "i64", "i1"]
    e.call("llvm.memmove.p0.p0.i64", "void", [*pointers, f"i64 {size}", "i1 false"], types)


OPS: dict[str, Handler] = {
    "memref.alloc": _allocate,
    "memref.alloca": _allocate,
    "memref.copy": _copy,
    "memref.dealloc": _deallocate,
    "memref.load": _load,
    "memref.prefetch": _prefetch,
    "memref.store": _store,
}
