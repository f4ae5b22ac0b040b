"""Time what inserting reshards cannot do without beside the pass itself, ours and that in C++.

    python benchmarks/reshards.py              # print the table
    python benchmarks/reshards.py --quick      # smaller modules

The least that a pass in Python does is to ask the bindings for each op and value once, which the short
version does not need, and to create the ops that it inserts; the verifier is that of MLIR, for both
sides. Times are those of the processor, in which what other processes do does not count.
"""

from __future__ import annotations

import io
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from layers import layers_module
from propagation import ops_of, read_all
from report import Cells, Table, arguments, figure, publish, seconds
from sdy_subjects import PROPAGATED, QUICK_SIZES, SIZES

from examples.models import transformer
from sdykit.core import FUNC, run_pipeline
from sdykit.mlir import ir, make_context, passmanager

FULL = "func.func(sdy-insert-explicit-reshards{enable-full-version=true})"
SHORT = "func.func(sdy-insert-explicit-reshards)"
RESHARD = "sdy.reshard"


class Propagated:
    """A module after propagation, ready for reshards to be inserted again and again."""

    def __init__(self, text: str, pipeline: str) -> None:
        self._context = make_context()
        self._pipeline = pipeline
        module = ir.Module.parse(text, self._context)
        self._cpp(PROPAGATED, module)
        file = io.BytesIO()
        module.operation.write_bytecode(file)
        self._data = file.getvalue()
        self.ops = len(ops_of(module))
        self._cpp(pipeline, module)
        self._inserted = len(ops_of(module)) - self.ops

    def times(self, runs: int) -> list[float]:
        """Return the medians: in C++, ours, reading, creating ops, the verifier; in ms of the processor."""
        subjects: list[Callable[[ir.Module], object]] = [
            lambda module: self._cpp(self._pipeline, module),
            lambda module: run_pipeline(module, self._pipeline),
            read_all if self._pipeline == FULL else lambda _: None,
            self._create_all,
            lambda module: module.operation.verify(),
        ]
        times: list[list[float]] = [[] for _ in subjects]
        for _ in range(runs):
            for subject, found in zip(subjects, times, strict=True):
                module = ir.Module.parse(self._data, self._context)
                with self._context:
                    spent = seconds(lambda run=subject, on=module: run(on), time.process_time)
                    found.append(spent * 1e3)
        return [statistics.median(found) for found in times]

    def _cpp(self, pipeline: str, module: ir.Module) -> None:
        manager = passmanager.PassManager.parse(f"builtin.module({pipeline})", self._context)
        manager.run(module.operation)

    def _create_all(self, module: ir.Module) -> None:
        """Insert as many reshards of an argument as the pass inserts ops."""
        function = next(op for op in module.body.operations if op.operation.name == FUNC)
        block = function.regions[0].blocks[0]
        value, place = block.arguments[0], ir.InsertionPoint(block.operations[0])
        sharding = ir.Attribute.parse("#sdy.sharding<@mesh, []>")
        for _ in range(self._inserted):
            ir.Operation.create(
                RESHARD,
                results=[value.type],
                operands=[value],
                attributes={"sharding": sharding},
                loc=value.location,
                ip=place,
            )


def _row(kind: str, module: Propagated, times: Sequence[float]) -> Cells:
    cpp, ours, *parts = times
    return [
        kind,
        f"{module.ops:,}",
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
    for version, pipeline in (("full", FULL), ("short", SHORT)):
        for kind, text_of in (
            ("layers", layers_module),
            ("training step", lambda ops: transformer.sized(ops).text()),
        ):
            for size in sizes:
                module = Propagated(text_of(size), pipeline)
                module.times(1)  # imports the pass
                times = module.times(max(3, 60_000 // size))
                rows.append(_row(f"{version}, {kind}", module, times))
    heads = ["", "ops", "C++", "ours", "ratio", "reading", "creating", "verifier", "those / C++"]
    title = "What inserting reshards takes, ms of the processor"
    publish("reshards.py", [Table(title, heads, rows)], args)


if __name__ == "__main__":
    main()
