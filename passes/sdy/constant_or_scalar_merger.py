"""`-sdy-constant-or-scalar-merger`."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from sdykit.core import FunctionPass, ops_named
from sdykit.mlir import FuncOp, ir
from sdykit.passes.sdy._value_shardings import rank

BROADCAST = "stablehlo.broadcast_in_dim"
CONSTANTS = (
    "arith.constant",
    "chlo.constant",
    "complex.constant",
    "func.constant",
    "mhlo.constant",
    "sdy.constant",
    "shape.const_shape",
    "shape.const_size",
    "stablehlo.constant",
    "ub.poison",
)


@dataclass(frozen=True)
class ConstantOrScalarMergerPass(FunctionPass):
    """Replace constants, and broadcasts of scalars, by equal ones before them in the same region.

    It is the reverse of `-sdy-constant-or-scalar-splitter`, for what propagation has sharded
    equally: constants are equal if all their attributes are, shardings included; broadcasts of
    scalars if their operands and types are equal, too. In a region of several blocks, those in the
    first block replace the ones in all others, which otherwise keep their own.

    Before:

    ```mlir
    %0 = sdy.constant dense<1.0> : tensor<8xf32>
    %1 = sdy.constant dense<1.0> : tensor<8xf32>
    %2 = stablehlo.add %0, %1 : tensor<8xf32>
    ```

    After:

    ```mlir
    %0 = sdy.constant dense<1.0> : tensor<8xf32>
    %2 = stablehlo.add %0, %0 : tensor<8xf32>
    ```
    """

    name = "sdy-constant-or-scalar-merger"

    def run(self, func: FuncOp) -> None:
        first: dict[Hashable, ir.Value] = {}
        entries: dict[ir.Block, ir.Block] = {}
        for op in ops_named(func, *CONSTANTS, BROADCAST):
            key = _key(op)
            if key is None:
                continue
            block = op.block
            if block not in entries:
                entries[block] = block.region.blocks[0]
            result = op.results[0]
            earlier = first.get((entries[block], key), first.get((block, key)))
            if earlier is None:
                first[block, key] = result
            else:
                result.replace_all_uses_with(earlier)
                op.erase()


def _key(op: ir.Operation) -> Hashable | None:
    """Return what is equal for ops that are merged; None for one that is not."""
    kind = op.results[0].type
    if op.name != BROADCAST:
        return _attributes(op), kind
    operand = op.operands[0]
    return None if rank(operand.type) else (operand, _attributes(op), kind)


def _attributes(op: ir.Operation) -> Hashable:
    """Return the attributes of an op, as text if the bindings cannot hold them."""
    try:
        return ir.DictAttr.get(dict(op.attributes.items()))
    except TypeError:  # They have no class for dense complex numbers.
        # A clone, since printing an op of a module takes as long as the module.
        text = op.clone(ip=False).get_asm(print_generic_op_form=True, use_local_scope=True)
        return str(text).replace(f'"{op.name}"', "", 1)
