"""Limits as the flags ask for them.

    config, stacks = with_limits(config, stack(features, system), system, batches)

With `xla_sparse_core_max_ids_file` the limits are read from a file, with
`xla_sparse_core_estimate_max_ids` they are estimated from batches; without either, configuration
and stacks are returned unchanged.
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
    """Return configuration and stacks with the limits that the flags ask for.

    Args:
        config: the configuration, with its flags resolved.
        stacks: the stacks, as `sdykit.sparsecore.stacking.stack` returns them.
        system: the devices of all hosts.
        batches: the first batches of the data, each for all devices; read only to estimate limits.
        headroom: the factor, from 1 to 1000, that estimated figures are multiplied by.

    Raises:
        SparseCoreError: the file is not a limits file, or is for another program; there are no
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
