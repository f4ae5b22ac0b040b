"""`--load-pass=count_constraints.py`: the pass that `docs/write-a-pass.md` builds up to."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FunctionPass, fail, ops_named, remark
from sdykit.dialects import sdy
from sdykit.dialects.views import view
from sdykit.mlir import FuncOp, ir


@dataclass(frozen=True)
class CountConstraintsPass(FunctionPass):
    """Write on each function how many sharding constraints it holds.

    Before:

    ```mlir
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8xf32>
    ```

    After:

    ```mlir
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {example.constraints = 1 : i64} {
      %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8xf32>
    ```
    """

    name = "count-constraints"

    axis: str = ""
    """Count only constraints that shard a dimension along this axis."""

    limit: int = -1
    """Fail if a function holds more; -1: any number."""

    verbose: bool = False
    """Remark on each constraint that is counted."""

    def run(self, func: FuncOp) -> None:
        """Count, and set the attribute unless there is nothing to count."""
        found = [op for op in ops_named(func, "sdy.sharding_constraint") if self._counts(op)]
        if self.verbose:
            for number, op in enumerate(found, start=1):
                remark(op, f"is number {number}")
        if 0 <= self.limit < len(found):
            fail(found[self.limit], f"exceeds the limit of {self.limit} in @{func.name.value}")
        if found:
            count = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), len(found))
            func.operation.attributes["example.constraints"] = count

    def _counts(self, op: ir.Operation) -> bool:
        if not self.axis:
            return True
        sharding = sdy.TensorShardingAttr.of(view(sdy.ShardingConstraintOp, op).sharding)
        axes = [axis for dimension in sharding.dim_shardings for axis in dimension.axes]
        return any(axis.name == self.axis for axis in axes)
