"""Features to the static buffers that a SparseCore reads.

    stacks = stack(features, system)
    done = preprocess({"user": ids, "item": Ragged(values, row_splits)}, stacks, system)
    done.buffers["user_item"].embedding_ids

`docs/preprocessing.md` describes the buffers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy.typing as npt

from sdykit.sparsecore._preprocess.arguments import (
    Agree,
    Layout,
    Minibatching,
    agreed,
    check_devices,
    check_options,
    check_threads,
    read_features,
)
from sdykit.sparsecore._preprocess.buckets import BucketCounts, group, pack_groups
from sdykit.sparsecore._preprocess.losses import (
    check_losses,
    check_table_limits,
    passes_limits,
    statistics_of,
)
from sdykit.sparsecore._preprocess.one_pass import pack
from sdykit.sparsecore._preprocess.plan import Rules, make_plan
from sdykit.sparsecore._preprocess.sample_limit import limit_samples
from sdykit.sparsecore._preprocess.table_limits import check_table_names
from sdykit.sparsecore._preprocess.target import Target, make_target
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.inputs import FeatureInput
from sdykit.sparsecore.minibatching import first_buckets, needed_splits
from sdykit.sparsecore.results import Preprocessed
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
    threads: int = 2,
) -> Preprocessed:
    """Turn a batch into static buffers.

    Args:
        features: ids of every feature of the stacks, by name: the samples of this host's devices.
            -1 in dense ids is no id, as in `sdykit.sparsecore.lookup`; with the layout
            `jax_tpu_embedding`, which knows no such ids, it is an error.
        stacks: of `sdykit.sparsecore.stacking.stack`.
        system: the devices of all hosts.
        weights: of some features or all, each of the shape of its ids; 1 where there are none.
        config: limits, and whether ids that pass them are dropped.
        layout: `sdykit` defines every element of the buffers, and on one device lists them by sample;
            `jax_tpu_embedding` writes what that library's preprocessor writes, bit for bit, and
            leaves the rest uninitialised.
        minibatching: what a batch that passes the limits is split by. With it, buffers are
            laid out for up to 64 minibatches, needed or not.
        local_devices: of this host; `None` is all.
        agree: how processes agree on minibatches, if there are several.
        threads: to work on, the caller's included.

    Raises:
        LimitExceeded: more ids than the program was compiled for, or than its buffers hold.
        SparseCoreError: bad input; the text names feature, sample, and what was expected.
    """
    threads = check_threads("preprocess", threads)
    check_options(config, layout, minibatching)
    check_stacks(stacks, system)
    devices = check_devices(local_devices, system, minibatching, agree)
    check_table_names(stacks, config)
    own, parted = layout == "sdykit", minibatching != "off"
    given = read_features(features, stacks, system, weights, devices, is_padded=own)
    ids, dropped = limit_samples(given, devices, config)
    rules = Rules(own or config.xla_sparse_core_enable_id_bound_check, own, config)
    plans = [make_plan(each, ids, system, devices, rules) for each in stacks]
    targets = [make_target(plan, parted, own) for plan in plans]
    pack(targets, threads, absolute=parted)
    check_table_limits(targets, config.allow_id_dropping)
    minibatches, buckets = 1, [None] * len(targets)
    if parted and agreed(agree, int(any(map(passes_limits, targets)))):
        minibatches, buckets = _pack_minibatches(targets, minibatching == "sample", agree, threads)
    check_losses(targets, buckets, config.allow_id_dropping)
    return Preprocessed(
        buffers={each.plan.stack.name: each.buffers for each in targets},
        statistics={
            each.plan.stack.name: statistics_of(each, dropped, counts)
            for each, counts in zip(targets, buckets, strict=True)
        },
        num_minibatches=minibatches,
    )


def _pack_minibatches(
    targets: Sequence[Target], by_sample: bool, agree: Agree | None, threads: int
) -> tuple[int, list[BucketCounts]]:
    """Fill the buffers anew, bucket by bucket.

    Returns:
        The number of minibatches, and what each target has in the buckets.
    """
    groups, buckets = group(targets, threads, by_sample)
    firsts = first_buckets(agreed(agree, needed_splits(targets, buckets)))
    for target in targets:
        target.losses.clear()
    pack_groups(groups, threads, firsts)
    return firsts.size - 1, buckets
