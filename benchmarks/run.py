"""Run benchmarks, and put their tables on one page and their figures into one file.

    python benchmarks/run.py                            # what `make bench` runs
    python benchmarks/run.py peers                      # what `make peers` runs
    python benchmarks/run.py --only explain --quick
    python benchmarks/run.py --compare old.json         # beside the figures of another version

The page and the file hold what each benchmark showed last: one that is run again replaces its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from compare import comparison
from report import page, read_figures
from rich.console import Console

from sdykit.files import write_whole

ROOT = Path(__file__).parents[1]
BENCH = (
    *(
        "sdy_passes.py",
        "propagation.py",
        "reshards.py",
        "explain.py",
        "mpmd_export.py",
        "mpmd_run.py",
        "spmd.py",
        "hlo_text.py",
        "async_passes.py",
    ),
    *("preprocess.py", "plugin_checks.py", "counters.py", "recording.py", "pipelining.py"),
    *("click_model.py", "many_devices.py", "processes.py"),
    *("ffi.py", "compile.py", "agents.py", "pallas.py", "whatif.py"),
)
PEERS = ("embedding.py",)


def main() -> None:
    """Run the benchmarks, one after the other."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("group", nargs="?", choices=("bench", "peers"), default="bench")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller runs")
    parser.add_argument("--only", default="", metavar="WORD", help="those with WORD in the name")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "benchmarks.json")
    parser.add_argument("--page", type=Path, default=ROOT / "build" / "benchmarks.md")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="figures of another version")
    args = parser.parse_args()
    # Read now: what is wrong with it shall not be said after an hour.
    before = read_figures(args.compare) if args.compare else None
    programs = [each for each in (PEERS if args.group == "peers" else BENCH) if args.only in each]
    if not programs:
        parser.error(f"--only {args.only}: no benchmark of {args.group} has that in its name")
    failed = [each for each in programs if not _run(each, args.json.resolve(), args.quick)]
    found = read_figures(args.json)
    write_whole(args.page, page(found).encode())
    print(f"{args.page}: the tables; {args.json}: the figures")
    if before is not None:
        run = {name: found[name] for name in programs if name not in failed}
        for table in comparison(before, run):
            table.show(Console(width=None if sys.stdout.isatty() else 150))
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def _run(program: str, figures: Path, is_quick: bool) -> bool:
    """Run a benchmark, and return whether it succeeded."""
    print(f"{program} ...", flush=True)
    # Some use the folder examples, and all but one are run as files elsewhere.
    paths = os.pathsep.join([str(ROOT / "benchmarks"), str(ROOT)])
    command = [sys.executable, "-m", f"benchmarks.{program.removesuffix('.py')}"]
    command += ["--json", str(figures), *["--quick"] * is_quick]
    environment = {**os.environ, "PYTHONPATH": paths}
    return subprocess.run(command, check=False, cwd=ROOT, env=environment).returncode == 0


if __name__ == "__main__":
    main()
