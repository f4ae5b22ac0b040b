"""Time the MPMD export pipeline, compared with parsing and verifying the same program.

    python benchmarks/mpmd_export.py                # print the table
    python benchmarks/mpmd_export.py --quick        # smaller programs, fewer runs
    python benchmarks/mpmd_export.py --write docs/benchmarks.md

The program is a schedule of microbatches over four stages, forward and backward. Reading
(the text is parsed, which verifies it) and exporting (all passes, then the verifier) take
turns in one process; the table shows the medians.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from report import Cells, Table, arguments, figure, publish, seconds
from rich.console import Console

from sdykit.core import run_pipeline
from sdykit.mlir import ir, make_context

FRAGMENTS = (125, 250, 500, 1_000)
QUICK_FRAGMENTS = (125, 250)
OPS_IN_FRAGMENT = 49
STAGES = 4
AIM = 3.0
PIPELINES = ("mpmd-export-pipeline", "mpmd-export-pipeline{compat=jaxlib}")

_TENSOR = "tensor<32x64xf32>"


def _type(stage: int) -> str:
    return f'!mpmd.mesh_tensor<"m{stage}", {_TENSOR}, sharding=<@m{stage}, [{{"x"}}, {{}}]>>'


KINDS = ("repeated", "distinct", "wired differently")


def program(fragments: int, kind: str) -> str:
    """Return the text of a program with `fragments` fragments, half forward and half backward.

    The bodies of one stage are equal (`repeated`), or all different: they differ in a constant
    (`distinct`), or only in the operands of two ops in the middle (`wired differently`).
    """
    microbatches = fragments // (2 * STAGES)
    stages = range(STAGES)
    meshes = [f'sdy.mesh @m{stage} = <["x"=4]>' for stage in stages]
    topology = ", ".join(f'<"m{stage}" : <["x"=4]>>' for stage in stages)
    weights = ", ".join(f"%w{stage}: {_type(stage)}" for stage in stages)
    batches = "".join(f", %b{batch}: {_type(0)}" for batch in range(microbatches))
    body = "\n".join(_schedule(microbatches, kind))
    results = ", ".join(f"%g{batch}_0" for batch in range(microbatches))
    types = ", ".join([_type(0)] * microbatches)
    return "\n".join(
        [
            "module @jit_step {",
            *meshes,
            f"func.func public @main({weights}{batches}) -> ({types})",
            f"    attributes {{topology = #mpmd.topology<{topology}>}} {{",
            body,
            f"  return {results} : {types}",
            "}",
            "}",
        ]
    )


def _schedule(microbatches: int, kind: str) -> Iterator[str]:
    for batch in range(microbatches):
        value = f"%b{batch}"
        for stage in range(STAGES):
            name = f"%f{batch}_{stage}"
            yield _fragment(name, stage, [value], kind, batch)
            value = name
            if stage + 1 < STAGES:
                yield _transfer(f"%t{batch}_{stage}", value, stage, stage + 1)
                value = f"%t{batch}_{stage}"
        for stage in reversed(range(STAGES)):
            name = f"%g{batch}_{stage}"
            yield _fragment(name, stage, [value, f"%f{batch}_{stage}"], kind, batch)
            value = name
            if stage > 0:
                yield _transfer(f"%u{batch}_{stage}", value, stage, stage - 1)
                value = f"%u{batch}_{stage}"


def _transfer(result: str, operand: str, source: int, target: int) -> str:
    return f"  {result} = mpmd.transfer {operand} : ({_type(source)}) -> {_type(target)}"


def _fragment(result: str, stage: int, values: list[str], kind: str, batch: int) -> str:
    """Return a fragment, forward if it takes one value besides the weights, else backward."""
    operands = [f"%w{stage}", *values]
    transposed = len(values) > 1
    arguments = ", ".join(f"%a{i}: {_TENSOR}" for i in range(len(operands)))
    origin = f'"stage{stage}"(1)' if transposed else f'"stage{stage}"'
    lines = [
        f"    %{number} = stablehlo.{op} : {_TENSOR}"
        for number, op in enumerate(_body(len(operands), kind, batch, stage + STAGES * transposed))
    ]
    lines.append(f"    mpmd.return %{OPS_IN_FRAGMENT - 2} : {_TENSOR}")
    types = ", ".join([_type(stage)] * len(operands))
    return "\n".join(
        [
            f'  {result} = mpmd.fragment<mesh="m{stage}", origin=[{origin}], stage={stage}>'
            f" ({', '.join(operands)}) ({arguments}) {{",
            *lines,
            f"  }} : ({types}) -> {_type(stage)}",
        ]
    )


def _body(arguments: int, kind: str, batch: int, part: int) -> Iterator[str]:
    """Yield the ops of a body without the return; `part` is the stage, or the backward stage."""
    salt = part + (2 * STAGES * batch if kind == "distinct" else 0)
    # Each of two ops uses one of the 20 values before it: 400 combinations, more than batches.
    sources = {21: batch % 20, 23: batch // 20 % 20} if kind == "wired differently" else {}
    for number in range(OPS_IN_FRAGMENT - 1):
        if number == 20:
            yield f"constant dense<{salt}.0>"
            continue
        before = f"%{number - 1}" if number else "%a0"
        other = f"%a{number % arguments}" if number % 3 or not number else f"%{number // 2}"
        if number in sources:
            other = f"%{sources[number]}"
        yield f"{'multiply' if number % 2 else 'add'} {before}, {other}"


@dataclass(frozen=True)
class Row:
    """Medians in seconds for one program and pipeline."""

    kind: str
    fragments: int
    ops: int
    pipeline: str
    reading: float
    export: float

    @property
    def ratio(self) -> float:
        return self.export / self.reading

    def cells(self) -> Cells:
        """Return a row of the table."""
        return [
            self.kind,
            self.pipeline,
            f"{self.fragments:,}",
            f"{self.ops / 1000:.0f}k",
            figure(self.reading * 1e3, ".0f"),
            figure(self.export * 1e3, ".0f"),
            figure(self.ratio, ".2f", "x"),
            figure(self.export / self.ops * 1e6, ".2f"),
        ]


HEADINGS = [
    "bodies",
    "pipeline",
    "fragments",
    "ops",
    "read, ms",
    "export, ms",
    "ratio",
    "µs per op",
]


def measure(kind: str, fragments: int, pipeline: str, runs: int) -> Row:
    """Time reading and exporting one program, in turns."""
    text = program(fragments, kind)
    context = make_context()
    reading, export = list[float](), list[float]()
    modules = list[ir.Module]()
    for _ in range(runs + 1):
        modules.clear()
        reading.append(seconds(lambda: modules.append(ir.Module.parse(text, context))))
        with context:
            export.append(seconds(lambda: run_pipeline(modules[0], pipeline)))
    # The first run imports the passes.
    medians = statistics.median(reading[1:]), statistics.median(export[1:])
    return Row(kind, fragments, fragments * OPS_IN_FRAGMENT, pipeline, *medians)


def main() -> None:
    """Run the benchmark."""
    parser = arguments(__doc__, quick="smaller programs, fewer runs")
    parser.add_argument("--runs", type=int, metavar="N", help="runs of each (default 7, or 3)")
    args = parser.parse_args()
    runs = args.runs or (3 if args.quick else 7)
    rows: list[Row] = []
    with Console(stderr=True).status("") as status:
        for kind in KINDS:
            for pipeline in PIPELINES:
                for fragments in QUICK_FRAGMENTS if args.quick else FRAGMENTS:
                    status.update(f"{kind} bodies, {pipeline}, {fragments} fragments")
                    rows.append(measure(kind, fragments, pipeline, runs))
    title = f"Export compared with reading; aim: {AIM:g}x"
    missed = {at for at, row in enumerate(rows) if row.ratio > AIM}
    publish("mpmd_export.py", [Table(title, HEADINGS, [row.cells() for row in rows], missed)], args)


if __name__ == "__main__":
    main()
