"""The numbers of the cost model: sources, ranges, and those of a user."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdykit.sparsecore.chip import CHIPS, chip
from sdykit.sparsecore.cost import Number, numbers_of
from sdykit.sparsecore.cost.defaults import DEFAULTS, FASTER_IF_LOWER
from sdykit.sparsecore.errors import SparseCoreError


@pytest.mark.parametrize("name", CHIPS)
def test_every_number_has_a_unit_a_range_and_a_source(name: str) -> None:
    numbers = numbers_of(name)
    assert set(DEFAULTS) < set(numbers)
    for each in numbers.by_name.values():
        assert each.unit in ("", "s", "B/s")
        assert each.low <= each.value <= each.high
        assert len(each.source) > 6 or each.is_assumed
        if each.is_assumed or each.source.startswith("fitted"):
            assert each.low < each.high


def test_bandwidths_are_those_of_the_chip_and_assumed_ones_have_a_range() -> None:
    numbers = numbers_of("v6e")
    assert numbers["hbm_bytes_per_second"] == Number(
        1.64e12, 1.64e12, 1.64e12, "B/s", "jax: pallas tpu_info"
    )
    ici = numbers["ici_bytes_per_second"]
    assert ici.is_assumed
    assert (ici.low, ici.value, ici.high) == (8e11 / 1.5, 8e11, 1.2e12)
    assert numbers["ici_dimensions"].value == 2
    assert numbers_of("v5p")["ici_dimensions"].value == 3


def test_the_cases_take_the_ends_of_the_ranges_that_make_times_shorter_or_longer() -> None:
    numbers = numbers_of("7x")
    fastest, slowest = numbers.at("fastest"), numbers.at("slowest")
    for name, number in numbers.by_name.items():
        ends = (number.low, number.high)
        assert (fastest[name], slowest[name]) == (ends if name in FASTER_IF_LOWER else ends[::-1])
    assert numbers.at("expected")["dma_seconds"] == numbers["dma_seconds"].value


def test_numbers_can_be_replaced() -> None:
    numbers = numbers_of("v5p").replace(
        vector_seconds=2e-9,
        overlap={"value": 0.2, "high": 0.4, "source": "my kernel"},
        launch_seconds=Number(1.0, 0.5, 2.0, "s", "measured"),
    )
    assert numbers["vector_seconds"] == Number(2e-9, 2e-9, 2e-9, "s", "given in a program")
    assert numbers["overlap"] == Number(0.2, 0.2, 0.4, "", "my kernel")
    assert numbers["launch_seconds"].source == "measured"
    assert numbers["dma_seconds"] == DEFAULTS["dma_seconds"]


def test_a_file_of_a_chip_has_numbers_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "fast.toml"
    path.write_text(
        'base = "v6e"\n[cost]\nvector_seconds = 1e-10\n'
        'overlap = {value = 0.9, low = 0.8, high = 1, source = "mine"}\n'
    )
    numbers = numbers_of(str(path))
    assert numbers["vector_seconds"] == Number(1e-10, 1e-10, 1e-10, "s", f"file {path}")
    assert numbers["overlap"] == Number(0.9, 0.8, 1, "", "mine")
    assert numbers["ici_dimensions"].value == 2  # That of the base.
    assert chip(str(path)) == chip(str(path))
    assert hash(chip(str(path))) == hash(chip(str(path)))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"vectors": 1.0}, "there is no number 'vectors'; did you mean 'vector_seconds'?"),
        ({"overlap": "half"}, "overlap is 'half'; expected a finite number"),
        ({"overlap": float("nan")}, "overlap is nan; expected a finite number"),
        ({"overlap": True}, "overlap is True; expected a finite number"),
        ({"overlap": 1.5}, "overlap is up to 1.5; expected at most 1"),
        ({"hbm_efficiency": 0}, "hbm_efficiency is 0 or more; expected more than 0"),
        ({"ici_dimensions": 4}, "ici_dimensions is 4; expected 1, 2 or 3, exactly"),
        (
            {"vector_seconds": -1.0},
            "vector_seconds: the value is -1 in a range of -1 to -1; expected "
            "0 <= low <= value <= high",
        ),
        (
            {"overlap": {"value": 0.5, "high": 0.4}},
            "overlap: the value is 0.5 in a range of 0.5 to 0.4; expected 0 <= low <= value <= high",
        ),
        ({"overlap": {"low": 0.5}}, "overlap: value is not given; expected a number"),
        (
            {"overlap": {"value": 0.5, "hight": 1}},
            "overlap: unknown key 'hight'; did you mean 'high'?",
        ),
        (
            {"overlap": {"value": 0.5, "source": ""}},
            "overlap: source is ''; expected a string that is not empty",
        ),
    ],
)
def test_wrong_numbers_are_errors(given: dict[str, object], message: str) -> None:
    with pytest.raises(SparseCoreError) as raised:
        numbers_of("v5p").replace(**given)  # pyright: ignore[reportArgumentType]
    assert str(raised.value) == f"cost: {message}"


def test_errors_of_a_file_name_it(tmp_path: Path) -> None:
    path = tmp_path / "odd.toml"
    path.write_text('base = "v6e"\n[cost]\noverlap = 2\n')
    with pytest.raises(SparseCoreError) as raised:
        numbers_of(str(path))
    assert str(raised.value) == "chip 'odd': cost: overlap is up to 2; expected at most 1"
    path.write_text('base = "v6e"\ncost = 3\n')
    with pytest.raises(SparseCoreError) as raised:
        numbers_of(str(path))
    assert str(raised.value) == f"{path}: error: cost is 3; expected a table of numbers"


def test_the_table_has_a_line_for_each_number() -> None:
    lines = str(numbers_of("v4")).splitlines()
    assert lines[0] == "| v4 | value | range | unit | source |"
    assert len(lines) == 2 + len(numbers_of("v4").by_name)
    assert "| `vector_seconds` | 1e-09 | 3e-10 to 2.5e-09 | s | assumed: " in str(numbers_of("v4"))
