"""Print the tile program of a kernel in a file: python tile_program.py FILE OPERANDS."""

from __future__ import annotations

import sys
from pathlib import Path

from sdykit.sparsecore.mosaic.kernel import read_kernel
from sdykit.sparsecore.mosaic.lowering import lower
from sdykit.sparsecore.mosaic.spec import MosaicChip, MosaicSpec

_CHIP = MosaicChip(name="7x", cores=2, subcores=16, lanes=16, vmem_bytes=1 << 19, granule=32)


def main(path: str, operands: str) -> None:
    """Print the tile program; the first operands of the kernel are those of the call."""
    text = Path(path).read_text()
    spec = MosaicSpec(name="kernel", module=text, chip=_CHIP, operands=int(operands), mode="fast")
    print(lower(read_kernel(text, "kernel"), spec))


if __name__ == "__main__":
    main(*sys.argv[1:])
