"""Programs of several devices, each run on its part of the table, equal the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.optimizers import SGD, Adagrad, Adam
from sdykit.sparsecore.preprocess import Minibatching
from sdykit.sparsecore.reference import lookup
from sdykit.sparsecore.tile.lookup.build import lookup_arguments
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec
from sdykit.sparsecore.tile.update.build import update_arguments
from support.amounts import examples
from support.tile.device_cases import check_update, run_lookup, shards_of
from support.tile.drawn_buffers import draw_buffers
from support.tile.tile_cases import (
    MINIBATCHINGS,
    make_buffers,
    same_bits,
)

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(20))
DEVICES = (1, 2, 4, 8)


@SAME_EVERY_TIME
@given(st.data())
def test_lookups_and_updates_equal_the_reference(data: st.DataObject) -> None:
    # With minibatches, a program for a chip has room for the gradients of 64 times as many ids.
    drawn = draw_buffers(data, devices=DEVICES, minibatch_limits=(8,))
    rng, buffers = drawn.rng, drawn.buffers
    dim = data.draw(st.integers(1, 40) | st.sampled_from([130]))
    lookup_spec = LookupSpec(dim=dim, **drawn.fields)
    shards = shards_of(rng, buffers, lookup_spec.chip, lookup_spec.num_devices, dim)
    assert same_bits(run_lookup(lookup_spec, buffers, shards), lookup(shards, buffers.entries))
    update_spec = UpdateSpec(
        dim=dim,
        **drawn.fields,
        optimizer=data.draw(st.sampled_from([SGD(0.1), Adagrad(0.1), Adam(0.1)])),
        reading=data.draw(st.sampled_from(["cpu", "chip"])),
    )
    check_update(rng, update_spec, buffers)


@pytest.mark.parametrize("devices", DEVICES[1:])
@pytest.mark.parametrize("minibatching", MINIBATCHINGS)
def test_every_minibatching_on_several_devices_equals_the_reference(
    devices: int, minibatching: Minibatching
) -> None:
    rng = np.random.default_rng(devices)
    buffers = make_buffers(
        rng,
        "v5p",
        limit=8,
        max_ids=20,
        minibatching=minibatching,
        num_devices=devices,
        dropping=True,
    )
    minibatches = minibatching != "off"
    spec = LookupSpec(dim=9, samples_per_core=5, num_devices=devices, minibatches=minibatches)
    shards = shards_of(rng, buffers, "v5p", devices, 9)
    found = run_lookup(spec, buffers, shards)
    assert same_bits(found, lookup(shards, buffers.entries))
    assert np.count_nonzero(found) > found.size / 2
    check_update(
        rng,
        UpdateSpec(
            dim=9,
            samples_per_core=5,
            num_devices=devices,
            minibatches=minibatches,
            optimizer=Adagrad(0.1),
        ),
        buffers,
    )


def test_programs_of_several_devices_have_these_arguments() -> None:
    fields: dict[str, Any] = {"dim": 8, "samples_per_core": 16, "num_devices": 4}
    found = lookup_arguments(LookupSpec(**fields))
    assert [(each.name, each.shape, each.role) for each in found] == [
        ("device", (), "input"),
        ("row_pointers", ("pointers",), "input"),
        ("embedding_ids", ("entries",), "input"),
        ("sample_ids", ("entries",), "input"),
        ("gains", ("entries",), "input"),
        ("table", ("rows", 8), "input"),
        ("activations", (256, 8), "output"),
        ("splits", (16, 17), "workspace"),
        ("sample_rows", ("entries",), "workspace"),
        ("sample_gains", ("entries",), "workspace"),
        ("status", (8,), "status"),
    ]
    names = [each.name for each in update_arguments(UpdateSpec(**fields, optimizer=SGD(0.1)))]
    assert names == [
        "device",
        "row_pointers",
        "embedding_ids",
        "sample_ids",
        "gains",
        "gradients",
        "learning_rate",
        "table",
        "words",
        "pairs",
        "parts",
        "status",
    ]
