"""The files that timelines are written to."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from sdykit.errors import SdykitError
from sdykit.files import write_whole
from sdykit.sparsecore.chip import chip
from sdykit.sparsecore.run import Run
from sdykit.sparsecore.timeline import Span
from sdykit.viz.timeline.page import timeline_page
from sdykit.viz.timeline.perfetto import perfetto_trace
from sdykit.viz.timeline.xplane import xplane

PERFETTO: Final = (".pftrace", ".perfetto-trace")
XPLANE: Final = ".xplane.pb"
PAGE: Final = ".html"
_PROFILES: Final = Path("plugins", "profile")
"""Where xprof and TensorBoard look for profiles in a folder of logs."""


def check_timeline_path(path: str) -> Path:
    """Return the file that a timeline is written to.

    Args:
        path: a file, or a folder of logs for xprof or TensorBoard: one that is there, or ends in `/`.

    Raises:
        SdykitError: its suffix is of no known kind of file.
    """
    if path.endswith(os.sep) or (path and Path(path).is_dir()):
        return Path(path, _PROFILES, "timeline", f"localhost{XPLANE}")
    if not path.endswith((*PERFETTO, XPLANE, PAGE)):
        raise SdykitError(
            f"cannot tell what to write to '{path}'; expected a name that ends in .pftrace (for "
            "Perfetto), .xplane.pb (for xprof), or .html, or a folder of logs that ends in /"
        )
    return Path(path)


def write_timeline(path: str, groups: Mapping[str, Sequence[Span]], run: Run) -> tuple[Path, int]:
    """Write a timeline, whole or not at all.

    Args:
        path: the file, whose suffix says its kind, or a folder of logs; see `check_timeline_path`.
        groups: the spans of each group of tracks, by its name, `SIMULATED` or `MEASURED`.
        run: the run that they are of.

    Returns:
        The file, and its size in bytes.

    Raises:
        SdykitError: its suffix is of no known kind, or it cannot be written.
        MissingExtra: it is for Perfetto, and the package `perfetto` is not installed.
    """
    file = check_timeline_path(path)
    if path.endswith(PERFETTO):
        data = perfetto_trace(groups)
    elif path.endswith(PAGE):
        data = timeline_page(groups, run.path.name).encode(errors="backslashreplace")
    else:
        data = xplane(groups, chip(run.chip))
    try:
        if file != Path(path):
            file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, data)
    except OSError as error:
        raise SdykitError(f"cannot write '{file}': {error.strerror or error}") from None
    return file, len(data)
