"""Bandwidths as a user writes them, and the times that they give."""

from __future__ import annotations

import pytest

from sdykit.errors import SdykitError
from sdykit.explain.costs.answers import time_text
from sdykit.explain.costs.bandwidths import check_bandwidths, read_bandwidths, seconds
from sdykit.explain.costs.model import Collective


def test_units() -> None:
    text = "data=100GB/s,model=1.5TB/s, a=2kB/s,b=2KiB/s,c=7B/s,d=1e3MB/s"
    assert read_bandwidths(text) == {
        "data": 100e9,
        "model": 1.5e12,
        "a": 2e3,
        "b": 2048,
        "c": 7,
        "d": 1e9,
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "data",
        "data=",
        "data=fast",
        "data=3",
        "data=3GB",
        "=3GB/s",
        "data=3Gb/s",
        "data=1.2.3B/s",
        "data=-1B/s",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(SdykitError, match="expected an axis and bytes a second") as caught:
        read_bandwidths(text)
    assert f"found {text!r}" in str(caught.value)


def test_an_axis_is_given_once() -> None:
    with pytest.raises(SdykitError, match="axis 'a' is given twice"):
        read_bandwidths("a=1B/s,a=2B/s")


@pytest.mark.parametrize(
    ("bandwidths", "error"),
    [
        ({"x": 1.0}, "bandwidth of 'x': no mesh has this axis; the axes: data, model"),
        ({"data": 0.0}, "bandwidth of 'data': found 0 bytes a second; expected more than 0"),
        ({"data": float("inf")}, "found inf bytes a second"),
        ({"data": float("nan")}, "found nan bytes a second"),
    ],
)
def test_bandwidths_are_checked(bandwidths: dict[str, float], error: str) -> None:
    with pytest.raises(SdykitError, match=error):
        check_bandwidths(bandwidths, {"mesh": {"data": 4, "model": 2}})


def test_times() -> None:
    given = {"data": 1e3, "model": 1e2}

    def time(*axes: str, runs: int = 1, size: float = 50) -> float | None:
        return seconds(Collective(0, "all_gather", axes, 2, 50, size, runs), given)

    assert time("data") == 0.05
    assert time("data", runs=4) == 0.2
    # The slowest one; parts of an axis are as fast as it.
    assert time("data:(2)2", "model") == 0.5
    assert time("other") is None
    assert time() is None
    assert time("other", size=0) == 0


@pytest.mark.parametrize(
    ("value", "text"), [(12.3456, "12.3 s"), (0.00456, "4.56 ms"), (4.56e-7, "0.456 us")]
)
def test_times_in_words(value: float, text: str) -> None:
    assert time_text(value) == text
