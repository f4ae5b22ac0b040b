"""The sanitizer's setting, a message in protobuf's text format."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.chip.cores import CORES
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.config.sanitizer import Sanitizer, parse_sanitizer
from sdykit.sparsecore.errors import SparseCoreError
from support.amounts import examples


@pytest.mark.parametrize(
    ("text", "cores"),
    [
        ("cores_to_sanitize: [TC, SC_SCS, SC_TILE], sanitizer_mode: LOCAL_ONLY", CORES),
        ("cores_to_sanitize:[SC_TILE,TC]sanitizer_mode:LOCAL_ONLY", ("SC_TILE", "TC")),
        ("sanitizer_mode: LOCAL_ONLY; cores_to_sanitize: TC;", ("TC",)),
        ("cores_to_sanitize: SC_SCS cores_to_sanitize: [TC] # both", ("SC_SCS", "TC")),
        ("cores_to_sanitize: [TC, TC]", ("TC",)),
        ("\n  cores_to_sanitize : [\n  TC # the first\n  , SC_SCS ]\n", ("TC", "SC_SCS")),
    ],
)
def test_all_spellings_of_a_message_are_read(text: str, cores: tuple[str, ...]) -> None:
    config = SparsecoreConfig(xla_tpu_buffer_contents_sanitizer_config=text)
    assert config.sanitizer == Sanitizer(cores, "LOCAL_ONLY")


@pytest.mark.parametrize(
    "text", ["", "  ", "# off", "cores_to_sanitize: []", "sanitizer_mode: LOCAL_ONLY"]
)
def test_without_cores_there_is_no_sanitizer(text: str) -> None:
    assert SparsecoreConfig(xla_tpu_buffer_contents_sanitizer_config=text).sanitizer is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "cores_to_sanitise: [TC]",
            "'cores_to_sanitise' at column 1; did you mean 'cores_to_sanitize'?",
        ),
        ("cores_to_sanitize [TC]", "'[' at column 19; expected ':'"),
        ("cores_to_sanitize: [TC, SC_TIL]", "'SC_TIL' at column 25; did you mean 'SC_TILE'?"),
        ("cores_to_sanitize: [TC SC_SCS]", "'SC_SCS' at column 24; expected ','"),
        ("cores_to_sanitize: [TC,]", "']' at column 24; expected one of TC, SC_SCS, SC_TILE"),
        ("cores_to_sanitize: [TC", "the end at column 23; expected ','"),
        ("cores_to_sanitize: 'TC'", "''' at column 20; expected one of TC, SC_SCS, SC_TILE"),
        ("cores_to_sanitize:", "the end at column 19; expected one of TC, SC_SCS, SC_TILE"),
        (
            "cores_to_sanitize: TC,,",
            "',' at column 23; expected one of cores_to_sanitize, sanitizer_mode",
        ),
        ("sanitizer_mode: GLOBAL", "'GLOBAL' at column 17; expected one of LOCAL_ONLY"),
        ("sanitizer_mode: [LOCAL_ONLY]", "'[' at column 17; expected one of LOCAL_ONLY"),
        (
            "sanitizer_mode: LOCAL_ONLY sanitizer_mode: LOCAL_ONLY",
            "'sanitizer_mode' at column 28; expected it once",
        ),
        (
            "{cores_to_sanitize: TC}",
            "'{' at column 1; expected one of cores_to_sanitize, sanitizer_mode",
        ),
    ],
)
def test_an_error_names_the_column(text: str, message: str) -> None:
    with pytest.raises(SparseCoreError) as raised:
        SparsecoreConfig(xla_tpu_buffer_contents_sanitizer_config=text)
    assert str(raised.value) == (
        f"config: xla_tpu_buffer_contents_sanitizer_config is {text!r} (found {message}); "
        "expected text such as 'cores_to_sanitize: [TC, SC_SCS, SC_TILE], sanitizer_mode: LOCAL_ONLY'"
    )


@settings(derandomize=True, max_examples=examples(300), deadline=None)
@given(st.lists(st.sampled_from(CORES), min_size=1), st.sampled_from([" ", ", ", "; ", "\n"]))
def test_a_list_equals_repeated_fields(cores: list[str], separator: str) -> None:
    expected = Sanitizer(tuple(dict.fromkeys(cores)))
    assert parse_sanitizer(f"cores_to_sanitize: [{', '.join(cores)}]") == expected
    repeated = separator.join(f"cores_to_sanitize: {core}" for core in cores)
    assert parse_sanitizer(repeated) == expected


PIECES = ["cores_to_sanitize", "sanitizer_mode", ":", "[", "]", ",", ";", " ", "#", "\n", "é"]


@settings(derandomize=True, max_examples=examples(500), deadline=None)
@given(st.lists(st.sampled_from([*PIECES, *CORES, "LOCAL_ONLY"]), max_size=12).map("".join))
def test_any_text_is_read_or_is_an_error_with_a_column(text: str) -> None:
    message = ""
    try:
        found = parse_sanitizer(text)
    except ValueError as error:
        found, message = None, str(error)
    assert found is None or set(found.cores) <= set(CORES)
    assert not message or " at column " in message
