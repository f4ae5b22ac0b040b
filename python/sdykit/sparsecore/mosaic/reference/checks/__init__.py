"""What the reference machine checks: races between subcores, and data touched under way.

What is where:

- `regions`: which bytes an access touches.
- `clocks`: which agent knows of which of the others' accesses.
- `shadow`: who touched each byte last, and what that makes of the next access.
- `transfers`: DMAs that were started and not waited for.
- `loops`: iterations of a `parallel_loop` that depend on each other.
- `checks`: all of it, as the events of a machine: start with `Checks`.

The same in C++, for compiled kernels, is `sdykit/sparsecore/native/checks/checks.h`.
"""

from sdykit.sparsecore.mosaic.reference.checks.checks import Checks
from sdykit.sparsecore.mosaic.reference.checks.regions import DEVICE, Region, core

__all__ = ["DEVICE", "Checks", "Region", "core"]
