"""The arguments of `sdykit whatif`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from sdykit.cli._argument_types import at_least

_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_SWITCHES: Final = {"on": True, "off": False}
_positive: Final = at_least(1)
T = TypeVar("T")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add all arguments to a parser."""
    parser.add_argument(
        "model",
        metavar="MODEL|RUN",
        help="tables in JSON or TOML, as for `sdykit limits`, or the folder of a recorded run",
    )
    parser.add_argument(
        "--data",
        metavar="FILE",
        nargs="+",
        default=[],
        help="files of ids, as for `sdykit limits`; without, ids are drawn from the statistics of MODEL",
    )
    _add_output(parser.add_argument_group("output"))
    _add_choices(
        parser.add_argument_group("what is compared: values separated by commas, all combined")
    )
    _add_times(parser.add_argument_group("times beside the SparseCores"))
    _add_searches(parser.add_argument_group("searches"))


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument("-o", "--output", metavar="PAGE", help="an HTML page with plots")
    group.add_argument("--json", action="store_true", help="print JSON instead of a table")


def _add_choices(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--batch-size",
        metavar="N,...",
        type=list_of(_positive),
        help="samples of a step, over all devices (default: that of RUN; needed for MODEL)",
    )
    group.add_argument(
        "--chip",
        metavar="CHIP,...",
        type=list_of(str),
        help="v4, v5p, v6e, 7x or files (default: v5p, or that of RUN)",
    )
    count = group.add_mutually_exclusive_group()
    count.add_argument(
        "--devices",
        metavar="N,...",
        type=list_of(_positive, spans=True),
        help="JAX devices, 1 to 4096; 1..64 is 1,2,4,8,16,32,64 (default: 1, or that of RUN)",
    )
    count.add_argument(
        "--chips",
        metavar="N,...",
        type=list_of(_positive, spans=True),
        help="chips instead; one of 7x has two devices",
    )
    group.add_argument(
        "--width", metavar="N,...", type=list_of(_positive), help="elements of a row of all tables"
    )
    group.add_argument(
        "--dtype",
        metavar="TYPE,...",
        type=list_of(str),
        help="element type of all tables: float32, bfloat16, int8, int32",
    )
    group.add_argument(
        "--limits",
        metavar="FACTOR|FILE,...",
        type=list_of(_limits),
        default=[1.2],
        help="limits as a multiple of what the batch needs, less than 1 with minibatches; or a limits"
        " file (default: 1.2)",
    )
    group.add_argument(
        "--stacking", metavar="on,off", type=list_of(_switch), default=[True], help="(default: on)"
    )
    group.add_argument(
        "--rotation",
        metavar="N,...",
        type=list_of(at_least(0)),
        default=[None],
        help="see `limits`",
    )
    group.add_argument(
        "--pipelining",
        metavar="on,off",
        type=list_of(_switch),
        default=[False],
        help="(default: off)",
    )
    group.add_argument(
        "--prefetched",
        metavar="N,...",
        type=list_of(at_least(0)),
        default=[0],
        help="steps whose input waits in HBM (default: 0)",
    )


def _add_times(group: argparse._ArgumentGroup) -> None:
    text = "such as 2ms@4096: of a device for 4,096 samples (default of RUN: as measured; of samples: the"
    text += " first batch size on the fewest devices)"
    group.add_argument("--tensorcore", metavar="TIME[@SAMPLES]", type=measured, help=text)
    group.add_argument(
        "--host", metavar="TIME[@SAMPLES]", type=measured, help="the same for the host"
    )


def _add_searches(group: argparse._ArgumentGroup) -> None:
    search = group.add_mutually_exclusive_group()
    search.add_argument(
        "--target-step-time",
        metavar="TIME",
        type=seconds,
        help="search for the fewest devices, from --devices on, whose step takes no longer",
    )
    search.add_argument(
        "--best-limits",
        action="store_true",
        help="search for the fastest limits that drop no ids, of the first combination",
    )
    group.add_argument(
        "--max-minibatches",
        metavar="N",
        type=_positive,
        default=64,
        help="the most minibatches that --best-limits may need (default: 64)",
    )


def list_of(read: Callable[[str], T], *, spans: bool = False) -> Callable[[str], list[T]]:
    """Return a reader of values that are separated by commas.

    Args:
        read: a function that reads one of them.
        spans: whether `A..B` stands for A, 2 A, 4 A and so on, up to B.
    """

    def values(text: str) -> list[T]:
        found: list[T] = []
        for part in text.split(","):
            span = re.fullmatch(r"([0-9]+)\.\.([0-9]+)", part) if spans else None
            texts = _doubled(*span.groups()) if span else [part]
            found += [read(each) for each in texts]
        return list(dict.fromkeys(found))

    return values


def _doubled(first: str, last: str) -> Sequence[str]:
    low, high = _positive(first), _positive(last)
    if low > high:
        raise argparse.ArgumentTypeError(f"found '{first}..{last}'; expected them ascending")
    found = []
    while low <= high:
        found.append(str(low))
        low *= 2
    return found


def _limits(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _switch(text: str) -> bool:
    if text not in _SWITCHES:
        raise argparse.ArgumentTypeError(f"found {text!r}; expected on or off")
    return _SWITCHES[text]


def seconds(text: str) -> float:
    """Read a time such as `5ms`.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|ms|s)", text)
    if not match or not float(match[1]):
        raise argparse.ArgumentTypeError(
            f"found {text!r}; expected a time above 0 with its unit: 500us, 2.5ms or 1s"
        )
    return float(match[1]) * _UNITS[match[2]]


def measured(text: str) -> tuple[float, int | None]:
    """Read a time, and maybe the number of samples that it is for.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    time, separator, samples = text.partition("@")
    return seconds(time), _positive(samples) if separator else None
