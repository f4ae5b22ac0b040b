"""`-mpmd-validate-no-backward-deps`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sdykit.core import ModulePass, ops_named
from sdykit.core.diagnostics import file_location
from sdykit.core.mpmd.program import (
    FRAGMENT_CALL,
    TOPOLOGY,
    TRANSFER,
    functions_with,
    string,
)
from sdykit.dialects import mpmd
from sdykit.dialects.names import callee_name
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.mpmd._shared.reports import Report

_NUMBER = re.compile(r"[0-9]+\Z")


@dataclass(frozen=True)
class ValidateNoBackwardDepsPass(ModulePass):
    """Report values that go from a mesh to an earlier one in a forward-only program.

    In a pipeline without transposed fragments, a fragment should consume values that
    fragments on its own or earlier meshes have produced, directly or through transfers. Of
    two meshes whose names end in digits, the one with the smaller number is earlier (with
    equal numbers, neither); otherwise the one whose name sorts first. The pass checks fragment
    calls in functions with a topology. It skips programs in which a call has an origin with a
    transpose count above 0, as every training step has, since there values have to go back.
    With `fail-on-backward-deps`, which is meant for forward-only programs, such a call is an
    error.

    Reported:

    ```mlir
    %0 = mpmd.fragment_call<mesh="m2", origin=["f"]> @f(%arg0) : (...) -> ...
    %1 = mpmd.transfer %0 : (!mpmd.mesh_tensor<"m2", tensor<8xf32>>)
        -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
    %2 = mpmd.fragment_call<mesh="m1", origin=["g"]> @g(%1) : (...) -> ...
    ```

    ```text
    warning: Detected backward dependency but expected forward-only pipeline since there are no
    transpose fragments: fragment "f" mesh="m2" produces a value consumed by fragment "g"
    mesh="m1". In a forward-only pipeline, dependencies must go from earlier meshes to later
    meshes.
    ```
    """

    name = "mpmd-validate-no-backward-deps"

    fail_on_backward_deps: bool = False
    """Emit errors instead of warnings."""

    def run(self, module: ModuleOp) -> None:
        report = Report(strict=self.fail_on_backward_deps)
        for func in functions_with(module, TOPOLOGY):
            ops = ops_named(func, FRAGMENT_CALL, TRANSFER)
            calls = (op for op in ops if op.name == FRAGMENT_CALL)
            backward = next((call for call in calls if not _is_forward(call)), None)
            if backward is None:
                _check(ops, report)
            elif self.fail_on_backward_deps:
                where = func if file_location(func.location) else backward
                report.error(
                    where, "Expected forward-only program but found non-forward fragments."
                )
        report.finish()


def _is_forward(call: ir.Operation) -> bool:
    origins = ir.ArrayAttr(call.attributes["origin"])
    return all(mpmd.UserOriginAttr.of(origin).transpose_count == 0 for origin in origins)


def _check(ops: Iterable[ir.Operation], report: Report) -> None:
    """Follow values from call to call, in program order."""
    producers: dict[ir.Value, ir.Operation] = {}
    for op in ops:
        sources = [producers[operand] for operand in op.operands if operand in producers]
        if op.name == TRANSFER:
            producers.update((result, source) for result in op.results for source in sources)
            continue
        for source in sources:
            _check_order(source, op, report)
        producers.update((result, op) for result in op.results)


def _check_order(producer: ir.Operation, consumer: ir.Operation, report: Report) -> None:
    mesh, other = string(producer, "mesh_name"), string(consumer, "mesh_name")
    if mesh == other or _is_before(mesh, other):
        return
    report.find(
        consumer,
        "Detected backward dependency but expected forward-only pipeline since there are no"
        f" transpose fragments: fragment {_describe(producer)} produces a value consumed by"
        f" fragment {_describe(consumer)}. In a forward-only pipeline, dependencies must go from"
        " earlier meshes to later meshes.",
    )


def _is_before(mesh: str, other: str) -> bool:
    numbers = [_NUMBER.search(name) for name in (mesh, other)]
    if numbers[0] and numbers[1]:
        # Compared as text, since they may have thousands of digits.
        one, two = (match[0].lstrip("0") for match in numbers if match)
        return (len(one), one) < (len(two), two)
    return mesh < other


def _describe(call: ir.Operation) -> str:
    return f'"{callee_name(call)}" mesh="{string(call, "mesh_name")}"'
