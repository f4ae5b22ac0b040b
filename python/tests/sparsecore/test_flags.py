"""Flags: where they are read, which override others, and the errors about bad ones."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.config import FLAGS, SparsecoreConfig
from sdykit.sparsecore.config.flags import MOVED, VARIABLES, resolve, split_arguments
from sdykit.sparsecore.errors import SparseCoreError
from support.amounts import examples

SANITIZER = "cores_to_sanitize: [TC, SC_SCS, SC_TILE], sanitizer_mode: LOCAL_ONLY"

VALUES: dict[str, tuple[str, object]] = {
    "xla_sparse_core_max_ids_file": ("limits of all.json", "limits of all.json"),
    "xla_sparse_core_estimate_max_ids": ("true", True),
    "xla_sparse_core_enable_id_bound_check": ("false", False),
    "xla_sc_detect_nan": ("true", True),
    "xla_sc_assert_level": ("bounds", "bounds"),
    "xla_tpu_buffer_contents_sanitizer_config": (SANITIZER, SANITIZER),
    "xla_tpu_verify_launch_id_across_cores": ("true", True),
    "xla_sc_num_serialized_tables_to_optimize_hbm": ("4", 4),
    "tf_xla_disable_full_embedding_pipelining": ("true", True),
    "maximum_parallel_iterations": ("8", 8),
    "vmodule": ("best_fit_allocator=1", "best_fit_allocator=1"),
}


def only(name: str, value: object) -> SparsecoreConfig:
    settings: dict[str, Any] = {name: value}
    return SparsecoreConfig(**settings)


def test_the_values_of_these_tests_cover_every_flag() -> None:
    assert list(VALUES) == list(FLAGS)


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("variable", VARIABLES)
def test_every_flag_is_read_from_every_variable(variable: str, name: str) -> None:
    text, value = VALUES[name]
    assert resolve(environment={variable: f"--{name}='{text}'"}) == only(name, value)
    assert resolve(environment={variable: ""}) == SparsecoreConfig()


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("dashes", ["-", "--"])
def test_every_flag_is_read_from_the_command_line(name: str, dashes: str) -> None:
    text, value = VALUES[name]
    arguments = [f"{dashes}{name}={text}"]
    assert resolve(arguments=arguments, environment={}) == only(name, value)
    assert split_arguments(arguments) == (arguments, [])


FROM_LOW_TO_HIGH = ("XLA_FLAGS", "LIBTPU_INIT_ARGS", "SDYKIT_FLAGS")


@pytest.mark.parametrize("highest", range(5))
def test_a_later_place_overrides_an_earlier_one(highest: int) -> None:
    """Two places, or one, set the flag: the configuration to 100, the command line to 104."""
    for lower in range(highest + 1):
        places = {lower, highest}
        config = SparsecoreConfig(maximum_parallel_iterations=100 if 0 in places else 1)
        environment = {
            variable: f"--maximum_parallel_iterations={100 + at}"
            for at, variable in enumerate(FROM_LOW_TO_HIGH, start=1)
            if at in places
        }
        arguments = ["--maximum_parallel_iterations=104"] if 4 in places else []
        found = resolve(config, arguments=arguments, environment=environment)
        assert found.maximum_parallel_iterations == 100 + highest


def test_a_later_place_can_switch_a_flag_off() -> None:
    config = SparsecoreConfig(xla_sc_detect_nan=True, xla_sc_assert_level="bounds")
    found = resolve(
        config,
        arguments=["--xla_sc_assert_level=none"],
        environment={"LIBTPU_INIT_ARGS": "--xla_sc_detect_nan=false"},
    )
    assert found == SparsecoreConfig()


def test_settings_without_flags_are_kept() -> None:
    config = SparsecoreConfig(allow_id_dropping=True, max_ids_per_table={"a": 3})
    assert resolve(config, environment={}) is config
    found = resolve(config, arguments=["--xla_sc_detect_nan"], environment={})
    assert found == SparsecoreConfig(
        allow_id_dropping=True, max_ids_per_table={"a": 3}, xla_sc_detect_nan=True
    )


def test_the_default_environment_is_that_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    assert resolve() == SparsecoreConfig()
    monkeypatch.setenv("SDYKIT_FLAGS", "--xla_sc_detect_nan")
    assert resolve() == SparsecoreConfig(xla_sc_detect_nan=True)


def test_the_later_of_two_flags_in_one_place_counts() -> None:
    arguments = ["--maximum_parallel_iterations=2", "--maximum_parallel_iterations=3"]
    assert resolve(arguments=arguments, environment={}).maximum_parallel_iterations == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((f"={word}", True) for word in ("true", "True", "t", "yes", "Y", "1")),
        *((f"={word}", False) for word in ("false", "FALSE", "f", "no", "n", "0")),
        ("", True),
    ],
)
def test_booleans_have_the_words_of_libtpu(text: str, value: bool) -> None:
    before = SparsecoreConfig(xla_sc_detect_nan=not value)
    found = resolve(before, environment={"SDYKIT_FLAGS": f"--xla_sc_detect_nan{text}"})
    assert found.xla_sc_detect_nan is value


@pytest.mark.parametrize("variable", VARIABLES)
def test_no_before_a_boolean_switches_it_off(variable: str) -> None:
    before = SparsecoreConfig(xla_sc_detect_nan=True)
    found = resolve(before, environment={variable: "--noxla_sc_detect_nan"})
    assert found.xla_sc_detect_nan is False
    assert split_arguments(["--noxla_sc_detect_nan"]) == (["--noxla_sc_detect_nan"], [])


@pytest.mark.parametrize("variable", ["XLA_FLAGS", "LIBTPU_INIT_ARGS"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("--xla_force_host_platform_device_count=8", {}),
        ("--xla_tpu_scoped_vmem_limit=98 --xla_sc_detect_nan=1", {"xla_sc_detect_nan": True}),
        ("--nomaximum=1", {}),
        ("a_file_of_flags", {}),
        ("--xla_dump_to=it's", {}),
        ("--vmodule=tpu_driver=3,best_fit_allocator=1,a*=2", {"vmodule": "best_fit_allocator=1"}),
        ("--vmodule=tpu_driver=3", {}),
    ],
)
def test_flags_of_other_programs_are_ignored(
    variable: str, text: str, expected: Mapping[str, Any]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert resolve(environment={variable: text}) == SparsecoreConfig(**expected)


@pytest.mark.parametrize("variable", ["XLA_FLAGS", "LIBTPU_INIT_ARGS"])
def test_an_unknown_flag_of_sparse_cores_is_warned_of(variable: str) -> None:
    text = "--xla_sc_disable_megacore_partitioning=true --xla_sparse_core_foo"
    with pytest.warns(UserWarning, match="no such flag") as caught:
        assert resolve(environment={variable: text}) == SparsecoreConfig()
    assert [(str(each.message), each.filename) for each in caught] == [
        (f"{variable}: --{name} has no effect: simulated SparseCores have no such flag", __file__)
        for name in ("xla_sc_disable_megacore_partitioning", "xla_sparse_core_foo")
    ]


def test_flags_are_set_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in FLAGS:
            resolve(environment={"SDYKIT_FLAGS": shlex.join([f"--{name}={VALUES[name][0]}"])})


def test_errors_name_the_variable_that_a_flag_was_moved_from() -> None:
    bad, own = "--xla_sc_detect_nan=maybe", "--xla_sc_assert_level=all"
    for moved, libtpu, where in ((bad, bad, "XLA_FLAGS"), ("", bad, "LIBTPU_INIT_ARGS")):
        with pytest.raises(SparseCoreError, match=f"^{where}: --xla_sc_detect_nan is 'maybe'"):
            resolve(environment={MOVED: moved, "LIBTPU_INIT_ARGS": libtpu})
    with pytest.raises(SparseCoreError, match=r"^LIBTPU_INIT_ARGS: --xla_sc_assert_level is 'all'"):
        resolve(environment={MOVED: bad, "LIBTPU_INIT_ARGS": own})


def test_a_similar_flag_of_another_program_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="did you mean") as caught:
        found = resolve(environment={"LIBTPU_INIT_ARGS": "--xla_sc_detect_nans=true"})
    assert [str(each.message) for each in caught] == [
        "LIBTPU_INIT_ARGS: --xla_sc_detect_nans is left to others; did you mean"
        " --xla_sc_detect_nan?"
    ]
    assert caught[0].filename == __file__
    assert found == SparsecoreConfig()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("--xla_sc_detect_nan=maybe", "--xla_sc_detect_nan is 'maybe'; expected true or false"),
        ("--xla_sc_detect_nan=", "--xla_sc_detect_nan is ''; expected true or false"),
        ("--xla_sc_assert_level", "--xla_sc_assert_level has no value; expected none or bounds"),
        ("--xla_sc_assert_level=all", "--xla_sc_assert_level is 'all'; expected none or bounds"),
        *(
            (
                f"--maximum_parallel_iterations={value}",
                f"--maximum_parallel_iterations is '{value}'; expected an integer from 0 to 1024",
            )
            for value in ("many", "1_0", "1.0", "٣", "9" * 21)
        ),
        (
            "--maximum_parallel_iterations=-1",
            "--maximum_parallel_iterations is -1; expected an integer from 0 to 1024",
        ),
        (
            "--vmodule=best_fit_allocator=high",
            "--vmodule is 'best_fit_allocator=high'; expected text such as 'best_fit_allocator=1'",
        ),
        (
            "--xla_tpu_buffer_contents_sanitizer_config=cores_to_sanitize:TPU",
            "--xla_tpu_buffer_contents_sanitizer_config is 'cores_to_sanitize:TPU' (found 'TPU' at"
            " column 19; expected one of TC, SC_SCS, SC_TILE); expected text such as"
            " 'cores_to_sanitize: [TC, SC_SCS, SC_TILE], sanitizer_mode: LOCAL_ONLY'",
        ),
    ],
)
def test_a_bad_value_is_an_error_in_every_place(text: str, message: str) -> None:
    for variable in VARIABLES:
        with pytest.raises(SparseCoreError) as raised:
            resolve(environment={variable: text})
        assert str(raised.value) == f"{variable}: {message}"
    with pytest.raises(SparseCoreError) as raised:
        resolve(arguments=[text], environment={})
    assert str(raised.value) == f"command line: {message}"


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (
            "--xla_sc_detect_nann",
            "unknown flag --xla_sc_detect_nann; did you mean 'xla_sc_detect_nan'?",
        ),
        (
            "-xla-sc-assert-level=x",
            "unknown flag --xla-sc-assert-level; did you mean 'xla_sc_assert_level'?",
        ),
        (
            "--noxla_sc_assert_level",
            "unknown flag --noxla_sc_assert_level; did you mean 'xla_sc_assert_level'?",
        ),
        (
            "--noxla_sc_detect_nan=true",
            "unknown flag --noxla_sc_detect_nan; did you mean 'xla_sc_detect_nan'?",
        ),
        ("--zzz", f"unknown flag --zzz; expected one of {', '.join(FLAGS)}"),
        (
            "--allow_id_dropping",
            f"unknown flag --allow_id_dropping; expected one of {', '.join(FLAGS)}",
        ),
        ("true", "found 'true'; expected --<flag>=<value>"),
    ],
)
def test_an_unknown_flag_is_an_error_that_suggests_one(word: str, message: str) -> None:
    with pytest.raises(SparseCoreError) as raised:
        resolve(arguments=[word], environment={})
    assert str(raised.value) == f"command line: {message}"
    with pytest.raises(SparseCoreError) as raised:
        resolve(environment={"SDYKIT_FLAGS": word})
    assert str(raised.value) == f"SDYKIT_FLAGS: {message}"


def test_an_unclosed_quotation_mark_is_an_error() -> None:
    text = "--xla_sparse_core_max_ids_file='a"
    for variable in VARIABLES:
        with pytest.raises(SparseCoreError) as raised:
            resolve(environment={variable: text})
        assert str(raised.value) == f'{variable}: a quotation mark is not closed in "{text}"'


PIECES = [
    *FLAGS,
    "--",
    "-",
    "=",
    " ",
    "'",
    '"',
    "\\",
    "\0",
    "true",
    "9",
    "no",
    "best_fit_allocator",
    "é",
]


@settings(derandomize=True, max_examples=examples(500), deadline=None)
@given(st.sampled_from(VARIABLES), st.lists(st.sampled_from(PIECES), max_size=10).map("".join))
def test_any_text_is_read_or_is_an_error_that_names_the_variable(variable: str, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            message = ""
            resolve(environment={variable: text})
        except SparseCoreError as error:
            message = str(error)
    assert not message or message.startswith(f"{variable}: ")


def test_words_of_a_command_line_are_split_into_flags_and_others() -> None:
    words = ["data.npz", "--xla_sc_assert_levels=bounds", "-o", "out.json", "--vmodules=x", "--n=1"]
    flags = ["--xla_sc_assert_levels=bounds", "--vmodules=x"]
    others = ["data.npz", "-o", "out.json", "--n=1"]
    assert split_arguments(words) == (flags, others)
    assert split_arguments(["-", "--", *words]) == ([], ["-", "--", *words])
