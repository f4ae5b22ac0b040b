"""`sdykit whatif`: compares systems and settings for a model or a recorded run."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdykit.cli._whatif_arguments import add_arguments
from sdykit.cli.command import Command
from sdykit.errors import SdykitError
from sdykit.opt.process.guard import Status

if TYPE_CHECKING:
    from sdykit.sparsecore.whatif import Choice, Comparison, Model
    from sdykit.sparsecore.whatif.compare import Progress

_DESCRIPTION = """\
Compares what a training step takes on chips of several kinds and numbers, with other batches, widths,
limits and settings: its time with an error bar, what bounds it, and the memory and the traffic that it
needs. The ids of recorded batches are counted again for each system, exactly; where a batch is
larger than what was recorded, or only statistics are known, figures are estimated and have a `~`.
No system is run, nor any program compiled.
"""
_EXAMPLES = """\
  sdykit whatif run/ --chip v5p,v6e,7x --chips 1..1024 -o whatif.html
      a recorded training loop on other chips and more of them, as a table and a page with plots

  sdykit whatif tables.toml --data day1.npz --batch-size 4096,16384 --devices 8..64 --tensorcore 2ms@512
      tables and ids, as `sdykit limits` reads them; the TensorCore takes 2 ms for 512 samples

  sdykit whatif tables.toml --data day1.npz --batch-size 16384 --chip v5p,v6e --target-step-time 1ms
      the fewest chips of each kind on which a step takes at most 1 ms

  sdykit whatif run/ --best-limits --max-minibatches 4
      the fastest limits for the recorded ids that drop none, with at most 4 minibatches

  cat tables.toml
      [tables.user]
      vocabulary_size = 1000000
      embedding_dim = 64
      [ids.user]
      ids_per_sample = 20
      zipf = 1.1
      without --data, ids are drawn by Zipf's law
"""


def _run(arguments: argparse.Namespace, status: Status) -> int:
    from sdykit.opt.io import outputs
    from sdykit.opt.process import write_stdout
    from sdykit.sparsecore.whatif import best_limits, compare, least_devices
    from sdykit.viz.whatif_report import whatif_page

    if arguments.output == "-":
        raise SdykitError("--output is '-'; expected a file, as the table goes to stdout")
    if arguments.output is not None:
        outputs.check_writable(arguments.output)
    status("reading the model")
    model, choices = _model(arguments)
    status("comparing")
    with _progress() as progress:
        if arguments.target_step_time is not None:
            found = least_devices(model, choices, arguments.target_step_time, progress=progress)
        elif arguments.best_limits:
            limit = arguments.max_minibatches
            found = best_limits(model, choices[0], max_minibatches=limit, progress=progress)
        else:
            found = compare(model, choices, progress=progress)
    status("writing the output")
    if arguments.output is not None:
        page = whatif_page(found, target=arguments.target_step_time)
        outputs.write(arguments.output, page.encode(errors="backslashreplace"))
    if arguments.json:
        write_stdout(f"{found.to_json()}\n".encode())
    else:
        _show(found, arguments)
    return 0


def _model(arguments: argparse.Namespace) -> tuple[Model, list[Choice]]:
    """Return the model, with the times that are given, and what is compared."""
    from sdykit.sparsecore.run import is_run
    from sdykit.sparsecore.whatif import model_of_run

    if is_run(arguments.model) or Path(arguments.model).is_dir():
        if arguments.data:
            raise SdykitError(
                "--data is given, and MODEL is a run, which has ids; expected one of both"
            )
        from sdykit.sparsecore.run import read_run

        run = read_run(arguments.model)
        model = model_of_run(run)
        chips, devices = [run.chip], [run.devices]
        batches = arguments.batch_size or [model.batch]
    else:
        if not arguments.batch_size:
            raise SdykitError("--batch-size is not given; expected the samples of a step of MODEL")
        batches, chips, devices = arguments.batch_size, ["v5p"], [1]
        model = _model_of_tables(arguments, max(batches))
    choices = _choices(arguments, batches, chips, devices)
    return _with_times(model, arguments, batches[0], choices), choices


def _model_of_tables(arguments: argparse.Namespace, batch: int) -> Model:
    from sdykit.sparsecore.files.tables import read_tables
    from sdykit.sparsecore.whatif import drawn_model, read_id_statistics
    from sdykit.sparsecore.whatif.model import model_of_files

    features = read_tables(arguments.model, batch)
    name = Path(arguments.model).name
    if arguments.data:
        return model_of_files(features, arguments.data, name=name)
    statistics = read_id_statistics(arguments.model, features)
    if not statistics:
        raise SdykitError(
            f"{arguments.model}: there are no ids: give files of them with --data, or their statistics as "
            "[ids.FEATURE] (see --help)"
        )
    return drawn_model(features, statistics, name=name)


def _choices(
    arguments: argparse.Namespace, batches: list[int], chips: list[str], devices: list[int]
) -> list[Choice]:
    from sdykit.sparsecore.chip import chip
    from sdykit.sparsecore.whatif import choices

    found: list[Choice] = []
    for name in arguments.chip or chips:
        if arguments.chips:
            each = chip(name).devices_per_chip
            devices = [count * each for count in arguments.chips]
        found += choices(
            batch=batches,
            chip=[name],
            devices=arguments.devices or devices,
            width=arguments.width or [None],
            dtype=arguments.dtype or [None],
            stacking=arguments.stacking,
            rotation=arguments.rotation,
            limits=arguments.limits,
            pipelined=arguments.pipelining,
            prefetched=arguments.prefetched,
        )
    return found


def _with_times(
    model: Model, arguments: argparse.Namespace, batch: int, choices: list[Choice]
) -> Model:
    from sdykit.sparsecore.cost import Estimate
    from sdykit.sparsecore.whatif import Measured
    from sdykit.sparsecore.whatif.model import MEASURED

    times: dict[str, Any] = {}
    default = batch / min(each.devices for each in choices)
    for name, given in (("tensor_core", arguments.tensorcore), ("host", arguments.host)):
        if given is not None:
            time, samples = given
            times[name] = Measured(Estimate(time, time, time), samples or default)
    notes = tuple(each for each in model.notes if each != MEASURED or len(times) < 2)
    return dataclasses.replace(model, notes=notes, **times)


@contextmanager
def _progress() -> Iterator[Progress]:
    """Show the progress, on terminals only."""
    if not sys.stderr.isatty():
        yield lambda _done, _all: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (MofNCompleteColumn(), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, count: progress.update(task, completed=done, total=count)


def _show(found: Comparison, arguments: argparse.Namespace) -> None:
    from rich.console import Console

    from sdykit.opt.process import write_stdout
    from sdykit.viz.whatif_report import comparison_table, conclusion, remarks

    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    with console.capture() as shown:
        console.print(comparison_table(found))
        for line in (conclusion(found, arguments.target_step_time), *remarks(found)):
            console.print(line, soft_wrap=True, markup=False)
    write_stdout(shown.get().encode(errors="backslashreplace"))


COMMAND = Command(
    name="whatif",
    summary="compare chips, their number, batches, widths and limits",
    description=_DESCRIPTION,
    examples=_EXAMPLES,
    configure=add_arguments,
    run=_run,
)
