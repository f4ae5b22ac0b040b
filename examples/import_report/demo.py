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
from sdykit.viz.import_report import Recorder, Stage, table, write_report  # noqa: E402

PIPELINE = "sdy-import-pipeline"


def main(directory: Path) -> None:
    """Run the demo, with its files in `directory`."""
    console = Console()
    directory.mkdir(parents=True, exist_ok=True)
    model, imported, report = (
        directory / name for name in ("model.mlir", "imported.mlir", "report.html")
    )

    started = time.perf_counter()
    text = transformer.program(transformer.Config(layers=4, experts=True)).text()
    model.write_text(text, encoding="utf-8")
    seconds = time.perf_counter() - started
    console.print("A training step of a transformer with experts, on 8 devices, by JAX:")
    console.print(f"  [bold]{shown(model)}[/] ({text.count(chr(10)):,} lines, {seconds:.1f} s)\n")

    command = ["sdy-opt", shown(model), f"-{PIPELINE}", "-o", shown(imported)]
    console.print(f"$ {' '.join(command)}")
    run = [sys.executable, "-m", "sdykit.opt", str(model), f"-{PIPELINE}", "-o", str(imported)]
    subprocess.run(run, check=True)

    stages, result = record(text)
    if result.strip() != imported.read_text(encoding="utf-8").strip():
        sys.exit(f"demo: {imported} differs from what the same passes gave in this process")
    console.print(table(stages))
    write_report(report, stages, f"{PIPELINE} on {model.name}")
    console.print(f"\nEach change in colour: [bold]{shown(report)}[/] (open it in a browser)")


def record(text: str) -> tuple[list[Stage], str]:
    """Run the pipeline in this process; give the stages and the module at the end."""
    with make_context():
        module = ir.Module.parse(text)
        recorder = Recorder(module.operation)
        run_pipeline(module, PIPELINE, RunOptions(observer=recorder))
        return recorder.stages, str(module)


def shown(path: Path) -> str:
    """Give a path as a user in the repository would type it."""
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build" / "demo")
