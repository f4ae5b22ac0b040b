"""A page with the timelines of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sdykit.sparsecore.timeline import Span
from sdykit.viz.page import Page, page_template
from sdykit.viz.timeline.groups import MEASURED, SIMULATED
from sdykit.viz.timeline.picture import timeline_picture

_KINDS: Final = {
    SIMULATED: "on the chip, by the cost model; TensorCore and host as measured on the CPU, or given",
    MEASURED: "on this machine's CPU, which simulates the chips",
}
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
