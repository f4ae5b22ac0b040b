"""The memory of a training step: a self-contained HTML page, and tables.

The page needs no network: pictures are HTML and inline SVG, styles are in it, there is no script.
`rendering` makes the page, `tables` those for terminals, `spmem_map` the maps of SPMEM.
"""

from sdykit.viz.memory_view.rendering import memory_page
from sdykit.viz.memory_view.tables import headline, memory_tables

__all__ = ["headline", "memory_page", "memory_tables"]
