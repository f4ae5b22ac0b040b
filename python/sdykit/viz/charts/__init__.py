"""Charts for pages: lines with error bands, stacked bars, and columns.

    time = Axis("step time", "s", log=10)
    lines([Line("v5p", devices, seconds, low, high)], Axis("devices", log=2), time, "Step time")
    bars([Bar("v5p", (Part("lookup", 2e-3), Part("update", 3e-3)), "5 ms")], time, "Step time")

They are inline SVG and HTML without scripts. Their style sheet is `charts.css`, which the template of a
page includes, whose colours follow the page's light or dark scheme. Numbers are shown on hover.

`axis` has scales and the text of numbers, `lines`, `bars` and `columns` the charts.
"""

from sdykit.viz.charts.axis import Axis
from sdykit.viz.charts.bars import Bar, Part, bars
from sdykit.viz.charts.columns import Columns, columns
from sdykit.viz.charts.lines import Line, Mark, lines

__all__ = ["Axis", "Bar", "Columns", "Line", "Mark", "Part", "bars", "columns", "lines"]
