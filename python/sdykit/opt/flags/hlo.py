"""The flags of `hlo-opt`: those of `sdy-opt` that make sense for HLO, and its own."""

from __future__ import annotations

from dataclasses import replace

from sdykit.opt.flags.mlir import IGNORED, MLIR_FLAGS, UNAVAILABLE
from sdykit.opt.flags.types import CHECKS, INPUT, PASSES, PRINTING, Flag, FlagSet, Kind

_SHARED = {
    "o": "",
    "split-input-file": "",
    "output-split-marker": "",
    "emit-bytecode": "Print the program as bytecode of MLIR",
    "pass-pipeline": "Run this pipeline, such as 'async-wrap{ops=add},async-verify'",
    "load-pass": "",
    "traceback": "",
    "dump-pass-pipeline": "",
    "verify-diagnostics": "",
    "verify-each": "Verify the program after every pass instead of once after the last",
    "verify-roundtrip": "Print the program with sugar and without, read both again, and fail if"
    " they differ",
    "mlir-print-debuginfo": "With --emit-mlir, print locations, which hold the names of"
    " instructions and their metadata",
    "mlir-disable-diagnostic-notes": "",
    "mlir-diagnostic-verbosity-level": "",
    "mlir-print-ir-before": "Print the program before these passes",
    "mlir-print-ir-after": "Print the program after these passes",
    "mlir-print-ir-before-all": "Print the program before every pass",
    "mlir-print-ir-after-all": "Print the program after every pass",
    "mlir-print-ir-after-change": "After a pass, print the program only if it changed",
    "mlir-print-ir-after-failure": "After a pass, print the program only if the pass failed",
    "mlir-timing": "",
    "mlir-timing-display": "",
    "mlir-output-format": "",
    "in-process": "Do the work in the process that was started, for debuggers and profilers",
    "help": "",
    "version": "",
    "list-passes": "",
}
"""Flags that are shared with `sdy-opt`, and their help where it differs."""

_OWN = (
    Flag(
        "import-mlir",
        Kind.OPTIONAL,
        INPUT,
        "Read MLIR; implied by the endings .mlir and .mlirbc, and by bytecode (=false: HLO text)",
        choices=("true", "false"),
        when_bare="true",
    ),
    Flag("emit-mlir", Kind.BOOL, INPUT, "Print the program as MLIR"),
    Flag(
        "no-verify",
        Kind.BOOL,
        CHECKS,
        "Do not verify what is read and what passes make of it",
    ),
    Flag(
        "syntax-sugar-async-ops",
        Kind.BOOL,
        PRINTING,
        "Print add-start, add-done, ... where that is exact (default; =false: async-start,"
        " async-done, and the computation they call)",
        default=True,
    ),
    Flag(
        "print-async-aliasing",
        Kind.BOOL,
        PRINTING,
        "Print, instead of the program, which buffers of asynchronous chains alias and how long"
        " each lives",
    ),
)

_GROUPS = (INPUT, PASSES, CHECKS, PRINTING)
_NO_IR = "it is about MLIR, and hlo-opt works on HLO"
_NAME_PASSES = "name the passes as flags, or with --pass-pipeline"
_NO_COMPILER = "hlo-opt runs passes over HLO text and does not compile it"
_NO_PROTO = "hlo-opt reads and prints HLO text, and MLIR with --import-mlir and --emit-mlir"


def _flags() -> tuple[Flag, ...]:
    shared = [
        replace(flag, help=_SHARED[flag.name] or flag.help)
        for flag in MLIR_FLAGS.flags
        if flag.name in _SHARED
    ]
    ordered = [flag for group in _GROUPS for flag in (*shared, *_OWN) if flag.group == group]
    return (*ordered, *(flag for flag in shared if flag.group not in _GROUPS))


_IGNORED = IGNORED | {
    "mlir-print-ir-module-scope": "it is always the whole program that is printed",
}
_UNAVAILABLE = (
    {
        flag.name: f"{_NO_IR}; sdy-opt has it"
        for flag in MLIR_FLAGS.flags
        if flag.name not in _SHARED and flag.name not in _IGNORED
    }
    | dict.fromkeys(UNAVAILABLE, _NO_IR)
    | {name: UNAVAILABLE[name] for name in UNAVAILABLE if "reproducer" in name}
    | {
        "load-pass-plugin": "load passes in Python with --load-pass=<file.py>",
        # Those of XLA's tool of this name.
        "passes": _NAME_PASSES,
        "stage": _NO_COMPILER,
        "platform": _NO_COMPILER,
        "list-stages": _NO_COMPILER,
        "xla-gpu-target-config-filename": _NO_COMPILER,
        "emit-proto": _NO_PROTO,
        "expand-all": _NO_COMPILER,
    }
)

HLO_FLAGS = FlagSet(_flags(), _IGNORED, _UNAVAILABLE, like="mlir-opt and XLA's hlo-opt")
