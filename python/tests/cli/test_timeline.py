"""`sdykit timeline`: what it writes and says, its cuts, and its errors."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sdykit.cli.main import main
from sdykit.cli.timeline import _SPANS
from sdykit.sparsecore.run import write_run
from sdykit.sparsecore.timeline import DEFAULT_SPANS
from support.runs import make_run
from support.xspaces import read_planes

SUMMARY = (
    r"{}: ([0-9,]+) bytes\nsimulated: ([0-9,]+) spans on 75 tracks, steps 1\n"
    r"measured: 34 spans on 4 tracks, steps 0 to 4\n"
)


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Timeline = Callable[..., Result]


@pytest.fixture
def timeline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Timeline:
    """Run `sdykit timeline` from this process, in a folder that has a run."""
    write_run(tmp_path / "run", make_run(tables=2, steps=5))
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Result:
        code = main(["timeline", *arguments])
        found = capfd.readouterr()
        return Result(code, found.out, found.err)

    return call


@pytest.mark.parametrize(
    ("output", "file"),
    [
        ("run.pftrace", "run.pftrace"),
        ("run.xplane.pb", "run.xplane.pb"),
        ("run.html", "run.html"),
        ("logs/", "logs/plugins/profile/timeline/localhost.xplane.pb"),
    ],
)
def test_a_file_of_each_kind(timeline: Timeline, tmp_path: Path, output: str, file: str) -> None:
    result = timeline("run", "-o", output)
    assert (result.code, result.err) == (0, "")
    found = re.fullmatch(SUMMARY.format(re.escape(file)), result.out)
    assert found is not None
    assert int(found[1].replace(",", "")) == (tmp_path / file).stat().st_size


def test_a_cut_of_one_core_and_one_tile(timeline: Timeline, tmp_path: Path) -> None:
    cut = ("--simulated", "--core", "0:1", "--tile=3", "--steps=1:2")
    result = timeline("run", "-o", "cut.xplane.pb", *cut)
    assert (result.code, result.err) == (0, "")
    planes = read_planes((tmp_path / "cut.xplane.pb").read_bytes())
    assert list(planes) == [
        "/device:CUSTOM:simulated host",
        "/device:TPU:0",
        "/device:TPU:0 SparseCore 1",
    ]
    assert list(planes["/device:TPU:0 SparseCore 1"])[3:] == ["sequencer", "tile 3"]


def test_only_the_measured_time(timeline: Timeline, tmp_path: Path) -> None:
    result = timeline("run", "-o", "run.xplane.pb", "--measured", "--steps", "2:")
    assert (result.code, result.err) == (0, "")
    assert result.out.endswith("\nmeasured: 20 spans on 4 tracks, steps 2 to 4\n")
    planes = read_planes((tmp_path / "run.xplane.pb").read_bytes())
    assert list(planes) == ["/device:CUSTOM:measured host", "/device:CUSTOM:measured TPU:0"]


def test_what_there_is_no_room_for_is_named(timeline: Timeline) -> None:
    result = timeline("run", "-o", "run.html", "--spans", "300")
    assert result.code == 0
    assert "  left out: all tiles, as those of a step have more than 300 spans" in result.out
    result = timeline("run", "-o", "run.html", "--spans", "20", "--measured")
    assert "measured: 14 spans on 4 tracks, steps 0 to 1\n" in result.out
    assert "  left out: steps 2 to 4, beyond 20 spans; --steps chooses others" in result.out


def test_given_times_and_pipelining(timeline: Timeline, tmp_path: Path) -> None:
    given = ("--simulated", "--tensor-core=0.25", "--host=0", "--pipelined")
    result = timeline("run", "-o", "run.xplane.pb", *given)
    assert (result.code, result.err) == (0, "")
    planes = read_planes((tmp_path / "run.xplane.pb").read_bytes())
    assert next(iter(planes)) == "/device:TPU:0"
    (dense,) = planes["/device:TPU:0"]["XLA Ops"]
    assert dense.duration == 0.25e9
    assert dense.stats["seconds"] == "given"


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["none", "-o", "x.html"], 1, "'none' is not a run: there is no such folder"),
        ([".", "-o", "x.html"], 1, "'.' is not a run: it has no run.json"),
        (["run", "-o", "x.json"], 1, "cannot tell what to write to 'x.json'; expected a name that"),
        (["run", "-o", "no/x.html"], 1, "no/x.html"),
        (["run", "-o", "x.html", "--core", "0:4"], 1, "there is no SparseCore 0:4"),
        (["run", "-o", "x.html", "--tile", "16"], 1, "there is no tile 16"),
        (
            ["run", "-o", "x.html", "--steps", "9:"],
            1,
            "it has no steps 9:; expected some of 0 to 4",
        ),
        (
            ["run", "-o", "x.html", "--steps", ":1"],
            1,
            "none of the steps of the timeline was sampled",
        ),
        (["run", "-o", "x.html", "--spans", "5"], 1, "expected at most 5; choose some of the"),
        (["run", "-o", "x.html", "--core", "1"], 2, "--core: found '1'; expected a device and the"),
        (["run", "-o", "x.html", "--steps", "2:2"], 2, "--steps: found '2:2'; expected the first"),
        (["run", "-o", "x.html", "--steps", "2"], 2, "--steps: found '2'; expected the first"),
        (["run", "-o", "x.html", "--tile", "-1"], 2, "--tile"),
        (["run", "-o", "x.html", "--host", "nan"], 2, "--host: found 'nan'; expected a number of"),
        (["run", "-o", "x.html", "--measured", "--simulated"], 2, "not allowed with argument"),
        (["run"], 2, "-o/--output"),
    ],
)
def test_errors(
    timeline: Timeline, tmp_path: Path, arguments: list[str], code: int, text: str
) -> None:
    result = timeline(*arguments)
    assert (result.code, result.out) == (code, "")
    assert "sdykit timeline: error: " in result.err
    assert text in result.err
    assert "Traceback" not in result.err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["run"]


def test_a_damaged_run_is_an_error(timeline: Timeline) -> None:
    shutil.copyfile("run/run.json", "run/arrays.npz")
    result = timeline("run", "-o", "x.html")
    assert (result.code, result.out) == (1, "")
    assert "record the run again" in result.err or "record it again" in result.err


def test_the_help_names_the_bound() -> None:
    assert _SPANS == DEFAULT_SPANS
