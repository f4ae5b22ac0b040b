"""Timelines of runs: what is in them, against the run itself and the cost model."""

from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

from sdykit.sparsecore.cost import numbers_of, of_statistics, training_step
from sdykit.sparsecore.counts import count
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.run import Calls, HostSpans, Run
from sdykit.sparsecore.tile.spec import CustomUpdateSpec
from sdykit.sparsecore.timeline import Cut, Span, by_track, measured, place_of, simulated
from sdykit.sparsecore.timeline.measured import is_pipelined
from support.runs import make_run, with_fields

ONE = Cut(cores=((0, 1),), tiles=(3,))


def nested(spans: list[Span]) -> bool:
    """Return whether the spans of each track lie after or within each other."""
    for on_track in by_track(spans).values():
        ends: list[float] = []
        for span in on_track:
            while ends and ends[-1] <= span.start + 1e-12:
                ends.pop()
            if ends and span.end > ends[-1] + 1e-12:
                return False
            ends.append(span.end)
    return True


def test_measured_has_each_call_once_at_its_time() -> None:
    run = make_run(tables=2, steps=4)
    spans = measured(run)
    calls = [each for each in spans if each.kind == "program"]
    found = [(each.start, each.end) for each in calls]
    begin = run.calls.start.min()
    np.testing.assert_allclose(found, np.stack([run.calls.start, run.calls.end], axis=1) - begin)
    assert collections.Counter(each.name for each in calls) == {
        "lookup table_0": 4,
        "lookup table_1": 4,
        "update table_0": 4,
        "update table_1": 4,
    }
    assert nested(spans)
    assert min(each.start for each in spans) == 0


def test_the_tensor_core_works_between_lookups_and_updates() -> None:
    spans = measured(make_run(tables=2, steps=3))
    dense = [each for each in spans if each.track == "TPU:0 TensorCore"]
    assert [each.seconds for each in dense] == pytest.approx([0.002] * 3)
    last = [each for each in spans if each.name == "lookup table_1"]
    first = [each for each in spans if each.name == "update table_0"]
    assert [each.start for each in dense] == pytest.approx([each.end for each in last])
    assert [each.end for each in dense] == pytest.approx([each.start for each in first])
    for before, between, after in zip(last, dense, first, strict=True):
        assert before.arrows_out == between.arrows_in
        assert between.arrows_out == after.arrows_in


def test_updates_of_users_are_updates() -> None:
    run = make_run(tables=1, steps=2)
    lookup, update = run.programs
    spec = CustomUpdateSpec(dim=32, samples_per_core=16, chip="v5p", stablehlo="module {}")
    own = with_fields(run, programs=(lookup, dataclasses.replace(update, spec=spec)))
    assert measured(own) == measured(run)


def pipelined_run() -> Run:
    """Return a run whose executions update table 0 for the batch before, then look it up.

    An execution takes 4 ms: the update 1 ms, the lookup 2 ms, which begins before the update of another
    table has ended. The first one only looks up.
    """
    run = make_run(tables=1, steps=1)
    rows = [(0, 0, 0, 1.0, 3.0, 0)]
    for number in range(1, 6):
        begin = 4.0 * number
        rows += [(1, 0, number - 1, begin, begin + 1.5, number)]
        rows += [(0, 0, number, begin + 1, begin + 3, number)]
    program, device, step, start, end, execution = np.array(rows).T
    whole = (each.astype(np.int64) for each in (program, device, step, execution))
    program, device, step, execution = whole
    calls = Calls(program, device, step, start / 1e3, end / 1e3, execution)
    return with_fields(run, calls=calls)


def test_of_pipelined_steps_the_tensor_core_works_beside_the_lookup() -> None:
    run = pipelined_run()
    spans = measured(run)
    dense = [each for each in spans if each.track == "TPU:0 TensorCore"]
    assert [each.name for each in by_track(spans)["TPU:0"]] == ["0", "1", "2", "3", "4", "5"]
    assert nested(spans)
    # From one execution to the next.
    assert [each.seconds for each in dense] == pytest.approx([0.003, *[0.004] * 4])
    lookups = [each for each in spans if each.name == "lookup table_0"]
    for each, lookup in zip(dense[1:], lookups[1:], strict=False):
        assert each.start < lookup.start < lookup.end < each.end
    out = {arrow: each for each in spans for arrow in each.arrows_out}
    into = {arrow: each for each in spans for arrow in each.arrows_in}
    assert out.keys() == into.keys()
    assert len(out) == 2 * len(dense) - 1
    for arrow, each in out.items():
        assert each.end <= into[arrow].start + 1e-12


def test_a_loop_is_pipelined_if_its_updates_come_before_its_lookups() -> None:
    assert is_pipelined(pipelined_run())
    assert not is_pipelined(make_run(tables=2, steps=3))
    assert not is_pipelined(with_fields(make_run(), calls=make_run().calls.where(np.zeros(0, int))))


def test_calls_and_threads_that_overlap_have_tracks_of_their_own() -> None:
    run = make_run(tables=2, steps=1)
    calls = run.calls
    overlapping = Calls(
        calls.program, calls.device, calls.step, calls.start * 0.5, calls.end, calls.execution
    )
    host = HostSpans(
        np.array(["preprocess", "preprocess", "wait for input"]),
        np.zeros(3, np.int64),
        np.array([0.01, 0.012, 0.015]),
        np.array([0.02, 0.03, 0.016]),
        np.array([0, 2, 0]),
    )
    tracks = by_track(measured(with_fields(run, calls=overlapping, host=host)))
    assert [each.name for each in tracks["host"]] == ["preprocess"]
    assert [each.name for each in tracks["host 2"]] == ["wait for input"]
    assert [each.name for each in tracks["host thread 2"]] == ["preprocess"]
    assert "TPU:0 SparseCores 2" in tracks
    assert nested([span for each in tracks.values() for span in each])


def test_simulated_seconds_are_those_of_the_cost_model() -> None:
    run = make_run(tables=2, steps=3)
    spans = simulated(run, tensor_core=1e-3, host=0)
    figures = run.figures(1)
    costs = of_statistics(
        [each.tile for each in run.programs], [[figures[at, 0]] for at in range(4)]
    )
    whole = training_step(costs, tensor_core=1e-3).total.seconds
    (step,) = (each for each in spans if each.kind == "step")
    assert step.seconds == pytest.approx(whole)
    programs = [
        each for each in spans if each.kind == "program" and each.track == "TPU:0 SparseCore 0"
    ]
    assert [each.name for each in programs] == [
        "lookup table_0",
        "lookup table_1",
        "update table_0",
        "update table_1",
    ]
    assert sum(each.seconds for each in programs) == pytest.approx(costs.total.seconds)
    by_core = costs.by("core", "step")["expected"]
    for core in range(4):
        parts = [
            each
            for each in spans
            if each.kind == "part" and each.track == f"TPU:0 SparseCore {core}"
        ]
        for number, name in enumerate(costs.steps):
            seconds = sum(each.seconds for each in parts if each.name == name)
            assert seconds == pytest.approx(by_core[core, number])


def test_simulated_tracks_are_those_of_the_chip() -> None:
    spans = simulated(make_run(tables=1, steps=3))
    cores = [
        f"TPU:0 SparseCore {core}{unit}"
        for core in range(4)
        for unit in ("", " sequencer", *(f" tile {tile}" for tile in range(16)))
    ]
    assert list(by_track(spans)) == ["host", "TPU:0", "TPU:0 TensorCore", *cores]
    assert nested(spans)


def test_the_seconds_of_a_tile_follow_from_its_counters() -> None:
    run = make_run(tables=1, steps=3)
    spans = simulated(run)
    spec, numbers = run.programs[0].tile, numbers_of("v5p").at("expected")
    counters = count(spec, run.figures(1)[0, 0])
    copied = counters.by("gather: bytes read from table", "partition", "tile")
    dmas = counters.by("gather: DMAs", "partition", "tile")
    seconds = dmas * numbers["dma_seconds"] + copied / numbers["tile_bytes_per_second"]
    for core, tile in np.ndindex(seconds.shape):
        track = f"TPU:0 SparseCore {core} tile {tile}"
        found = [each for each in spans if each.track == track and each.name == "lookup gather"]
        assert [each.seconds for each in found] == pytest.approx(
            [seconds[core, tile]] if seconds[core, tile] else []
        )


def test_tiles_work_no_longer_than_their_sparse_core() -> None:
    spans = simulated(make_run(tables=2, steps=3))
    cores = {
        (each.track, each.name, each.start): each.seconds
        for each in spans
        if each.kind == "part" and "tile" not in each.track
    }
    for each in spans:
        core, _, tile = each.track.partition(" tile ")
        if tile:
            assert 0 < each.seconds <= cores[core, each.name, each.start] * (1 + 1e-9)


def test_no_part_is_longer_than_the_program_or_ends_after_it() -> None:
    spans = simulated(make_run(tables=2, steps=3))
    for track, on_track in by_track(spans).items():
        programs = [each for each in on_track if each.kind == "program"]
        for span in on_track:
            if span.kind == "part" and programs:
                assert any(
                    each.start <= span.start and span.end <= each.end + 1e-12 for each in programs
                ), track


def test_arrows_go_from_lookups_to_the_tensor_core_to_updates() -> None:
    for spans in (simulated(make_run()), measured(make_run())):
        out = {arrow: each for each in spans for arrow in each.arrows_out}
        into = {arrow: each for each in spans for arrow in each.arrows_in}
        assert out
        assert out.keys() == into.keys()
        assert len(out) == sum(len(each.arrows_out) for each in spans)
        for arrow, start in out.items():
            assert start.end <= into[arrow].start + 1e-12
            kinds = start.name.partition(" ")[0], into[arrow].name.partition(" ")[0]
            assert kinds in {("lookup", "TensorCore"), ("TensorCore", "update")}


def test_a_cut_of_one_core_and_one_tile() -> None:
    run = make_run(tables=1, steps=3)
    assert list(by_track(simulated(run, ONE))) == [
        "host",
        "TPU:0",
        "TPU:0 TensorCore",
        "TPU:0 SparseCore 1",
        "TPU:0 SparseCore 1 sequencer",
        "TPU:0 SparseCore 1 tile 3",
    ]
    whole = {(each.track, each.name, each.start): each.seconds for each in simulated(run)}
    for each in simulated(run, ONE):
        assert whole[each.track, each.name, each.start] == each.seconds


def test_a_cut_of_steps_begins_at_its_first() -> None:
    spans = measured(make_run(steps=9), Cut(first=3, last=5))
    assert [each.name for each in spans if each.kind == "step"] == ["3", "4"]
    assert min(each.start for each in spans) == 0


def test_a_long_run_has_as_many_spans_as_the_cut_allows() -> None:
    run = make_run(tables=2, steps=200)
    spans = measured(run, Cut(spans=500))
    assert 450 < len(spans) <= 500
    steps = [int(each.name) for each in spans if each.kind == "step"]
    assert steps == list(range(len(steps)))
    of_step = collections.Counter(each.arguments["step"] for each in spans if each.track != "host")
    assert set(of_step.values()) == {6}


def test_tiles_are_left_out_if_a_step_has_too_many() -> None:
    run = make_run(tables=2, steps=3)
    whole = simulated(run)
    spans = simulated(run, Cut(spans=len(whole) - 40))
    units = {place.unit for each in whole if (place := place_of(each.track))}
    left = {place.unit for each in spans if (place := place_of(each.track))}
    assert units - left == {f"tile {tile}" for tile in range(16)}


@pytest.mark.parametrize(
    ("cut", "text"),
    [
        (Cut(first=7), "it has no steps 7:; expected some of 0 to 2"),
        (
            Cut(first=0, last=1),
            "none of the steps of the timeline was sampled, and what a step takes",
        ),
        (
            Cut(cores=((1, 0),)),
            "there is no SparseCore 1:0; expected a device of 0 to 0 and a SparseCore of 0 to 3",
        ),
        (Cut(cores=((0, 4),)), "there is no SparseCore 0:4"),
        (Cut(tiles=(16,)), "there is no tile 16; expected one of 0 to 15"),
        (Cut(spans=10), "spans on 4 SparseCores; expected at most 10"),
    ],
)
def test_errors_of_cuts(cut: Cut, text: str) -> None:
    with pytest.raises(SparseCoreError, match=r"^run 'run': ") as found:
        simulated(make_run(), cut)
    assert text in str(found.value)


def test_a_run_without_steps_is_an_error() -> None:
    run = make_run()
    none: Run = with_fields(run, calls=run.calls.where(run.calls.step < 0))
    for make in (simulated, measured):
        with pytest.raises(SparseCoreError, match="no lookup or update ran in a step"):
            make(none)
