"""Timelines as files: Perfetto traces, `xplane.pb` for xprof, and HTML pages.

    groups = {SIMULATED: simulated(run), MEASURED: measured(run)}
    write_timeline("run.pftrace", groups, run)

`perfetto` and `xplane` make the files, the latter of the messages in `xspace`; `picture` draws a timeline
on a page, `page` is the page with both groups, and `files` says which file is of which kind.
"""

from sdykit.viz.timeline.files import check_timeline_path, write_timeline
from sdykit.viz.timeline.groups import MEASURED, SIMULATED
from sdykit.viz.timeline.page import timeline_page, timeline_pictures
from sdykit.viz.timeline.perfetto import perfetto_trace
from sdykit.viz.timeline.picture import timeline_picture
from sdykit.viz.timeline.xplane import xplane

__all__ = [
    "MEASURED",
    "SIMULATED",
    "check_timeline_path",
    "perfetto_trace",
    "timeline_page",
    "timeline_picture",
    "timeline_pictures",
    "write_timeline",
    "xplane",
]
