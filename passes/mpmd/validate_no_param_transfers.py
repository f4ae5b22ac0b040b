"""`-mpmd-validate-no-param-transfers`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FunctionPass, ops_named
from sdykit.core.mpmd.program import TOPOLOGY, TRANSFER
from sdykit.dialects import mpmd
from sdykit.dialects.names import location_name
from sdykit.mlir import FuncOp, ir
from sdykit.passes.mpmd._shared.reports import Report


@dataclass(frozen=True)
class ValidateNoParamTransfersPass(FunctionPass):
    """Report transfers of parameters, which should live on the mesh that uses them.

    A transfer moves a parameter if its own location or that of its operand is a name that
    contains `param-pattern`; names nested in other locations do not count. Transfers that
    change neither the mesh nor the memory kind are skipped, and so are functions without a
    topology.

    Reported:

    ```mlir
    #params = loc("params['transformer']['w']")
    %0 = mpmd.transfer %arg0 : (!mpmd.mesh_tensor<"m1", tensor<8xf32>>)
        -> !mpmd.mesh_tensor<"m2", tensor<8xf32>> loc(#params)
    ```

    ```text
    warning: Detected cross-mesh transfer of a parameter matching "params['transformer" from
    mesh "m1" to "m2". JAX locations: ["params['transformer']['w']"]
    ```
    """

    name = "mpmd-validate-no-param-transfers"

    fail_on_param_transfers: bool = False
    """Emit errors instead of warnings."""

    param_pattern: str = "params['transformer"
    """Text that the name of every parameter contains."""

    def run(self, func: FuncOp) -> None:
        if TOPOLOGY not in func.operation.attributes:
            return
        report = Report(strict=self.fail_on_param_transfers)
        for transfer in ops_named(func, TRANSFER):
            self._check(transfer, report)
        report.finish()

    def _check(self, transfer: ir.Operation, report: Report) -> None:
        source, target = (
            mpmd.MeshTensorType.of(value.type)
            for value in (transfer.operands[0], transfer.results[0])
        )
        if (source.mesh_name, source.memory_kind) == (target.mesh_name, target.memory_kind):
            return
        locations = transfer.operands[0].location, transfer.location
        names = [location_name(each) for each in locations if isinstance(each, ir.NameLoc)]
        found = dict.fromkeys(f'"{name}"' for name in names if self.param_pattern in name)
        if found:
            report.find(
                transfer,
                f'Detected cross-mesh transfer of a parameter matching "{self.param_pattern}"'
                f' from mesh "{source.mesh_name}" to "{target.mesh_name}".'
                f" JAX locations: [{', '.join(found)}]",
            )
