"""Time our `sdy` passes beside the C++ passes in jaxlib: same module, same process.

    python benchmarks/sdy_passes.py                # print the tables
    python benchmarks/sdy_passes.py --quick        # smaller modules, fewer runs
    python benchmarks/sdy_passes.py --write docs/benchmarks.md

A run is what a user waits for: the whole pass on a freshly read module, verifier on. The
two sides take turns, and the table has the medians. The third in turn is the least that any pass in
Python does: it finds the ops that the pass is about by the fastest way of the bindings, asks each for
one attribute, writes it if the pass does on most, and verifies what the pass leaves.
"""

from __future__ import annotations

import io
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from layers import layers_module
from report import Cells, Figures, Table, arguments, figure, publish, seconds
from rich.console import Console
from rich.progress import track
from sdy_subjects import QUICK_SIZES, SIZES, SUBJECTS, Subject

from sdykit.core import ops_named, run_pipeline
from sdykit.mlir import ir, make_context, passmanager
from sdykit.passes.sdy._shardings import SHARDING


@dataclass(frozen=True)
class Timing:
    """Medians in seconds, on a module of `ops` operations."""

    ops: int
    ours: float
    theirs: float
    least: float | None
    """What any pass in Python takes; None if it is not known."""

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def microseconds_per_op(self) -> float:
        return self.ours / self.ops * 1e6


class Bench:
    """Modules of one kind in several sizes, as bytecode, which is quick to read again."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._context = make_context()
        self._inputs = [self._bytecode(ir.Module.parse(text, self._context)) for text in texts]
        self._prepared: dict[tuple[int, str], bytes] = {}

    def timings(self, subject: Subject, runs: Sequence[int]) -> list[Timing]:
        """Time a subject on the modules, smallest first."""
        return [self._timing(subject, at, count) for at, count in enumerate(runs)]

    def _timing(self, subject: Subject, at: int, runs: int) -> Timing:
        data = self._input(subject, at)
        after = self._after(data, subject.pipeline)
        ours, theirs, least = list[float](), list[float](), list[float]()
        for run in range(runs):
            sides = [(self._ours, ours), (self._theirs, theirs)]
            for side, times in sides if run % 2 else reversed(sides):
                times.append(side(data, subject.pipeline))
            if subject.looks_at is not None:
                least.append(self._least(data, after, subject))
        return Timing(
            self._ops(data),
            statistics.median(ours),
            statistics.median(theirs),
            statistics.median(least) if least else None,
        )

    def _ours(self, data: bytes, pipeline: str) -> float:
        module = self._read(data)
        with self._context:
            return seconds(lambda: run_pipeline(module, pipeline))

    def _theirs(self, data: bytes, pipeline: str) -> float:
        module = self._read(data)
        return seconds(lambda: self._cpp(pipeline).run(module.operation))

    def _least(self, data: bytes, after: bytes, subject: Subject) -> float:
        """Return the time to look at ops, and to verify what is there after the pass."""
        module, result = self._read(data), self._read(after)
        return seconds(lambda: _look(module, subject)) + seconds(result.operation.verify)

    def _after(self, data: bytes, pipeline: str) -> bytes:
        module = self._read(data)
        self._cpp(pipeline).run(module.operation)
        return self._bytecode(module)

    def _cpp(self, pipeline: str) -> passmanager.PassManager:
        with self._context:
            return passmanager.PassManager.parse(f"builtin.module({pipeline})")

    def _input(self, subject: Subject, at: int) -> bytes:
        key = at, subject.before
        if key not in self._prepared:
            found = self._inputs[at]
            self._prepared[key] = self._after(found, subject.before) if subject.before else found
        return self._prepared[key]

    def _read(self, data: bytes) -> ir.Module:
        return ir.Module.parse(data, self._context)

    def _bytecode(self, module: ir.Module) -> bytes:
        file = io.BytesIO()
        module.operation.write_bytecode(file)
        return file.getvalue()

    def _ops(self, data: bytes) -> int:
        count = 0

        def visit(_: ir.Operation) -> ir.WalkResult:
            nonlocal count
            count += 1
            return ir.WalkResult.ADVANCE

        self._read(data).operation.walk(visit)
        return count


def _look(module: ir.Module, subject: Subject) -> None:
    """Ask the ops that a pass has to look at for an attribute, and write it if the pass does."""
    if subject.looks_at:
        for op in ops_named(module.operation, *subject.looks_at):
            _ = SHARDING in op.attributes
        return
    visitor = _visitor(subject.rewrites)
    next(visitor)
    module.operation.walk(visitor.send, ir.WalkOrder.PRE_ORDER)


def _visitor(rewrites: str) -> Generator[ir.WalkResult, ir.Operation]:
    """Return what a walk sends each op to: a generator is resumed faster than a function is called."""
    key, advance = rewrites or SHARDING, ir.WalkResult.ADVANCE
    op = yield advance
    while True:
        attributes = op.attributes
        if key in attributes and rewrites:
            attributes[key] = attributes[key]
        op = yield advance


def start_up(runs: int) -> dict[str, float]:
    """Return the times of whole processes in seconds: our driver on a small file, and others."""
    with tempfile.TemporaryDirectory() as directory:
        small = Path(directory) / "small.mlir"
        small.write_text(layers_module(40))
        driver = ["-m", "sdykit.opt", str(small), "-o", "/dev/null"]
        commands = {
            "`python -c pass`": ["-c", "pass"],
            "`sdy-opt` reads and writes 40 ops": driver,
            "`sdy-opt -sdy-import-pipeline` on them": [*driver, "-sdy-import-pipeline"],
            "`python -c 'import jax'`": ["-c", "import jax"],
        }
        return {name: _process(words, runs) for name, words in commands.items()}


def _process(words: Sequence[str], runs: int) -> float:
    command = [sys.executable, *words]
    return statistics.median(
        seconds(lambda: subprocess.run(command, check=True, capture_output=True))
        for _ in range(runs)
    )


Row = tuple[Subject, list[Timing]]


def _is_missed(subject: Subject, timings: Sequence[Timing]) -> bool:
    """Return whether the largest module misses its aim, or any if each has one of its own."""
    pairs = list(zip(timings, subject.aims, strict=False))
    checked = pairs if isinstance(subject.aim, tuple) else pairs[-1:]
    return any(timing.ratio > aim for timing, aim in checked)


def _heads(rows: Sequence[Row]) -> list[str]:
    sizes = [f"{timing.ops / 1000:.0f}k ops, ms" for timing in rows[0][1]]
    return ["pass", "aim", *sizes, "µs per op", "least in Python"]


def _cells(subject: Subject, timings: Sequence[Timing]) -> Cells:
    """Return a row: `ours / C++ = ratio` for each size, our time per op, the least / C++."""
    per_op = tuple(timing.microseconds_per_op for timing in timings)
    least = tuple(each.least / each.theirs for each in timings if each.least is not None)
    return [
        f"`{subject.pipeline}`",
        ", ".join(f"{aim:g}x" for aim in dict.fromkeys(subject.aims)),
        *(_beside(timing) for timing in timings),
        Figures(" → ".join(f"{each:.2f}" for each in per_op), per_op),
        Figures(", ".join(f"{each:.2f}x" for each in least), least),
    ]


def _beside(timing: Timing) -> Figures:
    ours, theirs = timing.ours * 1e3, timing.theirs * 1e3
    text = f"{ours:.1f} / {theirs:.1f} = {timing.ratio:.2f}x"
    return Figures(text, (ours, theirs, timing.ratio))


def table_of(title: str, rows: Sequence[Row]) -> Table:
    """Return the table of a kind of modules; what misses its aim is marked."""
    missed = {at for at, (subject, times) in enumerate(rows) if _is_missed(subject, times)}
    return Table(title, _heads(rows), [_cells(*row) for row in rows], missed)


def start_up_table(starts: dict[str, float]) -> Table:
    """Return the table of the start-up times."""
    rows = [[name, figure(value * 1e3, ".0f", " ms")] for name, value in starts.items()]
    return Table("Start-up", ["process", "median"], rows)


def _transformers(sizes: Sequence[int]) -> list[str]:
    # JAX is imported for these only.
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from examples.models import transformer

    return [transformer.sized(ops).text() for ops in sizes]


def main() -> None:
    """Run the benchmark."""
    parser = arguments(__doc__, quick="smaller modules, fewer runs")
    parser.add_argument("--only", default="", metavar="WORD", help="passes with WORD in the name")
    parser.add_argument("--model", choices=("layers", "transformer", "both"), default="both")
    parser.add_argument("--runs", type=int, metavar="N", help="runs of each, on each module")
    args = parser.parse_args()
    sizes = QUICK_SIZES if args.quick else SIZES
    runs = [args.runs or max(3, (20_000 if args.quick else 60_000) // size) for size in sizes]
    subjects = [subject for subject in SUBJECTS if args.only in subject.pipeline]
    kinds: dict[str, Callable[[], list[str]]] = {
        "layers": lambda: [layers_module(ops) for ops in sizes],
        "transformer": lambda: _transformers(sizes),
    }
    titles = {"layers": "Layers, written out", "transformer": "Training step, lowered by JAX"}
    tables: list[Table] = []
    for kind, texts in kinds.items():
        if args.model not in (kind, "both"):
            continue
        bench = Bench(texts())
        for subject in subjects:
            bench.timings(subject, [1])  # imports the passes
        progress = track(subjects, titles[kind], console=Console(stderr=True), transient=True)
        tables.append(
            table_of(titles[kind], [(each, bench.timings(each, runs)) for each in progress])
        )
    tables.append(start_up_table(start_up(3 if args.quick else 9)))
    publish("sdy_passes.py", tables, args)


if __name__ == "__main__":
    main()
