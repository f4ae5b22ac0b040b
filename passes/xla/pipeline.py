"""The named pipelines between sdy and the form in which XLA keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import Pipeline


@dataclass(frozen=True)
class SdyRoundTripImportPipeline(Pipeline):
    """Import shardings that XLA keeps as text in frontend attributes.

    Takes modules that XLA dumps (`--xla_dump_to`, `shardy/.../00.input_module.mlir`), and those that
    `jax.export` wrote before it wrote sdy. Afterwards they hold meshes, shardings, constraints and
    manual computations as a frontend lowers them, for `-sdy-import-pipeline` to go on.
    """

    name = "xla-sdy-round-trip-import-pipeline"

    def passes(self) -> Sequence[str]:
        return [
            # What a region calls in HLO is a function here; nobody is to work on those that
            # nobody calls.
            "symbol-dce",
            # First: an instruction with several results has a tuple, which has no sharding.
            "xla-flatten-tuple",
            # Before the shardings of results: an op without users would count as a user.
            "trivial-dce",
            "xla-sdy-round-trip-import-shardy-attrs",
            "xla-sdy-round-trip-shard-map-import",
            # After the attributes: it takes their `sdy.sharding`.
            "xla-sdy-import-sdy-custom-calls",
        ]


@dataclass(frozen=True)
class SdyRoundTripExportPipeline(Pipeline):
    """Keep what is of sdy in a module as text in frontend attributes, as XLA does.

    The result holds StableHLO and calls only, goes through HLO and back, and comes back by
    `-xla-sdy-round-trip-import-pipeline`. It is for modules as a frontend lowers them.
    """

    name = "xla-sdy-round-trip-export-pipeline"

    def passes(self) -> Sequence[str]:
        return [
            # First: a text names its mesh.
            "sdy-lift-inlined-meshes",
            "xla-sdy-round-trip-export-ops",
            # Before the attributes: bodies become functions, whose ops have shardings too.
            "xla-sdy-round-trip-shard-map-export",
            # Last: the meshes go.
            "xla-sdy-round-trip-export-shardy-attrs",
        ]
