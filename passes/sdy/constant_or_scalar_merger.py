"""`-sdy-constant-or-scalar-merger`."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from sdykit.core import FunctionPass, ops_named
from sdykit.mlir import FuncOp, ir
from sdykit.passes.sdy._sharding_rules import RULE
from sdykit.passes.sdy._shardings import SHARDING
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
        tables = _Tables()
        for op in ops_named(func, *CONSTANTS, BROADCAST):
            key = _key(op)
            if key is None:
                continue
            in_entry, in_block = tables.of(op.block)
            result = op.results[0]
            earlier = in_entry.get(key) or in_block.setdefault(key, result)
            if earlier is not result:
                result.replace_all_uses_with(earlier)
                op.erase()


_Table = dict[Hashable, ir.Value]
"""The first constants and broadcasts of a block by their keys."""


class _Tables:
    """The tables of blocks."""

    def __init__(self) -> None:
        self._tables: dict[ir.Block, tuple[_Table, _Table]] = {}

    def of(self, block: ir.Block) -> tuple[_Table, _Table]:
        """Return the table of the first block of a block's region, empty for itself, and its own."""
        found = self._tables.get(block)
        if found is None:
            entry = block.region.blocks[0]
            found = self._tables[block] = {} if entry == block else self.of(entry)[1], {}
        return found


def _key(op: ir.Operation) -> Hashable | None:
    """Return what is equal for ops that are merged; None for one that is not."""
    if op.name != BROADCAST:
        return _attributes(op, "value"), op.results[0].type
    operand = op.operands[0]
    if rank(operand.type):
        return None
    return operand, _attributes(op, "broadcast_dimensions"), op.results[0].type


def _attributes(op: ir.Operation, name: str) -> Hashable:
    """Return what is equal for ops with equal attributes."""
    attributes = op.attributes
    try:
        # Most have no others, and to read these takes a fifth of the time to read all.
        own, sharding, rule = attributes.get(name), attributes.get(SHARDING), attributes.get(RULE)
        known = (own is not None) + (sharding is not None) + (rule is not None)
        if len(attributes) == known:
            return own, sharding, rule
        return ir.DictAttr.get(dict(attributes.items()))
    except TypeError:  # The bindings have no class for dense complex numbers.
        # A clone, since printing an op of a module takes as long as the module.
        text = op.clone(ip=False).get_asm(print_generic_op_form=True, use_local_scope=True)
        return str(text).replace(f'"{op.name}"', "", 1)
