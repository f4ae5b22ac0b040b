"""Batches in buffers, and tile programs run on them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from sdykit.sparsecore.codegen import run
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.inputs import Ragged
from sdykit.sparsecore.preprocess import Layout, Minibatching, preprocess
from sdykit.sparsecore.reference import Entries, entries_from_packed
from sdykit.sparsecore.specs import Combiner, FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
from sdykit.sparsecore.tile.build import arguments_of
from sdykit.sparsecore.tile.compile import CompiledTile, compile_tile
from sdykit.sparsecore.tile.spec import TileSpec

Arrays = dict[str, np.ndarray]
Compiler = Callable[[TileSpec], CompiledTile]
COMPILE: Compiler = partial(compile_tile, cache=None)
CONFIG = SparsecoreConfig(max_ids_per_chip_per_sample=2**30)
DROPPING = dataclasses.replace(CONFIG, allow_id_dropping=True)
LAYOUTS: tuple[Layout, ...] = ("sdykit", "jax_tpu_embedding")
MINIBATCHINGS: tuple[Minibatching, ...] = ("off", "vocabulary", "sample")
CHIPS = {"v5p": 4, "v6e": 2, "7x": 2}
"""Chips and the SparseCores of a device."""


@dataclasses.dataclass(frozen=True, eq=False)
class Buffers:
    """What preprocessing made of a batch, the devices one after another."""

    arrays: Arrays
    """By the names of the programs' arguments."""
    entries: Entries
    rows_per_core: int
    samples_per_core: int


def make_buffers(
    rng: np.random.Generator,
    chip: str,
    *,
    samples_per_core: int = 5,
    vocabulary: int = 60,
    most_ids: int = 8,
    limit: int = 1000,
    layout: Layout = "sdykit",
    minibatching: Minibatching = "off",
    combiner: Combiner = "sum",
    dropping: bool = False,
    num_devices: int = 1,
) -> Buffers:
    """Preprocess samples of 0 to `most_ids` ids, then poison what programs must not read."""
    system = System(num_devices, CHIPS[chip])
    cores = system.num_sparse_cores
    batch = samples_per_core * cores
    table = TableSpec(
        "table",
        vocabulary,
        8,
        combiner=combiner,
        max_ids_per_partition=limit,
        max_unique_ids_per_partition=limit,
    )
    stacks = stack([FeatureSpec("feature", table, batch)], system)
    splits = np.concatenate([[0], np.cumsum(rng.integers(0, most_ids + 1, batch))])
    ids = rng.integers(0, vocabulary, splits[-1])
    done = preprocess(
        {"feature": Ragged(ids, splits)},
        stacks,
        system,
        weights={"feature": rng.uniform(0.1, 3, len(ids)).astype(np.float32)},
        config=DROPPING if dropping else CONFIG,
        layout=layout,
        minibatching=minibatching,
    )
    found = done.buffers["table"]
    arrays: Arrays = {
        "row_pointers": found.row_pointers.ravel().copy(),
        "embedding_ids": found.embedding_ids.ravel().copy(),
        "sample_ids": found.sample_ids.ravel().copy(),
        "gains": found.gains.ravel().copy(),
    }
    count = None
    if minibatching != "off":
        count = done.num_minibatches
        arrays["num_minibatches"] = np.array([count], np.int32)
    if found.index is not None:
        arrays["splits"] = found.index.splits[0].copy()
        arrays["sample_rows"] = found.index.rows[0].copy()
        arrays["sample_gains"] = found.index.gains[0].copy()
    entries = _read(arrays, arrays["gains"], system, samples_per_core, count)
    _poison(rng, arrays, _read(arrays, None, system, samples_per_core, count))
    rows = stacks[0].vocabulary_size // cores
    return Buffers(arrays, entries, rows, samples_per_core)


def _read(
    arrays: Arrays,
    gains: np.ndarray | None,
    system: System,
    samples_per_core: int,
    num_minibatches: int | None,
) -> Entries:
    """Read the entries; without gains, the bits of theirs are the positions."""
    ids = arrays["embedding_ids"]
    factors = np.arange(len(ids), dtype=np.int32).view(np.float32) if gains is None else gains
    return entries_from_packed(
        arrays["row_pointers"],
        ids,
        arrays["sample_ids"],
        factors,
        samples_per_core=samples_per_core,
        system=system,
        num_minibatches=num_minibatches,
    )


def _poison(rng: np.random.Generator, arrays: Arrays, positions: Entries) -> None:
    dead = np.ones(len(arrays["gains"]), bool)
    dead[positions.gain.view(np.int32)] = False
    arrays["gains"][dead] = np.nan
    for name in ("embedding_ids", "sample_ids"):
        arrays[name][dead] = rng.integers(-(2**31), 2**31, dead.sum())


def run_tile(
    spec: TileSpec,
    given: Mapping[str, np.ndarray],
    threads: int = 1,
    compiled: Compiler = COMPILE,
) -> tuple[Arrays, bool]:
    """Run a program on copies; outputs and workspaces hold garbage before.

    It runs twice, the second time with the bounds check, and must do the same then.

    Returns:
        All arguments afterwards, and whether all inputs stayed as they were.
    """
    arrays, kept = _run(compiled(spec), given, threads)
    if spec.check_bounds:
        return arrays, kept
    with_check = compiled(dataclasses.replace(spec, check_bounds=True))
    checked, kept_again = _run(with_check, given, threads)
    if "status" in arrays:
        assert same_bits(checked["status"], arrays["status"])
    else:
        assert not checked["status"].any()
    for argument in arguments_of(spec):
        # What a program that found an error leaves is not defined.
        if argument.role in ("output", "in_place") and not checked["status"].any():
            assert same_bits(checked[argument.name], arrays[argument.name]), argument.name
    return arrays, kept and kept_again


def _run(tile: CompiledTile, given: Mapping[str, np.ndarray], threads: int) -> tuple[Arrays, bool]:
    arrays: Arrays = {}
    sizes = {
        "entries": given["ids"].size if "ids" in given else len(given["embedding_ids"]),
        "pointers": len(given.get("row_pointers", ())),
        "valency": given["ids"].shape[1] if "ids" in given else 0,
        "rows": len(given["table"]),
    }
    for argument in tile.source.arguments:
        shape = [sizes[size] if isinstance(size, str) else size for size in argument.shape]
        if argument.role in ("input", "in_place"):
            arrays[argument.name] = given[argument.name].copy()
            continue
        if argument.role in ("status", "counters"):
            arrays[argument.name] = np.zeros(shape, np.int64)
            continue
        garbage = np.full(shape, -1, argument.dtype)
        arrays[argument.name] = garbage if garbage.dtype.kind == "i" else garbage * np.nan
    run(tile.code, list(arrays.values()), threads)
    kept = all(
        same_bits(arrays[argument.name], given[argument.name])
        for argument in tile.source.arguments
        if argument.role == "input"
    )
    return arrays, kept


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Compare; any NaN equals any other, since which one comes out is not defined."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return a.tobytes() == b.tobytes()
    is_nan = np.isnan(a)
    same = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
    return bool(np.all(same | (is_nan & np.isnan(b))))
