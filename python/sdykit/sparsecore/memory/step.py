"""The memory of a training step: SPMEM of its programs, HBM from moment to moment, and what is wasted.

    memory = memory_of_tables(features, System(8, 4), "v5p")
    memory.ledger.peak_moment
    memory.programs[0].phases     # the layout of SPMEM
    memory.waste

`sdykit memory` shows it, and `sdykit.viz.memory_view` draws it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from sdykit.sparsecore.chip import chip as find_chip
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.limits.setup import with_limits
from sdykit.sparsecore.memory.entries import Entry
from sdykit.sparsecore.memory.kernels import kernel_spmem
from sdykit.sparsecore.memory.layers import PIPELINED, ledger_of_stacks, of_all_steps, specs_of
from sdykit.sparsecore.memory.ledger import Ledger
from sdykit.sparsecore.memory.padding import LimitUse, StackShape, Waste, waste_of
from sdykit.sparsecore.memory.programs import ledger_of, sizes_by_limits
from sdykit.sparsecore.memory.spmem import Spmem, spmem_of
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.run import Run
from sdykit.sparsecore.specs import FeatureSpec, System
from sdykit.sparsecore.stacking import stack
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, TileSpec

_NO_ROWS = "The rows of a table are not part of a spec: tables and slots are left out."
_RAW_IDS = "Raw ids have no limits, and no HBM stack that would follow from them."
_LIMITS = ("max_ids_per_partition", "max_unique_ids_per_partition")


@dataclasses.dataclass(frozen=True)
class StepMemory:
    """What memory holds in a training step.

    Attributes:
        ledger: the HBM of each device, with its moments.
        programs: the SPMEM of the programs that can be laid out.
        limits: the limits of the stacks, beside what was observed.
        waste: what is wasted of HBM, the most first.
        notes: what is not known, in sentences.
    """

    ledger: Ledger
    programs: tuple[Spmem, ...]
    limits: tuple[LimitUse, ...] = ()
    waste: tuple[Waste, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def fullest(self) -> Spmem | None:
        """The program that takes most SPMEM; None: there is none."""
        return max(self.programs, key=lambda each: each.bytes, default=None)

    def to_json(self) -> str:
        """Return all of it as JSON; `hbm` is as `Ledger.to_json` writes it."""
        fields: dict[str, Any] = {
            "hbm": json.loads(self.ledger.to_json()),
            "spmem": [{**dataclasses.asdict(each), "bytes": each.bytes} for each in self.programs],
            "limits": list(map(dataclasses.asdict, self.limits)),
            "waste": list(map(dataclasses.asdict, self.waste)),
            "notes": self.notes,
        }
        return json.dumps(fields, indent=2)


def memory_of_specs(
    specs: Sequence[TileSpec],
    config: SparsecoreConfig | None = None,
    *,
    is_pipelined: bool = False,
) -> StepMemory:
    """Return what programs need, with buffers for as many ids as their limits allow.

    Args:
        specs: the specs of lookups and updates of one chip; those of a table have one label.
        config: the configuration; None: all settings have their defaults.
        is_pipelined: whether steps are pipelined.

    Raises:
        SparseCoreError: there are none, they are of several chips, or one does not fit in SPMEM.
    """
    chips = {each.hardware.name: each.hardware for each in specs}
    if len(chips) != 1:
        raise SparseCoreError(
            f"memory: the specs are of the chips {', '.join(chips) or 'none'}; expected one chip"
        )
    config = SparsecoreConfig() if config is None else config
    programs = tuple(map(_layout_of, specs))
    (chip,) = chips.values()
    ahead = config.maximum_parallel_iterations + (PIPELINED if is_pipelined else 0)
    serialized = config.xla_sc_num_serialized_tables_to_optimize_hbm
    ledger = Ledger(chip, _entries_of(specs, ahead), serialized, is_pipelined)
    ledger = ledger.plus(entry for each in programs for entry in each.staged)
    limits = (limit for each in specs if each.layout != "ids" for limit in _limits_of(each))
    notes = [_NO_ROWS]
    if any(each.layout == "ids" for each in specs):
        notes.append(_RAW_IDS)
    return StepMemory(ledger, programs, tuple(dict.fromkeys(limits)), notes=tuple(notes))


def memory_of_tables(
    features: Sequence[FeatureSpec],
    system: System,
    chip: str,
    config: SparsecoreConfig | None = None,
    *,
    has_minibatches: bool = False,
    is_pipelined: bool = False,
) -> StepMemory:
    """Return what the tables of a model need, as an `Embedding` of them does.

    Args:
        features: the features, whose batch sizes are those of all devices.
        system: the numbers of devices and SparseCores.
        chip: the name of the chip, or the path of a file that describes it.
        config: the configuration; None: all settings have their defaults.
        has_minibatches: whether the buffers are laid out for minibatches.
        is_pipelined: whether steps are pipelined.

    Raises:
        SparseCoreError: tables cannot be stacked, a setting is wrong, or a program does not fit in SPMEM.
    """
    config = SparsecoreConfig() if config is None else config
    alignment = find_chip(chip).row_alignment
    stacks = stack(features, system, config.disable_table_stacking, row_alignment=alignment)
    config, stacks = with_limits(config, stacks, system)
    ledger = ledger_of_stacks(
        stacks,
        system,
        chip,
        has_minibatches=has_minibatches,
        prefetched=config.maximum_parallel_iterations,
        serialized_tables=config.xla_sc_num_serialized_tables_to_optimize_hbm,
        is_pipelined=is_pipelined,
    )
    programs, limits, notes = list[Spmem](), list[LimitUse](), list[str]()
    for each in stacks:
        specs = specs_of(each, system, chip, has_minibatches)
        lookup = dataclasses.replace(specs[0], label=each.name)
        update = dataclasses.replace(specs[1], label=each.name)
        programs.append(_layout_of(lookup))
        limits += _limits_of(lookup)
        if isinstance(update, CustomUpdateSpec):
            notes.append(f"The update of {each.name} is your own: its SPMEM is not known here.")
        elif lookup.dtype == "float32":  # Others are not updated.
            programs.append(_layout_of(update))
    ledger = ledger.plus(entry for each in programs for entry in each.staged)
    waste = waste_of(ledger, list(map(StackShape.of, stacks)))
    return StepMemory(ledger, tuple(programs), tuple(limits), waste, tuple(notes))


def memory_of_run(run: Run, serialized_tables: int | None = None) -> StepMemory:
    """Return the memory of the programs of a recorded run, with what was observed of their limits.

    Args:
        run: the run.
        serialized_tables: how many tables are serialized; None: as many as in the run.

    Raises:
        SparseCoreError: a program does not fit in SPMEM.
    """
    serialized = serialized_tables
    if serialized is None:
        serialized = int(run.settings.get("xla_sc_num_serialized_tables_to_optimize_hbm", 0))
    specs = {
        dataclasses.replace(each.tile, label=each.name or each.tile.label): None
        for each in run.programs
        if not isinstance(each.spec, MosaicSpec)
    }
    programs = [_layout_of(spec) for spec in specs]
    kernels = dict.fromkeys(each.spec for each in run.programs if isinstance(each.spec, MosaicSpec))
    programs += map(kernel_spmem, kernels)
    notes = []
    if run.ledger is None:
        notes.append("The run has no ledger of HBM: only what follows from its programs is known.")
        prefetched = int(run.settings.get("maximum_parallel_iterations", 0))
        entries = _entries_of(tuple(specs), prefetched)
        ledger = Ledger(find_chip(run.chip), entries, serialized)
    else:
        ledger = dataclasses.replace(run.ledger, serialized_tables=serialized)
    staged = dict.fromkeys(entry for each in programs for entry in each.staged)
    ledger = ledger.plus(each for each in staged if each not in ledger.entries)
    limits = [each for stack_ in run.stacks for each in _observed(run, stack_.name, stack_.limits)]
    sizes = {each.name: (each.vocabulary_size, each.embedding_dim) for each in run.tables}
    shapes = [
        StackShape(
            each.name,
            each.vocabulary_size,
            each.embedding_dim,
            tuple((name, *sizes[name]) for name in each.tables if name in sizes),
        )
        for each in run.stacks
    ]
    waste = waste_of(ledger, shapes, limits, _ids_of(run))
    return StepMemory(ledger, tuple(programs), tuple(limits), waste, tuple(notes))


def _ids_of(run: Run) -> dict[str, float]:
    """Return how many ids a device looks up in a sampled step, on average, by the name of the stack."""
    sums: dict[str, int] = {}
    for step in run.sampled_steps:
        for (number, _), figures in run.figures(step).items():
            program = run.programs[number]
            if program.is_lookup and program.tile.layout != "ids":
                sums[program.name] = sums.get(program.name, 0) + int(figures.ids.sum())
    steps = max(len(run.sampled_steps), 1)
    return {name: total / steps / run.devices for name, total in sums.items()}


def _layout_of(spec: TileSpec) -> Spmem:
    """Return what a program holds in SPMEM; an error names the program."""
    try:
        return spmem_of(spec)
    except SparseCoreError as error:
        of_label = f" of {spec.label}" if spec.label else ""
        raise SparseCoreError(f"{spec.kind}{of_label}: {error}") from None


def _entries_of(specs: Sequence[TileSpec], prefetched: int) -> tuple[Entry, ...]:
    """Return the entries of programs, those that a lookup and an update share once."""
    found = (each for spec in specs for each in ledger_of(spec, sizes_by_limits(spec)).entries)
    return tuple(of_all_steps(each, prefetched) for each in dict.fromkeys(found))


def _limits_of(spec: TileSpec) -> tuple[LimitUse, ...]:
    ids, unique_ids = spec.limits
    return tuple(
        LimitUse(spec.label, name, value, None)
        for name, value in zip(_LIMITS, (ids, unique_ids), strict=True)
    )


def _observed(run: Run, name: str, limits: Any) -> Sequence[LimitUse]:
    """Return the limits of a stack of a run, with the largest counts of its batches."""
    batches = run.batches.where(run.batches.stack == name)
    observed = (batches.max_ids, batches.max_unique_ids)
    return [
        LimitUse(name, limit, int(limits[limit]), int(each.max()) if each.size else None)
        for limit, each in zip(_LIMITS, observed, strict=True)
        if limits.get(limit)
    ]
