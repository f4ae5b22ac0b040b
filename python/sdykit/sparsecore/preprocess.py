"""Features to the static buffers that a SparseCore reads.

    stacks = stack(features, system)
    done = preprocess({"user": ids, "item": Ragged(values, row_splits)}, stacks, system)
    done.buffers["user_item"].embedding_ids

`docs/preprocessing.md` describes the buffers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore._kernels.hash import BUCKETS
from sdykit.sparsecore._preprocess.buckets import group, pack_groups
from sdykit.sparsecore._preprocess.one_pass import pack
from sdykit.sparsecore._preprocess.plan import Rules, make_plan
from sdykit.sparsecore._preprocess.sample_limit import limit_samples
from sdykit.sparsecore._preprocess.table_limits import check_table_names
from sdykit.sparsecore._preprocess.target import Loss, Target, make_target
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import LimitExceeded, SparseCoreError
from sdykit.sparsecore.inputs import FeatureInput, Ids, read_feature
from sdykit.sparsecore.minibatching import first_buckets, needed_splits
from sdykit.sparsecore.results import Preprocessed, StackStatistics
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack, check_stacks

Layout = Literal["sdykit", "jax_tpu_embedding"]
Minibatching = Literal["off", "vocabulary", "sample"]
Agree = Callable[[int], int]
"""Gives the bitwise or of what the processes of a program pass to it."""

DEFAULT_CONFIG = SparsecoreConfig()


def preprocess(
    features: Mapping[str, FeatureInput],
    stacks: Sequence[Stack],
    system: System,
    *,
    weights: Mapping[str, npt.ArrayLike] | None = None,
    config: SparsecoreConfig = DEFAULT_CONFIG,
    layout: Layout = "sdykit",
    minibatching: Minibatching = "off",
    local_devices: int | None = None,
    agree: Agree | None = None,
    threads: int = 2,
) -> Preprocessed:
    """Turn a batch into static buffers.

    Args:
        features: ids of every feature of the stacks, by name: the samples of this host's devices.
        stacks: of `sdykit.sparsecore.stacking.stack`.
        system: the devices of all hosts.
        weights: of some features or all, each of the shape of its ids; 1 where there are none.
        config: limits, and whether ids that pass them are dropped.
        layout: `sdykit` defines every element of the buffers and has an index by sample;
            `jax_tpu_embedding` writes, bit for bit, what that library's preprocessor writes, and
            nothing else: between and behind is whatever was in memory.
        minibatching: what a batch that passes the limits is split by. With it, buffers are
            laid out for up to 64 minibatches, needed or not.
        local_devices: of this host; `None` is all.
        agree: how processes agree on minibatches, if there are several.
        threads: to work on, the caller's included.

    Raises:
        LimitExceeded: more ids than the program was compiled for, or than its buffers hold.
        SparseCoreError: bad input; the text names feature, sample, and what was expected.
    """
    _check_choice("layout", layout, ("sdykit", "jax_tpu_embedding"))
    _check_choice("minibatching", minibatching, ("off", "vocabulary", "sample"))
    if threads < 1:
        raise SparseCoreError(f"preprocess: threads is {threads}; expected 1 or more")
    check_stacks(stacks, system)
    devices = _check_devices(local_devices, system, minibatching, agree)
    check_table_names(stacks, config)
    ids = _read(features, stacks, system, weights or {}, devices)
    ids, dropped = limit_samples(ids, devices, config)
    own = layout == "sdykit"
    rules = Rules(own or config.xla_sparse_core_enable_id_bound_check, own, config)
    targets = [
        make_target(
            make_plan(each, ids, system, devices, rules),
            minibatching != "off",
            own,
        )
        for each in stacks
    ]
    pack(targets, threads, absolute=minibatching != "off")
    if not config.allow_id_dropping:
        _check_table_limits(targets)
    buckets = None
    minibatches = 1
    if minibatching != "off" and _agreed(agree, int(any(map(_passes_limits, targets)))):
        groups, buckets = group(targets, threads, minibatching == "sample")
        splits = _agreed(agree, needed_splits(targets, buckets))
        firsts = first_buckets(splits)
        minibatches = firsts.size - 1
        for target in targets:
            target.losses.clear()
        pack_groups(groups, threads, firsts)
    _check_losses(targets, buckets, config.allow_id_dropping)
    return Preprocessed(
        buffers={target.plan.stack.name: target.buffers for target in targets},
        statistics={
            target.plan.stack.name: _statistics(
                target, dropped, buckets[number] if buckets else (None, None)
            )
            for number, target in enumerate(targets)
        },
        num_minibatches=minibatches,
    )


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise SparseCoreError(
            f"preprocess: {name} is {value!r}; expected one of {', '.join(choices)}"
        )


def _check_devices(
    local_devices: int | None, system: System, minibatching: str, agree: Agree | None
) -> int:
    devices = system.num_devices if local_devices is None else local_devices
    if not 1 <= devices <= system.num_devices:
        raise SparseCoreError(
            f"preprocess: local_devices is {devices}; expected 1 to {system.num_devices}, "
            "the devices of the system"
        )
    if minibatching != "off" and devices < system.num_devices and agree is None:
        raise SparseCoreError(
            f"preprocess: this host has {devices} of {system.num_devices} devices; "
            "expected `agree`, as all hosts must use the same minibatches"
        )
    return devices


def _read(
    features: Mapping[str, FeatureInput],
    stacks: Sequence[Stack],
    system: System,
    weights: Mapping[str, npt.ArrayLike],
    devices: int,
) -> dict[str, Ids]:
    specs = {feature.spec.name: feature.spec for each in stacks for feature in each.features}
    if set(features) != set(specs):
        raise SparseCoreError(
            f"preprocess: features are {', '.join(sorted(features)) or 'none'}; "
            f"expected {', '.join(sorted(specs)) or 'none'}, as the stacks have them"
        )
    unknown = sorted(set(weights) - set(specs))
    if unknown:
        raise SparseCoreError(
            f"preprocess: there are weights for {', '.join(unknown)}; "
            f"expected names among {', '.join(sorted(specs))}"
        )
    result: dict[str, Ids] = {}
    for name, spec in specs.items():
        samples = spec.batch_size // system.num_devices * devices
        result[name] = read_feature(name, spec.table, features[name], weights.get(name), samples)
    return result


def _agreed(agree: Agree | None, bits: int) -> int:
    return bits if agree is None else agree(bits)


def _passes_limits(target: Target) -> bool:
    ids, unique_ids = target.limits
    return bool(target.ids.max() > ids or target.unique_ids.max() > unique_ids)


def _check_table_limits(targets: Sequence[Target]) -> None:
    for target in targets:
        if target.plan.table_limits is not None:
            target.plan.table_limits.check()


def _check_losses(
    targets: Sequence[Target],
    buckets: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]] | None,
    allowed: bool,
) -> None:
    """Raise an error if ids were left out that should not have been."""
    for number, target in enumerate(targets):
        if not allowed and any(loss.dropped for loss in target.losses):
            _report_limit(target, buckets[number] if buckets else None)
        for loss in sorted(target.losses):
            if loss.short:
                _report_room(target, loss)


def _report_limit(
    target: Target, buckets: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] | None
) -> None:
    stack = target.plan.stack
    observed = buckets or (target.ids[..., None], target.unique_ids[..., None])
    for counts, limit, what, name in zip(
        observed,
        target.limits,
        ("ids", "unique ids"),
        ("max_ids_per_partition", "max_unique_ids_per_partition"),
        strict=True,
    ):
        core, partition, bucket = np.unravel_index(int(counts.argmax()), counts.shape)
        if counts[core, partition, bucket] > limit:
            where = f" in one of {BUCKETS} buckets" if buckets else ""
            raise LimitExceeded(
                f"table {stack.name!r}: SparseCore {core} sends "
                f"{counts[core, partition, bucket]} {what} to partition {partition}{where}; "
                f"compiled for {limit} ({name})"
            )


def _report_room(target: Target, loss: Loss) -> None:
    room = target.buffers.gains.shape[1]
    device = loss.first_core // target.plan.system.sparse_cores_per_device
    raise LimitExceeded(
        f"table {target.plan.stack.name!r}: {loss.short} ids of device {device} have no place in "
        f"its buffers; compiled for {room} entries (buffer_size_per_device)"
    )


def _statistics(
    target: Target,
    dropped: Mapping[str, int],
    buckets: tuple[npt.NDArray[np.int32] | None, npt.NDArray[np.int32] | None],
) -> StackStatistics:
    plan = target.plan
    before = sum(dropped.get(ids.name, 0) for ids in plan.ids)
    if plan.table_limits is not None:
        before += sum(plan.table_limits.dropped.values())
    return StackStatistics(
        ids=target.ids,
        unique_ids=target.unique_ids,
        dropped=before + sum(loss.dropped for loss in target.losses),
        bucket_ids=buckets[0],
        bucket_unique_ids=buckets[1],
    )
