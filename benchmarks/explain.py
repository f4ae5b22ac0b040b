"""Time explanations of a training step beside its propagation alone, in one process.

python benchmarks/explain.py              # print the table
python benchmarks/explain.py --ops 2000   # a smaller step

Times are those of the processor, in which what other processes do does not count.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from report import Table, arguments, figure, publish, seconds

from examples.models import transformer
from sdykit.core import run_pipeline
from sdykit.core.portable import read_module
from sdykit.explain import explain_text, json_text
from sdykit.explain.questions import Index, obstacles
from sdykit.explain.run import IMPORT
from sdykit.mlir import ModuleOp, make_context
from sdykit.passes.sdy._propagation import Propagation

AIM = 3.0
"""The maximum time of an explanation of 10,000 ops, in seconds."""
_RUNS = 3


def main() -> None:
    """Print the times."""
    parser = arguments(__doc__, quick="one run")
    parser.add_argument("--ops", type=int, default=10_000, help="roughly how many ops it has")
    args = parser.parse_args()
    text = transformer.sized(args.ops).text(debuginfo=True)
    explanation = explain_text(text)
    subjects: dict[str, Callable[[], object]] = {
        "import and propagation alone": lambda: _propagated(text),
        "explanation": lambda: explain_text(text),
        "explanation with collectives": lambda: explain_text(text, to="collectives"),
        "what stands in the way": lambda: obstacles(Index(explanation)),
        "JSON": lambda: json_text(explanation),
    }
    times: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(1 if args.quick else _RUNS):
        for name, work in subjects.items():
            times[name].append(seconds(work, time.process_time))
    rows = [[name, figure(statistics.median(found), ".2f")] for name, found in times.items()]
    lines = len(explanation.lines)
    note = f"{lines} lines, {len(explanation.ops)} ops when imported; aim for 10,000: {AIM:g} s."
    publish(
        "explain.py", [Table("Explanations", ["", "s of the processor"], rows, notes=[note])], args
    )


def _propagated(text: str) -> None:
    with make_context() as context:
        module = read_module(text, context)
        run_pipeline(module, IMPORT)
        propagation = Propagation("aggressive", by_op=True, by_user=True)
        propagation.run(cast("ModuleOp", module.operation.opview))


if __name__ == "__main__":
    main()
