"""`-sdy-remove-all-gather-reduce-scatter-for-cmv1`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FunctionPass, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import FuncOp, ir
from sdykit.passes.sdy._shardings import SHARDING
from sdykit.passes.sdy.insert_explicit_reshards.dots import DOTS

_ALL_GATHER = sdy.AllGatherOp.OPERATION_NAME
_REDUCE_SCATTER = sdy.ReduceScatterOp.OPERATION_NAME


@dataclass(frozen=True)
class RemoveAllGatherReduceScatterForCmv1Pass(FunctionPass):
    """Remove the all-gathers before dots and the reduce-scatters after them.

    XLA's collective matmul (its first version, for TPUs) overlaps these with the dot itself, and expects
    that the dot has divided operands, or a result that is divided further. An all-gather goes if the
    dot is its only user. Where none goes, a reduce-scatter goes that is the only user of the dot,
    whose sharding the dot takes, unless the dot has unreduced axes left.

    Before:

    ```mlir
    %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = stablehlo.dot %0, %arg1 {sdy.sharding =
        #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : ...
    ```

    After:

    ```mlir
    %1 = stablehlo.dot %arg0, %arg1 {sdy.sharding =
        #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : ...
    ```
    """

    name = "sdy-remove-all-gather-reduce-scatter-for-cmv1"

    def run(self, func: FuncOp) -> None:
        for dot in ops_named(func, *DOTS):
            if not _bypass_all_gathers(dot):
                _remove_reduce_scatter(dot)


def _bypass_all_gathers(dot: ir.Operation) -> bool:
    """Remove the all-gathers that only a dot uses; return whether there were any."""
    gathers: list[ir.Operation] = []
    for operand in dot.operands:
        if isinstance(operand, ir.OpResult) and len(list(operand.uses)) == 1:
            op = operand.owner.operation
            gathers += [op] if op.name == _ALL_GATHER else []
    for op in gathers:
        op.results[0].replace_all_uses_with(op.operands[0])
        op.erase()
    return bool(gathers)


def _remove_reduce_scatter(dot: ir.Operation) -> None:
    """Set the sharding of a dot to that of the reduce-scatter that is its only user, and erase that."""
    uses = list(dot.results[0].uses)
    if len(uses) != 1 or uses[0].owner.operation.name != _REDUCE_SCATTER or _is_unreduced(dot):
        return
    scatter = uses[0].owner.operation
    sharding = sdy.TensorShardingAttr.of(scatter.attributes["out_sharding"])
    dot.attributes[SHARDING] = sdy.TensorShardingPerValueAttr((sharding,)).to_attr()
    scatter.results[0].replace_all_uses_with(dot.results[0])
    scatter.erase()


def _is_unreduced(dot: ir.Operation) -> bool:
    if SHARDING not in dot.attributes:
        return False
    (sharding,) = sdy.TensorShardingPerValueAttr.of(dot.attributes[SHARDING]).shardings
    return bool(sharding.unreduced_axes)
