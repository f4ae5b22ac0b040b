"""Views of the reference machine: slices, squeezes, reshapes and bitcasts against numpy."""

import itertools
import math

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from sdykit.sparsecore.mosaic.reference.memory import Buffer, Site
from sdykit.sparsecore.mosaic.reference.views import BoundsError, LayoutError, SplitRowsError, View
from sdykit.sparsecore.mosaic.types import MemRef, bits_of, dtype_of


def view_of(shape: tuple[int, ...], element: str, seed: int = 0) -> View:
    """Return a buffer of random bits."""
    random = np.random.default_rng(seed)
    dtype = dtype_of(element)
    data = random.integers(0, 256, math.prod(shape) * dtype.itemsize, np.uint8)
    site = Site(0, MemRef(shape, element, "vmem"), 0)
    buffer = Buffer(site, 0, data)
    return View(buffer, buffer.array, element)


def bits(array: npt.NDArray[np.generic], width: int) -> npt.NDArray[np.int64]:
    """Return the bits of each element as an integer."""
    return array.view(f"u{array.itemsize}").astype(np.int64) & ((1 << width) - 1)


def narrow_bits(view: View, width: int) -> npt.NDArray[np.int64]:
    """Return the narrow rows of wide elements, by the definition: part j of row r is row k r + j."""
    wide = bits(view.read(), bits_of(view.element))
    k = bits_of(view.element) // width
    rows, columns = wide.shape
    result = np.zeros((rows * k, columns), np.int64)
    for r, j in itertools.product(range(rows), range(k)):
        result[k * r + j] = (wide[r] >> (width * j)) & ((1 << width) - 1)
    return result


PAIRS = [("f32", "bf16"), ("i32", "i8"), ("i32", "i16"), ("i16", "f8E4M3FN")]


@pytest.mark.parametrize(("wide", "narrow"), [*PAIRS, ("i32", "i4"), ("i8", "i4")])
def test_bitcast_to_narrower_elements(wide: str, narrow: str):
    view = view_of((6, 16), wide)
    cast = view.bitcast(narrow)
    width = bits_of(narrow)
    expected = narrow_bits(view, width)
    assert cast.shape == expected.shape
    np.testing.assert_array_equal(bits(cast.read(), width), expected)


@pytest.mark.parametrize(("wide", "narrow"), [*PAIRS, ("i32", "i4"), ("i8", "i4")])
def test_bitcast_to_wider_elements(wide: str, narrow: str):
    k = bits_of(wide) // bits_of(narrow)
    view = view_of((k * 3, 16), narrow)
    cast = view.bitcast(wide)
    assert cast.shape == (3, 16)
    np.testing.assert_array_equal(
        narrow_bits(cast, bits_of(narrow)), bits(view.read(), bits_of(narrow))
    )


@pytest.mark.parametrize(("wide", "narrow"), [*PAIRS, ("i32", "i4")])
def test_writes_through_a_bitcast_are_read_back(wide: str, narrow: str):
    k = bits_of(wide) // bits_of(narrow)
    view = view_of((k * 4, 8), narrow)
    cast = view.bitcast(wide).slice((1, 0), (2, 8))
    before = bits(view.read(), bits_of(narrow))
    new = view_of((2, 8), wide, seed=1).read()
    cast.write(new)
    np.testing.assert_array_equal(bits(cast.read(), bits_of(wide)), bits(new, bits_of(wide)))
    after = bits(view.read(), bits_of(narrow))
    np.testing.assert_array_equal(after[:k], before[:k])
    np.testing.assert_array_equal(after[3 * k :], before[3 * k :])
    np.testing.assert_array_equal(
        after[k : 3 * k], narrow_bits(view_of((2, 8), wide, seed=1), bits_of(narrow))
    )


@pytest.mark.parametrize(("wide", "narrow"), PAIRS)
def test_bitcasts_back_cancel(wide: str, narrow: str):
    view = view_of((4, 8), wide)
    back = view.bitcast(narrow).bitcast(wide)
    np.testing.assert_array_equal(bits(back.read(), 32), bits(view.read(), 32))
    back.slice((2, 0), (1, 8)).write(np.zeros((1, 8), dtype_of(wide)))
    assert not bits(view.read(), 32)[2].any()
    narrow_first = view_of((8, 8), narrow).bitcast(wide).bitcast(narrow)
    assert narrow_first.parts is None  # The rows are what they were.


def test_rows_of_a_narrow_view_can_be_squeezed_and_sliced():
    view = view_of((4, 8), "i32")
    expected = narrow_bits(view, 16)
    cast = view.bitcast("i16")
    for row in range(8):
        line = cast.slice((row, 2), (1, 5)).squeeze([1])
        assert line.shape == (5,)
        assert line.parts is None
        np.testing.assert_array_equal(bits(line.read(), 16), expected[row, 2:7])
        line.write(np.full(5, row, np.int16))
        np.testing.assert_array_equal(cast.read()[row, 2:7], row)
    pair = cast.slice((2, 0), (4, 8)).slice((2, 0), (2, 8))
    np.testing.assert_array_equal(bits(pair.read(), 16), bits(cast.read(), 16)[4:6])


def test_slices_inside_a_row_of_wider_elements():
    view = view_of((4, 8), "i32")
    cast = view.bitcast("i8")
    np.testing.assert_array_equal(
        bits(cast.slice((5, 0), (2, 8)).read(), 8), narrow_bits(view, 8)[5:7]
    )
    with pytest.raises(SplitRowsError) as caught:
        cast.slice((2, 0), (4, 8))
    assert caught.value.args == (2, 4, 4)


def test_leading_dimensions_of_bitcasts():
    view = view_of((2, 3, 8, 16), "bf16")
    cast = view.bitcast("i32")
    assert cast.shape == (2, 3, 4, 16)
    one = cast.slice((1, 2, 0, 0), (1, 1, 4, 16)).squeeze([2, 3])
    part = View(view.buffer, view.array[1, 2], "bf16")
    np.testing.assert_array_equal(bits(one.read(), 32), bits(part.bitcast("i32").read(), 32))
    row = cast.slice((1, 2, 3, 0), (1, 1, 1, 16)).squeeze([3])
    np.testing.assert_array_equal(bits(row.read(), 32), bits(one.read(), 32)[3])
    assert cast.reshape((6, 4, 16)).shape == (6, 4, 16)
    np.testing.assert_array_equal(
        bits(cast.reshape((24, 16)).read(), 32), bits(cast.read(), 32).reshape(24, 16)
    )


@pytest.mark.parametrize("seed", range(20))
def test_random_slices_squeezes_and_reshapes(seed: int):
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(1, 6, size=random.integers(1, 5)).tolist())
    view = view_of(shape, "i32", seed)
    expected = view.array.copy()
    for _ in range(3):
        starts = [int(random.integers(0, size)) for size in expected.shape]
        sizes = [
            int(random.integers(1, size - start + 1))
            for start, size in zip(starts, expected.shape, strict=True)
        ]
        view = view.slice(starts, sizes)
        index = tuple(slice(a, a + n) for a, n in zip(starts, sizes, strict=True))
        expected = expected[index]
        kept = [d for d, n in enumerate(expected.shape) if n > 1 or random.random() < 0.5]
        view = view.squeeze(kept)
        expected = expected.reshape([expected.shape[d] for d in kept])
        np.testing.assert_array_equal(view.read(), expected)
    whole = view_of(shape, "i32", seed)
    flat = whole.reshape((math.prod(shape),))
    np.testing.assert_array_equal(flat.read(), whole.array.reshape(-1))


def test_bounds():
    view = view_of((4, 8), "f32")
    for starts, sizes, wrong in [
        ((0, 1), (4, 8), (1, 1, 8, 8)),
        ((-1, 0), (1, 1), (0, -1, 1, 4)),
        ((0, 0), (5, 8), (0, 0, 5, 4)),
    ]:
        with pytest.raises(BoundsError) as error:
            view.slice(starts, sizes)
        found = error.value
        assert (found.dimension, found.start, found.count, found.size) == wrong
    assert view.slice((4, 0), (0, 8)).shape == (0, 8)


def test_what_has_no_layout():
    view = view_of((4, 8), "f32")
    with pytest.raises(LayoutError, match="not at regular distances"):
        view.slice((0, 0), (4, 4)).reshape((16,))
    with pytest.raises(LayoutError, match="a bitcast of 3 rows of bf16 to f32"):
        view_of((3, 8), "bf16").bitcast("f32")
    with pytest.raises(LayoutError, match="a bitcast of 1 dimensions of f32 to bf16"):
        view_of((8,), "f32").bitcast("bf16")


def test_bytes_of_int4_are_half_bytes():
    assert view_of((8, 16), "i4").size_in_bytes == 64
    assert view_of((8, 16), "i4").bitcast("i32").size_in_bytes == 64
    assert view_of((8, 16), "i4").array.dtype == ml_dtypes.int4


@pytest.mark.parametrize("wide", ["i32", "i16", "i8"])
def test_rows_of_int4_in_wider_elements(wide: str):
    k = bits_of(wide) // 4
    view = view_of((6, 16), wide)
    cast, expected = view.bitcast("i4"), narrow_bits(view, 4)
    for start, count in [(0, 1), (k + 1, 1), (2 * k - 1, 1), (k, k), (2 * k, 3 * k)]:
        part = cast.slice((start, 2), (count, 8))
        assert part.shape == (count, 8)
        np.testing.assert_array_equal(bits(part.read(), 4), expected[start : start + count, 2:10])
    one = cast.slice((k + 1, 0), (1, 16)).squeeze([1])
    one.write(np.arange(16) % 8)
    expected[k + 1] = np.arange(16) % 8
    np.testing.assert_array_equal(bits(cast.read(), 4), expected)
    two = cast.slice((2 * k, 3), (2 * k, 5))
    two.write(np.full((2 * k, 5), -3))
    expected[2 * k : 4 * k, 3:8] = 13
    np.testing.assert_array_equal(bits(cast.read(), 4), expected)
    np.testing.assert_array_equal(narrow_bits(view, 4), expected)
    np.testing.assert_array_equal(cast.bitcast(wide).read(), view.read())


def test_the_bytes_of_rows_of_int4():
    cast = view_of((2, 4), "i32").bitcast("i4")
    parts = [cast.slice((row, 0), (1, 4)) for row in (0, 1, 2, 7, 8)]
    assert [(part.offset, part.width) for part in parts] == [
        (0, 1),
        (0, 1),
        (1, 1),
        (3, 1),
        (16, 1),
    ]
    assert cast.slice((8, 0), (8, 4)).width == 4
