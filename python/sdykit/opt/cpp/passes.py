"""The C++ passes inside jaxlib that only the drivers offer, besides those of `core.upstream`.

They are Shardy's and StableHLO's own passes. None of our passes and pipelines may use one,
so `core` does not know them: the drivers pass this table to it. A pass of ours takes precedence
over the C++ pass of its name, which can still be run as `cpp-<name>`. Passes that jaxlib registers
for dialects that the drivers do not read (gpu, mosaic_gpu, sparse_tensor) are left out.

The bindings cannot list their passes; the names are the strings in jaxlib's shared library that
MLIR's pipeline parser accepts. A test compares options and defaults.
"""

from __future__ import annotations

from dataclasses import replace

from sdykit.core import Registry
from sdykit.core.upstream import UPSTREAM_PASSES, UpstreamPass
from sdykit.opt.cpp import shardy, stablehlo

MARK = "C++, in jaxlib"
"""The mark of these passes in `--help`, `--list-passes` and the table of times."""

PREFIX = "cpp-"

CPP_PASSES: dict[str, UpstreamPass] = {
    name: replace(upstream, registered_as=name, mark=MARK)
    for table in (shardy.PIPELINES, shardy.PASSES, stablehlo.CONVERSIONS, stablehlo.SIMPLIFICATIONS)
    for name, upstream in table.items()
}
"""The passes by their names in MLIR."""

EXTRA_PASSES = CPP_PASSES | {PREFIX + name: upstream for name, upstream in CPP_PASSES.items()}
"""The passes by the names they have in a pipeline: with the prefix, and without.

A pass of ours takes precedence over a name without the prefix.
"""


def is_cpp(name: str, registry: Registry) -> bool:
    """Return whether a name in a pipeline stands for a C++ pass."""
    return name in UPSTREAM_PASSES or (name in EXTRA_PASSES and registry.find(name) is None)


def lacking(registry: Registry) -> dict[str, UpstreamPass]:
    """Return the C++ passes whose names no pass of ours has."""
    return {name: cpp for name, cpp in CPP_PASSES.items() if registry.find(name) is None}
