"""What data need, and the limits that follow: a self-contained HTML page, and tables.

`rendering` makes the page and the tables, `charts` the pictures on the page.
"""

from sdykit.viz.limits_report.rendering import (
    Counted,
    limits_page,
    partition_table,
    stack_table,
)

__all__ = ["Counted", "limits_page", "partition_table", "stack_table"]
