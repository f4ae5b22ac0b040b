"""The lookup of the tables as a Pallas kernel, beside the built-in one.

Every device holds a part of each table, and every sample may need rows of all devices. So devices exchange
the positions of the rows that their samples need, each fetches those that it holds, by indirect transfers,
and leaves zeros for the others; the sum over devices is what each sample needs. One summand of each
element is a row's and all others are 0: the results are those of the built-in lookup, bit for bit.

Training takes the gradients of the embeddings to the built-in `update`: tables, slots and their optimizer
are the same, whichever lookup there was.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import sdykit.sparsecore as sc
from examples.click_model.data import Clicks, Ids
from examples.click_model.embeddings import AXIS, features_of, name_of
from examples.click_model.learner import STATE_SPECS, Inputs, Learner, State
from examples.click_model.model import log_odds
from sdykit.sparsecore.stacking import Stack, StackedFeature

WINDOW: Final = 128
"""Ids of one indirect transfer: no chip takes more."""

RUNS: Final = 21
"""How often each lookup is timed."""

MODES: Final = ("fast", "check")
"""The modes in which the kernel is timed."""


def own_rows(table: jax.Array, rows: jax.Array) -> jax.Array:
    """Return the rows of a table, and zeros where there is none.

    Args:
        table: the part of the table that this device holds, float32 `[held, width]`, the width a multiple
            of the lanes.
        rows: int32, `[n]`: rows in `[0, held)`, or -1.

    Returns:
        float32, `[n, width]`.
    """
    (n,), width = rows.shape, table.shape[1]
    lanes = plsc.get_sparse_core_info().num_lanes
    windows = pl.cdiv(n, WINDOW)
    rows = jnp.pad(rows, (0, windows * WINDOW - n), constant_values=-1)

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((windows * WINDOW, width), jnp.float32),
        mesh=plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore"),
        # Rows are shorter than the 128 elements of a TensorCore's tiles.
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False, use_tc_tiling_on_sc=False),
        name="own_rows",
    )
    def kernel(table_hbm, rows_hbm, out_hbm):
        def body(rows_vmem, out_vmem):
            with jax.named_scope("clear"):

                @plsc.parallel_loop(0, WINDOW)
                def _(row):
                    for start in range(0, width, lanes):
                        out_vmem[row, pl.ds(start, lanes)] = jnp.zeros(lanes, jnp.float32)

            with jax.named_scope("fetch"):
                held = table_hbm.at[plsc.Indices(rows_vmem, ignored_value=-1)]
                pltpu.sync_copy(held, out_vmem)

        pltpu.emit_pipeline(
            body,
            grid=(windows,),
            in_specs=[pl.BlockSpec((WINDOW,), lambda i: (i,))],
            out_specs=[pl.BlockSpec((WINDOW, width), lambda i: (i, 0))],
            core_axis_name=("core", "subcore"),
            dimension_semantics=(pltpu.PARALLEL,),
        )(rows_hbm, out_hbm)

    return kernel(table, rows)[:n]  # pyright: ignore[reportCallIssue]


def rows_of(embedding: sc.Embedding, ids: Ids) -> Ids:
    """Return the row of each id in the array of all devices' tables, `[samples, tables]` as the ids.

    Args:
        embedding: the layer, whose tables are in one stack.
        ids: an id for each table, `[samples, tables]`.
    """
    (stack,) = embedding.stacks
    features = _by_number(stack)
    offsets = np.array([each.col_offset for each in features], np.int32)
    shifts = np.array([each.col_shift for each in features], np.int32)
    cores = stack.num_sparse_cores
    partition = (ids + shifts) % cores
    return partition * (stack.vocabulary_size // cores) + (ids + offsets) // cores


def lookup(
    embedding: sc.Embedding, mesh: Mesh, tables: Any, rows: jax.Array
) -> dict[str, jax.Array]:
    """Return the embeddings of all samples by feature, `[samples, width]`.

    Args:
        embedding: the layer, whose tables are in one stack.
        mesh: the devices, along `AXIS`.
        tables: its variables.
        rows: the rows of a batch, `[samples, tables]`.
    """
    (stack,) = embedding.stacks
    # JAX cannot tell which results of a kernel differ between devices: it asks for no check of it.
    of_devices = jax.shard_map(
        _lookup,
        mesh=mesh,
        in_specs=(P(AXIS), P(AXIS)),
        out_specs=P(AXIS),
        check_vma=False,
    )
    found = of_devices(tables[stack.name]["table"], rows)
    return {
        each.spec.name: found[:, number, : each.spec.table.embedding_dim]
        for number, each in enumerate(_by_number(stack))
    }


def _by_number(stack: Stack) -> list[StackedFeature]:
    """Return the features of a stack in the order of the tables of `Clicks.ids`."""
    found = {each.spec.name: each for each in stack.features}
    return [found[name_of(number)] for number in range(len(found))]


@dataclass(frozen=True)
class KernelLearner(Learner):
    """A model with an embedding that is looked up by `own_rows`, and updated by the built-in update."""

    def inputs(self, clicks: Clicks) -> Inputs:
        """Return a batch on the devices, with the rows of its ids."""
        assert self.embedding is not None
        rows = rows_of(self.embedding, clicks.ids)
        split = NamedSharding(self.mesh, P(AXIS))
        return super().inputs(clicks)._replace(rows=jax.device_put(rows, split))

    def compiled_step(self, state: State, inputs: Inputs) -> Any:
        """Compile `(state, inputs) -> (state, log odds)`, as `Learner.compiled_step` does."""
        learn = jax.shard_map(
            self._learn,
            mesh=self.mesh,
            in_specs=(STATE_SPECS, P(AXIS), P(AXIS)),
            out_specs=(STATE_SPECS, P(AXIS)),
        )

        def step(state: State, inputs: Inputs) -> tuple[State, jax.Array]:
            return learn(state, inputs, self._looked_up(state, inputs))

        return jax.jit(step, donate_argnums=0).lower(state, inputs).compile()

    def compiled_predict(self, state: State, inputs: Inputs) -> Any:
        """Compile `(state, inputs) -> log odds` for arrays like these."""

        def predict(state: State, inputs: Inputs) -> jax.Array:
            return log_odds(state.params, inputs.numeric, self._looked_up(state, inputs))

        return jax.jit(predict).lower(state, inputs).compile()

    def _looked_up(self, state: State, inputs: Inputs) -> dict[str, jax.Array]:
        assert self.embedding is not None
        return lookup(self.embedding, self.mesh, state.tables, inputs.rows)


def _lookup(table: jax.Array, rows: jax.Array) -> jax.Array:
    """Return the rows of this device's samples, `[samples, tables, width]`.

    Args:
        table: the part of the tables that this device holds, `[held, width]`.
        rows: the rows of its samples in the tables of all devices, `[samples, tables]`.
    """
    held, width = table.shape
    of_all = jax.lax.all_gather(rows.reshape(-1), AXIS, tiled=True)
    own = of_all - jax.lax.axis_index(AXIS) * held
    found = own_rows(table, jnp.where((own >= 0) & (own < held), own, -1))
    return jax.lax.psum_scatter(found, AXIS, tiled=True).reshape(*rows.shape, width)


@dataclass(frozen=True)
class Lookups:
    """The times of the lookups of one batch, and whether their results are the same."""

    seconds: dict[str, float]
    """The median of the times of each kind."""
    different: int
    """How many elements differ, bit by bit, between the kernel's results and the built-in ones."""

    def text(self, batch: int) -> str:
        """Return a line for each kind of lookup."""
        lines = [
            f"{name:<14} a lookup of {batch:,} samples takes {seconds * 1e3:.2f} ms"
            for name, seconds in self.seconds.items()
        ]
        same = "the same bits" if not self.different else f"{self.different:,} elements differ"
        return "\n".join([*lines, f"kernel and built-in lookup: {same}"])


def compare_lookups(embedding: sc.Embedding, mesh: Mesh, tables: Any, clicks: Clicks) -> Lookups:
    """Look up a batch by the kernel, in each mode, and by the built-in lookup, in turns.

    Args:
        embedding: the layer, whose tables are in one stack.
        mesh: the devices, along `AXIS`.
        tables: its variables.
        clicks: the batch.
    """
    ids = embedding.preprocess(features_of(clicks.ids))
    rows = jax.device_put(rows_of(embedding, clicks.ids), NamedSharding(mesh, P(AXIS)))
    calls: dict[str, Callable[[], Any]] = {}
    for mode in MODES:
        sc.configure(embedding.settings.chip, pallas=mode)
        run = jax.jit(lambda tables, rows: lookup(embedding, mesh, tables, rows))
        run = run.lower(tables, rows).compile()
        calls[f"kernel, {mode}"] = lambda run=run: run(tables, rows)
    sc.configure(embedding.settings.chip)
    built_in = jax.jit(embedding.lookup)
    calls["built-in"] = lambda: built_in(tables, ids)
    results = [jax.block_until_ready(call()) for call in calls.values()]
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(RUNS):
        for name, call in calls.items():
            started = time.perf_counter()
            jax.block_until_ready(call())
            times[name].append(time.perf_counter() - started)
    *kernels, expected = results
    different = sum(
        int(np.sum(np.asarray(each[name]).view(np.int32) != np.asarray(values).view(np.int32)))
        for each in kernels
        for name, values in expected.items()
    )
    return Lookups({name: median(each) for name, each in times.items()}, different)
