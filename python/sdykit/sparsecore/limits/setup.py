"""Limits as the configuration asks for them.

    config, stacks = with_limits(config, stack(features, system), system, batches)

With `xla_sparse_core_max_ids_file` the limits are read from a file, with
`xla_sparse_core_estimate_max_ids` they are estimated from batches. The limits of a stack's partitions
are at most those of its tables, `max_ids_per_table` and `max_unique_ids_per_table`. Without any of
these, configuration and stacks are returned unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.inputs import FeatureInput
from sdykit.sparsecore.limits.checks import LimitsMisfit
from sdykit.sparsecore.limits.counter import compute_limits
from sdykit.sparsecore.limits.file import located, read_limits
from sdykit.sparsecore.limits.program import capped
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
    """Return configuration and stacks with the limits that the configuration asks for.

    Args:
        config: the configuration, with its flags resolved.
        stacks: the stacks, as `sdykit.sparsecore.stacking.stack` returns them.
        system: the devices of all hosts.
        batches: the first batches of the data, each for all devices; read only to estimate limits.
        headroom: the factor, from 1 to 1000, that estimated figures are multiplied by.

    Raises:
        SparseCoreError: the file is not a limits file, or is for another program; there are no
            batches to estimate from; or both flags are set.

    Warns:
        UserWarning: the file has an older version.
    """
    path = config.xla_sparse_core_max_ids_file
    check_flags(config)
    if config.xla_sparse_core_estimate_max_ids:
        limits = compute_limits(batches, stacks, system, headroom)
        return limits.of_program(config, stacks, system)
    if not path:
        return config, capped(stacks, config)
    limits = read_limits(path)
    try:
        return limits.of_program(config, stacks, system)
    except LimitsMisfit as error:
        raise located(path, error.keys, str(error)) from None


def check_flags(config: SparsecoreConfig) -> None:
    """Check that limits come from a file or from data, but not from both.

    Raises:
        SparseCoreError: both flags are set.
    """
    path = config.xla_sparse_core_max_ids_file
    if path and config.xla_sparse_core_estimate_max_ids:
        raise SparseCoreError(
            f"config: xla_sparse_core_max_ids_file is {path!r}, and "
            "xla_sparse_core_estimate_max_ids is true; expected one of them"
        )
