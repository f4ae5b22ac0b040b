"""`-mpmd-delay-transfers-from-cpu`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FunctionPass
from sdykit.core.mpmd.program import (
    PINNED_HOST,
    TRANSFER,
    body_of,
    is_cpu_mesh,
    is_entry_point,
)
from sdykit.dialects import mpmd
from sdykit.mlir import FuncOp, ir
from sdykit.passes.mpmd._shared.uses import first_user


@dataclass(frozen=True)
class DelayTransfersFromCpuPass(FunctionPass):
    """Move each transfer from a CPU to just before its first consumer.

    The buffer that the transfer fills on the accelerator is then allocated no earlier than
    needed. A transfer is from a CPU if the name of its operand's mesh ends in `/cpu`, or if
    the memory kind in the operand's type is `pinned_host`; its destination does not matter.
    Transfers in the body of a public function with a topology are visited from first to
    last, so each transfer of a chain moves on its own. A transfer without users stays.

    Before:

    ```mlir
    %0 = mpmd.transfer %arg0 : (!mpmd.mesh_tensor<"m/cpu", tensor<8xf32>>)
        -> !mpmd.mesh_tensor<"m", tensor<8xf32>>
    %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {...}
    %2 = mpmd.fragment<mesh="m", origin=["g"]> (%0, %1) (%a: tensor<8xf32>, ...) {...}
    ```

    After:

    ```mlir
    %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {...}
    %1 = mpmd.transfer %arg0 : (!mpmd.mesh_tensor<"m/cpu", tensor<8xf32>>)
        -> !mpmd.mesh_tensor<"m", tensor<8xf32>>
    %2 = mpmd.fragment<mesh="m", origin=["g"]> (%1, %0) (%a: tensor<8xf32>, ...) {...}
    ```
    """

    name = "mpmd-delay-transfers-from-cpu"

    def run(self, func: FuncOp) -> None:
        if not is_entry_point(func.operation):
            return
        for op in list(body_of(func.operation)):
            transfer = op.operation
            if transfer.name != TRANSFER or not _is_on_cpu(transfer.operands[0]):
                continue
            consumer = first_user(transfer)
            if consumer is not None:
                transfer.move_before(consumer)


def _is_on_cpu(value: ir.Value) -> bool:
    tensor = mpmd.MeshTensorType.of(value.type)
    return is_cpu_mesh(tensor.mesh_name) or tensor.memory_kind == PINNED_HOST
