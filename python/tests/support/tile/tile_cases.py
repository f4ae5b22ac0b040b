"""Batches in preprocessed buffers, and running tile programs on them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
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
from sdykit.sparsecore.tile.spec import POINTERS, LookupSpec, TileSpec

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
    """A preprocessed batch, the devices one after another."""

    arrays: Arrays
    """The buffers, by the names of the programs' arguments."""
    entries: Entries
    rows_per_core: int
    samples_per_core: int


def make_buffers(
    rng: np.random.Generator,
    chip: str,
    *,
    samples_per_core: int = 5,
    vocabulary: int = 60,
    max_ids: int = 8,
    limit: int = 1000,
    layout: Layout = "sdykit",
    minibatching: Minibatching = "off",
    combiner: Combiner = "sum",
    dropping: bool = False,
    num_devices: int = 1,
) -> Buffers:
    """Preprocess samples of 0 to `max_ids` ids; fill positions without an entry with garbage."""
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
    splits = np.concatenate([[0], np.cumsum(rng.integers(0, max_ids + 1, batch))])
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
        arrays["observed"] = found.index.observed[0].ravel()
    entries = entries_from_packed(
        arrays["row_pointers"],
        arrays["embedding_ids"],
        arrays["sample_ids"],
        arrays["gains"],
        samples_per_core=samples_per_core,
        system=system,
        num_minibatches=count,
    )
    is_entry = _has_entry(arrays["row_pointers"], len(arrays["gains"]), system, count)
    assert is_entry.sum() == len(entries)
    arrays["gains"][~is_entry] = np.nan
    for name in ("embedding_ids", "sample_ids"):
        arrays[name][~is_entry] = rng.integers(-(2**31), 2**31, (~is_entry).sum())
    rows = stacks[0].vocabulary_size // cores
    return Buffers(arrays, entries, rows, samples_per_core)


def _has_entry(
    row_pointers: np.ndarray, size: int, system: System, num_minibatches: int | None
) -> np.ndarray:
    """Return whether each position of the buffers has an entry, bool `[size]`.

    Args:
        row_pointers: the ends of the segments, the devices one after another.
        size: the number of positions of all devices.
        system: the devices.
        num_minibatches: the number of minibatches; None: the buffers are laid out for none, and
            row pointers are relative to the part of a SparseCore.
    """
    devices, cores = system.num_devices, system.sparse_cores_per_device
    partitions, minibatches = system.num_sparse_cores, num_minibatches or 1
    width = max(partitions, POINTERS)
    used = row_pointers.reshape(devices, -1)[:, : cores * minibatches * width]
    ends = used.reshape(devices, cores, minibatches, width)[..., :partitions]
    found = np.zeros((devices, size // devices), bool)
    for device in range(devices):
        end = 0
        for core, minibatch in np.ndindex(cores, minibatches):
            part = found[device]
            if num_minibatches is None:
                end, room = 0, found.shape[1] // cores
                part = found[device, core * room : (core + 1) * room]
            for stop in ends[device, core, minibatch].tolist():
                start = -(-end // POINTERS) * POINTERS
                part[start:stop] = True
                end = stop
    return found.ravel()


def run_tile(
    spec: TileSpec,
    given: Mapping[str, np.ndarray],
    threads: int = 1,
    compiled: Compiler = COMPILE,
) -> tuple[Arrays, bool]:
    """Run a program on copies of its inputs; outputs and workspaces are filled with garbage.

    It runs again with checked bounds, and as the chip runs it, and must have the same results.

    Returns:
        All arguments after the first run, and whether all inputs are unchanged.
    """
    arrays, kept = run_once(compiled(spec), given, threads)
    if spec.check_bounds:
        return arrays, kept
    checked, kept_again = run_once(
        compiled(dataclasses.replace(spec, check_bounds=True)), given, threads
    )
    assert same_bits(checked["status"], arrays["status"])
    _compare(spec, arrays, checked)
    if compiled is COMPILE and _runs_on_the_chip(spec, arrays):
        chip, kept_on_chip = run_once(
            compiled(dataclasses.replace(spec, check_bounds=True, reading="chip")), given, threads
        )
        # Of several errors, each reading may find another one first.
        assert chip["status"].any() == arrays["status"].any()
        _compare(spec, arrays, chip)
        kept = kept and kept_on_chip
    return arrays, kept and kept_again


def _runs_on_the_chip(spec: TileSpec, arrays: Arrays) -> bool:
    """Return whether the chip reading must have the same results as a program that has run.

    A chip does not read the index by sample, and so finds no error in it.
    """
    if spec.reading == "chip":
        return False
    return not (isinstance(spec, LookupSpec) and spec.has_index and arrays["status"].any())


def _compare(spec: TileSpec, arrays: Arrays, others: Arrays) -> None:
    """Compare the outputs of two runs; after an error, they are not defined."""
    for argument in arguments_of(spec):
        if argument.role in ("output", "in_place") and not arrays["status"].any():
            assert same_bits(others[argument.name], arrays[argument.name]), argument.name


def run_once(
    tile: CompiledTile, given: Mapping[str, np.ndarray], threads: int = 1
) -> tuple[Arrays, bool]:
    """Run a program on copies of its inputs, as `run_tile` does, in one reading."""
    arrays: Arrays = {}
    sizes = {
        "entries": given["ids"].size if "ids" in given else len(given["embedding_ids"]),
        "pointers": len(given.get("row_pointers", ())),
        "valency": given["ids"].shape[1] if "ids" in given else 0,
        "rows": len(given["table"]),
        "launches": len(given.get("launches", ())),
    }
    for argument in tile.source.arguments:
        shape = [sizes[size] if isinstance(size, str) else size for size in argument.shape]
        if argument.role in ("input", "in_place", "launch"):
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
    """Return whether two arrays have the same bits; the bits of a NaN are not defined."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return a.tobytes() == b.tobytes()
    is_nan = np.isnan(a)
    same = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
    return bool(np.all(same | (is_nan & np.isnan(b))))


def message_of(messages: Sequence[str], status: np.ndarray) -> str:
    """Return the message of a status, as the callers of programs read it."""
    text = messages[int(status[0])]
    for number in range(1, 8):
        text = text.replace(f"{{{number}}}", str(status[number]))
    return text


def message(spec: TileSpec, status: np.ndarray, compiled: Compiler = COMPILE) -> str:
    """Return the message of the status of a spec's program."""
    return message_of(compiled(spec).code.interface.messages, status)


def arrays_for(rng: np.random.Generator, buffers: Buffers, dim: int) -> Arrays:
    """Return the inputs of lookups and of updates by Adagrad, on one device of a v5p."""
    table = rng.standard_normal((buffers.rows_per_core * 4, dim)).astype(np.float32)
    gradients = rng.standard_normal((buffers.samples_per_core * 4, dim)).astype(np.float32)
    return {
        **buffers.arrays,
        "table": table,
        "slot_accumulator": np.ones_like(table),
        "gradients": gradients,
        "learning_rate": np.array(0.1, np.float32),
    }
