"""LLVM's library as llvmlite ships it, without llvmlite's modules: what a cached program needs if LLVM links it.

To import them takes several times as long as to link a program. The functions are those that
`llvmlite.binding` calls, in the one minor version that pyproject.toml allows.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, c_bool, c_char_p, c_int, c_size_t, c_uint8, c_uint64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
from llvmlite.utils import get_library_name


class Element(ctypes.Structure):
    """A part of a library that is linked: its kind, and its bytes."""

    _fields_ = (("kind", c_uint8), ("value", c_char_p), ("size", c_size_t))


class Symbol(ctypes.Structure):
    """A symbol and its address."""

    _fields_ = (("name", c_char_p), ("address", c_uint64))


OBJECT, LIBRARY = 2, 3
"""Kinds of elements: an object file, and a library by its name; "" is this process."""

_STRING = POINTER(c_char_p)
_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "InitializeNativeTarget": (None, ()),
    "InitializeNativeAsmPrinter": (None, ()),
    "GetProcessTriple": (None, (_STRING,)),
    "GetHostCPUName": (None, (_STRING,)),
    "GetHostCPUFeatures": (c_int, (_STRING,)),
    "GetVersionInfo": (ctypes.c_uint, ()),
    "DisposeString": (None, (c_char_p,)),
    "SearchAddressOfSymbol": (c_void_p, (c_char_p,)),
    "LoadLibraryPermanently": (c_bool, (c_char_p, _STRING)),
    # A target machine, or null for that of the host; whether errors are suppressed, and JITLink is used.
    "CreateLLJITCompiler": (c_void_p, (c_void_p, c_bool, c_bool, _STRING)),
    # The compiler, a name, elements, imported symbols, exported ones, whose addresses it sets.
    "LLJIT_Link": (
        c_void_p,
        (
            *(c_void_p, c_char_p, POINTER(Element), c_size_t),
            *(POINTER(Symbol), c_size_t, POINTER(Symbol), c_size_t, _STRING),
        ),
    ),
}


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(str(Path(llvmlite.__file__).with_name("binding") / get_library_name()))


@cache
def function(name: str) -> Callable[..., Any]:
    """Return one of LLVM's functions."""
    found = getattr(_library(), f"LLVMPY_{name}")
    found.restype, found.argtypes = _SIGNATURES[name]
    return found


def call(name: str, *arguments: Any) -> tuple[Any, str]:
    """Return the result of a function, and the string that it sets: its last argument."""
    text = c_char_p()
    result = function(name)(*arguments, ctypes.byref(text))
    try:
        return result, (text.value or b"").decode()
    finally:
        function("DisposeString")(text)
