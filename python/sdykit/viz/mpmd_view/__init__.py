"""The picture of MPMD programs: a self-contained HTML page.

Start with `model`, plain data: meshes as lanes, the steps of a program, and where values go.
`reader` makes it from a module (`steps` reads one op, `values` types and marks), and
`rendering` puts it as JSON into the page, where the scripts in `templates` draw it.
"""

from sdykit.viz.mpmd_view.reader import read_programs
from sdykit.viz.mpmd_view.rendering import draw, mpmd_page, page_data

__all__ = ["draw", "mpmd_page", "page_data", "read_programs"]
