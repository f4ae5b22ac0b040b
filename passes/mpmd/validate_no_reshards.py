"""`-mpmd-validate-no-reshards`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FUNC, ModulePass, ops_named, symbol_name
from sdykit.core.mpmd.program import FRAGMENT_CALL, RES_ATTRS, is_inferred
from sdykit.dialects import mpmd
from sdykit.dialects.names import callee_name
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.mpmd._shared.reports import Report

_RETURN = "func.return"
_RESULT_INFO = "jax.result_info"


@dataclass(frozen=True)
class ValidateNoReshardsPass(ModulePass):
    """Report calls of functions that only return arguments.

    Such a fragment moves a tensor from one sharding to another, possibly without the user's
    intention. It must be inferred; one with an origin is always an error. The message shows
    sharding, shape and location of each operand and result. The location of a result is the
    `jax.result_info` of the program result that it becomes.

    Reported:

    ```mlir
    %0 = mpmd.fragment_call<mesh="m1", origin=[]> @inferred(%arg0)
        : (!mpmd.mesh_tensor<"m1", tensor<8xf32>, sharding=<@mesh, [{"x"}]>>)
        -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>

    func.func @inferred(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    ```

    ```text
    warning: Detected reshard-only fragment 'inferred'. This usually indicates an unexpected
    reshard. Operands: #sdy.sharding<@mesh, [{"x"}]> <8xf32> loc("x"). Results: Replicated
    <8xf32>
    ```
    """

    name = "mpmd-validate-no-reshards"

    fail_on_reshard_only_fragments: bool = False
    """Emit errors instead of warnings."""

    def run(self, module: ModuleOp) -> None:
        report = Report(strict=self.fail_on_reshard_only_fragments)
        reshards = {
            (func.parent, symbol_name(func))
            for func in ops_named(module, FUNC)
            if _only_returns_arguments(func)
        }
        # The verifier accepts calls only in functions with a topology.
        for call in ops_named(module, FRAGMENT_CALL):
            func = _function_of(call)
            callee = callee_name(call)
            if (func.parent, callee) not in reshards:
                continue
            if is_inferred(call):
                report.find(call, _message(call, callee, func))
            else:
                report.error(
                    call,
                    f"Internal error: reshard-only fragment '{callee}' is not an inferred fragment",
                )
        report.finish()


def _only_returns_arguments(func: ir.Operation) -> bool:
    """Return whether the return is the only op of a function."""
    if not func.regions[0].blocks:
        return False
    return func.regions[0].blocks[0].operations[0].operation.name == _RETURN


def _function_of(op: ir.Operation) -> ir.Operation:
    while op.name != FUNC:
        parent = op.parent
        assert parent is not None
        op = parent.operation
    return op


def _message(call: ir.Operation, callee: str, func: ir.Operation) -> str:
    operands = (f"{_tensor(operand)} {operand.location}" for operand in call.operands)
    results = (f"{_tensor(result)}{_result_locations(result, func)}" for result in call.results)
    return (
        f"Detected reshard-only fragment '{callee}'. This usually indicates an unexpected reshard."
        f" Operands: {', '.join(operands)}. Results: {', '.join(results)}"
    )


def _tensor(value: ir.Value) -> str:
    """Return the sharding and the shape of a value as text; a scalar has the shape `<xf32>`."""
    tensor = mpmd.MeshTensorType.of(value.type)
    ranked = ir.RankedTensorType(ir.Type.parse(tensor.ranked_tensor_type))
    dimensions = "x".join(str(size) for size in ranked.shape)
    return f"{tensor.sharding or 'Replicated'} <{dimensions}x{ranked.element_type}>"


def _result_locations(result: ir.Value, func: ir.Operation) -> str:
    """Return the `jax.result_info` of the program results that a value becomes, as locations."""
    if RES_ATTRS not in func.attributes:
        return ""
    attributes = ir.ArrayAttr(func.attributes[RES_ATTRS])
    returns = (use for use in result.uses if use.owner.operation.name == _RETURN)
    returned = (ir.DictAttr(attributes[use.operand_number]) for use in returns)
    infos = (each[_RESULT_INFO] for each in returned if _RESULT_INFO in each)
    return "".join(f" loc({info})" for info in infos if isinstance(info, ir.StringAttr))
