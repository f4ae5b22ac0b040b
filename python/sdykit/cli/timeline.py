"""`sdykit timeline`: writes the timeline of a run, for Perfetto, for xprof, or as a page."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sdykit.cli._argument_types import at_least
from sdykit.cli.command import Command
from sdykit.opt.process.guard import Status

if TYPE_CHECKING:
    from sdykit.sparsecore.run import Run
    from sdykit.sparsecore.timeline import Cut, Span

_SPANS = 250_000  # DEFAULT_SPANS, without its imports; a test compares them.
_SPANS_OF_PAGE = 5_000
_NOT_SIMULATED = "kernels have no simulated time: the cost model is one of lookups and updates"
_DESCRIPTION = """\
Writes what host, TensorCores, SparseCores, sequencers and tiles did in a recorded run, and when:
  simulated   on the chip, by the cost model, for the steps that the run has samples of
  measured    on the CPUs of this machine, which simulate the chips, for all steps
Each is a group of tracks with a time of its own, which begins at 0. The suffix of FILE says what is
written:
  .pftrace    for https://ui.perfetto.dev (takes perfetto: pip install 'sdykit[timeline]')
  .xplane.pb  for xprof and TensorBoard; a folder that ends in / is one of logs for them
  .html       a page with pictures
"""
_EXAMPLES = """\
  sdykit timeline run/ -o run.pftrace
      all of it, up to 250,000 spans of each group: less than 20 MB in all

  sdykit timeline run/ -o run.pftrace --core 0:1 --tile 3 --steps 10:20
      steps 10 to 19, of SparseCore 1 of device 0, and tile 3 of it

  sdykit timeline run/ -o logs/ && xprof --logdir logs/
      xprof's pages and trace viewer

  sdykit timeline run/ -o run.html --simulated --tensor-core 0.002 --pipelined
      a picture: if the TensorCore took 2 ms, and steps were pipelined

exit codes: 0 written; 1 RUN is no run, or has no such step, SparseCore or tile; 2 wrong command line
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the folder that sc.record() wrote")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the file to write")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--measured", action="store_true", help="only the time on the CPU")
    which.add_argument("--simulated", action="store_true", help="only the time on the chip")
    cut = parser.add_argument_group("cuts")
    cut.add_argument(
        "--steps", metavar="A:B", type=_steps, default=(None, None), help="steps A to B - 1"
    )
    cut.add_argument(
        "--core",
        metavar="D:N",
        action="append",
        type=_core,
        default=[],
        help="SparseCore N of device D; may be repeated (default: all)",
    )
    cut.add_argument(
        "--tile",
        metavar="N",
        action="append",
        type=at_least(0),
        default=[],
        help="tile N of each of them; may be repeated (default: all)",
    )
    cut.add_argument(
        "--spans",
        metavar="N",
        type=at_least(0),
        help="at most N spans of each group; later steps are left out (default: 250,000; of a page 5,000)",
    )
    chips = parser.add_argument_group("simulated time")
    chips.add_argument(
        "--tensor-core",
        metavar="SECONDS",
        type=_seconds,
        help="of the TensorCore in a step (default: as measured on the CPU)",
    )
    chips.add_argument(
        "--host",
        metavar="SECONDS",
        type=_seconds,
        help="of the host for a batch (default: as measured)",
    )
    chips.add_argument(
        "--pipelined",
        action=argparse.BooleanOptionalAction,
        help="whether the next step is looked up beside the TensorCore (default: as in the run)",
    )


def _steps(text: str) -> tuple[int | None, int | None]:
    found = re.fullmatch(r"([0-9]{0,9}):([0-9]{0,9})", text)
    first, last = (int(each) if each else None for each in found.groups()) if found else (0, 0)
    if last is not None and (first or 0) >= last:
        raise argparse.ArgumentTypeError(
            f"found {text!r}; expected the first step and the one after the last, such as 10:20"
        )
    return first, last


def _core(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,9}):([0-9]{1,9})", text)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"found {text!r}; expected a device and the number of a SparseCore on it, such as 0:1"
        )
    return int(found[1]), int(found[2])


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"found {text!r}; expected a number of seconds, 0 or more")
    return value


def _run(arguments: argparse.Namespace, status: Status) -> int:
    from sdykit.errors import SdykitError
    from sdykit.opt.io import outputs
    from sdykit.opt.process import write_stdout
    from sdykit.sparsecore.errors import SparseCoreError
    from sdykit.sparsecore.run import read_run
    from sdykit.sparsecore.run.model import KERNEL
    from sdykit.sparsecore.timeline import Cut, measured, simulated
    from sdykit.viz.timeline import MEASURED, SIMULATED, check_timeline_path, write_timeline

    file = check_timeline_path(arguments.output)
    if str(file) == arguments.output:
        outputs.check_writable(arguments.output)
    status("reading the run")
    run = read_run(arguments.run)
    first, last = arguments.steps
    spans = arguments.spans
    if spans is None:
        spans = _SPANS_OF_PAGE if file.suffix == ".html" else _SPANS
    cut = Cut(first, last, tuple(arguments.core), tuple(arguments.tile), spans)
    groups = {}
    has_kernels_only = all(each.kind == KERNEL for each in run.programs)
    if has_kernels_only and arguments.simulated:
        raise SdykitError(
            f"run '{run.path}': {_NOT_SIMULATED}; --measured writes the time on the CPU"
        )
    if not arguments.measured and not has_kernels_only:
        status("computing the time on the chip")
        try:
            groups[SIMULATED] = simulated(
                run,
                cut,
                tensor_core=arguments.tensor_core,
                host=arguments.host,
                pipelined=arguments.pipelined,
            )
        except SparseCoreError as error:
            raise SdykitError(f"{error}; --measured writes the time on the CPU only") from None
    if not arguments.simulated:
        groups[MEASURED] = measured(run, cut)
    status("writing the output")
    path, size = write_timeline(arguments.output, groups, run)
    lines = [f"{path}: {size:,} bytes\n"]
    for name, spans in groups.items():
        lines.append(f"{name}: {_described(spans)}\n")
        lines += _left_out(name == SIMULATED, spans, run, cut)
    if has_kernels_only and not arguments.measured:
        lines.append(f"{_NOT_SIMULATED}\n")
    write_stdout("".join(lines).encode(errors="backslashreplace"))
    return 0


def _described(spans: Sequence[Span]) -> str:
    from sdykit.sparsecore.timeline import by_track, step_ranges

    steps = sorted({int(span.name) for span in spans if span.kind == "step"})
    return f"{len(spans):,} spans on {len(by_track(spans)):,} tracks, steps {step_ranges(steps)}"


def _left_out(is_simulated: bool, spans: Sequence[Span], run: Run, cut: Cut) -> Iterator[str]:
    """Yield lines about what of the cut there was no room for."""
    from sdykit.sparsecore.timeline import place_of, step_ranges
    from sdykit.sparsecore.timeline.scopes import left_out_subcores

    wanted = cut.steps(run.sampled_steps if is_simulated else run.steps)
    written = {int(span.name) for span in spans if span.kind == "step"}
    missing = [step for step in wanted if step not in written]
    if missing:
        yield (
            f"  left out: steps {step_ranges(missing)}, beyond {cut.spans:,} spans; --steps chooses "
            "others, --core and --tile fewer spans of each, --spans allows more\n"
        )
    subcores = 0 if is_simulated else left_out_subcores(run, cut, spans)
    if subcores:
        yield (
            f"  left out: the scopes of kernels on {subcores:,} subcores, beyond {cut.spans:,} spans; "
            "--core and --tile choose some, --spans allows more\n"
        )
    places = filter(None, (place_of(span.track) for span in spans))
    if is_simulated and not any(place.unit.startswith("tile") for place in places):
        yield (
            f"  left out: all tiles, as those of a step have more than {cut.spans:,} spans; --core and "
            "--tile choose some, --spans allows more\n"
        )


COMMAND = Command(
    name="timeline",
    summary="write the timeline of a run for Perfetto or xprof, or as a page",
    description=_DESCRIPTION,
    examples=_EXAMPLES,
    configure=_configure,
    run=_run,
)
