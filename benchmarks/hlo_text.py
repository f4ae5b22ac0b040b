"""Time reading and printing HLO text beside the C++ parser and printer in jaxlib.

    python benchmarks/hlo_text.py                # print the table
    python benchmarks/hlo_text.py --quick        # smaller texts, fewer runs
    python benchmarks/hlo_text.py --write docs/benchmarks.md

The text is the optimized program of the gradient of a stack of attention layers, repeated under
other names until it has the size. Both sides read and print it in turns in one process; ours must
print the same text. The table has the medians.
"""

from __future__ import annotations

import importlib
import math
import re
import statistics
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from report import Cells, Table, arguments, figure, publish, seconds
from rich.console import Console

from sdykit import hlo

# jaxlib has no public name for its parser.
_hlo: Any = importlib.import_module("jaxlib._hlo")

MEGABYTES = (1, 2, 5, 10, 20)
QUICK_MEGABYTES = (1, 4)
LAYERS = 24
AIM = 4.0

_NAME = re.compile(r"%([\w.\-]+)", re.ASCII)
_HEADER = re.compile(r"^(?:ENTRY )?%.*\{$", re.MULTILINE | re.ASCII)
_PARAMETER = re.compile(r"(?<=[(\s])([\w.\-]+)(?=: )", re.ASCII)

_Parameters = list[tuple[jax.Array, jax.Array, jax.Array]]


def _layer(x: jax.Array, parameters: tuple[jax.Array, jax.Array, jax.Array]) -> jax.Array:
    w_in, w_out, bias = parameters
    y = jax.nn.gelu(x @ w_in + bias) @ w_out
    y /= 1e-6 + jnp.sqrt(jnp.mean(y * y, -1, keepdims=True))
    return x + jax.nn.softmax(y @ y.T) @ y


def _loss(parameters: _Parameters, x: jax.Array) -> jax.Array:
    for each in parameters:
        x = _layer(x, each)
    return jnp.sum(x)


def dump() -> str:
    """Compile the program and return XLA's text of it."""
    layer = (jnp.ones((8, 16)), jnp.ones((16, 8)), jnp.ones(16))
    lowered = jax.jit(jax.grad(_loss)).lower([layer] * LAYERS, jnp.ones((4, 8)))
    return lowered.compile().as_text() or ""


def grown(text: str, size: int) -> str:
    """Repeat the computations of a module under other names, to `size` bytes or a bit more."""
    head, gap, body = text.partition("\n\n\n")
    count = math.ceil((size - len(head)) / len(body))
    copies = [_renamed(body, str(at), entry=at == count - 1) for at in range(count)]
    return head + gap + "".join(copies)


def _renamed(body: str, suffix: str, *, entry: bool) -> str:
    body = _HEADER.sub(lambda line: _PARAMETER.sub(rf"\1.{suffix}", line[0]), body)
    body = _NAME.sub(rf"%\1.{suffix}", body)
    return body if entry else body.replace("\nENTRY ", "\n").rstrip("\n") + "\n\n"


@dataclass(frozen=True)
class Row:
    """Medians in seconds for one text."""

    size: int
    instructions: int
    xla: tuple[float, float]
    """The times of reading and of printing with jaxlib."""
    ours: tuple[float, float]
    """The times of reading and of printing with sdykit."""

    @property
    def ratio(self) -> float:
        return sum(self.ours) / sum(self.xla)

    def cells(self) -> Cells:
        """Return a row of the table."""
        return [
            f"{self.size / 1e6:.1f}",
            f"{self.instructions / 1000:.0f}k",
            *(figure(each * 1e3, ".0f") for each in (*self.xla, *self.ours)),
            figure(self.ratio, ".2f", "x"),
            figure(sum(self.ours) / self.instructions * 1e6, ".1f"),
        ]


HEADS = [
    *("MB", "instructions", "XLA reads, ms", "prints, ms"),
    *("sdykit reads, ms", "prints, ms", "ratio", "µs per instruction"),
]


def measure(text: str, runs: int) -> Row:
    """Time both sides on one text, in turns."""
    times: dict[str, list[float]] = {"xr": [], "xp": [], "r": [], "p": []}
    kept: dict[str, Any] = {}
    for _ in range(runs + 1):
        kept.clear()
        times["xr"].append(seconds(lambda: kept.update(x=_hlo.hlo_module_from_text(text))))
        times["xp"].append(seconds(kept["x"].to_string))
        kept.clear()
        times["r"].append(seconds(lambda: kept.update(m=hlo.read(text))))
        times["p"].append(seconds(lambda: kept.update(text=hlo.to_text(kept["m"]))))
        if kept["text"] != text:
            raise SystemExit("what was printed differs from what was read")
    # The first run warms up.
    xr, xp, r, p = [statistics.median(each[1:]) for each in times.values()]
    module: hlo.Module = kept["m"]
    return Row(len(text), sum(map(len, module)), (xr, xp), (r, p))


def main() -> None:
    """Run the benchmark."""
    parser = arguments(__doc__, quick="smaller texts, fewer runs")
    parser.add_argument("--runs", type=int, metavar="N", help="runs of each (default 5, or 3)")
    args = parser.parse_args()
    runs = args.runs or (3 if args.quick else 5)
    rows: list[Row] = []
    with Console(stderr=True).status("compiling") as status:
        text = dump()
        for megabytes in QUICK_MEGABYTES if args.quick else MEGABYTES:
            status.update(f"{megabytes} MB")
            rows.append(measure(grown(text, megabytes * 1_000_000), runs))
    title = f"HLO text beside XLA; aim: {AIM:g}x"
    missed = {at for at, row in enumerate(rows) if row.ratio > AIM}
    publish("hlo_text.py", [Table(title, HEADS, [row.cells() for row in rows], missed)], args)


if __name__ == "__main__":
    main()
