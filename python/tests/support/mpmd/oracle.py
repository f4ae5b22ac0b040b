"""jaxlib's C++ partitioner as the oracle of the `mpmd` export passes.

`partition` runs phases of it on a module; it is meant for a process of its own, since bad
input aborts it (`MpmdOracle` starts one). The last phase (`PARTITION`) is what our pipeline
is compared with: it propagates shardings, cleans up, and exports.

Options of the partitioner are `mpmd_infer_transfers`, `mpmd_infer_cross_mesh_reductions`,
`mpmd_fragment_remat`, `mpmd_split_bwd_fragments`, `mpmd_assume_homogeneous_devices` (booleans)
and `mpmd_pipeline_schedule` (`none`, `1F1B`, ...). None of them changes `PARTITION`; other names
are ignored, and an unknown schedule aborts. Options of our pipeline are fixed there, to the values
of `compat=jaxlib`.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import BinaryIO

from sdykit.mlir import ir
from sdykit.mpmd.partitioning import partitioner
from sdykit.mpmd.partitioning.partitioner import ExportStop, Meshes
from sdykit.mpmd.partitioning.partitioner import function_of as _function
from support import oracle
from support.oracle_process import ServedProcess


@dataclass(frozen=True)
class Request:
    """The phases to run, and their arguments."""

    phases: tuple[str, ...] = ("PARTITION",)
    function: str = "main"
    donated: tuple[int, ...] = ()
    meshes: Meshes | None = None
    """The meshes; None for those of the function's topology."""
    assignment: Mapping[str, str | tuple[str, int]] = field(default_factory=dict)
    """The mesh, or mesh and stage, of each named computation."""
    input_meshes: Mapping[int, str] = field(default_factory=dict)
    output_meshes: Mapping[int, str] = field(default_factory=dict)
    options: Mapping[str, str | bool] = field(default_factory=dict)
    until_export: bool = False
    """Whether to stop before the first export pass, after propagation and clean-ups."""


EXPORT = Request()
UNTIL_EXPORT = Request(until_export=True)


@dataclass
class Partitioned:
    """The result of the partitioner for a module."""

    text: str | None
    """With locations; None if it failed."""
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    """The lines that lowering to fragment calls logs."""
    crash: str = ""
    """The last message if the process was aborted."""


class MpmdOracle:
    """Runs requests in a process that is started anew after a crash."""

    def __init__(self) -> None:
        self._process = ServedProcess(partition)

    def __enter__(self) -> MpmdOracle:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.close()

    def __call__(self, text: str, request: Request = EXPORT) -> Partitioned:
        """Run one request; an abort is an outcome as well."""
        self._process.ask(text, [request])
        (answer,) = self._process.answers()
        if answer is None:
            _, found, message = self._process.last_words().rpartition("LLVM ERROR: ")
            return Partitioned(None, crash=found + message or "no message")
        return answer


def partition(text: str, request: Request) -> Partitioned:
    """Run phases of the partitioner on a module, in this process.

    Raises:
        MLIRError: the text cannot be parsed.
    """
    module = oracle.parse(text)
    func = _function(module, request.function)
    marks = ExportStop(func) if request.until_export else None
    with module.context, _stdout() as log:
        try:
            outcome = printed(_apply(module, request), _records(log))
        except RuntimeError as error:
            message = str(error)
            errors = _diagnostics(message, "error") or [message]
            outcome = Partitioned(None, errors, _diagnostics(message, "warning"))
        if marks is None:
            return outcome
        if outcome.text is not None:
            return Partitioned(None, ["no argument and no result could be marked to stop here"])
        if any(ExportStop.ERROR in error for error in outcome.errors):
            marks.remove(_function(module, request.function))
            outcome = printed(module, [])
    return outcome


def _apply(module: ir.Module, request: Request) -> ir.Module:
    arguments = {each.name: getattr(request, each.name) for each in fields(partitioner.Request)}
    arguments["meshes"] = request.meshes or _meshes(_function(module, request.function))
    return partitioner.apply(module, partitioner.Request(**arguments))


def _meshes(func: ir.Operation) -> Meshes:
    """Read the topology of a function."""
    if "topology" not in func.attributes:
        raise ValueError("the function has no topology, and the request has no meshes")
    found = []
    for name, axes in re.findall(r'<"([^"]*)" : <\[([^]]*)\]', str(func.attributes["topology"])):
        sizes = re.findall(r'"([^"]*)"=(\d+)', axes)
        found.append((name, tuple((axis, int(size)) for axis, size in sizes)))
    return tuple(found)


@contextmanager
def _stdout() -> Iterator[BinaryIO]:
    """Redirect the standard output, which has the logs, to a file."""
    with tempfile.TemporaryFile() as log:
        sys.stdout.flush()
        kept = os.dup(1)
        os.dup2(log.fileno(), 1)
        try:
            yield log
        finally:
            _flush()
            os.dup2(kept, 1)
            os.close(kept)


def _flush() -> None:
    ctypes.CDLL(None).fflush(None)


def _records(log: BinaryIO) -> list[tuple[str, str]]:
    """Split a log into records: the source file that wrote it, and what it wrote."""
    _flush()
    log.seek(0)
    parts = re.split(
        r"^[IWEF]\d{4} [^\]\n]*?([^/\]\s]+):\d+\] ",
        log.read().decode(errors="surrogateescape"),
        flags=re.MULTILINE,
    )
    return [(file, text.rstrip("\n")) for file, text in zip(parts[1::2], parts[2::2], strict=True)]


def printed(module: ir.Module, records: list[tuple[str, str]]) -> Partitioned:
    """Return the text of a module with locations, and the warnings and the log in `records`."""
    text = module.operation.get_asm(enable_debug_info=True)
    assert isinstance(text, str)
    warnings = [
        warning
        for file, message in records
        if file == "mpmd_program.cc"
        for warning in _diagnostics(message, "warning")
    ]
    log = [message for file, message in records if file == "lower_to_fragment_calls.cc"]
    return Partitioned(text, [], warnings, log)


def _diagnostics(message: str, severity: str) -> list[str]:
    """Return the diagnostics of a severity in a message, without notes and printed ops."""
    return [line for line in message.splitlines() if re.match(rf"\S.*: {severity}: ", line)]
