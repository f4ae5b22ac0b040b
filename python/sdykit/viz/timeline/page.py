"""A page with the timelines of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.run import Run
from sdykit.sparsecore.timeline import Cut, Span, measured, simulated, step_ranges
from sdykit.viz.page import Page, page_template
from sdykit.viz.timeline.groups import MEASURED, SIMULATED
from sdykit.viz.timeline.picture import timeline_picture

_KINDS: Final = {
    SIMULATED: "on the chip, by the cost model; TensorCore and host as measured on the CPU, or given",
    MEASURED: "on this machine's CPU, which simulates the chips",
}
_SPANS: Final = 5_000
"""The number of spans of a picture within a page."""
_LEGEND: Final = (
    "A row is a unit of the chips, or a thread of the host. Lines are where a step begins. Each group has "
    "a time of its own. Names and times are shown on hover."
)


def timeline_page(groups: Mapping[str, Sequence[Span]], title: str) -> Page:
    """Return a page with a picture of each group of tracks.

    Args:
        groups: the spans of each, by its name.
        title: the name of the run.
    """
    shown = [
        {"name": name, "kind": _KINDS[name], "picture": timeline_picture(spans, f"{name} timeline")}
        for name, spans in groups.items()
    ]
    template = page_template(__package__ or "")
    return Page(template.render(title=title, legend=_LEGEND, groups=shown))


def timeline_pictures(run: Run, steps: int = 4) -> list[tuple[str, Markup]]:
    """Return pictures of a few steps of a run, with titles, for a page that includes `timeline.css`.

    Args:
        run: the run.
        steps: the number of steps of the measured group, up to the last one that was sampled.

    Returns:
        The simulated group, unless no step was sampled or its programs cannot be estimated, and the
        measured group, unless the run has no steps.
    """
    found: list[tuple[str, Markup]] = []
    last = max(run.sampled_steps or run.steps[-1:], default=-1)
    at = [step for step in run.steps if step <= last][-steps:]
    cuts = {
        SIMULATED: (simulated, Cut(spans=_SPANS)),
        MEASURED: (measured, Cut(first=min(at, default=0), last=last + 1, spans=_SPANS)),
    }
    for name, (make, cut) in cuts.items():
        try:
            spans = make(run, cut)
        except SparseCoreError:
            continue
        shown = step_ranges(sorted({int(each.name) for each in spans if each.kind == "step"}))
        title = f"{name}, steps {shown}: {_KINDS[name]}"
        found.append((title, timeline_picture(spans, title)))
    return found
