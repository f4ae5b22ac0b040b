"""Batches in preprocessed buffers that hypothesis draws, and the fields of the specs that take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from hypothesis import strategies as st

from sdykit.sparsecore.preprocess import Layout
from support.tile.tile_cases import CHIPS, LAYOUTS, MINIBATCHINGS, Buffers, make_buffers


class Fields(TypedDict):
    """The fields that specs of lookups and of updates share."""

    samples_per_core: int
    minibatches: bool
    num_devices: int
    chip: str
    layout: Layout
    max_ids_per_partition: int


@dataclass(frozen=True, eq=False)
class Drawn:
    """A batch for programs on chips.

    Attributes:
        rng: the generator that the batch was made with.
        buffers: the batch.
        fields: the fields of specs whose programs take it.
    """

    rng: np.random.Generator
    buffers: Buffers
    fields: Fields


def draw_buffers(
    data: st.DataObject,
    *,
    devices: Sequence[int] = (1,),
    samples: Sequence[int] = (1, 3, 17),
    limits: Sequence[int] = (8, 40),
    minibatch_limits: Sequence[int] | None = None,
) -> Drawn:
    """Return a batch for a drawn chip, layout and kind of minibatches.

    Args:
        data: draws.
        devices: the numbers of devices to draw from.
        samples: the numbers of samples of a SparseCore to draw from.
        limits: the limits of ids and of unique ids to draw from.
        minibatch_limits: those of batches with minibatches; None: the same.
    """
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    chip = data.draw(st.sampled_from(sorted(CHIPS)))
    num_devices = data.draw(st.sampled_from(devices))
    layout = data.draw(st.sampled_from(LAYOUTS))
    minibatching = data.draw(st.sampled_from(MINIBATCHINGS))
    samples_per_core = data.draw(st.sampled_from(samples))
    if minibatching != "off" and minibatch_limits is not None:
        limits = minibatch_limits
    limit = data.draw(st.sampled_from(limits))
    buffers = make_buffers(
        rng,
        chip,
        samples_per_core=samples_per_core,
        vocabulary=data.draw(st.sampled_from([1, 60, 1000])),
        max_ids=data.draw(st.sampled_from([0, 1, 8, 30])),
        limit=limit,
        layout=layout,
        minibatching=minibatching,
        dropping=True,
        num_devices=num_devices,
    )
    fields = Fields(
        samples_per_core=samples_per_core,
        minibatches=minibatching != "off",
        num_devices=num_devices,
        chip=chip,
        layout=layout,
        max_ids_per_partition=limit,
    )
    return Drawn(rng, buffers, fields)
