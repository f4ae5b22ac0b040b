"""Which devices buffers are made for, by the number of their row pointers."""

from __future__ import annotations

from typing import Any

import jax
import pytest
from jax.sharding import AbstractMesh, AxisType

from sdykit.bridge.errors import BridgeError
from sdykit.bridge.jax_tpu_embedding.devices import axes_of_tables, find_devices

CORES = 4
OF = {1: 32, 2: 32, 4: 64, 8: 128}
"""Row pointers of a device, by the number of devices."""


def found(pointers: int, minibatches: bool | None, manual: str = "ab", **sizes: int) -> Any:
    types = tuple(AxisType.Manual if name in manual else AxisType.Auto for name in sizes)
    mesh = AbstractMesh(tuple(sizes.values()), tuple(sizes), axis_types=types)
    with jax.sharding.use_abstract_mesh(mesh):
        axes, has_minibatches = find_devices("op", pointers, CORES, minibatches=minibatches)
    return axes.names, has_minibatches


@pytest.mark.parametrize("minibatches", [False, True])
def test_axes_follow_from_the_number_of_row_pointers(minibatches: bool) -> None:
    times = 64 if minibatches else 1
    for asked in (minibatches, None):
        # All that are manual, if they fit: then those of one device count for nothing.
        assert found(OF[8] * times, asked, a=4, b=2) == (("a", "b"), minibatches)
        assert found(OF[4] * times, asked, a=4, b=1) == (("a",), minibatches)
        assert found(OF[4] * times, asked, "a", a=4, b=2) == (("a",), minibatches)
        # The only ones that fit.
        assert found(OF[4] * times, asked, a=4, b=2) == (("a",), minibatches)
        assert found(OF[1] * times, asked, a=8) == ((), minibatches)
        assert found(OF[1] * times, asked) == ((), minibatches)


def test_axes_of_tables_chooses_the_axes() -> None:
    with axes_of_tables("b"):
        assert found(OF[2], False, a=2, b=2) == (("b",), False)
        with axes_of_tables("b", "a"):
            assert found(OF[4], False, a=2, b=2) == (("b", "a"), False)
        with axes_of_tables():
            assert found(OF[1], False, a=2, b=2) == ((), False)
    with axes_of_tables("a"), pytest.raises(BridgeError) as error:
        found(OF[8], False, a=4, b=2)
    assert str(error.value) == (
        "op: lhs_row_pointers is int32[128]; expected int32[64], as the call has 4 devices along "
        "'a' with 4 SparseCores each"
    )


def test_buffers_may_have_room_for_fewer_minibatches() -> None:
    for asked in (True, None):
        assert found(3 * OF[8], asked, a=4, b=2) == (("a", "b"), True)
    with pytest.raises(BridgeError, match=r"expected int32\[8192\] \(minibatches\), as the call"):
        found(3 * OF[8] + 1, True, a=4, b=2)


def test_buffers_of_the_other_enable_minibatching_are_an_error() -> None:
    for asked, pointers in ((True, OF[8]), (False, 64 * OF[8])):
        with pytest.raises(BridgeError) as error:
            found(pointers, asked, a=4, b=2)
        assert str(error.value) == (
            f"op: lhs_row_pointers is int32[{pointers}], made by preprocessing with "
            f"enable_minibatching={not asked}, and enable_minibatching is {asked} here; expected "
            "the same in preprocessing, lookup and update"
        )


def test_an_ambiguous_size_is_an_error() -> None:
    with pytest.raises(BridgeError) as error:
        found(OF[1], None, a=4, b=2)
    assert str(error.value) == (
        "op: lhs_row_pointers is int32[32], which fits tables that are split over the axes () or "
        "('b'); expected sdykit.bridge.jax_tpu_embedding.devices.axes_of_tables to choose one"
    )


def test_a_size_that_fits_no_axes_is_an_error() -> None:
    with pytest.raises(BridgeError) as error:
        found(40, None, a=2, b=2)
    assert str(error.value) == (
        "op: lhs_row_pointers is int32[40]; expected int32[64] or int32[4096] (minibatches), as "
        "the call has 4 devices along 'a', 'b' with 4 SparseCores each"
    )
