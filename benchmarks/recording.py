"""Time steps of the demo model with and without a recording, in turns in one process.

    python benchmarks/recording.py             # print the table
    python benchmarks/recording.py --quick     # fewer steps

A step prepares its batch, and trains on it. Writing the run, at the end of a recording, is apart. Of steps 0, 1, 2,
4, 8 and so on of a recording, the inputs are copied: these are in the column of sampled steps.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import jax
from report import Cells, Table, arguments, figure, publish, seconds

import sdykit.sparsecore as sc
from examples.click_model.data import ClickData
from examples.click_model.embeddings import AXIS, make_embedding
from examples.click_model.learner import Learner
from examples.click_model.options import parse

BLOCK = 24
"""The number of steps that follow one another with a recording, or without."""
HEADS = ["devices", "off, ms", "on, ms", "on / off", "sampled / off", "off / off", "write, s"]


class Loop:
    """The demo model, ready to train step by step."""

    def __init__(self, devices: int) -> None:
        options = parse(["--devices", str(devices)])
        sc.configure(chip=options.chip)
        mesh = jax.make_mesh((devices,), (AXIS,))
        self.data = ClickData(options.vocabularies, options.seed)
        self.batch = options.batch
        embedding = make_embedding(self.data, options.width, options.batch, mesh)
        self.learner = Learner(mesh, options.width, embedding)
        self.state: Any = self.learner.init(options.seed)
        self.clicks = [self.data.batch("training", at, self.batch) for at in range(BLOCK)]
        inputs = self.learner.inputs(self.clicks[0])
        self.step = self.learner.compiled_step(self.state, inputs)

    def run(self) -> list[float]:
        """Return the seconds of each step of a block."""
        return [seconds(lambda each=each: self._step(each)) for each in self.clicks]

    def _step(self, clicks: Any) -> None:
        inputs = self.learner.inputs(clicks)
        self.state, _ = jax.block_until_ready(self.step(self.state, inputs))


def measure(devices: int, rounds: int) -> Cells:
    """Return the row of a number of devices."""
    loop = Loop(devices)
    loop.run()
    off: list[list[float]] = [[], []]
    on: list[float] = []
    sampled: list[float] = []
    writing: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for at in range(rounds):
            off[0] += loop.run()
            recording = sc.record(Path(folder) / str(at))
            recording.__enter__()
            times = loop.run()
            writing.append(seconds(lambda each=recording: each.__exit__(None, None, None)))
            off[1] += loop.run()
            is_sampled = [number & (number - 1) == 0 for number in range(BLOCK)]
            on += [each for each, skip in zip(times, is_sampled, strict=True) if not skip]
            sampled += [each for each, own in zip(times, is_sampled, strict=True) if own]
    plain, same, recorded, copied = map(statistics.median, (*off, on, sampled))
    times = (figure(1e3 * each, ".2f") for each in (plain, recorded))
    ratios = (figure(each / plain, ".3f") for each in (recorded, copied, same))
    return [str(devices), *times, *ratios, figure(statistics.median(writing), ".2f")]


def main() -> None:
    """Run the benchmark."""
    args = arguments(__doc__, quick="fewer steps").parse_args()
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", 4)
    rows = [measure(devices, 2 if args.quick else 8) for devices in (1, 4)]
    publish("recording.py", [Table("Recording", HEADS, rows)], args)


if __name__ == "__main__":
    main()
