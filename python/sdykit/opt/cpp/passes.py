"""The C++ passes inside jaxlib that only the drivers offer, beside those of `core.upstream`.

They are Shardy's and StableHLO's own passes. None of our passes and pipelines may use one,
so `core` does not know them: the drivers hand this table to it. A pass of ours wins over the
C++ pass of its name, which stays in reach under `cpp-<name>`. What jaxlib registers for
dialects that the drivers do not read (gpu, mosaic_gpu, sparse_tensor) is not here.

The bindings cannot list their passes; the names are those among the texts in jaxlib's shared
library that MLIR's parser of pipelines takes. A test compares options and defaults.
"""

from __future__ import annotations

from dataclasses import replace

from sdykit.core import Registry
from sdykit.core.upstream import UPSTREAM_PASSES, UpstreamPass
from sdykit.opt.cpp import shardy, stablehlo

MARK = "C++, in jaxlib"
"""What `--help`, `--list-passes` and times say of these passes."""

PREFIX = "cpp-"

CPP_PASSES: dict[str, UpstreamPass] = {
    name: replace(upstream, registered_as=name, mark=MARK)
    for table in (shardy.PIPELINES, shardy.PASSES, stablehlo.CONVERSIONS, stablehlo.SIMPLIFICATIONS)
    for name, upstream in table.items()
}
"""By the name that MLIR has for them."""

EXTRA_PASSES = CPP_PASSES | {PREFIX + name: upstream for name, upstream in CPP_PASSES.items()}
"""By the names that a pipeline can give them; ours win over those without the prefix."""


def is_cpp(name: str, registry: Registry) -> bool:
    """Return whether a name in a pipeline stands for a C++ pass."""
    return name in UPSTREAM_PASSES or (name in EXTRA_PASSES and registry.find(name) is None)


def lacking(registry: Registry) -> dict[str, UpstreamPass]:
    """Return the C++ passes that have no pass of ours of the same name."""
    return {name: cpp for name, cpp in CPP_PASSES.items() if registry.find(name) is None}
