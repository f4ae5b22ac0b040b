"""What the flags say about limits.

    config, stacks = with_limits(config, stack(features, system), system, batches)

`xla_sparse_core_max_ids_file` takes the limits from a file, `xla_sparse_core_estimate_max_ids`
from batches that are at hand; without either, configuration and stacks stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.inputs import FeatureInput
from sdykit.sparsecore.limits.counter import compute_limits
from sdykit.sparsecore.limits.file import read_limits
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack

Batches = Iterable[Mapping[str, FeatureInput]]


def with_limits(
    config: SparsecoreConfig,
    stacks: Sequence[Stack],
    system: System,
    batches: Batches = (),
    headroom: float = 1.0,
) -> tuple[SparsecoreConfig, tuple[Stack, ...]]:
    """Give configuration and stacks with the limits that the flags ask for.

    Args:
        config: with its flags resolved.
        stacks: of `sdykit.sparsecore.stacking.stack`.
        system: the devices of all hosts.
        batches: the first of the data, each of all devices; read only to estimate limits.
        headroom: factor from 1 to 1000 for estimated figures.

    Raises:
        SparseCoreError: the file is none of limits, or is for another program; there are no
            batches to estimate from; or both flags are set.
    """
    path, estimate = config.xla_sparse_core_max_ids_file, config.xla_sparse_core_estimate_max_ids
    if path and estimate:
        raise SparseCoreError(
            f"config: xla_sparse_core_max_ids_file is {path!r}, and "
            "xla_sparse_core_estimate_max_ids is true; expected one of them"
        )
    if estimate:
        limits = compute_limits(batches, stacks, system, headroom)
        return limits.configured(config), limits.applied(stacks, system)
    if not path:
        return config, tuple(stacks)
    limits = read_limits(path)
    try:
        return limits.configured(config), limits.applied(stacks, system)
    except SparseCoreError as error:
        raise SparseCoreError(f"{path}: error: {error}") from None
