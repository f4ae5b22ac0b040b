"""Train a transformer in pipeline stages on 8 simulated devices, beside plain JAX on one.

    python examples/pipelined_training/train.py --stages=4 --microbatches=8

Both start from the same parameters and see the same batches; the losses of each step are compared.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from examples.jax_tpu_embedding_on_cpu.sonnets import TEXT
from examples.pipelined_training.model import LENGTH, init, step_of
from sdykit.mpmd import Jitted, jit

DEVICES = 8
TOLERANCE = 1e-5
"""The relative difference of losses that is taken for rounding: sums have another order."""


def main() -> None:
    """Train both, and print their losses."""
    options = _arguments()
    jax.config.update("jax_num_cpu_devices", DEVICES)  # Before JAX is used.
    ours = pipelined(options.stages, options.microbatches, options.schedule)
    letters = sorted(set(TEXT))
    text = np.array([letters.index(letter) for letter in TEXT], np.int32)
    params = jax.tree.map(np.asarray, init(jax.random.key(0), len(letters), options.stages))
    plain = jax.jit(step_of(options.microbatches))
    print(f"{options.stages} stages, {options.microbatches} microbatches, {options.schedule}")
    runs = [Run(ours, params), Run(plain, params)]
    worst = 0.0
    print("step     pipelined   plain JAX")
    for at, tokens in enumerate(batches(text, options.steps, options.microbatches, options.batch)):
        losses = [run.step(tokens) for run in runs]
        worst = max(worst, abs(losses[0] - losses[1]) / losses[1])
        if at % 10 == 0 or at == options.steps - 1:
            print(f"{at:>4}  {losses[0]:>11.7f} {losses[1]:>11.7f}")
    for name, run in zip(("pipelined", "plain JAX"), runs, strict=True):
        print(f"{name}: {1e3 * run.median_seconds:.1f} ms a step")
    print(f"largest relative difference of the losses: {worst:.1e}")
    if worst > TOLERANCE:
        raise SystemExit(f"the losses differ by more than {TOLERANCE}")


class Run:
    """A run of training: its parameters and momenta, and how long its steps took."""

    def __init__(self, step: Callable[..., Any], params: Any) -> None:
        self._step = step
        self._params, self._momenta = params, jax.tree.map(np.zeros_like, params)
        self._seconds: list[float] = []

    def step(self, tokens: np.ndarray) -> float:
        """Run a step, and return its loss."""
        start = time.perf_counter()
        self._params, self._momenta, loss = self._step(self._params, self._momenta, tokens)
        found = float(loss)
        self._seconds.append(time.perf_counter() - start)
        return found

    @property
    def median_seconds(self) -> float:
        """The median of the time of a step."""
        return statistics.median(self._seconds)


def pipelined(stages: int, microbatches: int, schedule: str) -> Jitted:
    """Return the training step on a mesh for each stage."""
    size = DEVICES // stages
    return jit(
        step_of(microbatches),
        topology={f"m{at}": {"data": size} for at in range(stages)},
        assignment={f"stage{at}": (f"m{at}", at) for at in range(stages)},
        in_shardings=(None, None, jax.P(None, "data", None)),
        schedule=schedule,
        donate_argnums=(0, 1),
    )


def batches(text: np.ndarray, steps: int, microbatches: int, batch: int) -> Iterator[np.ndarray]:
    """Yield i32[microbatches, batch, LENGTH + 1] at random places of the text."""
    random = np.random.default_rng(0)
    for _ in range(steps):
        starts = random.integers(0, len(text) - LENGTH, (microbatches, batch, 1))
        yield text[starts + np.arange(LENGTH + 1)]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--stages", type=int, choices=(2, 4), default=2)
    parser.add_argument("--microbatches", type=int, default=4)
    parser.add_argument("--batch", type=int, default=8, help="samples in a microbatch")
    parser.add_argument("--schedule", default="1F1B", help="see sdykit.mpmd.from_jax")
    return parser.parse_args()


if __name__ == "__main__":
    main()
