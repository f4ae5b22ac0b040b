"""Files that describe chips which no table has."""

from __future__ import annotations

from pathlib import Path

_TEXT = """
name = "other"
sparse_cores_per_chip = 4
sparse_cores_per_device = 4
tiles_per_sparse_core = {tiles}
float32_lanes = {lanes}
bfloat16_lanes = {lanes}
hbm_bytes = 34359738368
hbm_bytes_per_second = 1e12
ici_bytes_per_second = 1e12
tile_memory_bytes = 524288
dma_granule_bytes = 32
row_alignment_bytes = 32
"""


def chip_file(directory: Path, tiles: int, lanes: int) -> str:
    """Write the file of a chip with 4 SparseCores, of some tiles and lanes; return its path."""
    file = directory / "chip.toml"
    file.write_text(_TEXT.format(tiles=tiles, lanes=lanes))
    return str(file)
