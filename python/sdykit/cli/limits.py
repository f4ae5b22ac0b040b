"""`sdykit limits`: computes the limits that tables need from files of ids."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdykit.cli._argument_types import at_least
from sdykit.cli.command import Command
from sdykit.errors import SdykitError
from sdykit.opt.process.guard import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdykit.sparsecore.limits.counter import LimitCounter
    from sdykit.sparsecore.specs import FeatureSpec, System
    from sdykit.viz.limits_report import Counted

_DESCRIPTION = """\
Counts the ids that each SparseCore sends to each partition of the tables, batch after batch, and
writes the maxima as limits, for --xla_sparse_core_max_ids_file. Reads, one file after another,
  .npz      a feature is an array [samples] or [samples, ids], or FEATURE.values with
            FEATURE.row_splits
  .parquet  a feature is a column of integers or of lists of them (takes pyarrow:
            pip install 'sdykit[parquet]')
  .csv      a line for each id: sample,feature,id or sample,feature,id,gain, in the order of
            the samples
Gains are ignored, as they do not change limits, and so is what the files hold besides the features
of the tables.
"""
_EXAMPLES = """\
  sdykit limits day1.npz day2.npz --tables tables.toml --batch-size 4096 --devices 8 -o limits.json
      the limits of a program on 8 devices of v5p, whose tables tables.toml describes

  sdykit limits clicks.csv --table user=1000000x64 --table item=50000x64:clicked,bought \\
      --batch-size 1024 --chip v6e --headroom 1.2 -o limits.json --picture limits.html
      tables without a file; 20 percent above what was seen, and a page with histograms

  cat tables.toml
      [tables.user]
      vocabulary_size = 1000000
      embedding_dim = 64
      [tables.item]
      vocabulary_size = 50000
      embedding_dim = 64
      combiner = "mean"
      optimizer = { name = "adagrad", learning_rate = 0.01 }
      features = ["clicked", "bought"]
"""
_TABLE = re.compile(r"(?P<name>[^=]+)=(?P<rows>[0-9]{1,10})x(?P<width>[0-9]{1,10})(:(?P<of>.+))?")


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="DATA", nargs="+", help="files of ids")
    outputs = parser.add_argument_group("output")
    outputs.add_argument("-o", "--output", metavar="FILE", help="the limits, a .json file")
    outputs.add_argument("--picture", metavar="PAGE", help="an HTML page with a histogram a table")
    outputs.add_argument(
        "--partitions",
        metavar="N",
        type=at_least(0),
        default=8,
        help="show the N fullest partitions of each table (default: 8)",
    )
    tables = parser.add_argument_group("tables").add_mutually_exclusive_group(required=True)
    tables.add_argument("--tables", metavar="FILE", help="JSON or TOML that describes the tables")
    tables.add_argument(
        "--table",
        metavar="NAME=ROWSxWIDTH[:FEATURES]",
        action="append",
        type=_table,
        help="a table and the features that look it up, separated by commas; default: one feature"
        " with the name of the table",
    )
    parser.add_argument(
        "--no-stacking", action="store_true", help="keep every table apart: disable_table_stacking"
    )
    parser.add_argument(
        "--rotation",
        metavar="N",
        type=at_least(0),
        help="partitions from one table of a stack to the next (default: a device's SparseCores)",
    )
    system = parser.add_argument_group("system")
    system.add_argument(
        "--batch-size",
        metavar="N",
        type=at_least(1),
        required=True,
        help="samples of each feature in a step, over all devices",
    )
    system.add_argument(
        "--devices", metavar="N", type=at_least(1), default=1, help="JAX devices (default: 1)"
    )
    cores = system.add_mutually_exclusive_group()
    cores.add_argument(
        "--chip",
        metavar="CHIP",
        default="v5p",
        help="v4, v5p (default), v6e, 7x or a file, for the SparseCores of a device and the padding of"
        " rows, which decides what is stacked",
    )
    cores.add_argument(
        "--sparse-cores",
        metavar="N",
        type=at_least(1),
        help="SparseCores of a device, whose rows are padded as on v5p",
    )
    parser.add_argument(
        "--headroom",
        metavar="FACTOR",
        type=float,
        default=1.0,
        help="multiply all limits, for data that were not counted (default: 1.0)",
    )


def _table(text: str) -> re.Match[str]:
    match = _TABLE.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(
            f"found {text!r}; expected a table as item=50000x64 or item=50000x64:clicked,bought"
        )
    return match


def _run(arguments: argparse.Namespace, status: Status) -> int:
    from sdykit.opt.io import outputs
    from sdykit.sparsecore.chip import chip
    from sdykit.sparsecore.limits import check_headroom
    from sdykit.sparsecore.limits.counter import LimitCounter
    from sdykit.sparsecore.limits.file import check_suffix, write_limits
    from sdykit.sparsecore.stacking import stack
    from sdykit.viz.limits_report import Counted, limits_page

    check_headroom(arguments.headroom)
    if arguments.output is not None:
        check_suffix(arguments.output)
    if arguments.picture == "-":
        raise SdykitError("--picture is '-'; expected a file, as tables go to stdout")
    for path in filter(None, (arguments.output, arguments.picture)):
        outputs.check_writable(path)
    outputs.check_distinct(
        {"the output": arguments.output, "the picture": arguments.picture},
        [*arguments.data, arguments.tables, arguments.chip],
    )
    system = _system(arguments)
    features = _features(arguments)
    alignment = chip(arguments.chip).row_alignment
    stacks = stack(features, system, arguments.no_stacking, arguments.rotation, alignment)
    counter = LimitCounter(stacks, system)
    status("counting ids")
    samples = _count(arguments, counter, [feature.name for feature in features])
    counted = Counted(counter.limits(arguments.headroom), counter.observed, counter.steps, samples)
    status("writing the output")
    if arguments.picture is not None:
        page = limits_page(counted, ", ".join(Path(path).name for path in arguments.data))
        outputs.write(arguments.picture, page.encode(errors="backslashreplace"))
    if arguments.output is not None:
        write_limits(arguments.output, counted.limits)
    _show(counted, arguments)
    for advice in filter(None, (each.advice for each in stacks)):
        sys.stderr.write(f"note: {advice}\n")
    return 0


def _system(arguments: argparse.Namespace) -> System:
    from sdykit.sparsecore import chip
    from sdykit.sparsecore.specs import System

    cores = arguments.sparse_cores
    if cores is None:
        cores = chip.chip(arguments.chip).sparse_cores_per_device
    return System(arguments.devices, cores)


def _features(arguments: argparse.Namespace) -> list[FeatureSpec]:
    from sdykit.sparsecore.files.tables import read_tables
    from sdykit.sparsecore.specs import FeatureSpec, TableSpec

    if arguments.tables is not None:
        return read_tables(arguments.tables, arguments.batch_size)
    found: list[FeatureSpec] = []
    for match in arguments.table:
        table = TableSpec(match["name"], int(match["rows"]), int(match["width"]))
        names = (match["of"] or match["name"]).split(",")
        found += [FeatureSpec(name, table, arguments.batch_size) for name in names]
    return found


def _count(arguments: argparse.Namespace, counter: LimitCounter, features: list[str]) -> int:
    """Count all batches, and return the number of samples."""
    from sdykit.sparsecore.files.batches import read_batches

    samples = 0
    with _progress() as advance:
        for batch in read_batches(arguments.data, features, arguments.batch_size):
            try:
                counter.add(batch.features)
            except SdykitError as error:
                raise SdykitError(
                    f"step {counter.steps}, from sample {batch.first_sample} of the data on: {error}"
                ) from None
            samples += batch.samples
            advance(batch.done, counter.steps)
    return samples


@contextmanager
def _progress() -> Iterator[Callable[[float, int], None]]:
    """Show the progress, on terminals only."""
    if not sys.stderr.isatty():
        yield lambda _done, _steps: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.fields[steps]} steps"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=1.0, steps=0)
        yield lambda done, steps: progress.update(task, completed=done, steps=steps)


def _show(counted: Counted, arguments: argparse.Namespace) -> None:
    from rich.console import Console

    from sdykit.opt.process import write_stdout
    from sdykit.viz.limits_report import partition_table, stack_table

    # A file or pipe has no width: 80 columns, which rich assumes, would fold names.
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    last = counted.samples % arguments.batch_size
    filled = f"; the last has {last:,}, filled up with samples of no ids" if last else ""
    with console.capture() as shown:
        console.print(partition_table(counted, arguments.partitions))
        console.print(stack_table(counted))
        console.print(
            f"{counted.samples:,} samples, {counted.steps:,} steps{filled}", soft_wrap=True
        )
    write_stdout(shown.get().encode(errors="backslashreplace"))


COMMAND = Command(
    name="limits",
    summary="compute the limits of SparseCore tables from files of ids",
    description=_DESCRIPTION,
    examples=_EXAMPLES,
    configure=_configure,
    run=_run,
)
