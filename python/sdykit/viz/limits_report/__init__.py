"""Counted ids and the limits computed from them: a self-contained HTML page, and tables.

The page needs no network: pictures are inline SVG, styles are in it, there is no script.
`rendering` makes the page and the tables for terminals, `charts` the pictures on the page.
"""

from sdykit.viz.limits_report.rendering import (
    Counted,
    limits_page,
    partition_table,
    stack_table,
)

__all__ = ["Counted", "limits_page", "partition_table", "stack_table"]
