"""`-mpmd-sink-create-token-into-fragments`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from sdykit.core import FunctionPass, fail, ops_named
from sdykit.core.mpmd.program import (
    ARG_ATTRS,
    FRAGMENT,
    RES_ATTRS,
    TOPOLOGY,
    attributes_of,
    body_of,
    terminator,
)
from sdykit.dialects import sdy
from sdykit.mlir import FuncOp, ir, stablehlo

_CREATE_TOKEN = "stablehlo.create_token"

_OPERAND_ATTRIBUTES = (ARG_ATTRS, "in_shardings")
_RESULT_ATTRIBUTES = (RES_ATTRS, "out_shardings")


@dataclass(frozen=True)
class SinkCreateTokenIntoFragmentsPass(FunctionPass):
    """Create tokens inside the fragments that use them, so that no fragment takes or returns one.

    In functions with a topology, every token operand of a fragment is replaced by a new
    `stablehlo.create_token` at the start of its body, and every token result is dropped;
    `arg_attrs`, `res_attrs`, `in_shardings` and `out_shardings` lose the entries of both. The
    source of a token operand does not matter; ops that have created tokens stay. Fails if an
    op other than a fragment uses the token result of a fragment.

    Before:

    ```mlir
    %0 = stablehlo.create_token : !stablehlo.token
    %1:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0, %0)
        (%a: tensor<8xf32>, %token: !stablehlo.token) {
      %2:2 = stablehlo.custom_call @foo(%a, %token) : ...
      mpmd.return %2#0, %2#1 : tensor<8xf32>, !stablehlo.token
    } : ...
    ```

    After:

    ```mlir
    %0 = stablehlo.create_token : !stablehlo.token
    %1 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
      %token = stablehlo.create_token : !stablehlo.token
      %2:2 = stablehlo.custom_call @foo(%a, %token) : ...
      mpmd.return %2#0 : tensor<8xf32>
    } : ...
    ```
    """

    name = "mpmd-sink-create-token-into-fragments"

    def run(self, func: FuncOp) -> None:
        if TOPOLOGY not in func.operation.attributes:
            return
        # Consumers first: replacing them removes the uses of the token results of a fragment.
        for fragment in reversed(ops_named(func, FRAGMENT)):
            operands = [not _is_token(value) for value in fragment.operands]
            results = [not _is_token(value) for value in fragment.results]
            if not all(operands) or not all(results):
                _check_tokens_unused(fragment)
                _create_tokens(fragment, operands)
                _return_only(body_of(fragment), results)
                _rebuild(fragment, operands, results)


def _is_token(value: ir.Value) -> bool:
    return stablehlo.TokenType.isinstance(value.type)


def _check_tokens_unused(fragment: ir.Operation) -> None:
    for number, result in enumerate(fragment.results):
        user = next((use.owner.operation.name for use in result.uses), None)
        if user is not None and _is_token(result):
            fail(
                fragment,
                f"has a token as result #{number}, which is used by '{user}'; only fragments may"
                " use the tokens of fragments",
            )


def _create_tokens(fragment: ir.Operation, kept: Sequence[bool]) -> None:
    body = body_of(fragment)
    start = ir.InsertionPoint(body.operations[0])
    tokens = [argument for argument, keep in zip(body.arguments, kept, strict=True) if not keep]
    for argument in tokens:
        token = ir.Operation.create(_CREATE_TOKEN, [argument.type], loc=fragment.location, ip=start)
        argument.replace_all_uses_with(token.results[0])
    for number in reversed(range(len(kept))):
        if not kept[number]:
            body.erase_argument(number)


def _return_only(body: ir.Block, kept: Sequence[bool]) -> None:
    if all(kept):
        return
    old = terminator(body)
    values = list(compress(old.operands, kept))
    ir.Operation.create(old.name, [], values, loc=old.location, ip=ir.InsertionPoint(old))
    old.erase()


def _rebuild(old: ir.Operation, operands: Sequence[bool], results: Sequence[bool]) -> None:
    """Replace a fragment by one that has only the operands and results to keep."""
    kept = dict.fromkeys(_OPERAND_ATTRIBUTES, operands) | dict.fromkeys(_RESULT_ATTRIBUTES, results)
    for name in (ARG_ATTRS, RES_ATTRS):
        attributes_of(old, name, len(kept[name]))  # Fails unless there is one for each.
    attributes = {
        name: _filter(attribute, kept[name]) if name in kept else attribute
        for name, attribute in old.attributes.items()
    }
    values = list(compress(old.results, results))
    new = ir.Operation.create(
        old.name,
        [value.type for value in values],
        list(compress(old.operands, operands)),
        attributes,
        regions=1,
        loc=old.location,
        ip=ir.InsertionPoint(old),
    )
    body_of(old).append_to(new.regions[0])
    for value, replacement in zip(values, new.results, strict=True):
        value.replace_all_uses_with(replacement)
    old.erase()


def _filter(attribute: ir.Attribute, kept: Sequence[bool]) -> ir.Attribute:
    if isinstance(attribute, ir.ArrayAttr):
        return ir.ArrayAttr.get(list(compress(attribute, kept)))
    shardings = sdy.TensorShardingPerValueAttr.of(attribute).shardings
    return sdy.TensorShardingPerValueAttr(tuple(compress(shardings, kept))).to_attr()
