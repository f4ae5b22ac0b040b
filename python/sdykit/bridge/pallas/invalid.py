"""Errors about kernels that JAX lowers to ops which are not valid, such as DMAs between other shapes.

JAX verifies a function when it is complete, takes a failure for its own mistake, and names no line.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sdykit.bridge.errors import BridgeError
from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.places import Places
from sdykit.sparsecore.mosaic.types import is_memref, memref_of


@contextmanager
def naming_invalid_op(module: ir.Module, kernel: str) -> Iterator[None]:
    """Name the user's line of the op for which JAX refuses the functions that it adds to a module.

    Raises:
        BridgeError: an op is invalid; the text says where, and what its operands are.
    """
    try:
        yield
    except Exception as error:
        found = _first_invalid(module) if isinstance(error.__cause__, ir.MLIRError) else None
        if found is None:
            raise
        op, reason = found
        text = f"kernel '{kernel}': {Places().text(op)}: {_described(op, reason)}"
        raise BridgeError(text) from None  # JAX's own asks the user to report a mistake of Pallas.


def _first_invalid(module: ir.Module) -> tuple[ir.Operation, str] | None:
    """Return the first op that is invalid by itself, and MLIR's reason."""
    found: list[tuple[ir.Operation, str]] = []

    def look(op: ir.Operation) -> ir.WalkResult:
        try:
            op.verify()
        except ir.MLIRError as error:
            found.append((op, error.error_diagnostics[0].message))
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    # Ops inside of others come before these.
    module.operation.walk(look, ir.WalkOrder.POST_ORDER)
    return found[0] if found else None


def _described(op: ir.Operation, reason: str) -> str:
    if op.name != "tpu.enqueue_dma" or "mismatch" not in reason:
        types = [", ".join(str(each.type) for each in given) for given in (op.operands, op.results)]
        return (
            f"Pallas makes an invalid op of this line: {reason.rstrip('.')}: ({types[0]}) -> ({types[1]});"
            " expected other shapes or dtypes of what it uses"
        )
    # Semaphores and numbers of devices and cores follow.
    source, target = map(_array, list(op.operands)[:2])
    return (
        f"a DMA from {source} to {target}; expected the same shape and dtype on both sides: slice one"
        " with .at[...], or change the scratch or the out_type"
    )


def _array(value: ir.Value) -> str:
    """Return what a side of a DMA is: "f32[2,16] in VMEM"."""
    if not is_memref(value.type):
        return str(value.type)
    memref = memref_of(value.type)
    sizes = ",".join("?" if size is None else str(size) for size in memref.shape)
    return f"{memref.element}[{sizes}] in {memref.space.upper()}"
