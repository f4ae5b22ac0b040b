"""Ops that access memory: what they read and write, and which row of it."""

from __future__ import annotations

from sdykit.core import fail, ops_named
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.accesses import LOADS, OTHER_LOADS, WRITTEN, Access

LOAD, STORE = "memref.load", "memref.store"
STORES = (STORE, "vector.store")
COPY, VIEW = "memref.copy", "memref.subview"
_CALL = "func.call"
_KNOWN = {**dict.fromkeys(LOADS, 0), **WRITTEN}
"""Ops that access memory, and which operand is the buffer, the one that is written."""
BUFFERS = {**dict.fromkeys(LOADS, 0), **dict.fromkeys(STORES, 1)}
"""Ops that access elements of a buffer, and which operand it is; indices follow it."""
_OTHERS = (
    *OTHER_LOADS,
    *("vector.compressstore", "vector.maskedstore", "vector.scatter", "vector.transfer_write"),
    *("memref.view", "memref.collapse_shape", "memref.expand_shape", "memref.dealloc"),
    *("memref.atomic_rmw", "memref.generic_atomic_rmw", "memref.get_global", _CALL),
)
"""Ops that access memory in other ways, or give it another name."""


def accesses_in(op: ir.Operation, what: str) -> list[ir.Operation]:
    """List the ops of `_KNOWN` that an op is, or that are in it.

    Args:
        op: where to look.
        what: the op is, for the error.

    Raises:
        PassFailure: memory is accessed there by an op that passes do not follow.
    """
    found = ops_named(op, *_KNOWN, *_OTHERS) if len(op.regions) else [op]
    for each in found:
        if each.name in _OTHERS and (each.name != _CALL or _has_buffer(each)):
            fail(each, f"accesses memory in {what}; expected {', '.join(_KNOWN)}")
    return [each for each in found if each.name in _KNOWN]


def _has_buffer(op: ir.Operation) -> bool:
    return any(isinstance(operand.type, ir.MemRefType) for operand in op.operands)


def indices_of(op: ir.Operation) -> list[ir.Value]:
    """Return the indices of a load or a store."""
    return list(op.operands)[BUFFERS[op.name] + 1 :]


def accessed_row(access: Access) -> ir.Value | None:
    """Return the row of a load or a store, or the one that a copy is of; None: it is another op."""
    if access.op.name == COPY:
        view = maker_of(access.op.operands[1 if access.is_write else 0])
        return None if view is None else row_of(view)
    if access.op.name not in BUFFERS:
        return None
    view = maker_of(access.op.operands[BUFFERS[access.op.name]])
    is_part = view is not None and view.name == VIEW
    return next(iter([] if is_part else indices_of(access.op)), None)


def row_of(view: ir.Operation) -> ir.Value | None:
    """Give which row a view is of; None: it is of something else."""
    if view.name != VIEW:
        return None
    offsets, sizes, steps = (
        list(ir.DenseI64ArrayAttr(view.attributes[f"static_{name}"]))
        for name in ("offsets", "sizes", "strides")
    )
    width = ir.MemRefType(view.operands[0].type).shape[-1]
    dynamic = ir.ShapedType.get_dynamic_size()
    is_row = offsets[1:] == [0] and sizes[1:] == [width] and steps == [1, 1]
    if not is_row or width == dynamic or offsets[0] != dynamic:
        return None
    is_one = sizes[0] == 1 if len(view.operands) == 2 else integer_of(view.operands[2]) == 1
    return view.operands[1] if is_one else None


def maker_of(value: ir.Value) -> ir.Operation | None:
    """Give the op that a value is a result of; None: it is a block's argument."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def integer_of(value: ir.Value) -> int | None:
    """Give the number that a value always is; None: it is no constant."""
    maker = maker_of(value)
    if maker is None or maker.name != "arith.constant":
        return None
    attribute = maker.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None
