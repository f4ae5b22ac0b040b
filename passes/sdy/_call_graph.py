"""The call graph of a module: which `func.func` calls which."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from sdykit.core import FUNC, fail, functions_of, ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._shardings import ARG_ATTRS, RES_ATTRS, SHARDING

_Node = TypeVar("_Node", bound=Hashable)

CALL = "func.call"
MAIN = "main"
CALLS = (CALL, "mpmd.call", "mpmd.fragment_call")
"""The ops that call a function."""
ORIGINAL_FUNC_NAME = "sdy.original_func_name"
"""The attribute of a cloned function that holds the name of the function it was cloned from."""
MANUAL_AXES = "sdy.func_manual_axes"
"""The attribute of a function that holds the manual axes around its calls."""


def callee_name(call: ir.Operation) -> str:
    """Return the name of the function that a `func.call` calls, without the `@`."""
    return ir.FlatSymbolRefAttr(call.attributes["callee"]).value


def every_function_of(module: ModuleOp) -> dict[str, ir.Operation]:
    """Return the functions of a module and of the modules in it by name, in program order."""
    found = ops_named(module, FUNC)
    return {ir.StringAttr(op.attributes["sym_name"]).value: op for op in found}


def original_name(func: ir.Operation) -> str:
    """Return the name of the function that one was cloned from, or its own."""
    key = ORIGINAL_FUNC_NAME if ORIGINAL_FUNC_NAME in func.attributes else "sym_name"
    return ir.StringAttr(func.attributes[key]).value


def main_function(module: ModuleOp) -> ir.Operation | None:
    """Return the entry point: the only function, else `main`; None if there are no functions."""
    functions = functions_of(module)
    if len(functions) > 1 and MAIN not in functions:
        fail(module.operation, f"has {len(functions)} functions, but none is named @{MAIN}")
    return functions.get(MAIN) or next(iter(functions.values()), None)


def is_declaration(func: ir.Operation) -> bool:
    """Return whether a function has no body."""
    return not func.regions[0].blocks


def argument_shardings(func: ir.Operation) -> list[ir.Attribute | None]:
    """Return the sharding of each argument of a function, None for an argument without one."""
    return _shardings(func, ARG_ATTRS)


def result_shardings(func: ir.Operation) -> list[ir.Attribute | None]:
    """Return the sharding of each result of a function, None for a result without one."""
    return _shardings(func, RES_ATTRS)


def _shardings(func: ir.Operation, key: str) -> list[ir.Attribute | None]:
    function_type = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value)
    types = function_type.inputs if key == ARG_ATTRS else function_type.results
    attributes = func.attributes.get(key)
    if attributes is None:
        return [None] * len(types)
    dictionaries = (ir.DictAttr(each) for each in ir.ArrayAttr(attributes))
    # `DictAttr.get` makes a dictionary; it does not look into one.
    return [each[SHARDING] if SHARDING in each else None for each in dictionaries]  # noqa: SIM401


def calls_of(functions: dict[str, ir.Operation], *kinds: str) -> dict[str, list[ir.Operation]]:
    """Return the calls in each function, in program order, those in nested regions included.

    `kinds` are the names of the ops that count as calls, by default only `func.call`.
    """
    return {name: ops_named(func, *(kinds or (CALL,))) for name, func in functions.items()}


def callees_first(
    functions: dict[str, ir.Operation], calls: dict[str, list[ir.Operation]]
) -> list[str]:
    """Order functions so that callees come before their callers.

    Depth first, in the order of the functions and of their calls; calls of declarations do not
    count. On a cycle the function met first comes last.
    """
    return depth_first(functions, lambda name: _callees(name, functions, calls))


def depth_first(
    nodes: Iterable[_Node], children: Callable[[_Node], Iterable[_Node]]
) -> list[_Node]:
    """Order nodes so that children come before their parents, each once."""
    order: list[_Node] = []
    seen: set[_Node] = set()
    for root in nodes:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(children(root)))]
        while stack:
            node, others = stack[-1]
            child = next((each for each in others if each not in seen), None)
            if child is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(child)
                stack.append((child, iter(children(child))))
    return order


def _callees(
    name: str, functions: dict[str, ir.Operation], calls: dict[str, list[ir.Operation]]
) -> Iterator[str]:
    names = (callee_name(call) for call in calls[name])
    # A callee in another module is not among the functions to order.
    return (name for name in names if name in functions and not is_declaration(functions[name]))
