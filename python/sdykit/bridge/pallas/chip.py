"""The numbers of the simulated chip, as JAX asks for them, and those that a kernel runs on."""

from __future__ import annotations

import dataclasses
from typing import Any

from sdykit.bridge.pallas.jax_names import mesh_names
from sdykit.bridge.pallas.settings import pallas_settings
from sdykit.bridge.settings import current
from sdykit.sparsecore.chip import Chip
from sdykit.sparsecore.chip import chip as find_chip
from sdykit.sparsecore.mosaic.spec import MosaicChip

DEVICE_KIND = "cpu"
"""The kind of devices whose numbers these are, as JAX has it."""

_WITHOUT_KERNELS = "v4"
"""The chip whose SparseCores Pallas has no kernels for."""

_DEFAULT = "7x"
"""The chip whose other numbers those of a chip of its own file are."""


def tpu_info() -> Any:
    """Return the `TpuInfo` of the chip that CPU devices simulate.

    Raises:
        SparseCoreError: a setting is wrong.
    """
    pallas_settings()
    chip = find_chip(current().chip)
    names = mesh_names()
    versions = {str(each): each for each in names.chip_version}
    version = versions.get(chip.name, versions[_DEFAULT])
    info = names.get_tpu_info_for_chip(version, 1)
    return dataclasses.replace(info, sparse_core=_sparse_core(chip))


def _sparse_core(chip: Chip) -> Any:
    if chip.name == _WITHOUT_KERNELS:
        return None
    return mesh_names().sparse_core_info(
        num_cores=chip.sparse_cores_per_device,
        num_subcores=chip.tiles_per_sparse_core,
        num_lanes=chip.float32_lanes,
        vmem_capacity_bytes=chip.tile_memory_bytes,
        dma_granule_size_bytes=chip.dma_granule_bytes,
    )


def machine() -> MosaicChip | None:
    """Return the chip that a kernel runs on that is lowered now; None if it has no SparseCores.

    It is that of the settings, or of the abstract device of the context, or what another library has
    registered for CPU devices.
    """
    info = mesh_names().get_tpu_info()
    cores = info.sparse_core
    if cores is None:
        return None
    is_own = mesh_names().registry.get(DEVICE_KIND) is tpu_info and info == tpu_info()
    return MosaicChip(
        name=find_chip(current().chip).name if is_own else str(info.chip_version),
        cores=cores.num_cores,
        subcores=cores.num_subcores,
        lanes=cores.num_lanes,
        vmem_bytes=cores.vmem_capacity_bytes,
        granule=cores.dma_granule_size_bytes,
    )
