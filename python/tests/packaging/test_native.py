"""The native module beside the header it was compiled from."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from sdykit.bridge import _native


def header_macro(name: str) -> int:
    """Read `#define <name> <number>` from jaxlib's copy of the header."""
    spec = importlib.util.find_spec("jaxlib")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    header = Path(spec.submodule_search_locations[0], "include/xla/ffi/api/c_api.h")
    found = re.findall(rf"^#define {name} (\d+)$", header.read_text(), re.MULTILINE)
    assert len(found) == 1, f"{header} defines {name} {len(found)} times"
    return int(found[0])


def test_ffi_version_is_the_headers() -> None:
    version = _native.xla_ffi_api_version()
    assert type(version) is tuple
    assert [type(number) for number in version] == [int, int]
    assert version == (header_macro("XLA_FFI_API_MAJOR"), header_macro("XLA_FFI_API_MINOR"))


def test_ffi_version_takes_no_arguments() -> None:
    with pytest.raises(TypeError):
        _native.xla_ffi_api_version(1)  # pyright: ignore[reportCallIssue]


def test_native_module_is_documented() -> None:
    assert _native.__doc__
    assert _native.xla_ffi_api_version.__doc__
