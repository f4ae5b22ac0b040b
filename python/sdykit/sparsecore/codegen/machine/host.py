"""This computer as LLVM sees it."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from functools import cache

import llvmlite

from sdykit.native_modules import check_interface
from sdykit.sparsecore.codegen.machine.library import call, function


@dataclass(frozen=True, slots=True)
class Host:
    """The computer that machine code is made for; objects of another one are of no use.

    Attributes:
        triple: the architecture and the operating system, as LLVM names them.
        cpu: LLVM's name of the CPU model.
        features: the extensions of the CPU, each with + or -, separated by commas.
        llvm_version: the version of the LLVM that generates the code.
    """

    triple: str
    cpu: str
    features: str
    llvm_version: tuple[int, ...]


_lock = threading.Lock()
"""Threads register targets one after another."""


@cache
def host() -> Host:
    """Return the computer that this process runs on."""
    with _lock:
        function("InitializeNativeTarget")()
        function("InitializeNativeAsmPrinter")()
    features = sorted(
        filter(None, call("GetHostCPUFeatures")[1].split(",")), key=lambda each: each[1:]
    )
    version = function("GetVersionInfo")().to_bytes(4, "big").lstrip(b"\0")
    return Host(
        call("GetProcessTriple")[1], call("GetHostCPUName")[1], ",".join(features), tuple(version)
    )


def host_key() -> str:
    """Return a text that differs if machine code for this computer may differ, without LLVM if possible."""
    from sdykit.sparsecore import _machine

    check_interface(_machine)
    processor = _machine.processor()
    return repr((llvmlite.__version__, sys.platform, processor) if processor else host())
