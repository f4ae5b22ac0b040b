"""`-sparsecore-update-in-place`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.core.sparsecore.nesting import is_after, ops_between, ops_in
from sdykit.core.sparsecore.steps import DEDUPLICATE, GATHER, SCATTER, Step
from sdykit.core.sparsecore.views import Number
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._programs.accesses import LOAD, accesses_of
from sdykit.passes.sparsecore._programs.arguments import name_of, source_of
from sdykit.passes.sparsecore._programs.entry import entry_of
from sdykit.passes.sparsecore._programs.values import maker_of
from sdykit.passes.sparsecore._steps.join import fail_to_join, join_map, users_of
from sdykit.passes.sparsecore._steps.maps import copied_to, map_of
from sdykit.passes.sparsecore._steps.steps import Steps

_COPIES = (
    f"expected copies from the row that the first buffer that '{DEDUPLICATE}' writes has there, and "
    "back to it"
)


@dataclass(frozen=True)
class UpdateInPlacePass(ModulePass):
    """Change rows where they are, instead of gathering them before and scattering them after.

    Step `gather` of an update copies rows to SPMEM, by a list of distinct rows from `deduplicate`,
    `apply` changes them there, and `scatter` copies them back. The three are joined: `apply` changes
    the rows themselves. The program is one that `-sparsecore-verify-steps` accepts.

    Before, in short:

    ```mlir
    deduplicate: rows[k] = ...
    gather: held[k] = table[rows[k]]
    apply: held[k] = held[k] - rate * sums[k]
    scatter: table[rows[k]] = held[k]
    ```

    After:

    ```mlir
    deduplicate: rows[k] = ...
    apply: table[rows[k]] = table[rows[k]] - rate * sums[k]
    ```
    """

    name = "sparsecore-update-in-place"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        steps = Steps.of(entry)
        for step in steps.named(SCATTER):
            _join(steps, step)


def _join(steps: Steps, scatter: Step) -> None:
    """Join the steps from `gather` to `scatter`.

    Raises:
        PassFailure: there are no such steps, or they cannot be joined.
    """
    before = [each for each in steps.found if is_after(each.op, scatter.op)]
    found = {each.name: each for each in before if each.op.block == scatter.op.block}
    if GATHER not in found or DEDUPLICATE not in found:
        expected = f"'{DEDUPLICATE}' and '{GATHER}' before it, in its block"
        fail(scatter.op, f"is step '{SCATTER}'; expected {expected}")
    entry, buffers, gather = steps.entry, steps.buffers, found[GATHER]
    rows = buffers[found[DEDUPLICATE].writes[0]]
    wholes: list[ir.Value] = []
    for name in gather.writes:
        copied = map_of(gather, name, buffers[name])
        wholes.append(source_of(copied.source))
        copy, held, whole = copied_to(scatter, name_of(entry, wholes[-1]), wholes[-1])
        if (
            (held.buffer, whole.buffer) != (buffers[name], copied.source)
            or not (held.is_counted and held.is_one and whole.is_one)
            or not _is_listed(rows, copied.place, copied.origin)
            or not _is_listed(rows, held.first, whole.first)
        ):
            fail_to_join(copy, gather, scatter, name, _COPIES)
        for user in (*users_of(steps, gather, name, scatter), scatter):
            if list(user.op.operands) != list(gather.op.operands):
                fail_to_join(user.op, gather, user, name, "expected loops over the same rows")
    for name in scatter.writes:
        if buffers[name] not in wholes:
            fail_to_join(scatter.op, gather, scatter, name, "only one of them copies it")
    _check_between(entry, gather, scatter, wholes, rows)
    join_map(steps, gather, scatter)


def _is_listed(rows: ir.Value, place: Number, row: Number) -> bool:
    """Return whether a row is loaded from a place in a list of rows."""
    load = None if isinstance(row, int) else maker_of(row)
    return load is not None and load.name == LOAD and list(load.operands) == [rows, place]


def _check_between(
    entry: ir.Operation, gather: Step, scatter: Step, wholes: Sequence[ir.Value], rows: ir.Value
) -> None:
    """Check that nothing between two steps uses what is gathered, or changes the list of rows."""
    for op in ops_between(gather.op, scatter.op):
        for access in (each for inner in (op, *ops_in(op)) for each in accesses_of(inner)):
            if access.buffer in wholes or (access.buffer == rows and access.is_write):
                name = name_of(entry, access.buffer)
                fail_to_join(access.op, gather, scatter, name, "it is used between them")
