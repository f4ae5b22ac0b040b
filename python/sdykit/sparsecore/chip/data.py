"""The numbers of the known chips, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_KIB: Final = 2**10
_GIB: Final = 2**30
_GB_PER_SECOND: Final = 10**9

_GUIDE: Final = "OpenXLA's guide to the SparseCore"
_PAPER: Final = "the paper on TPU v4 (ISCA 2023)"
_TPU_INFO: Final = "jax: pallas tpu_info"
_LIBRARY: Final = "jax-tpu-embedding: NUM_SC_PER_DEVICE_MAP"

Numbers = dict[str, tuple[int, str]]
"""The numbers of a chip and their sources, by the name of the field of `Chip`."""

_ALIGNMENT: Final = (32, f"{_GUIDE}: rows are aligned to 8 floats")

NUMBERS: Final[dict[str, Numbers]] = {
    "v4": {
        "sparse_cores_per_chip": (4, _GUIDE),
        "sparse_cores_per_device": (4, "assumption: one device a chip, as on v5p"),
        "tiles_per_sparse_core": (16, _GUIDE),
        "float32_lanes": (8, _GUIDE),
        "bfloat16_lanes": (8, f"{_GUIDE}: one width for all types"),
        "hbm_bytes": (32 * _GIB, _GUIDE),
        "hbm_bytes_per_second": (1230 * _GB_PER_SECOND, _TPU_INFO),
        "ici_bytes_per_second": (
            600 * _GB_PER_SECOND,
            "assumption: 6 links of 50 GB/s in each direction",
        ),
        "tile_memory_bytes": (160 * _KIB, f"{_PAPER}: 2.5 MiB a SparseCore, over 16 tiles"),
        "dma_granule_bytes": (32, "assumption: as on v5p"),
        "row_alignment_bytes": _ALIGNMENT,
    },
    "v5p": {
        "sparse_cores_per_chip": (4, _GUIDE),
        "sparse_cores_per_device": (4, _LIBRARY),
        "tiles_per_sparse_core": (16, _GUIDE),
        "float32_lanes": (8, _GUIDE),
        "bfloat16_lanes": (8, f"{_GUIDE}: one width for all types"),
        "hbm_bytes": (96 * _GIB, _GUIDE),
        "hbm_bytes_per_second": (2460 * _GB_PER_SECOND, _TPU_INFO),
        "ici_bytes_per_second": (1200 * _GB_PER_SECOND, "assumption"),
        "tile_memory_bytes": (512 * _KIB, _TPU_INFO),
        "dma_granule_bytes": (32, _TPU_INFO),
        "row_alignment_bytes": _ALIGNMENT,
    },
    "v6e": {
        "sparse_cores_per_chip": (2, _GUIDE),
        "sparse_cores_per_device": (2, _LIBRARY),
        "tiles_per_sparse_core": (16, _GUIDE),
        "float32_lanes": (8, _GUIDE),
        "bfloat16_lanes": (16, _GUIDE),
        "hbm_bytes": (32 * _GIB, _GUIDE),
        "hbm_bytes_per_second": (1640 * _GB_PER_SECOND, _TPU_INFO),
        "ici_bytes_per_second": (800 * _GB_PER_SECOND, "assumption"),
        "tile_memory_bytes": (256 * _KIB, _TPU_INFO),
        "dma_granule_bytes": (32, _TPU_INFO),
        "row_alignment_bytes": _ALIGNMENT,
    },
    "7x": {
        "sparse_cores_per_chip": (4, f"{_TPU_INFO}: 2 for each of 2 TensorCores"),
        "sparse_cores_per_device": (2, _LIBRARY),
        "tiles_per_sparse_core": (16, _TPU_INFO),
        "float32_lanes": (16, _TPU_INFO),
        "bfloat16_lanes": (32, "assumption: twice the lanes of float32, as on v6e"),
        "hbm_bytes": (192 * _GIB, f"{_TPU_INFO}: 206 GB, taken for 192 GiB"),
        "hbm_bytes_per_second": (7400 * _GB_PER_SECOND, _TPU_INFO),
        "ici_bytes_per_second": (1200 * _GB_PER_SECOND, "assumption"),
        "tile_memory_bytes": (512 * _KIB, _TPU_INFO),
        "dma_granule_bytes": (32, _TPU_INFO),
        "row_alignment_bytes": _ALIGNMENT,
    },
}

COSTS: Final[dict[str, dict[str, Mapping[str, object]]]] = {
    "v6e": {
        "ici_dimensions": {"value": 2, "source": "Google Cloud's pages on TPUs: a 2D torus"},
    },
}
"""The numbers of the cost model in which a chip differs from `sdykit.sparsecore.cost.defaults`."""
