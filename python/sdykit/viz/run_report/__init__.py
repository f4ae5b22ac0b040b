"""The report of a recorded training loop: a page, and tables for terminals.

`model` computes what both show, `comparison` what differs between two runs; `rendering` makes the page,
`text` the tables. `docs/report.md` describes them.
"""

from sdykit.viz.run_report.comparison import Comparison, compare
from sdykit.viz.run_report.model import Report, report_of
from sdykit.viz.run_report.rendering import run_page
from sdykit.viz.run_report.text import run_text

__all__ = ["Comparison", "Report", "compare", "report_of", "run_page", "run_text"]
