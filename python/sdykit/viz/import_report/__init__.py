"""The report on a run of passes: a self-contained HTML page, and a table for terminals.

    recorder = Recorder(module.operation)
    run_pipeline(module, "sdy-import-pipeline", RunOptions(observer=recorder))
    write_report("report.html", recorder.stages)

The page needs no network: pictures are inline SVG, styles are in it, there is no script.

Start with `stages`, which records the module after each pass and compares it with the one before:
`parts` splits the text, `align` and `diff` find the lines that changed, `facts` counts ops and
axes. `rendering` makes the page and the table, with `highlight`.
"""

from sdykit.viz.import_report.rendering import report, table, write_report
from sdykit.viz.import_report.stages import Recorder, Stage

__all__ = ["Recorder", "Stage", "report", "table", "write_report"]
