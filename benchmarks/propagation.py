"""Time what a propagation cannot do without beside the propagation itself, ours and that in C++.

    python benchmarks/propagation.py              # print the table
    python benchmarks/propagation.py --quick      # smaller modules

The least that a pass in Python does is to ask the bindings for each op and value once, and to set the
attributes that change; the verifier is that of MLIR, for both sides. Times are those of the processor, in
which what other processes do does not count.
"""

from __future__ import annotations

import io
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from report import Cells, Table, arguments, figure, publish, seconds
from sdy_subjects import QUICK_SIZES, SIZES

from examples.models import transformer
from sdykit.core import run_pipeline
from sdykit.core.run import cyclic_gc_paused
from sdykit.mlir import ir, make_context, passmanager

PASS = "sdy-user-priority-propagate"
SHARDING = "sdy.sharding"


class Step:
    """A training step, imported, ready to be propagated again and again."""

    def __init__(self, ops: int) -> None:
        self._context = make_context()
        module = ir.Module.parse(transformer.sized(ops).text(), self._context)
        self._cpp("sdy-import-pipeline", module)
        file = io.BytesIO()
        module.operation.write_bytecode(file)
        self._data = file.getvalue()
        self.ops = len(ops_of(module))
        given = len(_shardings(module))
        with self._context:
            run_pipeline(module, PASS)
        # As many as there are more of.
        self._found = _shardings(module)[given:]

    def times(self, runs: int) -> list[float]:
        """Return the medians: in C++, ours, reading, setting attributes, the verifier; in ms of the processor."""
        subjects: list[Callable[[ir.Module], object]] = [
            lambda module: self._cpp(PASS, module),
            lambda module: run_pipeline(module, PASS),
            read_all,
            self._set_all,
            lambda module: module.operation.verify(),
        ]
        times: list[list[float]] = [[] for _ in subjects]
        for _ in range(runs):
            for subject, found in zip(subjects, times, strict=True):
                module = self._read()
                with self._context:
                    spent = seconds(lambda run=subject, on=module: run(on), time.process_time)
                    found.append(spent * 1e3)
        return [statistics.median(found) for found in times]

    def _read(self) -> ir.Module:
        return ir.Module.parse(self._data, self._context)

    def _cpp(self, pipeline: str, module: ir.Module) -> None:
        manager = passmanager.PassManager.parse(f"builtin.module({pipeline})", self._context)
        manager.run(module.operation)

    def _set_all(self, module: ir.Module) -> None:
        for op, sharding in zip(ops_of(module), self._found, strict=False):
            op.attributes[SHARDING] = sharding


def ops_of(module: ir.Module) -> list[ir.Operation]:
    """Return the ops of a module, in pre-order."""
    found: list[ir.Operation] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(collect, ir.WalkOrder.PRE_ORDER)
    return found


def _shardings(module: ir.Module) -> list[ir.Attribute]:
    found = (op.attributes.get(SHARDING) for op in ops_of(module))
    return [each for each in found if each is not None]


def read_all(module: ir.Module) -> None:
    """Ask the bindings for the name, operands, results, types, regions and sharding of each op."""
    known: dict[ir.Type | ir.Value, int] = {}
    with cyclic_gc_paused():
        for op in ops_of(module):
            _ = op.name, len(op.regions), op.attributes.get(SHARDING)
            for result in op.results:
                known[result] = known.setdefault(result.type, len(known))
            for operand in op.operands:
                known.get(operand)


def _row(step: Step, times: Sequence[float]) -> Cells:
    cpp, ours, *parts = times
    return [
        f"{step.ops:,}",
        figure(cpp, ".1f"),
        figure(ours, ".1f"),
        figure(ours / cpp, ".2f", "x"),
        *(figure(each, ".1f") for each in parts),
        figure(sum(parts) / cpp, ".2f", "x"),
    ]


def main() -> None:
    """Print the times."""
    args = arguments(__doc__, quick="smaller modules").parse_args()
    sizes = QUICK_SIZES if args.quick else SIZES
    rows: list[Cells] = []
    for size in sizes:
        step = Step(size)
        step.times(1)  # imports the pass
        rows.append(_row(step, step.times(max(3, 60_000 // size))))
    heads = ["ops", "C++", "ours", "ratio", "reading", "setting", "verifier", "those / C++"]
    publish(
        "propagation.py",
        [Table("What a propagation takes, ms of the processor", heads, rows)],
        args,
    )


if __name__ == "__main__":
    main()
