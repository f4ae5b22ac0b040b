"""Counters and work for tests of the cost model."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from sdykit.sparsecore.chip import chip
from sdykit.sparsecore.cost import Costs, of_tables
from sdykit.sparsecore.cost.work import AMOUNTS, STEPS, Work
from sdykit.sparsecore.counts import Statistics, count, statistics_of
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.counters import Counters, make_counters
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec
from support.tile.tile_cases import Buffers, arrays_for, make_buffers, run_tile

ProgramStatistics = tuple[TileSpec, list[Statistics]]


def lookup_counters(
    seed: int, *, num_devices: int = 1, dim: int = 12, chip: str = "v5p", **fields: Any
) -> tuple[Buffers, list[Counters]]:
    """Return a random batch, and what a lookup of it counts on each device."""
    rng = np.random.default_rng(seed)
    minibatching = "vocabulary" if fields.get("minibatches") else "off"
    limit = 12 if minibatching == "vocabulary" else 400
    buffers = make_buffers(
        rng,
        chip,
        samples_per_core=32,
        vocabulary=900,
        max_ids=12,
        limit=limit,
        minibatching=minibatching,
        num_devices=num_devices,
    )
    spec = LookupSpec(
        dim=dim,
        samples_per_core=32,
        chip=chip,
        num_devices=num_devices,
        max_ids_per_partition=limit,
        **fields,
    )
    return buffers, [
        count(spec, statistics_of(spec, buffers.entries, device=device), device=device)
        for device in range(num_devices)
    ]


def update_counters(seed: int, *, dim: int = 12) -> tuple[Buffers, list[Counters]]:
    """Return a random batch, and what an update counts when it runs."""
    rng = np.random.default_rng(seed)
    buffers = make_buffers(rng, "v5p", samples_per_core=32, vocabulary=900, max_ids=12, limit=400)
    spec = UpdateSpec(
        dim=dim, samples_per_core=32, max_ids_per_partition=400, counters=True, reading="chip"
    )
    found, is_kept = run_tile(spec, arrays_for(rng, buffers, dim))
    assert is_kept
    program = compile_tile(spec, cache=None).source.text
    return buffers, make_counters(spec, program, {0: (1, found["counters"].ravel().tolist())})


def make_work(
    *, name: str = "v5p", kind: str = "lookup", rows: int = 1, cores: int = 4, **given: Any
) -> Work:
    """Return work without any amount, or with one that all SparseCores have in all steps.

    Args:
        name: the name of the chip.
        kind: the kind of the programs.
        rows: the number of programs, each of one minibatch.
        cores: the number of SparseCores.
        **given: amounts, `hbm_bytes` or `ici_bytes`.
    """
    steps = len(STEPS[kind])
    chips = -(-cores // chip(name).sparse_cores_per_chip)
    return Work(
        chip(name),
        kind,
        tuple(f"table {number}" for number in range(rows)),
        np.arange(rows),
        np.zeros(rows, np.int64),
        {each: np.full((rows, cores, steps), given.get(each, 0.0)) for each in AMOUNTS},
        np.full((rows, chips, steps), given.get("hbm_bytes", 0.0)),
        np.full((rows, chips, steps), given.get("ici_bytes", 0.0)),
    )


def with_amounts(work: Work, name: str, values: np.ndarray) -> Work:
    """Return work with other values of an amount."""
    return dataclasses.replace(work, amounts={**work.amounts, name: values})


def step_of(seed: int, *, num_devices: int = 1, **fields: Any) -> list[ProgramStatistics]:
    """Return the lookup and the update of a table, and the figures of a batch on each device."""
    rng = np.random.default_rng(seed)
    minibatching = "vocabulary" if fields.get("minibatches") else "off"
    limit = 12 if minibatching == "vocabulary" else 400
    buffers = make_buffers(
        rng,
        fields.get("chip", "v5p"),
        samples_per_core=32,
        vocabulary=900,
        max_ids=12,
        limit=limit,
        minibatching=minibatching,
        num_devices=num_devices,
    )
    all_fields: dict[str, Any] = {
        "dim": 12,
        "samples_per_core": 32,
        "num_devices": num_devices,
        "max_ids_per_partition": limit,
        "label": "users",
        **fields,
    }
    specs = [LookupSpec(**all_fields), UpdateSpec(**all_fields)]
    return [
        (spec, [statistics_of(spec, buffers.entries, device=each) for each in range(num_devices)])
        for spec in specs
    ]


def counted(cases: list[ProgramStatistics]) -> Costs:
    """Return costs from counters."""
    return of_tables(
        [
            [count(spec, each, device=device) for device, each in enumerate(statistics)]
            for spec, statistics in cases
        ]
    )
