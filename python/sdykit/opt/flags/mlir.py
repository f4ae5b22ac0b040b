"""The flags of `sdy-opt` and `mpmd-opt`: those of `mlir-opt`, and a few of our own."""

from __future__ import annotations

from sdykit.opt.flags.types import (
    CHECKS,
    INFO,
    INPUT,
    PASSES,
    PRINTING,
    SPLIT_MARKER,
    WATCHING,
    Flag,
    FlagSet,
    Kind,
)

FLAGS = (
    Flag(
        "o",
        Kind.TEXT,
        INPUT,
        "Write to this file instead of stdout; whole or not at all",
        "<file>",
        default="-",
    ),
    Flag(
        "split-input-file",
        Kind.OPTIONAL,
        INPUT,
        f"Cut the input at each marker (default '{SPLIT_MARKER}') and process the pieces one by one",
        "<marker>",
        when_bare=SPLIT_MARKER,
    ),
    Flag(
        "output-split-marker",
        Kind.TEXT,
        INPUT,
        f"The line printed between the pieces (default '{SPLIT_MARKER}')",
        "<marker>",
        default=SPLIT_MARKER,
    ),
    Flag("allow-unregistered-dialect", Kind.BOOL, INPUT, "Accept ops of unknown dialects"),
    Flag(
        "no-implicit-module",
        Kind.BOOL,
        INPUT,
        "Require a single top-level op instead of putting a module around several",
    ),
    Flag("emit-bytecode", Kind.BOOL, INPUT, "Write bytecode instead of text"),
    Flag(
        "emit-bytecode-version",
        Kind.COUNT,
        INPUT,
        "Write this version of the bytecode format",
        "<N>",
    ),
    Flag(
        "pass-pipeline",
        Kind.TEXT,
        PASSES,
        "Run this pipeline, such as 'builtin.module(cse,func.func(canonicalize))'",
        "<pipeline>",
    ),
    Flag(
        "load-pass",
        Kind.FILES,
        PASSES,
        "Load the passes and sharding rules in a Python file of yours; may be repeated. What they"
        " print goes to stderr",
        "<file.py>",
    ),
    Flag(
        "run-reproducer",
        Kind.BOOL,
        PASSES,
        "Run the pipeline that the input, a reproducer, holds beside its module",
    ),
    Flag(
        "traceback",
        Kind.BOOL,
        PASSES,
        "If a pass raises an exception, print the whole traceback before the error",
    ),
    Flag("dump-pass-pipeline", Kind.BOOL, PASSES, "Print the pipeline that will run to stderr"),
    Flag(
        "verify-diagnostics",
        Kind.OPTIONAL,
        CHECKS,
        "Compare the diagnostics with the 'expected-error {{...}}' comments of the input: all of"
        " them (default), or only the expected ones",
        choices=("all", "only-expected"),
        when_bare="all",
    ),
    Flag(
        "verify-each",
        Kind.BOOL,
        CHECKS,
        "Verify the module after every pass instead of once after the last",
    ),
    Flag(
        "verify-roundtrip",
        Kind.BOOL,
        CHECKS,
        "Print the input as text and as bytecode, read both again, and fail if they differ",
    ),
    Flag(
        "compare-with-cpp",
        Kind.BOOL,
        CHECKS,
        "Run each pass that jaxlib has in C++ too there as well, on the same IR, and print how the"
        " results differ; exit code 1 if any do",
    ),
    Flag(
        "mlir-print-op-on-diagnostic",
        Kind.BOOL,
        CHECKS,
        "Print the op that a diagnostic is about (default; =false: do not)",
        default=True,
    ),
    Flag("mlir-disable-diagnostic-notes", Kind.BOOL, CHECKS, "Print no notes"),
    Flag(
        "mlir-diagnostic-verbosity-level",
        Kind.TEXT,
        CHECKS,
        "Print only errors, or errors and warnings, or remarks too (default)",
        choices=("errors", "warnings", "remarks"),
        default="remarks",
    ),
    Flag("mlir-print-debuginfo", Kind.BOOL, PRINTING, "Print locations"),
    Flag(
        "mlir-pretty-debuginfo",
        Kind.BOOL,
        PRINTING,
        "With --mlir-print-debuginfo, print locations in a form that no parser accepts",
    ),
    Flag("mlir-print-op-generic", Kind.BOOL, PRINTING, 'Print ops as "dialect.name"(...)'),
    Flag(
        "mlir-print-local-scope",
        Kind.BOOL,
        PRINTING,
        "Print attributes, types and locations in place, without aliases",
    ),
    Flag(
        "mlir-use-nameloc-as-prefix",
        Kind.BOOL,
        PRINTING,
        "Name values after their locations where those have names",
    ),
    Flag("mlir-print-skip-regions", Kind.BOOL, PRINTING, "Leave out the regions of ops"),
    Flag(
        "mlir-elide-elementsattrs-if-larger",
        Kind.COUNT,
        PRINTING,
        "Print '...' for constants of more than N elements",
        "<N>",
    ),
    Flag(
        "mlir-elide-resource-strings-if-larger",
        Kind.COUNT,
        PRINTING,
        "Print '...' for resources of more than N characters",
        "<N>",
    ),
    Flag(
        "mlir-print-ir-before",
        Kind.NAMES,
        WATCHING,
        "Print the IR before these passes",
        "<pass,...>",
    ),
    Flag(
        "mlir-print-ir-after", Kind.NAMES, WATCHING, "Print the IR after these passes", "<pass,...>"
    ),
    Flag("mlir-print-ir-before-all", Kind.BOOL, WATCHING, "Print the IR before every pass"),
    Flag("mlir-print-ir-after-all", Kind.BOOL, WATCHING, "Print the IR after every pass"),
    Flag(
        "mlir-print-ir-after-change",
        Kind.BOOL,
        WATCHING,
        "After a pass, print the IR only if it changed",
    ),
    Flag(
        "mlir-print-ir-after-failure",
        Kind.BOOL,
        WATCHING,
        "After a pass, print the IR only if the pass failed",
    ),
    Flag(
        "mlir-print-ir-module-scope",
        Kind.BOOL,
        WATCHING,
        "Print the whole module, also around a pass over functions",
    ),
    Flag(
        "mlir-print-ir-tree-dir",
        Kind.TEXT,
        WATCHING,
        "Write the IR to a tree of files in this directory instead of stderr",
        "<dir>",
    ),
    Flag("mlir-timing", Kind.BOOL, WATCHING, "Print the time in each pass to stderr"),
    Flag(
        "mlir-timing-display",
        Kind.TEXT,
        WATCHING,
        "Nest passes in their pipelines (default), or list them, the slowest first",
        choices=("tree", "list"),
        default="tree",
    ),
    Flag(
        "mlir-output-format",
        Kind.TEXT,
        WATCHING,
        "The format of the times",
        choices=("text", "json"),
        default="text",
    ),
    Flag(
        "report",
        Kind.TEXT,
        WATCHING,
        "Write a page that shows what each pass changed",
        "<file.html>",
    ),
    Flag(
        "mlir-pass-pipeline-crash-reproducer",
        Kind.TEXT,
        WATCHING,
        "If a pass fails or crashes, write the module and the pipeline to this file, which"
        " --run-reproducer takes",
        "<file.mlir>",
    ),
    Flag(
        "in-process",
        Kind.BOOL,
        WATCHING,
        "Do the work in the process that was started, for debuggers and profilers; a crash of"
        " MLIR ends it without a message",
    ),
    Flag("help", Kind.BOOL, INFO, "Print this help, with every pass and its options"),
    Flag("version", Kind.BOOL, INFO, "Print the versions of sdykit and jaxlib"),
    Flag("show-dialects", Kind.BOOL, INFO, "List the dialects that can be read"),
    Flag("list-passes", Kind.BOOL, INFO, "List the passes and pipelines"),
)

IGNORED = {
    "mlir-disable-threading": "passes in Python run on one thread anyway",
}
"""Flags of mlir-opt that have no effect here, and the reason of each."""

_BINDINGS = "the MLIR bindings in jaxlib have no way to ask for it"
_STATISTICS = "the MLIR in jaxlib is built without statistics"
UNAVAILABLE = dict.fromkeys(
    (
        "elide-resource-data-from-bytecode",
        "load-dialect-plugin",
        "load-pass-plugin",
        "log-actions-to",
        "mlir-debug-counter",
        "mlir-print-elementsattrs-with-hex-if-larger",
        "mlir-print-stacktrace-on-diagnostic",
        "mlir-print-unique-ssa-ids",
        "mlir-print-value-users",
        "mlir-very-unsafe-disable-verifier-on-parsing",
    ),
    _BINDINGS,
) | {
    "mlir-pass-statistics": _STATISTICS,
    "mlir-pass-statistics-display": _STATISTICS,
    "mlir-generate-reproducer": "--mlir-pass-pipeline-crash-reproducer writes one after a failure",
    "mlir-pass-pipeline-local-reproducer": "--mlir-print-ir-after-failure and --dump-pass-pipeline"
    " tell which pass failed on what",
}
"""Flags of mlir-opt that cannot be offered, and the reason of each."""

MLIR_FLAGS = FlagSet(FLAGS, IGNORED, UNAVAILABLE)
