"""Lower a sharded JAX model, import it with `sdy-opt`, and show what each pass changed.

    python examples/import_report/demo.py [OUTPUT_DIRECTORY]

Writes `model.mlir`, `imported.mlir` and `report.html`; build/demo is the default directory.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from examples.models import transformer  # noqa: E402
from sdykit.core import RunOptions, run_pipeline  # noqa: E402
from sdykit.mlir import ir, make_context  # noqa: E402
from sdykit.viz.import_report import Recorder, Stage, table  # noqa: E402

PIPELINE = "sdy-import-pipeline"


def main(directory: Path) -> None:
    """Run the demo, with its files in `directory`."""
    console = Console(highlight=False)
    directory.mkdir(parents=True, exist_ok=True)
    names = ("model.mlir", "imported.mlir", "report.html")
    model, imported, report = (shown(directory / name) for name in names)

    console.print("A training step of a transformer with experts, lowered by JAX for 8 devices:")
    started = time.perf_counter()
    text = transformer.program(transformer.Config(layers=4, experts=True)).text()
    Path(model).write_text(text, encoding="utf-8")
    seconds = time.perf_counter() - started
    console.print(
        f"  [bold]{model}[/] ({text.count(chr(10)):,} lines, {seconds:.1f} s)\n", soft_wrap=True
    )

    arguments = [model, f"-{PIPELINE}", "-o", imported, f"--report={report}"]
    console.print(f"$ sdy-opt {' '.join(arguments)}\n", soft_wrap=True)
    subprocess.run([sys.executable, "-m", "sdykit.opt", *arguments], check=True)

    console.print(table(record(text), "The same from Python"))
    console.print(f"\nEach change in colour: [bold]{report}[/] (open in a browser)", soft_wrap=True)


def record(text: str) -> list[Stage]:
    """Run the pipeline in this process, and keep the module after each pass."""
    with make_context():
        module = ir.Module.parse(text)
        recorder = Recorder(module.operation)
        run_pipeline(module, PIPELINE, RunOptions(observer=recorder))
    return recorder.stages


def shown(path: Path) -> str:
    """Return a path relative to the current directory, if it is below it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build" / "demo")
