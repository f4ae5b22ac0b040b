"""The chips: how many SparseCores, how wide, how much memory, how fast.

    from sdykit.sparsecore.chip import chip

    v5p = chip("v5p")
    v5p.sparse_cores_per_device  # 4
    v5p.source("hbm_bytes")      # where the number comes from
    mine = chip("mine.toml")     # base = "v5p", and what differs

Read `chips` first; `data` has the numbers of the chips that exist. What their memory holds is in
`sdykit.sparsecore.memory`.
"""

from sdykit.sparsecore.chip.chips import CHIPS, RANGES, Chip, chip

__all__ = ["CHIPS", "RANGES", "Chip", "chip"]
