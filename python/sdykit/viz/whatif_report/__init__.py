"""Systems and settings beside each other: a self-contained HTML page with plots, and a table.

`rendering` makes the page, `charts` its plots, `text` the table for terminals and the sentences of both.
"""

from sdykit.viz.whatif_report.rendering import whatif_page
from sdykit.viz.whatif_report.text import comparison_table, conclusion, remarks

__all__ = ["comparison_table", "conclusion", "remarks", "whatif_page"]
