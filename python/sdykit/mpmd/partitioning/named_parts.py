"""Turn calls of marked functions into the `mpmd` ops that the partitioner expects.

A function that `named_computation` has marked is jitted under a name of its own, so that JAX
keeps it as a function, also when it is differentiated. In the lowered module each of its uses is
a `func.call`. The name in the call's location tells which function it is, and whether the call is
in a transposed (backward) part:

    %2 = call @f2_0(%arg1, %0#0) : ... loc("jit(step)/transpose(jvp(jit(mpmd.named_computation.f2)))")

It becomes

    %2 = mpmd.named_computation<"f2"(1)> (%arg1, %0#0) (%arg3: ..., %arg4: ...) { ... } : ...

and the call of a function that `call` has marked

    %4 = mpmd.call @micro(%arg0, %3) {call_counter = 1 : ui32} : ...

Functions in between, such as a jitted `loss`, are inlined.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from sdykit.core import ops_named, symbol_name
from sdykit.core.diagnostics import file_location
from sdykit.dialects.names import callee_name
from sdykit.mlir import ir
from sdykit.mpmd.errors import PartitionError

NAMED_COMPUTATION, CALL = "mpmd.named_computation", "mpmd.call"


def marked_name(kind: str, name: str) -> str:
    """Return the name to jit a function under, by which its calls are found in the module."""
    return f"{kind}.{quote(name, safe='')}"


def is_marked(fn: Callable[..., Any]) -> bool:
    """Return whether a function was jitted under such a name."""
    return getattr(fn, "__name__", "").startswith((f"{NAMED_COMPUTATION}.", f"{CALL}."))


_MARKED = re.compile(rf"jit\(({re.escape(NAMED_COMPUTATION)}|{re.escape(CALL)})\.([\w.~%-]+)\)\)*$")


@dataclass(frozen=True)
class _Origin:
    """The marked function that a call calls."""

    kind: str
    """`NAMED_COMPUTATION` or `CALL`; empty if the function is not marked."""
    name: str
    """The name of the part; empty if the function is not marked."""
    transposed: int
    """How often the code around the call has been transposed."""


@dataclass
class _Parts:
    """The state of the rewriting of a module."""

    functions: dict[str, ir.Operation]
    """The functions of the module by name."""
    names: dict[str, ir.Location] = field(default_factory=dict)
    """The named computations found so far, with the place of the first use."""
    counters: Counter[str] = field(default_factory=Counter)
    """The number of calls so far of each function marked by `call`."""
    done: set[str] = field(default_factory=set)
    """The functions called by `mpmd.call` whose bodies have been rewritten."""
    holding: dict[str, bool] = field(default_factory=dict)
    """Whether each function calls a marked one, directly or through others."""


def body_of_main(module: ir.Module) -> ir.Block:
    """Return the body of `@main`, the function that JAX lowers to."""
    return _functions(module)["main"].regions[0].blocks[0]


def marked_as_donated(module: ir.Module) -> set[int]:
    """Return the numbers of the arguments of `@main` that `jax.jit` has marked as donated."""
    attributes = _functions(module)["main"].attributes
    if "arg_attrs" not in attributes:
        return set()
    marks = enumerate(map(ir.DictAttr, ir.ArrayAttr(attributes["arg_attrs"])))
    return {at for at, mark in marks if "jax.buffer_donor" in mark or "tf.aliasing_output" in mark}


def _functions(module: ir.Module) -> dict[str, ir.Operation]:
    ops = [op.operation for op in module.body.operations]
    return {symbol_name(op): op for op in ops if op.name == "func.func"}


def name_parts(module: ir.Module) -> dict[str, ir.Location]:
    """Rewrite a lowered module in place.

    Returns:
        The names of the named computations in the module, with the place of the first use.

    Raises:
        PartitionError: a marked function is used within another, or in a loop or branch.
    """
    parts = _Parts(_functions(module))
    with module.context:
        _rewrite(parts, parts.functions["main"], 0, in_call=False)
    _drop_unused(parts)
    return parts.names


def _rewrite(parts: _Parts, func: ir.Operation, transposed: int, *, in_call: bool) -> None:
    """Rewrite the calls in a function, also those that inlining moves into it."""
    pending = [(call, transposed) for call in reversed(ops_named(func, "func.call"))]
    while pending:
        call, count = pending.pop()
        origin = _origin(call, count)
        callee = parts.functions[callee_name(call)]
        if not origin.kind and not _holds_parts(parts, callee):
            continue
        if call.parent != func:
            raise PartitionError(_in_control_flow(parts, call))
        if origin.kind == NAMED_COMPUTATION:
            _check_flat(parts, callee, origin)
            parts.names.setdefault(origin.name, call.location)
            _replace(call, _named_computation(call, callee, origin))
        elif in_call and origin.kind == CALL:
            raise PartitionError(
                f"{_place(call)}error: call {origin.name!r} is used within another function marked"
                " by `call`, and microbatches cannot be nested: remove one of the marks"
            )
        elif origin.kind == CALL:
            _program_call(parts, call, callee, origin)
        else:
            pending += [(inner, origin.transposed) for inner in reversed(_inline(call, callee))]


def _origin(call: ir.Operation, transposed: int) -> _Origin:
    """Read the name stack in the location of a call; it starts anew in each function."""
    location = call.location
    stack = location.name_str if isinstance(location, ir.NameLoc) else ""
    count = transposed + len(re.findall(r"\btranspose\(", stack))
    found = _MARKED.search(stack)
    if found is None:
        return _Origin("", "", count)
    return _Origin(found[1], unquote(found[2]), count)


def _holds_parts(parts: _Parts, func: ir.Operation) -> bool:
    """Return whether a function calls a marked one; functions from JAX are not recursive."""
    name = symbol_name(func)
    if name not in parts.holding:
        parts.holding[name] = any(
            _origin(call, 0).kind or _holds_parts(parts, parts.functions[callee_name(call)])
            for call in ops_named(func, "func.call")
        )
    return parts.holding[name]


def _check_flat(parts: _Parts, callee: ir.Operation, origin: _Origin) -> None:
    if _holds_parts(parts, callee):
        raise PartitionError(
            f"{_place(callee)}error: named computation {origin.name!r} contains another named"
            " computation or call; a part runs on one mesh as a whole: remove one of the marks"
        )


def _in_control_flow(parts: _Parts, call: ir.Operation) -> str:
    parent = call.parent
    assert parent is not None
    return (
        f"{_place(call)}error: {_first_part(parts, call)} is used within '{parent.name}'; loops and"
        " branches of jax.lax run on one mesh as a whole: write a Python loop, which JAX unrolls,"
        " or put all of it into one named computation"
    )


def _first_part(parts: _Parts, call: ir.Operation) -> str:
    """Return the name of the part that a call calls, or of the first part inside its callee."""
    pending = [call]
    while pending:
        call = pending.pop()
        origin = _origin(call, 0)
        if origin.kind:
            return f"{origin.kind.removeprefix('mpmd.').replace('_', ' ')} {origin.name!r}"
        pending += reversed(ops_named(parts.functions[callee_name(call)], "func.call"))
    raise AssertionError("the function calls no part")


def _place(op: ir.Operation) -> str:
    place = file_location(op.location)
    return f"{place}: " if place else ""


def _named_computation(call: ir.Operation, callee: ir.Operation, origin: _Origin) -> ir.Operation:
    name = ir.StringAttr.get(origin.name)
    count = f"({origin.transposed})" if origin.transposed else ""
    region = ir.Operation.create(
        NAMED_COMPUTATION,
        [result.type for result in call.results],
        list(call.operands),
        {"origin": ir.Attribute.parse(f"#mpmd.user_origin<{name}{count}>")},
        regions=1,
        loc=call.location,
        ip=ir.InsertionPoint(call),
    )
    body = callee.clone(ip=False)
    block = body.regions[0].blocks[0]
    block.append_to(region.regions[0])
    end = block.operations[len(block.operations) - 1].operation
    ir.Operation.create(
        "mpmd.return", [], list(end.operands), loc=end.location, ip=ir.InsertionPoint(end)
    )
    end.erase()
    return region


def _program_call(parts: _Parts, call: ir.Operation, callee: ir.Operation, origin: _Origin) -> None:
    name = callee_name(call)
    if name not in parts.done:
        parts.done.add(name)
        _rewrite(parts, callee, origin.transposed, in_call=True)
    counter = ir.IntegerAttr.get(ir.IntegerType.get_unsigned(32), parts.counters[origin.name])
    parts.counters[origin.name] += 1
    new = ir.Operation.create(
        CALL,
        [result.type for result in call.results],
        list(call.operands),
        {"callee": call.attributes["callee"], "call_counter": counter},
        loc=call.location,
        ip=ir.InsertionPoint(call),
    )
    _replace(call, new)


def _inline(call: ir.Operation, callee: ir.Operation) -> list[ir.Operation]:
    """Replace a call by the body of the function, and return the calls in that body."""
    body = callee.clone(ip=False)
    block = body.regions[0].blocks[0]
    for argument, operand in zip(list(block.arguments), list(call.operands), strict=True):
        argument.replace_all_uses_with(operand)
    *ops, end = [op.operation for op in block.operations]
    calls = ops_named(body, "func.call")
    for op in ops:
        op.move_before(call)
    for old, new in zip(list(call.results), list(end.operands), strict=True):
        old.replace_all_uses_with(new)
    end.erase()
    call.erase()
    return calls


def _replace(call: ir.Operation, new: ir.Operation) -> None:
    for old, result in zip(list(call.results), list(new.results), strict=True):
        old.replace_all_uses_with(result)
    call.erase()


def _drop_unused(parts: _Parts) -> None:
    """Erase the functions that `@main` no longer reaches."""
    used, pending = {"main"}, ["main"]
    while pending:
        for call in ops_named(parts.functions[pending.pop()], "func.call", CALL):
            if (name := callee_name(call)) not in used:
                used.add(name)
                pending.append(name)
    for name in parts.functions.keys() - used:
        parts.functions[name].erase()
