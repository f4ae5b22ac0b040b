"""Runs that tests read and write, without a training loop."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from sdykit.sparsecore.chip import chip
from sdykit.sparsecore.counts import statistics_of
from sdykit.sparsecore.memory import Entry, Ledger
from sdykit.sparsecore.reference import Entries
from sdykit.sparsecore.run import (
    Batches,
    Calls,
    Change,
    Feature,
    HostSpans,
    Program,
    RawBatch,
    Run,
    StackOfTables,
    Table,
)
from sdykit.sparsecore.run.figures import FigureColumns, figure_columns
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec

LIMITS = {"max_ids_per_partition": 64, "max_unique_ids_per_partition": 48}


def make_run(*, tables: int = 2, steps: int = 3, chip_name: str = "v5p", seed: int = 0) -> Run:
    """Return a run of a loop on one device: lookups of all tables, 2 ms, updates, each 1 ms."""
    random = np.random.default_rng(seed)
    names = [f"table_{number}" for number in range(tables)]
    programs = [*(_program(name, LookupSpec, chip_name) for name in names)]
    programs += [_program(name, UpdateSpec, chip_name) for name in names]
    calls = _calls(tables, steps)
    sampled = _figures(programs, random)
    return Run(
        path=Path("run"),
        chip=chip_name,
        devices=1,
        settings={"chip": chip_name, "execute": "cpu", "allow_id_dropping": False},
        versions={"sdykit": "0", "jax": "0.10.2"},
        seconds=float(calls.end.max()) + 0.001,
        tables=tuple(_table(name) for name in names),
        stacks=tuple(
            StackOfTables(name, (name,), (0,), 1024, 32, 64, dict(LIMITS)) for name in names
        ),
        programs=tuple(programs),
        calls=calls,
        host=_host(steps, calls),
        batches=_batches(names, steps, chip(chip_name).sparse_cores_per_device, random),
        sampled=sampled,
        ids=(RawBatch(0, {f"{name}_id": _csr(random) for name in names}),),
        ledger=Ledger(
            chip(chip_name),
            tuple(
                Entry(kind="table", owner=name, name="table", bytes=2**17, note="f32[1024,32]")
                for name in names
            ),
        ),
    )


def _program(name: str, kind: Any, chip_name: str) -> Program:
    spec = kind(dim=32, samples_per_core=16, chip=chip_name, **LIMITS)
    changed = (Change("max_ids_per_partition", 32, 64),) if kind is LookupSpec else ()
    return Program(spec, name, f"{spec.kind}: stack {name!r}", 0.25, 0.0, "compiled", changed)


def _table(name: str) -> Table:
    optimizer = {"name": "SGD", "learning_rate": 0.01}
    return Table(name, 1000, 32, "float32", optimizer, "sum", (Feature(f"{name}_id", 64),))


def _calls(tables: int, steps: int) -> Calls:
    rows = []
    for step in range(steps):
        time = 0.01 + step * (tables * 2 + 4) * 1e-3
        for at in range(2 * tables):
            time += 0.002 if at == tables else 0.0
            rows.append((at, 0, step, time, time + 0.001, step))
            time += 0.001
    columns = np.array(rows, np.float64).reshape(-1, 6).T
    program, device, step, start, end, execution = columns
    whole = (each.astype(np.int64) for each in (program, device, step, execution))
    program, device, step, execution = whole
    return Calls(program, device, step, start, end, execution)


def _host(steps: int, calls: Calls) -> HostSpans:
    first = np.array([calls.start[calls.step == step].min() for step in range(steps)])
    zeros, numbers = np.zeros(steps, np.int64), np.arange(steps) - 1
    return HostSpans(np.array(["preprocess"] * steps), numbers, first - 0.002, first - 0.001, zeros)


def _batches(names: list[str], steps: int, partitions: int, random: np.random.Generator) -> Batches:
    rows = len(names) * steps
    ids = random.integers(20, 60, (rows, partitions))
    return Batches(
        np.repeat(np.arange(steps), len(names)),
        np.array(names * steps),
        np.repeat(np.arange(steps) * 0.01, len(names)),
        ids,
        ids // 2,
        np.zeros(rows, np.int64),
        np.ones(rows, np.int64),
    )


def _figures(programs: list[Program], random: np.random.Generator) -> FigureColumns:
    return figure_columns(
        {
            (1, number, 0): statistics_of(each.tile, random_entries(each.tile, random))
            for number, each in enumerate(programs)
        }
    )


def random_entries(spec: TileSpec, random: np.random.Generator, count: int = 100) -> Entries:
    """Return the entries of a batch of 100 ids, within the limits of `LIMITS`."""
    cores = spec.sparse_cores
    zeros = np.zeros(count, np.int64)
    return Entries(
        system=System(1, cores),
        samples_per_core=spec.samples_per_core,
        device=zeros,
        core=random.integers(0, cores, count),
        minibatch=zeros,
        partition=random.integers(0, cores, count),
        local_id=random.integers(0, 200, count),
        local_sample=random.integers(0, spec.samples_per_core, count),
        gain=np.ones(count, np.float32),
    )


def _csr(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    splits = np.concatenate(([0], np.cumsum(random.integers(0, 4, 64))))
    return random.integers(0, 1000, splits[-1]), splits


def with_fields(run: Run, **fields: Any) -> Run:
    """Return a run with other values of some fields."""
    return dataclasses.replace(run, **fields)
