"""The HBM of a device: what is in it, and whether it fits.

    print(layer.ledger())         # of an sdykit.sparsecore.Embedding
    print(ledger_of(spec))        # of the program of a lookup or an update
    ledger.check("train")         # an error that lists the largest entries

Read `ledger` first: entries, their sum, and the error. `stack` has the HBM stack of a lookup or an
update, `programs` the ledger of a program, `moments` what it holds from moment to moment of a step.

Imported by their names: `layers`, the ledger of the stacks of a layer; `spmem`, the layout of SPMEM;
`padding`, what is wasted; and `step`, all of it for specs, tables and runs; `heap_log`, log lines.
"""

from sdykit.sparsecore.memory.entries import Entry, Kind, Phase
from sdykit.sparsecore.memory.former import check_hbm_stack, check_hbm_tables
from sdykit.sparsecore.memory.ledger import Ledger
from sdykit.sparsecore.memory.moments import Moment
from sdykit.sparsecore.memory.programs import ledger_of, sizes_by_limits
from sdykit.sparsecore.memory.stack import HbmStack, hbm_stack

__all__ = [
    "Entry",
    "HbmStack",
    "Kind",
    "Ledger",
    "Moment",
    "Phase",
    "check_hbm_stack",
    "check_hbm_tables",
    "hbm_stack",
    "ledger_of",
    "sizes_by_limits",
]
