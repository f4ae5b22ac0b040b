"""Make the page of a comparison."""

from __future__ import annotations

from sdykit.sparsecore.whatif.results import Comparison
from sdykit.viz.page import page_template
from sdykit.viz.whatif_report.charts import plots
from sdykit.viz.whatif_report.text import COLUMNS, cells, conclusion, remarks


def whatif_page(found: Comparison, *, target: float | None = None) -> str:
    """Return the page as HTML.

    Args:
        found: the results.
        target: the seconds that a step may take; None: none were asked.
    """
    return page_template("sdykit.viz.whatif_report").render(
        found=found,
        conclusion=conclusion(found, target),
        remarks=list(remarks(found)),
        plots=plots(found, target),
        columns=COLUMNS,
        rows=[(each, cells(each)) for each in found.results],
        best=found.fastest,
    )
