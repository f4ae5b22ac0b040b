"""The command line of the click model."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from examples.click_model.data import LARGEST, SMALLEST, vocabularies
from sdykit.sparsecore import SparseCoreError
from sdykit.sparsecore.chip import chip

_DESCRIPTION = """\
Trains a click model similar to DLRM on synthetic clicks. Its embedding tables are on the
SparseCores of simulated chips, which look rows up and update them by Adagrad; its dense layers
are plain JAX and optax. The host makes the next batch at the same time. The same layers without
the tables are trained first, on the same clicks: at the end both models rank clicks that neither
has seen, and the area under the ROC curve (AUC) shows what the tables add.
"""
_EXAMPLES = """\
examples:
  train.py
      26 tables of 4 to 60,000 rows on 4 chips; what `make demo` runs
  train.py --devices 1 --chip v6e --steps 100
      one chip, of 2 SparseCores instead of 4
  train.py --tables 8 --vocab 1000 --width 32
      8 tables of 1,000 rows of 32 floats
  train.py --tables 100 --vocab 1000000 --width 16 --steps 200
      6.4 GB of tables and as much of Adagrad's accumulators, made on the devices

exit codes: 0 done; 1 an error while it ran, with a message; 2 wrong command line; 130 interrupted
"""
_FLOAT_BYTES = 4
KERNEL_WIDTH = 16
"""What the width is a multiple of with `--kernel`: no chip's vectors are longer."""


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    steps: int
    batch: int
    """Number of samples of a step, over all devices."""
    devices: int
    chip: str
    """The name or file of the chip that each device simulates."""
    seed: int
    vocabularies: tuple[int, ...]
    """Number of rows of each table."""
    width: int
    """Number of floats of a row."""
    pipelined: bool = False
    """Whether SparseCores look up the next batch beside the dense layers."""
    int8: bool = False
    """Whether the trained tables are compared with the same as int8."""
    kernel: bool = False
    """Whether a Pallas kernel looks up the tables, and is compared with the built-in lookup."""

    @property
    def table_bytes(self) -> int:
        """Size of the tables in bytes; Adagrad's accumulators take as much again."""
        return sum(self.vocabularies) * self.width * _FLOAT_BYTES


def parse(arguments: Sequence[str] | None = None) -> Options:
    """Return the options of a command line; exit with code 2 and a message if it is wrong."""
    parser = argparse.ArgumentParser(
        "train.py",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_arguments(parser)
    given = parser.parse_args(arguments)
    try:
        sparse_cores = given.devices * chip(given.chip).sparse_cores_per_device
    except SparseCoreError as error:
        parser.error(f"argument --chip: {error}")
    if given.devices & (given.devices - 1):
        parser.error(f"argument --devices: found {given.devices}; expected a power of two")
    if given.batch % sparse_cores:
        parser.error(
            f"argument --batch: found {given.batch}; expected a multiple of the {sparse_cores} "
            f"SparseCores of {given.devices} x {given.chip}"
        )
    if given.kernel and given.pipelined:
        parser.error("argument --kernel: not allowed with argument --pipelined")
    if given.kernel and given.width % KERNEL_WIDTH:
        parser.error(
            f"argument --kernel: found --width {given.width}; expected a multiple of {KERNEL_WIDTH}"
        )
    rows = (given.vocab,) * given.tables if given.vocab else vocabularies(given.tables)
    return Options(
        given.steps,
        given.batch,
        given.devices,
        given.chip,
        given.seed,
        rows,
        given.width,
        given.pipelined,
        given.int8,
        given.kernel,
    )


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    training = parser.add_argument_group("training")
    _add(training, "--steps", _integer(1), 400, "batches to train on, both models")
    _add(
        training,
        "--batch",
        _integer(1),
        4096,
        "samples of a step, over all devices; a multiple of their SparseCores",
    )
    _add(training, "--seed", _integer(0), 0, "of the clicks and of both models")
    training.add_argument(
        "--pipelined",
        action="store_true",
        help="look up the next batch beside the dense layers; gradients of the tables are a step late",
    )
    chips = parser.add_argument_group("chips")
    _add(
        chips,
        "--devices",
        _integer(1, 64),
        4,
        "simulated chips, a power of two; each is a JAX device of this host",
    )
    chips.add_argument(
        "--chip",
        metavar="CHIP",
        default="v5p",
        help="v4, v5p, v6e, 7x, or a .toml or .json file (default: v5p)",
    )
    tables = parser.add_argument_group("tables")
    _add(tables, "--tables", _integer(1, 1000), 26, "each has a feature that looks it up")
    tables.add_argument(
        "--vocab",
        metavar="N",
        type=_integer(1),
        help=f"rows of every table (default: from {SMALLEST} to {LARGEST:,}, each table larger "
        "than the one before by the same factor)",
    )
    _add(tables, "--width", _integer(1, 256), 16, "floats of a row")
    tables.add_argument(
        "--int8",
        action="store_true",
        help="after training, compare the tables with the same as int8: AUC, bytes, time of a lookup",
    )
    tables.add_argument(
        "--kernel",
        action="store_true",
        help="look up by a Pallas kernel, and compare it with the built-in lookup: bits and times",
    )


def _add(
    group: argparse._ArgumentGroup, name: str, kind: Callable[[str], int], default: int, text: str
) -> None:
    text += f" (default: {default})"
    group.add_argument(name, metavar="N", type=kind, default=default, help=text)


def _integer(low: int, high: int = 2**31 - 1) -> Callable[[str], int]:
    def integer(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,10}", text) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(
                f"found {text!r}; expected an integer from {low} to {high}"
            )
        return int(text)

    return integer
