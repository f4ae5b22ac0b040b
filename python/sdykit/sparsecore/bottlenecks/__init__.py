"""What holds a recorded training loop up, and the setting to change.

    for finding in find_bottlenecks(read_run("run/")):
        print(finding)

Every check has a figure, a threshold with its reason, and an advice. `checks` lists them all; `loop` has
those about the host, overlap and compilation, `limits` those about limits, skew and stacks, `memory`
those about HBM, SPMEM, dtypes and padding. `facts` has what they all look at.
"""

from sdykit.sparsecore.bottlenecks.checks import KINDS, check_run, find_bottlenecks
from sdykit.sparsecore.bottlenecks.facts import Facts, facts_of
from sdykit.sparsecore.bottlenecks.finding import Finding

__all__ = ["KINDS", "Facts", "Finding", "check_run", "facts_of", "find_bottlenecks"]
