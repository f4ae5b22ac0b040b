"""Files of timelines: each is read back by what did not write it, and has all spans."""

from __future__ import annotations

import collections
import importlib.util
import itertools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sdykit.errors import MissingExtra, SdykitError
from sdykit.sparsecore.chip import chip
from sdykit.sparsecore.run.figures import figure_columns
from sdykit.sparsecore.timeline import Cut, Span, by_track, measured, simulated
from sdykit.viz.timeline import (
    MEASURED,
    SIMULATED,
    check_timeline_path,
    perfetto_trace,
    timeline_pictures,
    write_timeline,
    xplane,
)
from support.runs import make_run, with_fields
from support.xspaces import ReadEvent, read_planes

RUN = make_run(tables=2, steps=4)
GROUPS = {SIMULATED: simulated(RUN), MEASURED: measured(RUN)}


def test_perfetto_has_all_spans_on_their_tracks() -> None:
    pb2 = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    trace = pb2.Trace.FromString(perfetto_trace(GROUPS))
    tracks = {
        each.track_descriptor.uuid: each.track_descriptor
        for each in trace.packet
        if each.HasField("track_descriptor")
    }
    names: dict[int, str] = {}
    found: dict[tuple[str, str], list[tuple[str, int, int]]] = collections.defaultdict(list)
    open_slices: dict[int, list[tuple[str, int]]] = collections.defaultdict(list)
    for packet in trace.packet:
        names |= {each.iid: each.name for each in packet.interned_data.event_names}
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        if event.type == event.TYPE_SLICE_BEGIN:
            open_slices[event.track_uuid].append((names[event.name_iid], packet.timestamp))
            continue
        name, start = open_slices[event.track_uuid].pop()
        track = tracks[event.track_uuid]
        found[_group(tracks, track), track.name].append((name, start, packet.timestamp))
    assert not any(open_slices.values())
    for group, spans in GROUPS.items():
        for track, on_track in by_track(spans).items():
            expected = sorted(
                (each.name, round(each.start * 1e9), round(each.end * 1e9)) for each in on_track
            )
            slices = sorted(found.pop((group, track)))
            assert [each[0] for each in slices] == [each[0] for each in expected]
            # To a nanosecond: inner ones end with the outer.
            for got, wanted in zip(slices, expected, strict=True):
                assert got[1:] == pytest.approx(wanted[1:], abs=1)
    assert not found


def _group(tracks: dict, track) -> str:
    while track.parent_uuid:
        track = tracks[track.parent_uuid]
    return track.process.process_name


def test_perfetto_nests_tiles_in_their_sparse_core() -> None:
    pb2 = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    trace = pb2.Trace.FromString(perfetto_trace({SIMULATED: simulated(RUN, Cut(tiles=(3,)))}))
    tracks = {each.track_descriptor.uuid: each.track_descriptor for each in trace.packet}
    outer = {
        each.name: tracks[each.parent_uuid].name for each in tracks.values() if each.parent_uuid
    }
    assert outer["TPU:0 SparseCore 1 tile 3"] == "TPU:0 SparseCore 1"
    assert outer["TPU:0 SparseCore 1"] == "TPU:0"
    assert outer["TPU:0"] == outer["host"] == "simulated"


def test_perfetto_times_on_a_track_do_not_go_back_and_arrows_have_two_ends() -> None:
    pb2 = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    trace = pb2.Trace.FromString(perfetto_trace(GROUPS))
    times: dict[int, list[int]] = collections.defaultdict(list)
    out: list[int] = []
    into: list[int] = []
    for packet in trace.packet:
        if packet.HasField("track_event"):
            times[packet.track_event.track_uuid].append(packet.timestamp)
            out += packet.track_event.flow_ids
            into += packet.track_event.terminating_flow_ids
    for each in times.values():
        assert all(first <= second for first, second in itertools.pairwise(each))
    assert out
    assert sorted(out) == sorted(into) == sorted(set(out))


def test_perfetto_without_its_package_is_an_error_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sdykit.viz.timeline.perfetto.find_spec", lambda name: None)
    with pytest.raises(
        MissingExtra, match=r"pip install 'sdykit\[timeline\]'; or write a .xplane.pb"
    ):
        perfetto_trace(GROUPS)


def test_xplane_has_the_planes_and_lines_of_a_tpu() -> None:
    planes = read_planes(xplane(GROUPS, chip("v5p")))
    assert list(planes) == [
        "/device:CUSTOM:simulated host",
        "/device:TPU:0",
        *(f"/device:TPU:0 SparseCore {core}" for core in range(4)),
        "/device:CUSTOM:measured host",
        "/device:CUSTOM:measured TPU:0",
    ]
    assert list(planes["/device:TPU:0"]) == ["Steps", "XLA Ops"]
    assert list(planes["/device:TPU:0 SparseCore 2"]) == [
        "Sparse Core Steps",
        "Sparse Core Modules",
        "Sparse Core Ops",
        "sequencer",
        *(f"tile {tile}" for tile in range(16)),
    ]
    assert list(planes["/device:CUSTOM:measured TPU:0"]) == [
        "TPU:0",
        "TPU:0 TensorCore",
        "TPU:0 SparseCores",
    ]


def test_xplane_has_all_spans() -> None:
    planes = read_planes(xplane(GROUPS, chip("v5p")))
    events = [each for lines in planes.values() for line in lines.values() for each in line]
    spans = [each for group in GROUPS.values() for each in group]
    steps = [each for each in GROUPS[SIMULATED] if each.kind == "step"]
    spans += steps * 4  # on the planes of SparseCores, too
    assert collections.Counter(map(_rounded, events)) == collections.Counter(map(_rounded, spans))
    (dense,) = planes["/device:TPU:0"]["XLA Ops"]
    assert dense.stats["group_id"] == 1
    assert dense.stats["seconds"] == "measured on the CPU"


def _rounded(each: Span | ReadEvent) -> tuple[str, int, int]:
    """Return the name, the start and the duration, in nanoseconds, to which jaxlib cuts them."""
    if isinstance(each, Span):
        start, end = round(each.start * 1e12), round(each.end * 1e12)
        return each.name, start // 1000, (end - start) // 1000
    return each.name, int(each.start), int(each.duration)


def test_xplane_has_arrows() -> None:
    planes = read_planes(xplane(GROUPS, chip("v5p")))
    out = {
        each.stats["flow"]
        for lines in planes.values()
        for line in lines.values()
        for each in line
        if "flow" in each.stats
    }
    assert {flow >> 2 for flow in out if flow & 1} & {flow >> 2 for flow in out if flow & 2}


XPROF = """
import json, sys
from xprof.convert import raw_to_tool_data
file, tool = sys.argv[1:]
options = {"trace_viewer_options": {}, "hosts": ["localhost"]}
data, _ = raw_to_tool_data.xspace_to_tool_data([file], tool, options)
sys.stdout.write(data if isinstance(data, str) else data.decode())
"""


def xprof(file: Path, tool: str):
    done = subprocess.run(
        [sys.executable, "-c", XPROF, str(file), tool], check=True, capture_output=True, timeout=120
    )
    return json.loads(done.stdout)


@pytest.mark.skipif(importlib.util.find_spec("xprof") is None, reason="xprof is not installed")
def test_xprof_opens_it(tmp_path: Path) -> None:
    file, _ = write_timeline(f"{tmp_path}/", GROUPS, RUN)
    overview = xprof(file, "overview_page")
    figures = {name: value for each in overview for name, value in each.get("p", {}).items()}
    assert figures["device_type"] == "TPU v5p"
    assert figures["hardware_type"] == "TPU"
    (step,) = (each for each in GROUPS[SIMULATED] if each.kind == "step")
    assert float(figures["steptime_ms_average"]) == pytest.approx(step.seconds * 1e3, abs=0.01)
    assert float(figures["tc_compute_ms_average"]) == pytest.approx(2.0, abs=0.01)
    busy = {
        core: sum(
            each.seconds
            for each in GROUPS[SIMULATED]
            if each.track == f"TPU:0 SparseCore {core}" and each.kind == "part"
        )
        for core in range(4)
    }
    mean = sum(busy.values()) / 4 * 1e3
    assert float(figures["sc_compute_ms_average"]) == pytest.approx(mean, abs=0.01)

    events = xprof(file, "trace_viewer@")["traceEvents"]
    processes = {each["args"]["name"] for each in events if each.get("name") == "process_name"}
    assert processes == {
        f"localhost /device:{name}"
        for name in (
            "TPU:0",
            *(f"TPU:0 SparseCore {core}" for core in range(4)),
            "CUSTOM:simulated host",
            "CUSTOM:measured TPU:0",
            "CUSTOM:measured host",
        )
    }
    threads = {each["args"]["name"] for each in events if each.get("name") == "thread_name"}
    assert threads >= {"Sparse Core Ops (simulated)", "tile 3 (simulated)"}
    ops = xprof(file, "hlo_stats")["rows"]
    assert any("TensorCore" in str(row) for row in ops)


@pytest.mark.parametrize("name", ["run", "run.json", "run.pb", "", "run.pftrace.gz"])
def test_an_unknown_suffix_is_an_error(name: str) -> None:
    with pytest.raises(
        SdykitError, match=rf"^cannot tell what to write to '{name}'; expected a name"
    ):
        check_timeline_path(name)


def test_a_folder_is_one_of_logs(tmp_path: Path) -> None:
    file, size = write_timeline(str(tmp_path), GROUPS, RUN)
    assert file == tmp_path / "plugins" / "profile" / "timeline" / "localhost.xplane.pb"
    assert file.stat().st_size == size


def test_pictures_of_a_few_steps() -> None:
    run = make_run(tables=2, steps=9)
    (simulated_title, of_chip), (measured_title, of_cpu) = timeline_pictures(run, steps=2)
    assert simulated_title.startswith("simulated, steps 1: on the chip")
    assert measured_title.startswith("measured, steps 0 to 1: on this machine")
    assert re.findall('<span class="label" title="([^"]*)">', of_cpu) == [
        "host",
        "TPU:0 TensorCore",
        "TPU:0 SparseCores",
    ]
    assert 'title="TPU:0 SparseCore 3: lookup table_1, ' in of_chip
    assert (
        "64 tracks are left out: TPU:0 SparseCore 0 tile 0 to TPU:0 SparseCore 3 tile 15" in of_chip
    )
    # Without samples, and without steps.
    empty = with_fields(run, sampled=figure_columns({}))
    assert [title.partition(",")[0] for title, _ in timeline_pictures(empty)] == ["measured"]
    assert timeline_pictures(with_fields(empty, calls=run.calls.where(run.calls.step < 0))) == []


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_its_window(tmp_path: Path, width: int) -> None:
    """Rows do not leave the page, and longer spans are wider."""
    from playwright.sync_api import sync_playwright

    write_timeline(str(tmp_path / "run.html"), GROUPS, RUN)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(f"file://{tmp_path}/run.html")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        row = page.locator("#measured .row", has=page.locator("i")).last
        box = row.bounding_box()
        assert box is not None
        spans = [each.bounding_box() for each in row.locator("i").all()]
        browser.close()
    assert len(spans) == len([each for each in GROUPS[MEASURED] if each.kind == "program"])
    for each in spans:
        assert each is not None
        assert box["x"] <= each["x"]
        assert each["x"] + each["width"] <= box["x"] + box["width"] + 1
        # 1 ms of the 30 ms of the axis.
        assert each["width"] == pytest.approx(box["width"] / 30, abs=1)
