"""Flags of the chip that are moved from `XLA_FLAGS`, with the same effect."""

from __future__ import annotations

import os
import re

import pytest

from sdykit.bridge.plugin.xla_flags import _XLAS, move_own_flags
from sdykit.sparsecore import resolve
from sdykit.sparsecore.config import FLAGS
from sdykit.sparsecore.config.flags import MOVED
from sdykit.sparsecore.errors import SparseCoreError

NAN, NOT_NAN = "--xla_sc_detect_nan=true", "--noxla_sc_detect_nan"
BOUNDS = "--xla_sc_assert_level=bounds"
DEVICES = "--xla_force_host_platform_device_count=8"
SANITIZER = "--xla_tpu_buffer_contents_sanitizer_config='cores_to_sanitize: [SC_TILE]'"
OTHERS = '--xla_dump_to="/tmp/a b" --xla_cpu_enable_fast_math=false'


@pytest.mark.parametrize(
    ("given", "tpu_arguments", "left", "moved"),
    [
        ("", "", "", ""),
        (DEVICES, "", DEVICES, ""),
        (BOUNDS, "", "", BOUNDS),
        (f"{NAN} {DEVICES} {BOUNDS}", "", DEVICES, f"{NAN} {BOUNDS}"),
        (f"{DEVICES} --xla_sc_detect_nan", NOT_NAN, DEVICES, f"--xla_sc_detect_nan {NOT_NAN}"),
        (f" {OTHERS}\t{SANITIZER}\n{NOT_NAN} ", BOUNDS, OTHERS, f"{SANITIZER} {NOT_NAN} {BOUNDS}"),
        ("--vmodule=best_fit_allocator=1", "", "", "--vmodule=best_fit_allocator=1"),
        ("-xla_sc_detect_nan=true", "", "", "-xla_sc_detect_nan=true"),
        # Flags of others, or no flags: XLA judges them.
        ("--xla_sc_detect_nans=true stray", "", "--xla_sc_detect_nans=true stray", ""),
        (f"--xla_dump_to='{NAN}'", "", f"--xla_dump_to='{NAN}'", ""),
        ("flags.txt", "", "flags.txt", ""),
    ],
)
@pytest.mark.filterwarnings("ignore:.*did you mean", "ignore:.*has no effect on programs yet")
def test_flags_of_the_chip_move_to_libtpu_init_args(
    monkeypatch: pytest.MonkeyPatch, given: str, tpu_arguments: str, left: str, moved: str
) -> None:
    monkeypatch.setenv("XLA_FLAGS", given)
    monkeypatch.setenv("LIBTPU_INIT_ARGS", tpu_arguments)
    monkeypatch.delenv(MOVED, raising=False)
    before = resolve()
    move_own_flags()
    assert os.environ["XLA_FLAGS"] == left
    assert os.environ["LIBTPU_INIT_ARGS"] == (moved or tpu_arguments)
    assert resolve() == before


def test_a_misspelled_flag_is_a_warning_before_xla_ends_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XLA_FLAGS", f"{DEVICES} --xla_sc_asert_level=bounds")
    text = "XLA_FLAGS: --xla_sc_asert_level is left to others; did you mean --xla_sc_assert_level?"
    with pytest.warns(UserWarning, match=re.escape(text)):
        move_own_flags()


def test_errors_name_the_variable_that_a_flag_came_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", f"{DEVICES} --xla_sc_detect_nan=maybe")
    monkeypatch.setenv("LIBTPU_INIT_ARGS", "")
    monkeypatch.delenv(MOVED, raising=False)
    for _ in range(2):  # JAX calls the plugin once; others may call it again.
        move_own_flags()
        with pytest.raises(SparseCoreError, match=r"^XLA_FLAGS: --xla_sc_detect_nan is 'maybe'"):
            resolve()


def test_an_environment_without_flags_is_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XLA_FLAGS", "LIBTPU_INIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    move_own_flags()
    assert not {"XLA_FLAGS", "LIBTPU_INIT_ARGS"} & os.environ.keys()


def test_no_flag_of_ours_looks_like_one_of_xla() -> None:
    assert not [name for name in FLAGS if f"--{name}".startswith(_XLAS)]
