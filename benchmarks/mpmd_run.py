"""Time training in pipeline stages on CPU devices, beside plain JAX on the same devices.

    python benchmarks/mpmd_run.py                # print the table
    python benchmarks/mpmd_run.py --quick        # a smaller model, fewer runs
    python benchmarks/mpmd_run.py --write docs/benchmarks.md

The step is that of `examples/pipelined_training`: the same function, `sdykit.mpmd.jit` with a mesh
for each stage, and `jax.jit` with the batch split over all devices. They take turns; the table shows
medians.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from report import Cells, Table, arguments, figure, publish, seconds
from rich.console import Console

from examples.pipelined_training.model import LENGTH, init, step_of
from examples.pipelined_training.train import DEVICES, pipelined
from sdykit.mpmd import Span

VOCABULARY = 64
BATCH = 8
"""The samples of a microbatch."""
HEADINGS = [
    "stages",
    "microbatches",
    "width",
    "fragments, transfers",
    "plain JAX, ms",
    "sdykit, ms",
    "ratio",
    "busy",
]


@dataclass(frozen=True)
class Setting:
    """A model and its schedule."""

    stages: int
    microbatches: int
    width: int


SETTINGS = [Setting(*each) for each in ((2, 4, 64), (4, 4, 64), (2, 4, 256), (4, 4, 256))]


def measure(setting: Setting, runs: int) -> Cells:
    """Time the step both ways, in turns."""
    params = init(jax.random.key(0), VOCABULARY, setting.stages, setting.width)
    params = jax.tree.map(np.asarray, params)
    shape = (setting.microbatches, BATCH, LENGTH + 1)
    tokens = np.random.default_rng(0).integers(0, VOCABULARY, shape).astype(np.int32)
    staged = pipelined(setting.stages, setting.microbatches, "1F1B")
    spans: list[Span] = []

    def timed(*args: Any) -> Any:
        results, spans[:] = staged.timed(*args)
        return results

    both = [Training(each, params, tokens) for each in (on_all(setting.microbatches), timed)]
    times = [[seconds(each.step) for each in both] for _ in range(runs + 2)][2:]
    plain, ours = (statistics.median(each) for each in zip(*times, strict=True))
    fragments = sum(len(span.meshes) == 1 for span in spans)
    return [
        str(setting.stages),
        str(setting.microbatches),
        str(setting.width),
        f"{fragments}, {len(spans) - fragments}",
        figure(plain * 1e3, ".1f"),
        figure(ours * 1e3, ".1f"),
        figure(ours / plain, ".2f", "x"),
        figure(100 * _busy(spans, setting.stages), ".0f", "%"),
    ]


class Training:
    """A training, which keeps its state from step to step."""

    def __init__(self, step: Callable[..., Any], params: Any, tokens: np.ndarray) -> None:
        self._step = step
        self._state = params, jax.tree.map(np.zeros_like, params)
        self._tokens = tokens

    def step(self) -> None:
        """Run a step, until its results are there."""
        params, momenta, loss = self._step(*self._state, self._tokens)
        self._state = jax.block_until_ready((params, momenta))
        float(loss)


def on_all(microbatches: int) -> Callable[..., Any]:
    """Return the step of plain JAX, with the samples of each microbatch split over all devices."""
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("data",))
    whole = jax.sharding.NamedSharding(mesh, jax.P())
    split = jax.sharding.NamedSharding(mesh, jax.P(None, "data"))
    return jax.jit(
        step_of(microbatches),
        in_shardings=(whole, whole, split),
        out_shardings=(whole, whole, whole),
        donate_argnums=(0, 1),
    )


def _busy(spans: list[Span], meshes: int) -> float:
    """Return the part of the time in which a mesh runs a fragment."""
    running = sum(span.end - span.start for span in spans if len(span.meshes) == 1)
    return running / (meshes * max(span.end for span in spans))


def main() -> None:
    """Run the benchmark."""
    parser = arguments(__doc__, quick="a smaller model, fewer runs")
    args = parser.parse_args()
    jax.config.update("jax_num_cpu_devices", DEVICES)
    rows: list[Cells] = []
    with Console(stderr=True).status("") as status:
        for setting in SETTINGS[:1] if args.quick else SETTINGS:
            status.update(str(setting))
            rows.append(measure(setting, 5 if args.quick else 20))
    title = f"A step of training on {DEVICES} CPU devices"
    publish("mpmd_run.py", [Table(title, HEADINGS, rows)], args)


if __name__ == "__main__":
    main()
