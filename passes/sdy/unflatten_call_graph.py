"""`-sdy-unflatten-call-graph`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from sdykit.core import ModulePass, functions_of, ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import (
    CALL,
    MANUAL_AXES,
    ORIGINAL_FUNC_NAME,
    argument_shardings,
    callee_name,
    original_name,
    result_shardings,
)


@dataclass(frozen=True)
class UnflattenCallGraphPass(ModulePass):
    """Let calls share a function again, where propagation left copies of it equal.

    Calls of functions that have one original function, manual axes and shardings of arguments and
    results all call the first of these functions that a call calls. The others lose their calls;
    `symbol-dce` erases them. The attributes that tell the original function and the manual axes
    are removed from all functions.

    Before:

    ```mlir
    %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @foo_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
    ...
    func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {...}
    func.func private @foo_0(%arg0: tensor<8xf32>) -> tensor<8xf32>
        attributes {sdy.original_func_name = "foo"} {...}
    ```

    After:

    ```mlir
    %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @foo(%0) : (tensor<8xf32>) -> tensor<8xf32>
    ...
    func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {...}
    func.func private @foo_0(%arg0: tensor<8xf32>) -> tensor<8xf32> {...}
    ```
    """

    name = "sdy-unflatten-call-graph"

    dedup_functions_fully: bool = False
    """Share a function even where shardings differ: one with the shardings that most calls have."""

    def run(self, module: ModuleOp) -> None:
        functions = functions_of(module)
        calls = [op for op in ops_named(module, CALL) if callee_name(op) in functions]
        called = [callee_name(call) for call in calls]
        kinds = {name: _kind(functions[name]) for name in dict.fromkeys(called)}
        if self.dedup_functions_fully:
            chosen = _most_called(called, kinds)
        else:
            chosen = _first_called(called, kinds)
        for call, name in zip(calls, called, strict=True):
            call.attributes["callee"] = ir.FlatSymbolRefAttr.get(chosen[name])
        for func in functions.values():
            for attribute in (ORIGINAL_FUNC_NAME, MANUAL_AXES):
                if attribute in func.attributes:
                    del func.attributes[attribute]


class _Kind(NamedTuple):
    """What is equal for functions that calls share."""

    original: str
    manual_axes: ir.Attribute | None
    arguments: tuple[ir.Attribute | None, ...]
    results: tuple[ir.Attribute | None, ...]


def _kind(func: ir.Operation) -> _Kind:
    return _Kind(
        original_name(func),
        func.attributes.get(MANUAL_AXES),
        tuple(argument_shardings(func)),
        tuple(result_shardings(func)),
    )


def _first_called(called: list[str], kinds: dict[str, _Kind]) -> dict[str, str]:
    """Return for each function the first one of its kind that is called."""
    first: dict[_Kind, str] = {}
    return {name: first.setdefault(kinds[name], name) for name in dict.fromkeys(called)}


def _most_called(called: list[str], kinds: dict[str, _Kind]) -> dict[str, str]:
    """Return for each function one of the kind with the most calls, whatever the shardings."""
    counts: Counter[_Kind] = Counter()
    best: dict[tuple, str] = {}
    for name in called:
        kind = kinds[name]
        counts[kind] += 1
        # Of equal counts the kind that had them first, in the function that was called then.
        if counts[kind] > counts[kinds[best.setdefault(kind[:2], name)]]:
            best[kind[:2]] = name
    return {name: best[kinds[name][:2]] for name in called}
