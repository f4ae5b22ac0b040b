"""`sdykit memory`: what SPMEM and HBM hold in a training step."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sdykit.cli._argument_types import at_least
from sdykit.cli.command import Command
from sdykit.errors import SdykitError
from sdykit.opt.process.guard import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdykit.sparsecore.config import SparsecoreConfig
    from sdykit.sparsecore.memory.step import StepMemory

_SERIALIZED: Final = "xla_sc_num_serialized_tables_to_optimize_hbm"
_PREFETCHED: Final = "maximum_parallel_iterations"
_LIMITS_FILE: Final = "xla_sparse_core_max_ids_file"
_FLAGS: Final = (_SERIALIZED, _PREFETCHED, _LIMITS_FILE)
_PIPELINED: Final = "pipelined"
_OF_TABLES: Final = ("batch_size", "devices", "chip", "minibatches", "no_stacking", _LIMITS_FILE)
_DESCRIPTION = """\
Shows the memory of a training step: what HBM holds while lookups run, while the TensorCore works
and while updates run, with the peak and the largest owners; the layout of SPMEM, with the limits
that buffers follow from; limits beside what was observed; and what padding wastes. INPUT is one of
  RUN      a folder that sdykit.sparsecore.record wrote
  SPEC     JSON, as `sdykit compile` reads it; several are programs of one step; - for stdin
  TABLES   JSON or TOML that describes tables, as `sdykit limits` reads it; takes --batch-size
All of it follows from limits and sizes: nothing runs.
"""
_EXAMPLES = """\
  sdykit memory tables.toml --batch-size 4096 --devices 8 --chip v6e -o memory.html
      the tables of a model on 8 devices, and a page with pictures

  sdykit memory tables.toml --batch-size 4096 --xla_sc_num_serialized_tables_to_optimize_hbm=8
      the peak if 8 tables have their HBM stack one after another

  sdykit memory lookup.json update.json --json
      two programs, as JSON

  sdykit memory run/ -o memory.html
      a recorded training loop: limits beside what its batches needed
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "inputs", metavar="INPUT", nargs="+", help="a run, specs of programs, or tables"
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o", "--output", metavar="PAGE", help="an HTML page to write, whole or not at all"
    )
    output.add_argument("--json", action="store_true", help="print JSON instead of tables")
    output.add_argument(
        "--rows",
        metavar="N",
        type=at_least(1),
        default=10,
        help="the maximum number of rows of each table (default: 10)",
    )
    tables = parser.add_argument_group("of TABLES")
    tables.add_argument(
        "--batch-size",
        metavar="N",
        type=at_least(1),
        help="samples of each feature in a step, over all devices",
    )
    tables.add_argument("--devices", metavar="N", type=at_least(1), help="JAX devices (default: 1)")
    tables.add_argument(
        "--chip", metavar="CHIP", help="v4, v5p (default), v6e, 7x or a file that describes one"
    )
    tables.add_argument(
        "--minibatches", action="store_true", help="lay buffers out for up to 64 minibatches"
    )
    tables.add_argument(
        "--no-stacking", action="store_true", help="keep every table apart: disable_table_stacking"
    )
    tables.add_argument(f"--{_LIMITS_FILE}", metavar="FILE", help="the limits of the tables")
    parser.add_argument(
        f"--{_PIPELINED}",
        action="store_true",
        help="of TABLES and SPEC: SparseCores work beside the TensorCore",
    )
    flags = parser.add_argument_group("flags, also from the environment")
    flags.add_argument(
        f"--{_SERIALIZED}",
        metavar="N",
        help="tables whose HBM stacks are one after another (default: 0, or the run's)",
    )
    flags.add_argument(
        f"--{_PREFETCHED}", metavar="N", help="prefetched steps, not of a run (default: 1)"
    )


def _run(arguments: argparse.Namespace, status: Status) -> int:
    from sdykit.opt.io import outputs
    from sdykit.opt.process import write_stdout
    from sdykit.viz.memory_view import memory_page

    if arguments.output == "-":
        raise SdykitError("--output is '-'; expected a file, as tables go to stdout")
    if arguments.output is not None:
        outputs.check_writable(arguments.output)
        outputs.check_distinct({"the page": arguments.output}, arguments.inputs)
    status("laying out programs")
    memory = _memory(arguments)
    status("writing the output")
    if arguments.output is not None:
        title = ", ".join(Path(each).name or each for each in arguments.inputs)
        page = memory_page(memory, title)
        outputs.write(arguments.output, page.encode(errors="backslashreplace"))
    text = memory.to_json() if arguments.json else _text(memory, arguments.rows)
    write_stdout(f"{text.rstrip()}\n".encode(errors="backslashreplace"))
    return 0


def _memory(arguments: argparse.Namespace) -> StepMemory:
    first, *others = arguments.inputs
    if Path(first).is_dir():
        _check_alone(first, others, "a run")
        _check_options(
            arguments, first, "a run, which has its own", (*_OF_TABLES, _PREFETCHED, _PIPELINED)
        )
        return _of_run(arguments, first)
    if _has_tables(first):
        _check_alone(first, others, "a file of tables")
        return _of_tables(arguments, first)
    _check_options(arguments, first, "a spec, which has its own", _OF_TABLES)
    return _of_specs(arguments)


def _check_alone(path: str, others: Sequence[str], what: str) -> None:
    if others:
        raise SdykitError(f"'{path}' is {what}, and '{others[0]}' is given as well; expected one")


def _check_options(
    arguments: argparse.Namespace, path: str, what: str, names: Sequence[str]
) -> None:
    """Check that options are not given that the input has no use for."""
    for name in names:
        if getattr(arguments, name):
            option = name if name in _FLAGS else name.replace("_", "-")
            raise SdykitError(f"'{path}' is {what}; expected no --{option}")


def _has_tables(path: str) -> bool:
    from sdykit.sparsecore.files.key_values import read_key_values

    if path == "-" or not path.lower().endswith((".toml", ".json")):
        return False
    return path.lower().endswith(".toml") or "tables" in read_key_values(path)


def _config(arguments: argparse.Namespace) -> SparsecoreConfig:
    """Return the configuration of the environment and the command line."""
    from sdykit.sparsecore.config import SparsecoreConfig, resolve

    values = {name: getattr(arguments, name) for name in _FLAGS}
    given = [f"--{name}={value}" for name, value in values.items() if value is not None]
    config = SparsecoreConfig(disable_table_stacking=arguments.no_stacking)
    return resolve(config, arguments=given)


def _of_tables(arguments: argparse.Namespace, path: str) -> StepMemory:
    from sdykit.sparsecore.chip import chip as find_chip
    from sdykit.sparsecore.files.tables import read_tables
    from sdykit.sparsecore.memory.step import memory_of_tables
    from sdykit.sparsecore.specs import System

    if arguments.batch_size is None:
        raise SdykitError(f"'{path}' describes tables; expected --batch-size=N with it")
    chip = arguments.chip or "v5p"
    system = System(arguments.devices or 1, find_chip(chip).sparse_cores_per_device)
    return memory_of_tables(
        read_tables(path, arguments.batch_size),
        system,
        chip,
        _config(arguments),
        has_minibatches=arguments.minibatches,
        is_pipelined=arguments.pipelined,
    )


def _of_specs(arguments: argparse.Namespace) -> StepMemory:
    from sdykit.opt.io import inputs
    from sdykit.sparsecore.errors import SparseCoreError
    from sdykit.sparsecore.memory.step import memory_of_specs
    from sdykit.sparsecore.tile.spec import spec_from_json

    specs = []
    for path in arguments.inputs:
        name, data = inputs.read(path)
        try:
            specs.append(spec_from_json(data.decode()))
        except UnicodeDecodeError as error:
            raise SdykitError(f"{name}: byte {error.start} is not UTF-8; expected text") from None
        except SparseCoreError as error:
            raise SdykitError(f"{name}: {error}") from None
    return memory_of_specs(specs, _config(arguments), is_pipelined=arguments.pipelined)


def _of_run(arguments: argparse.Namespace, path: str) -> StepMemory:
    from sdykit.sparsecore.config import resolve
    from sdykit.sparsecore.memory.step import memory_of_run
    from sdykit.sparsecore.run import read_run

    given = getattr(arguments, _SERIALIZED)
    if given is None:
        return memory_of_run(read_run(path))
    config = resolve(arguments=[f"--{_SERIALIZED}={given}"], environment={})
    return memory_of_run(read_run(path), getattr(config, _SERIALIZED))


def _text(memory: StepMemory, rows: int) -> str:
    from rich.console import Console

    from sdykit.viz.memory_view import headline, memory_tables

    # A file or pipe has no width: 80 columns, which rich assumes, would fold names.
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    with console.capture() as shown:
        console.print(headline(memory), soft_wrap=True, markup=False)
        for table in memory_tables(memory, rows):
            console.print()
            console.print(table)
        for note in memory.notes:
            console.print(f"note: {note}", soft_wrap=True, markup=False)
    return "\n".join(line.rstrip() for line in shown.get().splitlines())


COMMAND = Command(
    name="memory",
    summary="show what SPMEM and HBM hold in a training step",
    description=_DESCRIPTION,
    examples=_EXAMPLES,
    configure=_configure,
    run=_run,
)
