"""The named pipelines between sdy and the form in which XLA keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import Pipeline


@dataclass(frozen=True)
class SdyRoundTripImportPipeline(Pipeline):
    """Import shardings that XLA keeps as text in frontend attributes.

    The input is a module that XLA dumps (`--xla_dump_to`, `shardy/.../00.input_module.mlir`), or
    one that `jax.export` wrote before it wrote sdy. Afterwards it has meshes, shardings,
    constraints and manual computations as a frontend lowers them: `-sdy-import-pipeline` can run.
    """

    name = "xla-sdy-round-trip-import-pipeline"

    def passes(self) -> Sequence[str]:
        return [
            # A computation that an instruction of HLO calls is a function here; no other pass needs
            # to work on those that nothing calls.
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
    """Turn all of sdy in a module into text in frontend attributes, as XLA does.

    The input is a module as a frontend lowers it. The result has StableHLO and calls only, survives
    a round trip through HLO, and is imported again by `-xla-sdy-round-trip-import-pipeline`.
    """

    name = "xla-sdy-round-trip-export-pipeline"

    def passes(self) -> Sequence[str]:
        return [
            # First: a text names its mesh.
            "sdy-lift-inlined-meshes",
            "xla-sdy-round-trip-export-ops",
            # Before the attributes: bodies become functions, whose ops have shardings too.
            "xla-sdy-round-trip-shard-map-export",
            # Last: it erases the meshes.
            "xla-sdy-round-trip-export-shardy-attrs",
        ]
