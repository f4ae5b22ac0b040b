"""The whole job: both models are trained, one after the other, and compared."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import jax
from jax.sharding import Mesh
from rich.console import Console
from rich.table import Table

import sdykit.sparsecore as sc
from examples.click_model.data import ClickData
from examples.click_model.embeddings import AXIS, check_memory, make_embedding
from examples.click_model.int8 import Comparison, compare
from examples.click_model.learner import Learner
from examples.click_model.memory import GIB, peak_bytes
from examples.click_model.options import Options
from examples.click_model.training import HELD_OUT, Progress, held_out_auc, planted_auc, train
from examples.click_model.watching import watching

if TYPE_CHECKING:
    from examples.click_model.kernel import Lookups

DENSE_ONLY, WITH_TABLES = "dense only", "with tables"
AHEAD = 2
"""The number of batches that another thread makes in advance."""


@dataclass(frozen=True)
class Result:
    """The result of training a model."""

    name: str
    init_seconds: float
    compile_seconds: float
    progress: Progress
    auc: float
    """Area under the ROC curve, on clicks that were held out."""
    comparison: Comparison | None = None
    """The trained tables beside the same as int8."""
    lookups: Lookups | None = None
    """A lookup by the kernel beside the built-in one."""


def run(options: Options) -> None:
    """Train, evaluate and compare both models.

    Raises:
        SparseCoreError: the tables do not fit into memory.
    """
    started = time.perf_counter()
    console = Console(highlight=False)
    check_memory(options.table_bytes)
    sc.configure(chip=options.chip, maximum_parallel_iterations=AHEAD)
    mesh = jax.make_mesh((options.devices,), (AXIS,))
    data = ClickData(options.vocabularies, options.seed)
    embedding = make_embedding(data, options.width, options.batch, mesh)
    console.print(_describe(options, embedding), soft_wrap=True)
    results = [
        _train_one(DENSE_ONLY, Learner(mesh, options.width), data, options),
        _train_one(WITH_TABLES, _with_tables(mesh, embedding, options), data, options),
    ]
    console.print(_table(results, planted_auc(data, options.batch)))
    for each in results:
        if each.comparison:
            console.print(each.comparison.text(options.batch), soft_wrap=True)
        if each.lookups:
            console.print(each.lookups.text(options.batch), soft_wrap=True)
    dense, tables = (each.auc for each in results)
    console.print(
        f"Held-out AUC: {tables:.4f} with tables, {dense:.4f} dense only: {_verdict(tables - dense)}"
        f"\n{time.perf_counter() - started:.1f} s in all, at most {peak_bytes() / GIB:.2f} GiB "
        f"of memory",
        soft_wrap=True,
    )


def _describe(options: Options, embedding: sc.Embedding) -> str:
    sizes, (stack,) = options.vocabularies, embedding.stacks
    rows = f"{max(sizes):,}" if len(set(sizes)) == 1 else f"{min(sizes):,} to {max(sizes):,}"
    return (
        f"Tables: {len(sizes)} of {rows} rows of {options.width} floats, {sum(sizes):,} rows in "
        f"all, {options.table_bytes / 1e6:,.1f} MB\n"
        f"Chips: {options.devices} x {options.chip}, {stack.num_sparse_cores} SparseCores; limits: "
        f"{stack.max_ids_per_partition:,} ids, {stack.max_unique_ids_per_partition:,} unique ids "
        "from one of them to a partition\n"
        f"Training: {options.steps:,} steps of {options.batch:,} samples, seed {options.seed}; "
        f"{HELD_OUT * options.batch:,} samples are held out"
    )


def _train_one(name: str, learner: Learner, data: ClickData, options: Options) -> Result:
    started = time.perf_counter()
    state = jax.block_until_ready(learner.init(options.seed))
    made = time.perf_counter() - started
    with watching(Console(stderr=True, highlight=False), name, options.steps) as watch:
        trained = train(learner, state, data, options, watch)
    auc = held_out_auc(learner, trained.state, data, options.batch)
    comparison = None
    if options.int8 and learner.embedding:
        comparison = compare(learner, trained.state, auc, data, options.batch)
    lookups = None
    if options.kernel and learner.embedding:
        from examples.click_model.kernel import compare_lookups

        clicks = data.batch("held out", 0, options.batch)
        lookups = compare_lookups(learner.embedding, learner.mesh, trained.state.tables, clicks)
    return Result(name, made, trained.compile_seconds, trained.progress, auc, comparison, lookups)


def _with_tables(mesh: Mesh, embedding: sc.Embedding, options: Options) -> Learner:
    """Return the model with tables; the kernel is imported only if it looks them up."""
    if not options.kernel:
        return Learner(mesh, options.width, embedding)
    from examples.click_model.kernel import KernelLearner

    return KernelLearner(mesh, options.width, embedding)


def _table(results: list[Result], planted: float) -> Table:
    """Return a table of the results, whose last row is the best AUC that a model can reach."""
    table = Table("", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("initialised", "compiled", "trained", "steps/s", "loss", "held-out AUC"):
        table.add_column(heading, justify="right")
    for each in results:
        table.add_row(
            each.name,
            f"{each.init_seconds:.1f} s",
            f"{each.compile_seconds:.1f} s",
            f"{each.progress.seconds:.1f} s",
            f"{each.progress.steps_per_second:.1f}",
            f"{each.progress.scores()[0]:.4f}",
            f"{each.auc:.4f}",
        )
    table.add_row("as planted", *[""] * 5, f"{planted:.4f}")
    return table


def _verdict(gain: float) -> str:
    if gain > 0:
        return f"the tables add {gain:.4f}"
    return "the tables add nothing yet; more --steps may help"
