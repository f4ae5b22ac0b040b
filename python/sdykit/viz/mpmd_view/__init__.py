"""The picture of MPMD programs: a self-contained HTML page.

The page holds the programs as JSON and scripts that draw them; it needs no network.

Start with `model`, the data that is drawn: meshes as lanes, the steps of a program, and the values
between them. `reader` reads it from a module (`steps` reads one op, `values` types and marks), `times`
adds when each step of a run began and ended, and `rendering` puts it into the page, where the scripts in `templates` draw it.
"""

from sdykit.viz.mpmd_view.reader import read_programs
from sdykit.viz.mpmd_view.rendering import draw, mpmd_page, page_data

__all__ = ["draw", "mpmd_page", "page_data", "read_programs"]
