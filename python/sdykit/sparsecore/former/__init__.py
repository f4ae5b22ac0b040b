"""Former names of public modules, so that programs that import them go on working.

`sdykit.sparsecore` has this folder in its path: `sdykit.sparsecore.chip.memory` is `memory` here.
"""
