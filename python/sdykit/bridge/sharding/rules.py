"""The sharding rule of a custom call in a JAX program: an attribute of the call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jax.extend.core import Primitive
from jax.interpreters import ad, batching
from jax.interpreters import mlir as jax_mlir

from sdykit.bridge.errors import BridgeError
from sdykit.bridge.sharding.text import rejection
from sdykit.core.sdy.rules import RuleBuilder, shape_of
from sdykit.core.sdy.user_rules import UserRule
from sdykit.dialects import sdy
from sdykit.mlir import ir

CUSTOM_CALL = "stablehlo.custom_call"


def bind_rule(results: Sequence[Any], rule: str | UserRule) -> list[Any]:
    """Set the sharding rule of the custom call whose results these are, and return them.

    Raises:
        BridgeError: there are none.
    """
    if not results:
        raise _no_call(rule, "a function without results")
    return _rule.bind(*results, rule=rule)


_rule = Primitive("sdy_sharding_rule")
_rule.multiple_results = True
_rule.def_impl(lambda *results, **_: list(results))
_rule.def_abstract_eval(lambda *results, **_: list(results))


def _differentiate(
    results: Sequence[Any], tangents: Sequence[Any], *, rule: str | UserRule
) -> tuple[Any, Any]:
    # Tangents come from other ops than the call.
    return _rule.bind(*results, rule=rule), list(tangents)


ad.primitive_jvps[_rule] = _differentiate


def _batch(
    results: Sequence[Any],
    dims: Sequence[int | None],
    *,
    rule: str | UserRule,
) -> Any:
    raise BridgeError(
        f"with_sharding_rule under jax.vmap: rule {_words(rule)} is of the call without the mapped"
        " dimension; write with_sharding_rule(jax.vmap(call), rule), with a rule of the mapped call"
    )


batching.primitive_batchers[_rule] = _batch


def _lower(
    _: jax_mlir.LoweringRuleContext, *results: ir.Value, rule: str | UserRule
) -> tuple[ir.Value, ...]:
    call = _call_of(results, rule)
    text = rule if isinstance(rule, str) else _built(rule, call)
    call.attributes["sdy.sharding_rule"] = _verified(text, call)
    return results


# The lowering looks at the op that makes the results: it must not get placeholders for them.
jax_mlir.register_lowering(_rule, _lower, cacheable=False)


def _call_of(results: Sequence[ir.Value], rule: str | UserRule) -> ir.Operation:
    """Return the custom call whose results these are.

    Raises:
        BridgeError: there is none.
    """
    owners = [result.owner for result in results]
    first = owners[0]
    if isinstance(first, ir.Block):
        found = "an argument"
    else:
        first = first if isinstance(first, ir.Operation) else first.operation
        if first.name == CUSTOM_CALL and list(first.results) == list(results):
            return first
        found = first.name
    raise _no_call(rule, found)


def _no_call(rule: str | UserRule, found: str) -> BridgeError:
    return BridgeError(
        f"with_sharding_rule with rule {_words(rule)}: expected a function that returns the"
        f" results of one custom call, all of them, such as jax.ffi.ffi_call(...); found {found}"
    )


def _built(rule: UserRule, call: ir.Operation) -> str:
    target = ir.StringAttr(call.attributes["call_target_name"]).value
    operands, results = (
        [shape_of(value.type) for value in values] for values in (call.operands, call.results)
    )
    builder = RuleBuilder(operands, results)
    try:
        rule(call, builder)
    except ValueError as error:
        raise BridgeError(f"sharding rule of '{target}' by {_words(rule)}: {error}") from error
    return builder.build().print_body().removeprefix("<").removesuffix(">")


def _verified(text: str, call: ir.Operation) -> ir.Attribute:
    """Return the attribute of a rule.

    Raises:
        BridgeError: it is malformed, or does not fit the operands and results of the call.
    """
    target = ir.StringAttr(call.attributes["call_target_name"]).value
    types = [
        ", ".join(str(value.type) for value in values) for values in (call.operands, call.results)
    ]
    operands = ", ".join(f"%a{number}: {value.type}" for number, value in enumerate(call.operands))
    names = ", ".join(f"%a{number}" for number in range(len(call.operands)))
    source = (
        f"func.func @main({operands}) {{\n  stablehlo.custom_call @call({names})"
        f" {{sdy.sharding_rule = #sdy.op_sharding_rule<{text}>}} : ({types[0]}) -> ({types[1]})\n"
        "  return\n}"
    )
    reason = rejection(source, CUSTOM_CALL)
    if reason is not None:
        raise BridgeError(
            f"sharding rule {text!r} of custom call '{target}' ({types[0]}) -> ({types[1]}): {reason}"
        )
    view = sdy.OpShardingRuleAttr.parse(f"#sdy.op_sharding_rule<{text}>")
    return replace(view, is_custom_rule=True).to_attr(call.context)


def _words(rule: str | UserRule) -> str:
    return repr(rule) if isinstance(rule, str) else rule.__name__
