"""Programs with accesses out of bounds: they are reported, and not made."""

from __future__ import annotations

import numpy as np
import pytest

from support.tile.checked_programs import program, run_checked

CHECK = "sparsecore-check-bounds"
ARGUMENTS = ("table: memref<?x2xf32>", "out: memref<?x2xf32>", "ids: memref<?xi32>")
VIEW = "memref<?x2xf32, #rows>"
LOAD_AND_STORE = f"""
    %row = vector.load %part[%c0, %c0] : {VIEW}, vector<2xf32>
    vector.store %row, %out[%c0, %c0] : memref<?x2xf32>, vector<2xf32>"""
COPY = f"memref.copy %part, %out : {VIEW} to memref<?x2xf32>"


def subview(of: str, first: str, count: str) -> str:
    return (
        f"%part = memref.subview %{of}[%{first}, 0] [%{count}, 2] [1, 1] "
        f": memref<?x2xf32> to {VIEW}\n    "
    )


def arrays(rows: int = 6, ids: tuple[int, ...] = (1, 2)) -> list[np.ndarray]:
    """A table of `rows` rows within a larger buffer, two rows of output."""
    table = np.arange(40, dtype=np.float32).reshape(20, 2)[:rows]
    return [table, np.full((2, 2), -1, np.float32), np.array(ids, np.int32)]


def test_a_view_within_its_buffer_is_read() -> None:
    given = arrays()
    text = program(ARGUMENTS, subview("table", "c2", "c2") + COPY)
    assert run_checked(text, given, CHECK) == "ok"
    assert given[1].tolist() == [[4, 5], [6, 7]]


@pytest.mark.parametrize("access", [LOAD_AND_STORE, COPY])
@pytest.mark.parametrize(("first", "rows"), [("c5", 6), ("c2", 3), ("c5", 1)])
def test_a_view_beyond_its_buffer_is_reported_and_not_read(
    access: str, first: str, rows: int
) -> None:
    given = arrays(rows)
    text = program(ARGUMENTS, subview("table", first, "c2") + access)
    assert run_checked(text, given, CHECK) == (
        f"'memref.subview' of sizes [2, 2] at [{first[1]}, 0] is out of the bounds of table, "
        f"whose sizes are [{rows}, 2]"
    )
    # A load out of bounds returns zero; a copy is not made.
    left = -1 if access == COPY else 0
    assert given[1].tolist() == [[left, left], [-1, -1]]


def test_a_view_beyond_the_view_that_it_is_of_is_reported() -> None:
    inner = (
        f"%part = memref.subview %outer[%c1, 0] [%c2, 2] [1, 1] : {VIEW} to {VIEW}" + LOAD_AND_STORE
    )
    outer = subview("table", "c2", "c2").replace("%part", "%outer")
    given = arrays()
    assert run_checked(program(ARGUMENTS, outer + inner), given, CHECK) == (
        "'memref.subview' of sizes [2, 2] at [1, 0] is out of the bounds of a part of table, "
        "whose sizes are [2, 2]"
    )
    assert given[1].tolist() == [[0, 0], [-1, -1]]


def test_an_access_outside_of_its_view_is_reported() -> None:
    """The access is within the table, but not within the view."""
    access = LOAD_AND_STORE.replace("%part[%c0", "%part[%c2")
    given = arrays()
    text = program(ARGUMENTS, subview("table", "c1", "c2") + access)
    assert run_checked(text, given, CHECK) == (
        "'vector.load' of 2 elements at [2, 0] is out of the bounds of a part of table, "
        "whose sizes are [2, 2]"
    )
    assert given[1].tolist() == [[0, 0], [-1, -1]]


@pytest.mark.parametrize(("count", "is_valid"), [("c2", True), ("c5", False)])
def test_the_last_element_of_a_strided_view_is_checked(count: str, is_valid: bool) -> None:
    type_ = "memref<?xi32, strided<[?], offset: ?>>"
    body = f"""
    %part = memref.subview %ids[%c1] [%{count}] [%c2] : memref<?xi32> to {type_}
    %0 = memref.load %part[%c1] : {type_}
    memref.store %0, %ids[%c0] : memref<?xi32>"""
    given = [*arrays()[:2], np.arange(10, 19, dtype=np.int32)]
    expected = (
        "ok"
        if is_valid
        else "'memref.subview' of sizes [5] with strides [2] at [1] is out of the bounds of ids, "
        "whose sizes are [9]"
    )
    assert run_checked(program(ARGUMENTS, body), given, CHECK) == expected
    assert given[2][0] == (13 if is_valid else 0)


def test_a_copy_to_a_buffer_of_other_sizes_is_reported() -> None:
    given = arrays()
    text = program(ARGUMENTS, "memref.copy %table, %out : memref<?x2xf32> to memref<?x2xf32>")
    assert run_checked(text, given, CHECK) == (
        "'memref.copy' of table, whose sizes are [6, 2], to out, whose sizes are [2, 2]"
    )
    assert given[1].tolist() == [[-1, -1], [-1, -1]]


def test_a_cast_to_other_sizes_is_reported() -> None:
    body = """
    %all = memref.cast %ids : memref<?xi32> to memref<5xi32>
    %0 = memref.load %all[%c2] : memref<5xi32>
    memref.store %0, %ids[%c0] : memref<?xi32>"""
    given = arrays()
    message = run_checked(program(ARGUMENTS, body), given, CHECK)
    assert message == "'memref.cast' of ids, whose sizes are [2], to 'memref<5xi32>'"


@pytest.mark.parametrize(("offset", "is_valid"), [("c0", True), ("c2", True), ("c5", False)])
def test_a_reinterpreted_buffer_is_checked_by_its_number_of_elements(
    offset: str, is_valid: bool
) -> None:
    """The view is of eight of twelve elements."""
    body = f"""
    %c8 = arith.constant 8 : index
    %flat = memref.reinterpret_cast %table to offset: [%{offset}], sizes: [%c8], strides: [1]
      : memref<?x2xf32> to memref<?xf32, strided<[1], offset: ?>>
    %0 = memref.load %flat[%c2] : memref<?xf32, strided<[1], offset: ?>>
    memref.store %0, %out[%c0, %c0] : memref<?x2xf32>"""
    given = arrays()
    expected = (
        "ok"
        if is_valid
        else "'memref.reinterpret_cast' to sizes [8] with strides [1] at [5] is out of the bounds "
        "of table, whose sizes are [6, 2]"
    )
    assert run_checked(program(ARGUMENTS, body), given, CHECK) == expected
    assert given[1][0, 0] == (int(offset[1]) + 2 if is_valid else 0)


@pytest.mark.parametrize(("first", "is_valid"), [("c0", True), ("c1", True), ("c2", False)])
def test_a_compressing_store_is_checked_for_the_elements_that_it_stores(
    first: str, *, is_valid: bool
) -> None:
    """Of four elements two are stored."""
    store = f"""
    %mask = arith.constant dense<[true, false, false, true]> : vector<4xi1>
    %values = arith.constant dense<[7, 8, 9, 10]> : vector<4xi32>
    vector.compressstore %ids[%{first}], %mask, %values
      : memref<?xi32>, vector<4xi1>, vector<4xi32>"""
    given = arrays(ids=(1, 2, 3))
    what = "'vector.compressstore' of sizes [2] at [2]"
    wrong = f"{what} is out of the bounds of ids, whose sizes are [3]"
    found = run_checked(program(ARGUMENTS, store), given, CHECK)
    assert found == ("ok" if is_valid else wrong)
    stored = np.array([1, 2, 3], np.int32)
    if is_valid:
        start = int(first[1])
        stored[start : start + 2] = 7, 10
    assert given[2].tolist() == stored.tolist()


@pytest.mark.parametrize("offsets", ["i32", "i64", "index"])
@pytest.mark.parametrize(
    ("first", "mask", "last"),
    [
        ("c0", "true, true, false", None),
        ("c1", "true, true, false", None),
        ("c2", "true, true, false", 3),
        ("c1", "false, true, true", 2**64 - 6),
        ("c2", "true, false, false", None),
        ("c5", "false, false, false", None),
    ],
)
def test_a_scatter_is_checked_for_the_elements_that_it_stores(
    offsets: str, first: str, mask: str, last: int | None
) -> None:
    store = f"""
    %mask = arith.constant dense<[{mask}]> : vector<3xi1>
    %offsets = arith.constant dense<[0, 1, -7]> : vector<3x{offsets}>
    %values = arith.constant dense<[7, 8, 9]> : vector<3xi32>
    vector.scatter %ids[%{first}][%offsets], %mask, %values
      : memref<?xi32>, vector<3x{offsets}>, vector<3xi1>, vector<3xi32>"""
    given = arrays(ids=(1, 2, 3))
    found = run_checked(program(ARGUMENTS, store), given, CHECK)
    expected = [1, 2, 3]
    if last is None:
        assert found == "ok"
        for lane, stored in enumerate(mask.split(", ")):
            if stored == "true":
                expected[int(first[1]) + lane] = 7 + lane
    else:
        shown = np.array(last, np.uint64).astype(np.int64)
        assert found == (
            f"'vector.scatter' of elements up to [{shown}] is out of the bounds of ids, "
            "whose sizes are [3]"
        )
    assert given[2].tolist() == expected


@pytest.mark.parametrize(
    ("first", "mask", "last"),
    [
        ("c0", "true, true, true", None),
        ("c1", "true, true, false", None),
        ("c1", "true, true, true", 3),
        ("c2", "false, true, false", 3),
        ("c5", "false, false, false", None),
    ],
)
def test_accesses_with_a_mask_are_checked_for_the_elements_in_it(
    first: str, mask: str, last: int | None
) -> None:
    values = f"%mask = arith.constant dense<[{mask}]> : vector<3xi1>"
    values += "\n%values = arith.constant dense<[7, 8, 9]> : vector<3xi32>\n"
    store = f"""{values} vector.maskedstore %ids[%{first}], %mask, %values
      : memref<?xi32>, vector<3xi1>, vector<3xi32>"""
    load = f"""{values} %found = vector.maskedload %ids[%{first}], %mask, %values
      : memref<?xi32>, vector<3xi1>, vector<3xi32> into vector<3xi32>
      vector.store %found, %ids[%c0] : memref<?xi32>, vector<3xi32>"""
    for name, body in (("vector.maskedstore", store), ("vector.maskedload", load)):
        expected, given = [1, 2, 3], arrays(ids=(1, 2, 3))
        found = run_checked(program(ARGUMENTS, body), given, CHECK)
        if last is not None:
            assert found == (
                f"'{name}' of elements up to [{last}] is out of the bounds of ids, whose sizes are [3]"
            )
            continue
        assert found == "ok"
        start, lanes = int(first[1]), [each == "true" for each in mask.split(", ")]
        loaded = [7, 8, 9]
        for lane in np.flatnonzero(lanes):
            loaded[lane] = expected[start + lane]
            expected[start + lane] = 7 + int(lane)
        assert given[2].tolist() == (expected if name == "vector.maskedstore" else loaded)
