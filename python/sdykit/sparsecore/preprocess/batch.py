"""Preprocessing of a batch: reading features, applying limits, packing buffers, statistics."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.inputs import FeatureInput
from sdykit.sparsecore.loops import pack_stacks
from sdykit.sparsecore.preprocess.arguments import (
    Agree,
    Layout,
    Minibatching,
    agreed,
    check_devices,
    check_options,
    check_threads,
    read_features,
)
from sdykit.sparsecore.preprocess.buckets import (
    BucketCounts,
    first_buckets,
    group,
    needed_splits,
    pack_groups,
)
from sdykit.sparsecore.preprocess.losses import (
    check_losses,
    exceeds_limits,
    statistics_of,
)
from sdykit.sparsecore.preprocess.plan import Rules, make_plan
from sdykit.sparsecore.preprocess.reports import report
from sdykit.sparsecore.preprocess.results import Preprocessed
from sdykit.sparsecore.preprocess.sample_limit import limit_samples
from sdykit.sparsecore.preprocess.table_limits import check_table_names
from sdykit.sparsecore.preprocess.target import (
    Loss,
    Target,
    make_targets,
    split_work,
    threads_for,
)
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack, check_stacks

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
    threads: int | None = None,
    tiles: int = 0,
) -> Preprocessed:
    """Turn a batch into static buffers.

    Args:
        features: the ids of all features of the stacks, by name, for the samples of this host's
            devices. -1 in dense ids is padding, as in `sdykit.sparsecore.lookup`; with the layout
            `jax_tpu_embedding`, which has no padding, it is an error.
        stacks: the stacks, as `sdykit.sparsecore.stacking.stack` returns them.
        system: the devices of all hosts.
        weights: weights by the name of the feature, each array of the shape of its ids; a feature
            without weights has 1.
        config: the limits, and whether ids that exceed them are dropped.
        layout: `sdykit` defines every element of the buffers, and for one device adds an index by
            sample; `jax_tpu_embedding` writes what that library's preprocessor writes, bit for bit,
            and leaves other elements uninitialised.
        minibatching: whether a batch that exceeds the limits is split by row (`vocabulary`) or by
            sample. Unless it is `off`, buffers are laid out for up to 64 minibatches, needed or
            not.
        local_devices: the number of this host's devices; `None`: all devices of the system.
        agree: the function by which processes agree on minibatches; needed if there are several.
        threads: the maximum number of threads to use, the caller's included; `None`: as many as the
            process may use processors, but at most 16.
        tiles: the number of tiles of a SparseCore, if the index by sample counts the ids of each, from
            which counters follow; 0: it does not.

    Raises:
        LimitExceeded: there are more ids than the program was compiled for, or than fit in its
            buffers.
        SparseCoreError: bad input; the text names feature and sample, and says what was expected.
    """
    start = time.perf_counter_ns()
    usable = check_threads("preprocess", threads)
    check_options(config, layout, minibatching)
    check_stacks(stacks, system)
    devices = check_devices(local_devices, system, minibatching, agree)
    check_table_names(stacks, config)
    is_own_layout = layout == "sdykit"
    given = read_features(features, stacks, system, weights, devices, is_padded=is_own_layout)
    ids, dropped = limit_samples(given, devices, config)
    checks_ids = is_own_layout or config.xla_sparse_core_enable_id_bound_check
    rules = Rules(check_ids=checks_ids, check_sums=is_own_layout, config=config)
    plans = [make_plan(each, ids, system, devices, rules) for each in stacks]
    targets = make_targets(plans, minibatching != "off", is_own_layout, tiles)
    minibatches, buckets = _fill(targets, usable, config, minibatching, agree)
    done = Preprocessed(
        buffers={each.plan.stack.name: each.buffers for each in targets},
        statistics={
            each.plan.stack.name: statistics_of(each, dropped, counts)
            for each, counts in zip(targets, buckets, strict=True)
        },
        num_minibatches=minibatches,
    )
    settings = {"minibatching": minibatching, **vars(config)}
    report(start, given, stacks, system, settings=settings, done=done)
    return done


def _fill(
    targets: Sequence[Target],
    threads: int,
    config: SparsecoreConfig,
    minibatching: Minibatching,
    agree: Agree | None,
) -> tuple[int, Sequence[BucketCounts | None]]:
    """Fill the buffers, and check that no ids were dropped that may not be.

    Returns:
        The number of minibatches, and the counts of each target by bucket if they are needed.
    """
    absolute, allowed = minibatching != "off", config.allow_id_dropping
    _pack(targets, threads, absolute)
    _apply_table_limits(targets, threads, allowed, absolute)
    minibatches: int = 1
    buckets: Sequence[BucketCounts | None] = [None] * len(targets)
    if absolute and agreed(agree, int(any(map(exceeds_limits, targets)))):
        minibatches, buckets = _pack_minibatches(targets, minibatching == "sample", agree, threads)
    check_losses(targets, buckets, allowed)
    return minibatches, buckets


def _pack(targets: Sequence[Target], threads: int, absolute: bool) -> None:
    """Fill the buffers in one pass; `losses` of the targets are the ids that did not fit."""
    threads = threads_for(targets, threads)
    parts = split_work(targets, threads, absolute)
    numbers = {id(target): number for number, target in enumerate(targets)}
    ranges = np.array([(numbers[id(part.target)], *part[1:]) for part in parts], np.int64)
    features = max(len(target.plan.ids) for target in targets)
    lost, codes = np.zeros((len(parts), 3), np.int64), np.zeros((len(parts), features), np.uint8)
    pack_stacks(tuple([each.source(absolute) for each in targets]), ranges, lost, codes, threads)
    if codes.any():
        for part, each in zip(parts, codes, strict=True):
            part.target.plan.check_codes(each)
    for (target, first, last), (dropped, short, over) in zip(parts, lost.tolist(), strict=True):
        if dropped or short:
            target.losses.append(Loss(first, dropped, short))
        if target.plan.table_limits is not None:
            target.plan.table_limits.set_dropped(first, last, over)


def _apply_table_limits(
    targets: Sequence[Target], threads: int, allowed: bool, absolute: bool
) -> None:
    """Fill buffers again without the ids that exceed limits of tables, if they may be dropped.

    The first time all ids are counted: only then is it known how many a SparseCore may take.

    Raises:
        LimitExceeded: a table has more ids than its limits, and dropping is not allowed.
    """
    exceeded: list[Target] = []
    for target in targets:
        limits = target.plan.table_limits
        if limits is None or not limits.is_exceeded:
            continue
        if not allowed:
            limits.check()
        limits.share_out()
        target.losses.clear()
        exceeded.append(target)
    if exceeded:
        _pack(exceeded, threads, absolute)


def _pack_minibatches(
    targets: Sequence[Target], by_sample: bool, agree: Agree | None, threads: int
) -> tuple[int, list[BucketCounts]]:
    """Fill the buffers again, bucket by bucket.

    Returns:
        The number of minibatches, and the counts of each target by bucket.
    """
    groups, buckets = group(targets, threads, by_sample)
    firsts = first_buckets(agreed(agree, needed_splits(targets, buckets)))
    for target in targets:
        target.losses.clear()
    pack_groups(groups, threads, firsts)
    return firsts.size - 1, buckets
