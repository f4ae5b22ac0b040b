"""Time the parts of a training step of `make demo`, in turns in one process.

    python benchmarks/click_model.py            # print the table
    python benchmarks/click_model.py --quick    # fewer steps
    python benchmarks/click_model.py --write docs/benchmarks.md

`layers and interactions` is the step with the embeddings as inputs, in place of the lookup, and their
gradients as outputs, in place of the update: what a step costs without SparseCores. `dense only` is the
other model of the demo: it has no vectors to multiply, and fewer inputs of the top layers.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 4)
sys.path.insert(0, str(Path(__file__).parents[1]))

from jax.sharding import PartitionSpec as P  # noqa: E402
from report import Cells, Table, arguments, figure, publish, seconds  # noqa: E402

import sdykit.sparsecore as sc  # noqa: E402
from examples.click_model.data import ClickData  # noqa: E402
from examples.click_model.embeddings import AXIS, make_embedding  # noqa: E402
from examples.click_model.learner import STATE_SPECS, Inputs, Learner, State  # noqa: E402
from examples.click_model.options import Options, parse  # noqa: E402

AIM = 2.0
HEADS = ["part of a step", "compiled, s", "ms", "of layers and interactions"]
LAYERS, WHOLE = "layers and interactions", "whole step with tables"
Run = Callable[[], object]
_SPLIT, _SAME = P(AXIS), P()


@dataclass(frozen=True)
class Part:
    """A part of a step on each device, and the partition specs of its arguments and results."""

    function: Callable[..., Any]
    specs: tuple[Any, ...]
    results: Any
    donated: tuple[int, ...] = ()

    def compiled(self, learner: Learner, *given: Any) -> tuple[Any, float]:
        """Return the program for these arguments, and the seconds of its compilation."""
        whole = jax.shard_map(
            self.function, mesh=learner.mesh, in_specs=self.specs, out_specs=self.results
        )
        jitted = jax.jit(whole, donate_argnums=self.donated)
        found: list[Any] = []
        taken = seconds(lambda: found.append(jitted.lower(*given).compile()))
        return found[0], taken


def _step(learner: Learner, state: State, inputs: Inputs) -> tuple[Run, float]:
    """Return a function that takes a step, and the seconds of its compilation."""
    part = Part(learner._step, (STATE_SPECS, _SPLIT), (STATE_SPECS, _SPLIT), donated=(0,))
    step, taken = part.compiled(learner, state, inputs)
    held = [state]

    def run() -> None:
        held[0], _ = jax.block_until_ready(step(held[0], inputs))

    return run, taken


def _parts(learner: Learner, state: State, inputs: Inputs) -> dict[str, tuple[Run, float]]:
    """Return the parts of a step with tables, each a program of its own."""
    embedding = learner.embedding
    assert embedding is not None

    def layers(state: State, inputs: Inputs, embeddings: Any) -> Any:
        carry = state.params, state.optimizer
        return learner._dense(carry, embeddings, (inputs.numeric, inputs.labels))

    def update(tables: Any, inputs: Inputs, gradients: Any) -> Any:
        return embedding.update(tables, inputs.ids, gradients)

    def lookup(state: State, inputs: Inputs) -> Any:
        return embedding.lookup(state.tables, inputs.ids)

    look, look_taken = Part(lookup, (STATE_SPECS, _SPLIT), _SPLIT).compiled(learner, state, inputs)
    embeddings = look(state, inputs)
    dense, dense_taken = Part(
        layers, (STATE_SPECS, _SPLIT, _SPLIT), (_SAME, _SPLIT, _SPLIT)
    ).compiled(learner, state, inputs, embeddings)
    gradients = dense(state, inputs, embeddings)[1]
    # The update changes tables in place: they are its own.
    held = [jax.tree.map(lambda each: each.copy(), state.tables)]
    change, change_taken = Part(update, (_SPLIT,) * 3, _SPLIT, donated=(0,)).compiled(
        learner, held[0], inputs, gradients
    )

    def run_update() -> None:
        held[0] = jax.block_until_ready(change(held[0], inputs, gradients))

    return {
        LAYERS: (lambda: jax.block_until_ready(dense(state, inputs, embeddings)), dense_taken),
        "lookup": (lambda: jax.block_until_ready(look(state, inputs)), look_taken),
        "update": (run_update, change_taken),
    }


def measure(options: Options, steps: int) -> list[Cells]:
    """Return the rows of the table."""
    sc.configure(chip=options.chip)
    mesh = jax.make_mesh((options.devices,), (AXIS,))
    data = ClickData(options.vocabularies, options.seed)
    clicks = data.batch("training", 0, options.batch)
    dense = Learner(mesh, options.width)
    tables = Learner(mesh, options.width, make_embedding(data, options.width, options.batch, mesh))
    inputs = tables.inputs(clicks)
    parts = {
        "dense only": _step(dense, dense.init(options.seed), dense.inputs(clicks)),
        **_parts(tables, tables.init(options.seed), inputs),
        WHOLE: _step(tables, tables.init(options.seed), inputs),
    }
    times: dict[str, list[float]] = {name: [] for name in parts}
    for _ in range(steps):
        for name, (run, _) in parts.items():
            times[name].append(seconds(run))
    found = {name: statistics.median(each) for name, each in times.items()}
    return [
        [
            name,
            figure(taken, ".2f"),
            figure(found[name] * 1e3, ".1f"),
            figure(found[name] / found[LAYERS], ".2f", "x"),
        ]
        for name, (_, taken) in parts.items()
    ]


def main() -> None:
    """Run the benchmark."""
    parser = arguments(__doc__, quick="fewer steps")
    args = parser.parse_args()
    rows = measure(parse([]), 7 if args.quick else 51)
    title = f"A step of the click model; aim: {AIM:.0f}x its layers and interactions"
    publish("click_model.py", [Table(title, HEADS, rows)], args)


if __name__ == "__main__":
    main()
