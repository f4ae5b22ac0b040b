"""The C++ passes inside jaxlib that a pipeline may use beside ours.

The bindings cannot list their passes, so this table does; a test parses each of them.
jaxlib's C++ `sdy` passes are left out: ours take their place.
"""

from __future__ import annotations

UPSTREAM_PASSES = {
    "canonicalize": "Apply canonicalization patterns and folders until nothing changes",
    "control-flow-sink": "Move ops into the regions that alone use their results",
    "cse": "Replace ops that repeat an earlier one by its results",
    "inline": "Inline function calls",
    "loop-invariant-code-motion": "Hoist ops that do not depend on their loop",
    "mem2reg": "Promote memory slots to values",
    "print-ir": "Print the IR to stderr where it stands in the pipeline",
    "print-op-stats": "Print how often each op occurs",
    "remove-dead-values": "Remove values, arguments and results that nothing reads",
    "sccp": "Propagate constants along the paths that can be taken",
    "snapshot-op-locations": "Write the IR to a file and locate its ops there",
    "sroa": "Split aggregate memory slots into their elements",
    "strip-debuginfo": "Replace all locations by the unknown one",
    "symbol-dce": "Erase private symbols that nothing refers to",
    "symbol-privatize": "Make symbols private, save those excluded",
    "topological-sort": "Sort ops so that producers stand before their users",
    "trivial-dce": "Erase ops without uses and side effects",
    "view-op-graph": "Print the IR as a Graphviz graph",
}
