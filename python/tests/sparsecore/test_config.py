"""The configuration: its settings, their values, and the errors about bad ones."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import sdykit.sparsecore
from sdykit.sparsecore.config import FLAGS, SETTINGS, SparsecoreConfig
from sdykit.sparsecore.errors import SparseCoreError

DEFAULTS = {
    "disable_table_stacking": False,
    "max_ids_per_chip_per_sample": 64,
    "max_ids_per_table": None,
    "max_unique_ids_per_table": None,
    "allow_id_dropping": False,
    "initialize_tables_on_host": True,
    "enable_fast_table_initialization": False,
}
FLAG_DEFAULTS = {
    "xla_sparse_core_max_ids_file": "",
    "xla_sparse_core_estimate_max_ids": False,
    "xla_sparse_core_enable_id_bound_check": True,
    "xla_sc_detect_nan": False,
    "xla_sc_assert_level": "none",
    "xla_tpu_buffer_contents_sanitizer_config": "",
    "xla_tpu_verify_launch_id_across_cores": False,
    "xla_sc_num_serialized_tables_to_optimize_hbm": 0,
    "tf_xla_disable_full_embedding_pipelining": False,
    "maximum_parallel_iterations": 1,
    "vmodule": "",
}


def made(name: str, value: Any) -> SparsecoreConfig:
    return SparsecoreConfig(**{name: value})


def test_settings_have_their_documented_defaults() -> None:
    assert dataclasses.asdict(SparsecoreConfig()) == DEFAULTS | FLAG_DEFAULTS
    assert list(FLAGS) == list(FLAG_DEFAULTS)
    assert list(SETTINGS) == [*DEFAULTS, *FLAG_DEFAULTS]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, True) for name, value in (DEFAULTS | FLAG_DEFAULTS).items() if value is False),
        ("initialize_tables_on_host", False),
        ("max_ids_per_chip_per_sample", 1),
        ("max_ids_per_chip_per_sample", 2**31 - 1),
        ("max_ids_per_table", {}),
        ("max_ids_per_table", {"user": 1, "item": 2**31 - 1}),
        ("max_unique_ids_per_table", {"user": 7}),
        ("xla_sparse_core_max_ids_file", "limits.json"),
        ("xla_sc_assert_level", "bounds"),
        ("xla_tpu_buffer_contents_sanitizer_config", "cores_to_sanitize: TC"),
        ("xla_sc_num_serialized_tables_to_optimize_hbm", 3),
        ("maximum_parallel_iterations", 0),
        ("maximum_parallel_iterations", 1024),
        ("vmodule", "best_fit_allocator=1"),
    ],
)
def test_a_setting_keeps_its_value(name: str, value: object) -> None:
    settings: dict[str, Any] = {"initialize_tables_on_host": False, name: value}
    expected = DEFAULTS | FLAG_DEFAULTS | settings
    assert dataclasses.asdict(SparsecoreConfig(**settings)) == expected


def test_integers_of_numpy_become_python_integers() -> None:
    config = SparsecoreConfig(
        max_ids_per_chip_per_sample=np.int64(5),  # pyright: ignore[reportArgumentType]
        max_ids_per_table={"user": np.int32(6)},  # pyright: ignore[reportArgumentType]
    )
    assert type(config.max_ids_per_chip_per_sample) is int
    assert config.max_ids_per_table is not None
    assert type(config.max_ids_per_table["user"]) is int
    assert config == SparsecoreConfig(max_ids_per_chip_per_sample=5, max_ids_per_table={"user": 6})


INTEGER = "expected an integer from 1 to 2147483647"
TABLES = "expected None, or a dictionary from tables' names to integers"
LONG = "config: max_ids_per_table is "


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("allow_id_dropping", 1, "config: allow_id_dropping is 1; expected true or false"),
        (
            "xla_sc_detect_nan",
            "true",
            "config: xla_sc_detect_nan is 'true'; expected true or false",
        ),
        ("max_ids_per_chip_per_sample", 0, f"config: max_ids_per_chip_per_sample is 0; {INTEGER}"),
        (
            "max_ids_per_chip_per_sample",
            True,
            f"config: max_ids_per_chip_per_sample is True; {INTEGER}",
        ),
        (
            "max_ids_per_chip_per_sample",
            6.0,
            f"config: max_ids_per_chip_per_sample is 6.0; {INTEGER}",
        ),
        (
            "max_ids_per_chip_per_sample",
            2**31,
            f"config: max_ids_per_chip_per_sample is 2147483648; {INTEGER}",
        ),
        ("max_ids_per_table", [("a", 1)], f"{LONG}[('a', 1)]; {TABLES}"),
        (
            "max_ids_per_table",
            {"a": 0},
            f"{LONG}{{'a': 0}} (the limit of table 'a' is 0; {INTEGER}); {TABLES}",
        ),
        (
            "max_ids_per_table",
            {"": 1},
            f"{LONG}{{'': 1}} (a table's name is ''; expected a string that is not empty); "
            f"{TABLES}",
        ),
        (
            "max_unique_ids_per_table",
            {"a": None},
            "config: max_unique_ids_per_table is {'a': None} (the limit of table 'a' is None;"
            f" {INTEGER}); {TABLES}",
        ),
        (
            "xla_sparse_core_max_ids_file",
            None,
            "config: xla_sparse_core_max_ids_file is None; expected the name of a file, or nothing",
        ),
        (
            "xla_sc_assert_level",
            "bound",
            "config: xla_sc_assert_level is 'bound'; expected none or bounds",
        ),
        (
            "xla_sc_num_serialized_tables_to_optimize_hbm",
            -1,
            "config: xla_sc_num_serialized_tables_to_optimize_hbm is -1; expected an integer from 0"
            " to 2147483647",
        ),
        (
            "maximum_parallel_iterations",
            1025,
            "config: maximum_parallel_iterations is 1025; expected an integer from 0 to 1024",
        ),
        (
            "vmodule",
            "best_fit_alocator=1",
            "config: vmodule is 'best_fit_alocator=1' (no module 'best_fit_alocator' logs; did you"
            " mean 'best_fit_allocator'?); expected text such as 'best_fit_allocator=1'",
        ),
        (
            "vmodule",
            "best_fit_allocator",
            "config: vmodule is 'best_fit_allocator'; expected text such as 'best_fit_allocator=1'",
        ),
    ],
)
def test_a_value_that_a_setting_cannot_have_is_an_error(
    name: str, value: object, message: str
) -> None:
    with pytest.raises(SparseCoreError) as raised:
        made(name, value)
    assert str(raised.value) == message


def test_an_integer_of_thousands_of_digits_is_an_error() -> None:
    with pytest.raises(SparseCoreError) as raised:
        made("max_ids_per_chip_per_sample", 10**5000)
    assert str(raised.value) == (
        f"config: max_ids_per_chip_per_sample is an integer of thousands of digits; {INTEGER}"
    )


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("xla_sc_detect_nann", "xla_sc_detect_nan"),
        ("allow_id_droping", "allow_id_dropping"),
        ("MAX_IDS_PER_TABLE", "max_ids_per_table"),
        ("xla_sparse_core_max_id_file", "xla_sparse_core_max_ids_file"),
    ],
)
def test_an_error_about_an_unknown_setting_suggests_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(SparseCoreError) as raised:
        made(name, True)
    assert str(raised.value) == f"config: unknown setting '{name}'; did you mean '{nearest}'?"


def test_an_error_about_an_unknown_setting_lists_all_if_none_is_similar() -> None:
    with pytest.raises(SparseCoreError) as raised:
        made("zzz", True)
    names = ", ".join(SETTINGS)
    assert str(raised.value) == f"config: unknown setting 'zzz'; expected one of {names}"


def test_fast_initialization_wins_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="both true") as caught:
        config = SparsecoreConfig(
            initialize_tables_on_host=True, enable_fast_table_initialization=True
        )
    assert [str(each.message) for each in caught] == [
        "config: initialize_tables_on_host and enable_fast_table_initialization are both true;"
        " tables are made on the device. Set initialize_tables_on_host=False to say so"
    ]
    assert caught[0].filename == __file__
    assert config.initialize_tables_on_host is False
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # It is warned of once.
        dataclasses.replace(config, allow_id_dropping=True)


@pytest.mark.parametrize(("host", "fast"), [(True, False), (False, True), (False, False)])
def test_there_is_no_warning_if_the_two_agree(host: bool, fast: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config = SparsecoreConfig(
            initialize_tables_on_host=host, enable_fast_table_initialization=fast
        )
    assert config.initialize_tables_on_host is host


def test_log_level_is_that_of_vmodule_or_0() -> None:
    assert SparsecoreConfig().log_level("best_fit_allocator") == 0
    assert SparsecoreConfig(vmodule="best_fit_allocator=2").log_level("best_fit_allocator") == 2
    assert SparsecoreConfig(vmodule="best_fit_allocator=1").log_level("other") == 0


def test_configurations_are_hashed_compared_and_frozen() -> None:
    limits = {"user": 5}
    config = SparsecoreConfig(max_ids_per_table=limits)
    limits["user"] = 0
    assert config.max_ids_per_table == {"user": 5}
    assert pickle.loads(pickle.dumps(config)) == copy.deepcopy(config) == config
    assert hash(config) == hash(copy.deepcopy(config))
    assert config != SparsecoreConfig()
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.allow_id_dropping = True  # pyright: ignore[reportAttributeAccessIssue]


def test_the_package_is_imported_without_numpy_jax_and_llvmlite() -> None:
    program = """
import sys
import sdykit.sparsecore
from sdykit.sparsecore import CHIPS, SparsecoreConfig, resolve
resolve(SparsecoreConfig())
print([name for name in ("llvmlite", "numpy", "jax", "jaxlib") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_the_package_has_all_names_in_all() -> None:
    for name in sdykit.sparsecore.__all__:
        assert getattr(sdykit.sparsecore, name) is not None
    assert set(sdykit.sparsecore.__all__) <= set(dir(sdykit.sparsecore))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        sdykit.sparsecore.nothing  # noqa: B018
