"""What was compiled, and what ran, in a recording."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from sdykit.bridge.kernels.compile import Compilation, compilations
from sdykit.bridge.recording.batches import Span
from sdykit.bridge.recording.scopes import scope_spans
from sdykit.sparsecore.mosaic.spec import KIND, MosaicSpec
from sdykit.sparsecore.run import Calls, Change, Program, ScopeSpans
from sdykit.sparsecore.run.steps import steps_of
from sdykit.sparsecore.tile.spec import (
    CustomUpdateSpec,
    LookupSpec,
    TileSpec,
    UpdateSpec,
    spec_from_fields,
)

_KINDS: Final = (LookupSpec.kind, UpdateSpec.kind, CustomUpdateSpec.kind, KIND)
MODULE: Final = "module"

AnySpec: TypeAlias = TileSpec | MosaicSpec

_RUN: Final = np.dtype(
    [
        *((name, np.int32) for name in ("kernel", "call_site", "device", "recording")),
        *((name, np.int64) for name in ("execution", "start", "end")),
    ]
)
"""`RecordedRun` of `native/recorder.h`."""


@dataclasses.dataclass(frozen=True, eq=False)
class SampledRun:
    """The inputs of a run.

    Attributes:
        step: the step that it is part of.
        program: the number of the program.
        device: the number of the device.
        compilation: how the program was made.
        dims: the dynamic sizes of all its arguments, in order.
        arrays: the sampled arguments, in order.
    """

    step: int
    program: int
    device: int
    compilation: Compilation
    dims: Sequence[int]
    arrays: Sequence[bytes]


@dataclasses.dataclass(frozen=True, eq=False)
class Runs:
    """What was compiled and what ran.

    Attributes:
        programs: the programs.
        calls: their executions.
        samples: the inputs of some of them.
        scopes: when scopes of kernels began and ended, in some of the calls.
        compile_spans: when programs were compiled.
        left_out_calls: how many executions there was no room for.
        left_out_samples: how many inputs there was no room for.
    """

    programs: tuple[Program, ...]
    calls: Calls
    samples: tuple[SampledRun, ...]
    scopes: ScopeSpans
    compile_spans: list[Span]
    left_out_calls: int
    left_out_samples: int


def read_runs(recorded: tuple[Any, ...], begin: int, stacks: Sequence[str]) -> Runs:
    """Return what `_native.stop_recording` returned, with steps and programs.

    Args:
        recorded: the runs as bytes, how many runs and samples were left out, the samples, and the times of
            scopes.
        begin: when the recording began, in nanoseconds.
        stacks: the names of the stacks, by which programs of another library are named.
    """
    data, left_out_calls, left_out_samples, samples, scopes = recorded
    rows = np.frombuffer(data, _RUN)
    made = [each for each in compilations() if each.spec["kind"] in _KINDS]
    rows = rows[np.isin(rows["kernel"], [each.kernel.number for each in made])]
    rows = rows[np.argsort(rows["start"], kind="stable")]
    in_run = [each for each in made if each.start >= begin or each.kernel.number in rows["kernel"]]
    programs = _programs(made, in_run, begin, stacks)
    calls = _calls(rows, in_run, programs, begin)
    positions = _Positions(rows)
    return Runs(
        programs,
        calls,
        tuple(_sampled(samples, positions, calls, in_run)),
        scope_spans(_noted(scopes, positions, calls, programs), begin),
        [
            ("compile", each.start, each.start + int(each.seconds * 1e9), 0)
            for each in in_run
            if each.start >= begin
        ],
        left_out_calls,
        left_out_samples,
    )


def _calls(
    rows: npt.NDArray[Any], in_run: Sequence[Compilation], programs: Sequence[Program], begin: int
) -> Calls:
    number_of = {each.kernel.number: number for number, each in enumerate(in_run)}
    program = np.array([number_of[kernel] for kernel in rows["kernel"].tolist()], np.int64)
    names = [(programs[each].name, programs[each].kind) for each in program.tolist()]
    device, call_site = (rows[name].astype(np.int64) for name in ("device", "call_site"))
    step = steps_of(device, call_site, rows["execution"], rows["start"], names)
    start, end = ((rows[name] - begin) / 1e9 for name in ("start", "end"))
    return Calls(program, device, step, start, end, rows["execution"].copy())


class _Positions:
    """The positions of runs in a recording, by what tells runs apart."""

    _FIELDS: Final = ("call_site", "device", "start")

    def __init__(self, rows: npt.NDArray[Any]) -> None:
        columns = (rows[name].tolist() for name in self._FIELDS)
        self._of = {place: at for at, place in enumerate(zip(*columns, strict=True))}

    def of(self, run: bytes) -> int | None:
        """Return the position of a run, or None if the recording does not have it."""
        (row,) = np.frombuffer(run, _RUN)
        return self._of.get(tuple(int(row[name]) for name in self._FIELDS))


def _sampled(
    samples: Iterable[tuple[bytes, Sequence[int], Sequence[bytes]]],
    positions: _Positions,
    calls: Calls,
    in_run: Sequence[Compilation],
) -> Iterator[SampledRun]:
    for run, dims, arrays in samples:
        at = positions.of(run)
        if at is not None:
            step, program, device = (
                int(each[at]) for each in (calls.step, calls.program, calls.device)
            )
            yield SampledRun(step, program, device, in_run[program], dims, arrays)


def _noted(
    scopes: Iterable[tuple[bytes, bytes]],
    positions: _Positions,
    calls: Calls,
    programs: Sequence[Program],
) -> Iterator[tuple[int, MosaicSpec, bytes]]:
    """Yield the number of each call whose scopes were noted, its kernel, and the words."""
    for run, words in scopes:
        at = positions.of(run)
        spec = None if at is None else programs[int(calls.program[at])].spec
        if at is not None and isinstance(spec, MosaicSpec):
            yield at, spec, words


def _programs(
    made: Sequence[Compilation],
    in_run: Sequence[Compilation],
    begin: int,
    stacks: Sequence[str],
) -> tuple[Program, ...]:
    """Return the programs of a run, with what changed since the last one of the same name and kind.

    That is one of the run, or else of those that were made before.

    Args:
        made: all programs of this process, in the order in which they were made.
        in_run: those of them that are in the run.
        begin: when the recording began.
        stacks: the names of the stacks.
    """
    chosen = {id(each) for each in in_run}
    last: dict[tuple[str, str], AnySpec] = {}
    last_of_run: dict[tuple[str, str], AnySpec] = {}
    programs = []
    for each in made:
        spec = _spec(each.spec)
        name = spec.name if isinstance(spec, MosaicSpec) else _name(each.call.table, stacks)
        key = name, each.spec["kind"]
        before = last_of_run.get(key, last.get(key)) if name else None
        last[key] = spec
        if id(each) in chosen:
            last_of_run[key] = spec
            programs.append(
                Program(
                    spec,
                    name,
                    each.call.where,
                    each.seconds,
                    (each.start - begin) / 1e9,
                    each.origin,
                    () if before is None else _changes(before, spec),
                )
            )
    return tuple(programs)


def _name(table: str, stacks: Sequence[str]) -> str:
    """Return the stack of a program: updates of jax-tpu-embedding have longer names, with the stack's."""
    if table in stacks:
        return table
    return max((each for each in stacks if each in table), key=len, default=table)


def _spec(fields: Mapping[str, Any]) -> AnySpec:
    return MosaicSpec.from_fields(fields) if fields["kind"] == KIND else spec_from_fields(fields)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _changes(before: AnySpec, after: AnySpec) -> tuple[Change, ...]:
    old, new = before.to_fields(), after.to_fields()
    if MODULE in new:  # Its text is long: what tells two apart is enough.
        old[MODULE], new[MODULE] = _digest(str(old[MODULE])), _digest(str(new[MODULE]))
    return tuple(
        Change(name, old.get(name), value) for name, value in new.items() if old.get(name) != value
    )
