"""Spans: the names and order of tracks, and lanes of those that overlap."""

from __future__ import annotations

import pytest

from sdykit.sparsecore.timeline import Place, Span, by_track, place_of
from sdykit.sparsecore.timeline.spans import in_lanes


@pytest.mark.parametrize(
    ("track", "place"),
    [
        ("TPU:0", Place(0)),
        ("TPU:12 TensorCore", Place(12, None, "TensorCore")),
        ("TPU:0 SparseCores 2", Place(0, None, "SparseCores 2")),
        ("TPU:0 SparseCore 1", Place(0, 1)),
        ("TPU:3 SparseCore 1 sequencer", Place(3, 1, "sequencer")),
        ("TPU:3 SparseCore 1 tile 15", Place(3, 1, "tile 15")),
        ("host", None),
        ("TPU:x", None),
    ],
)
def test_a_track_says_its_place(track: str, place: Place | None) -> None:
    assert place_of(track) == place
    if place is not None:
        assert str(place) == track


def test_tracks_are_in_the_order_of_the_chips() -> None:
    tracks = [
        "host",
        "host thread 2",
        "TPU:0",
        "TPU:0 2",
        "TPU:0 TensorCore",
        "TPU:0 SparseCores",
        "TPU:0 SparseCores 2",
        "TPU:0 SparseCore 1",
        "TPU:0 SparseCore 1 sequencer",
        "TPU:0 SparseCore 1 tile 2",
        "TPU:0 SparseCore 1 tile 10",
        "TPU:0 SparseCore 2",
        "TPU:2",
        "TPU:10 TensorCore",
    ]
    assert list(by_track(Span(track, "x", 0, 1) for track in reversed(tracks))) == tracks


def test_outer_spans_precede_inner_ones() -> None:
    spans = [Span("host", "inner", 1, 1), Span("host", "outer", 1, 3), Span("host", "first", 0, 1)]
    assert [each.name for each in by_track(spans)["host"]] == ["first", "outer", "inner"]


def test_spans_that_overlap_are_on_tracks_beside_each_other() -> None:
    spans = [
        Span("host", "a", 0, 2),
        Span("host", "b", 1, 3),
        Span("host", "c", 2, 1),
        Span("host", "d", 2.5, 1),
        Span("other", "e", 0, 9),
    ]
    assert {each.name: each.track for each in in_lanes(spans)} == {
        "a": "host",
        "b": "host 2",
        "c": "host",
        "d": "host 3",
        "e": "other",
    }
