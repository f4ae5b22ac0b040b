"""The C++ passes inside jaxlib that a pipeline may use beside ours.

The bindings cannot list their passes, so this table does; a test parses each of them
and compares the options and defaults. jaxlib's C++ passes on `sdy` and StableHLO are not in
it, since none of our passes and pipelines may use them; only the drivers offer those
(`sdykit.opt.cpp.passes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UpstreamOption:
    """An option of a C++ pass."""

    name: str
    default: str
    help: str


@dataclass(frozen=True, slots=True)
class UpstreamPass:
    """A C++ pass or pipeline; `anchor` is the name of the ops that it is restricted to, if any."""

    class_name: str
    """Its name in IR dumps."""
    summary: str
    options: tuple[UpstreamOption, ...] = ()
    anchor: str | None = None
    registered_as: str = ""
    """MLIR's name for it, if its name in a pipeline is another."""
    mark: str = ""
    """A remark that reports add to its name."""


_Option = UpstreamOption

UPSTREAM_PASSES = {
    "bubble-down-memory-space-casts": UpstreamPass(
        "BubbleDownMemorySpaceCasts", "Move casts of memory spaces below the ops that use them"
    ),
    "canonicalize": UpstreamPass(
        "Canonicalizer",
        "Apply canonicalization patterns and folders until nothing changes",
        (
            _Option("cse-between-iterations", "false", "Run CSE between iterations"),
            _Option("disable-patterns", "", "Labels of patterns to leave out"),
            _Option("enable-patterns", "", "Labels of the only patterns to use"),
            _Option(
                "max-iterations", "10", "Maximum number of iterations over a region; -1: no limit"
            ),
            _Option(
                "max-num-rewrites", "-1", "Maximum number of rewrites in an iteration; -1: no limit"
            ),
            _Option("region-simplify", "normal", "How far control flow is simplified"),
            _Option("test-convergence", "false", "Fail if it does not converge"),
            _Option("top-down", "true", "Start at the top of a region"),
        ),
    ),
    "composite-fixed-point-pass": UpstreamPass(
        "CompositeFixedPointPass",
        "Run a pipeline until the IR does not change",
        (
            _Option("max-iterations", "10", "Maximum number of iterations"),
            _Option("name", "CompositeFixedPointPass", "The name shown in reports"),
            _Option("pipeline", "", "The pipeline, of C++ passes"),
        ),
    ),
    "control-flow-sink": UpstreamPass(
        "ControlFlowSink", "Move ops into the regions that alone use their results"
    ),
    "cse": UpstreamPass("CSE", "Replace ops that repeat an earlier one by its results"),
    "generate-runtime-verification": UpstreamPass(
        "GenerateRuntimeVerification",
        "Add checks at run time for what cannot be verified before",
        (_Option("verbose-level", "1", "How much the checks tell: 0 to 2"),),
    ),
    "inline": UpstreamPass(
        "Inliner",
        "Inline function calls",
        (
            _Option("default-pipeline", "canonicalize", "Pipeline run on each callable"),
            _Option(
                "inlining-threshold",
                "4294967295",
                "Maximum size of a callee, in percent of the caller",
            ),
            _Option("max-iterations", "4", "Maximum number of iterations in a cycle of calls"),
            _Option("op-pipelines", "", "Pipelines for callables of other kinds"),
        ),
    ),
    "loop-invariant-code-motion": UpstreamPass(
        "LoopInvariantCodeMotion", "Hoist ops that do not depend on their loop"
    ),
    "loop-invariant-subset-hoisting": UpstreamPass(
        "LoopInvariantSubsetHoisting",
        "Hoist extraction from and insertion into subsets that do not depend on their loop",
    ),
    "mem2reg": UpstreamPass(
        "Mem2Reg",
        "Promote memory slots to values",
        (_Option("region-simplify", "true", "Simplify control flow afterwards"),),
    ),
    "mhlo-flatten-tuple": UpstreamPass(
        "FlattenTuplePass",
        "Pass the elements of tuples one by one to and from custom calls",
        anchor="func.func",
    ),
    "print-ir": UpstreamPass(
        "PrintIRPass",
        "Print the IR to stderr at this point of the pipeline",
        (_Option("label", "", "Text printed above it"),),
    ),
    "print-op-stats": UpstreamPass(
        "PrintOpStats",
        "Print to stderr how often each op occurs",
        (_Option("json", "false", "As JSON"),),
    ),
    "remove-dead-values": UpstreamPass(
        "RemoveDeadValues",
        "Remove values, arguments and results that nothing reads",
        (_Option("canonicalize", "true", "Canonicalize region ops afterwards"),),
    ),
    "sccp": UpstreamPass("SCCP", "Propagate constants along the paths that can be taken"),
    "snapshot-op-locations": UpstreamPass(
        "LocationSnapshot",
        "Write the IR to a file, and set the locations of ops to their lines there",
        (
            _Option("filename", "", "The file; a temporary one if empty"),
            _Option("pretty-debuginfo", "false", "Print locations for reading"),
            _Option("print-debuginfo", "false", "Print locations"),
            _Option("print-local-scope", "false", "Print without aliases"),
            _Option("print-op-generic", "false", 'Print ops as "dialect.name"(...)'),
            _Option("tag", "", "Fuse the new locations with the old ones under this name"),
        ),
    ),
    "sroa": UpstreamPass("SROA", "Split aggregate memory slots into their elements"),
    "strip-debuginfo": UpstreamPass("StripDebugInfo", "Replace all locations by the unknown one"),
    "symbol-dce": UpstreamPass("SymbolDCE", "Erase private symbols that nothing refers to"),
    "symbol-privatize": UpstreamPass(
        "SymbolPrivatize",
        "Make symbols private, except those excluded",
        (_Option("exclude", "", "Symbols that stay public"),),
    ),
    "topological-sort": UpstreamPass(
        "TopologicalSort", "Sort ops so that producers come before their users"
    ),
    "trivial-dce": UpstreamPass(
        "TrivialDeadCodeElimination",
        "Erase ops without uses and side effects",
        (
            _Option("recursive", "true", "Look into regions too"),
            _Option("remove-blocks", "true", "Erase unreachable blocks"),
        ),
    ),
    "view-op-graph": UpstreamPass(
        "ViewOpGraph",
        "Print the IR to stderr as a Graphviz graph",
        (
            _Option("max-label-len", "20", "Longest attribute or type in a label"),
            _Option("print-attrs", "true", "Show attributes"),
            _Option("print-control-flow-edges", "false", "Show control flow"),
            _Option("print-data-flow-edges", "true", "Show data flow"),
            _Option("print-result-types", "true", "Show the types of results"),
        ),
    ),
}

NO_PASSES: Mapping[str, UpstreamPass] = {}
