"""Printing modules and writing files, whole or not at all."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

from sdykit.errors import SdykitError
from sdykit.files import is_regular, write_whole
from sdykit.mlir import ir
from sdykit.opt.arguments import Arguments

STDOUT = "-"


class OutputError(SdykitError):
    """The output cannot be written."""


def asm_options(arguments: Arguments) -> dict[str, Any]:
    """Give the keyword arguments of `get_asm` that the flags ask for."""
    return {
        "enable_debug_info": arguments.mlir_print_debuginfo,
        "pretty_debug_info": arguments.mlir_pretty_debuginfo,
        "print_generic_op_form": arguments.mlir_print_op_generic,
        "use_local_scope": arguments.mlir_print_local_scope,
        "use_name_loc_as_prefix": arguments.mlir_use_nameloc_as_prefix,
        "skip_regions": arguments.mlir_print_skip_regions,
        "large_elements_limit": arguments.mlir_elide_elementsattrs_if_larger,
        "large_resource_limit": arguments.mlir_elide_resource_strings_if_larger,
    }


def text_of(op: ir.Operation, arguments: Arguments) -> bytes:
    """Print a verified op."""
    text = op.get_asm(binary=True, assume_verified=True, **asm_options(arguments))
    assert isinstance(text, bytes)
    return text + b"\n"


def bytecode_of(op: ir.Operation, version: int | None) -> bytes:
    """Write an op as bytecode.

    Raises:
        OutputError: the version is unknown; a diagnostic has been emitted.
    """
    buffer = io.BytesIO()
    try:
        op.write_bytecode(buffer, desired_version=version)
    except (ir.MLIRError, ValueError) as error:
        raise OutputError(f"cannot write bytecode of version {version}: {error}") from None
    return buffer.getvalue()


def check_writable(path: str) -> None:
    """Find out before the work whether the output can be written after it.

    Raises:
        OutputError: it cannot.
    """
    if path == STDOUT:
        return
    if not path:
        raise OutputError("the name of the output file is empty")
    target = Path(path)
    try:
        if target.is_dir():
            raise OutputError(f"cannot open output file '{path}': Is a directory")
        if not target.parent.is_dir():
            raise OutputError(f"cannot open output file '{path}': No such file or directory")
    except (OSError, ValueError) as error:
        raise OutputError(f"cannot open output file {path!r}: {error}") from None
    writable = target if target.exists() and not is_regular(target) else target.parent
    if not os.access(writable, os.W_OK):
        raise OutputError(f"cannot open output file '{path}': Permission denied")


def check_bytecode_target(path: str) -> None:
    """Refuse to fill a terminal with bytecode.

    Raises:
        OutputError: the output goes to a terminal.
    """
    if path == STDOUT and sys.stdout.isatty():
        raise OutputError("bytecode would go to the terminal; name a file with -o")


def write(path: str, data: bytes) -> None:
    """Write to stdout, or to a file by replacing it in one step.

    Raises:
        OutputError: the file cannot be written; what was there before still is.
    """
    if path == STDOUT:
        _write_stdout(memoryview(data))
        return
    try:
        write_whole(Path(path), data)
    except OSError as error:
        raise OutputError(f"cannot write output file '{path}': {error.strerror}") from None


def _write_stdout(data: memoryview) -> None:
    try:
        sys.stdout.flush()  # What a pass has printed comes before the module.
        while data:
            # Without Python's buffer (PYTHONUNBUFFERED) a write to a pipe may be partial.
            data = data[sys.stdout.buffer.write(data) :]
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise  # No error: the reader has seen enough.
    except OSError as error:
        raise OutputError(f"cannot write to stdout: {error.strerror}") from None
