"""Timelines as pictures for pages: a row for each track, without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup

from sdykit.sparsecore.timeline import Span, by_track
from sdykit.sparsecore.timeline.spans import SEQUENCER, TILE
from sdykit.viz.charts.axis import Axis, Scale, scale_of
from sdykit.viz.charts.keys import keys

_TIME: Final = Axis("time", "s")
_STYLES: Final = {
    "lookup": "s0",
    "update": "s1",
    "TensorCore": "s2",
    "prepare batch": "s5",
    "preprocess": "s5",
    "wait for input": "s7",
    "compile": "s4",
    "kernel": "s3",
}
"""The style of a span by its name, or the first word of it; others are `_OTHER`."""
_OTHER: Final = "s6"
_SCOPES: Final = ("s8", "s9", "s5", "s4", "s0", "s1", "s2", "s7")
"""The styles of the scopes of kernels, in the order of their first starts; further ones are `_OTHER`."""
_SHORTEST: Final = 1e-4
"""The part of the picture below which neighbours of one name are drawn as one."""


def timeline_picture(spans: Sequence[Span], title: str, *, rows: int = 40) -> Markup:
    """Return a picture of a timeline, as wide as the page allows.

    What a span is, and how long it takes, is shown on hover. Steps are shown as lines between them.

    Args:
        spans: the spans of one group of tracks.
        title: what is shown, for those who do not see it.
        rows: the number of rows that it has at most; if there are more tracks, tiles are left out, then
            sequencers, then the last of the others.
    """
    tracks = {
        track: [span for span in on_track if span.kind != "step"]
        for track, on_track in by_track(spans).items()
    }
    tracks = {track: on_track for track, on_track in tracks.items() if on_track}
    names = _fitting(list(tracks), rows)
    scale = scale_of(_TIME, [span.end for span in spans])
    marks = _marks([span for span in spans if span.kind == "step"], scale)
    styles = _styles([span for name in names for span in tracks[name]])
    body = Markup("").join(_row(name, tracks[name], styles, scale, marks) for name in names)
    chart = Markup('<div class="chart timeline" role="img" aria-label="{}">{}{}</div>').format(
        title, body, _ticks(scale)
    )
    return chart + keys(_key(styles)) + _note(list(tracks), names)


def _fitting(tracks: Sequence[str], rows: int) -> list[str]:
    """Return the tracks that there are rows for."""
    found = list(tracks)
    for unit in (f" {TILE} ", f" {SEQUENCER}"):
        if len(found) > rows:
            found = [track for track in found if unit not in track]
    return found[:rows]


def _note(tracks: Sequence[str], shown: Sequence[str]) -> Markup:
    """Return a note about the tracks that are not shown."""
    left_out = [track for track in tracks if track not in set(shown)]
    if not left_out:
        return Markup("")
    return Markup('<p class="legend">{:,} tracks are left out: {} to {}.</p>').format(
        len(left_out), left_out[0], left_out[-1]
    )


def _key(styles: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the names and styles of the key, each style once."""
    found: dict[str, str] = {}
    for name, style in styles.items():
        first = name.partition(" ")[0]
        known = first if name not in _STYLES and first in _STYLES else name
        found.setdefault(style, known if style != _OTHER else "other")
    return [(name, style) for style, name in sorted(found.items())]


def _styles(spans: Sequence[Span]) -> dict[str, str]:
    """Return the style of the spans of each name."""
    scopes = dict.fromkeys(span.name for span in spans if "scope" in span.arguments)
    own = dict(zip(scopes, _SCOPES, strict=False))
    return {
        name: own.get(name) or _STYLES.get(name) or _STYLES.get(name.partition(" ")[0], _OTHER)
        for name in dict.fromkeys(span.name for span in spans)
    }


def _row(
    track: str, spans: Sequence[Span], styles: Mapping[str, str], scale: Scale, marks: Markup
) -> Markup:
    """Return the label and the spans of a track; a program is a frame around its parts."""
    bars = Markup("").join(
        Markup('<i class="{}{}" style="--from:{:.5f};--part:{:.5f}" title="{}"></i>').format(
            styles[span.name],
            " program" if span.kind == "program" and len(spans) > 1 and _has_parts(spans) else "",
            scale.at(span.start),
            scale.at(span.end) - scale.at(span.start),
            _title(track, span),
        )
        for span in _merged(spans, styles, scale)
    )
    low = " low" if " tile " in track else ""
    return Markup(
        '<span class="label{0}" title="{1}">{1}</span><span class="row{0}">{2}{3}</span>'
    ).format(low, track, marks, bars)


def _has_parts(spans: Sequence[Span]) -> bool:
    return any(span.kind == "part" for span in spans)


def _merged(spans: Sequence[Span], styles: Mapping[str, str], scale: Scale) -> list[Span]:
    """Return spans, those that are too short to be seen left out if one of their style is there."""
    found: list[Span] = []
    places: dict[tuple[str, str], float] = {}  # Up to where there is one of a kind and style.
    for span in spans:
        key = (span.kind, styles[span.name])
        start, end = scale.at(span.start), scale.at(span.end)
        if end - start < _SHORTEST and start - places.get(key, -1.0) < _SHORTEST:
            continue
        places[key] = end
        found.append(span)
    return found


def _title(track: str, span: Span) -> str:
    """Return what is known of a span, as text."""
    known = [f"{name} {value}" for name, value in span.arguments.items()]
    return "; ".join([f"{track}: {span.name}, {_TIME.text(span.seconds)}", *known])


def _marks(steps: Sequence[Span], scale: Scale) -> Markup:
    """Return lines where the steps of the first device begin."""
    own = [each for each in steps if each.track == steps[0].track]
    return Markup("").join(
        Markup('<b style="--from:{:.5f}" title="step {}"></b>').format(
            scale.at(each.start), each.name
        )
        for each in own
    )


def _ticks(scale: Scale) -> Markup:
    ticks = Markup("").join(
        Markup('<span style="--from:{:.4f}">{}</span>').format(scale.at(tick), _TIME.text(tick))
        for tick in scale.ticks
    )
    return Markup('<span class="caption">time</span><span class="ticks">{}</span>').format(ticks)
