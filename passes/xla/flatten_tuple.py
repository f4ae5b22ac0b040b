"""`-xla-flatten-tuple`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import FunctionPass, ops_named
from sdykit.mlir import FuncOp, ir
from sdykit.passes.xla._frontend import names

_TUPLE = "stablehlo.tuple"
_ELEMENT = "stablehlo.get_tuple_element"


@dataclass(frozen=True)
class FlattenTuplePass(FunctionPass):
    """Replace the tuple that a custom call returns by a result for each element.

    An instruction of HLO with several results returns a tuple, and so does the custom call that
    XLA converts it to. A `stablehlo.get_tuple_element` of the tuple is replaced by the result;
    other users get a `stablehlo.tuple` of the results. Nested tuples are flattened too. An element
    that is taken out of a `stablehlo.tuple` is replaced by the operand. Tuples without users are
    erased.

    Before:

    ```mlir
    %0 = stablehlo.custom_call @f(%arg0) : (tensor<8xf32>) -> tuple<tensor<4xf32>, tensor<f32>>
    %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<f32>>) -> tensor<f32>
    ```

    After:

    ```mlir
    %0:2 = stablehlo.custom_call @f(%arg0) : (tensor<8xf32>) -> (tensor<4xf32>, tensor<f32>)
    ```
    """

    name = "xla-flatten-tuple"

    def run(self, func: FuncOp) -> None:
        for op in ops_named(func, names.CUSTOM_CALL):
            if len(op.results) == 1 and isinstance(op.results[0].type, ir.TupleType):
                _flatten(op, op.results[0].type)
        # In program order: an inner tuple is taken out of the outer one before its own elements.
        for op in ops_named(func, _ELEMENT):
            source = op.operands[0]
            if isinstance(source, ir.OpResult) and source.owner.operation.name == _TUPLE:
                index = ir.IntegerAttr(op.attributes["index"]).value
                op.results[0].replace_all_uses_with(source.owner.operation.operands[index])
                op.erase()
        for op in reversed(ops_named(func, _TUPLE)):
            if not list(op.results[0].uses):
                op.erase()


def _flatten(call: ir.Operation, type_: ir.TupleType) -> None:
    flat = ir.Operation.create(
        names.CUSTOM_CALL,
        results=_leaves(type_),
        operands=list(call.operands),
        attributes={name: call.attributes[name] for name in call.attributes},
        loc=call.location,
        ip=ir.InsertionPoint(call),
    )
    if list(call.results[0].uses):
        call.results[0].replace_all_uses_with(_rebuilt(type_, list(flat.results), call))
    call.erase()


def _leaves(type_: ir.Type) -> list[ir.Type]:
    if not isinstance(type_, ir.TupleType):
        return [type_]
    return [leaf for at in range(type_.num_types) for leaf in _leaves(type_.get_type(at))]


def _rebuilt(type_: ir.Type, values: list[ir.Value], before: ir.Operation) -> ir.Value:
    """Return a value of a type made of the first of `values`; these are removed from the list."""
    if not isinstance(type_, ir.TupleType):
        return values.pop(0)
    parts: Sequence[ir.Value] = [
        _rebuilt(type_.get_type(at), values, before) for at in range(type_.num_types)
    ]
    made = ir.Operation.create(
        _TUPLE,
        results=[type_],
        operands=parts,
        loc=before.location,
        ip=ir.InsertionPoint(before),
    )
    return made.results[0]
