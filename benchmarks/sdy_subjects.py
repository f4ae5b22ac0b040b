"""The `sdy` passes and pipelines that are timed, what prepares their input, and their aims."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.passes.sdy._sharding_rules import RULE
from sdykit.passes.sdy._shardings import SHARDING
from sdykit.passes.sdy._value_shardings import DATA_FLOW_OPS
from sdykit.passes.sdy.constant_or_scalar_merger import BROADCAST, CONSTANTS

SIZES = (2_000, 10_000, 50_000)
QUICK_SIZES = (2_000, 10_000)


@dataclass(frozen=True)
class Subject:
    """A pass or pipeline that is timed."""

    pipeline: str
    aim: float | tuple[float, ...]
    """The maximum ratio of our time to that of C++; a tuple has one for each of `SIZES`."""
    before: str = ""
    """The C++ passes that prepare its input: those before it in the import pipeline."""
    looks_at: tuple[str, ...] | None = None
    """The names of the ops that it has to look at, none for all ops; None if it is more than one pass."""
    rewrites: str = ""
    """The attribute that it has to rewrite on all ops that have it."""

    @property
    def aims(self) -> tuple[float, ...]:
        """The aim at each of `SIZES`."""
        return self.aim if isinstance(self.aim, tuple) else (self.aim,) * len(SIZES)


_LIFTED = "symbol-dce,sdy-lift-inlined-meshes,sdy-remove-size-one-axes"
_SPLIT = f"{_LIFTED},sdy-constant-or-scalar-splitter"
_EDGES = f"{_SPLIT},sdy-add-data-flow-edges"

_SPREAD = "sdy-import-pipeline,sdy-user-priority-propagate{keep-sharding-rules=true}"
_SINK = "func.func(sdy-sink-data-flow-edges)"
_TO_RESHARD = "func.func(sdy-sharding-constraint-to-reshard)"
PROPAGATED = f"{_SPREAD},{_SINK},{_TO_RESHARD},sdy-close-shardings"
_RESHARDS = "func.func(sdy-insert-explicit-reshards{enable-full-version=true})"
_COLLECTIVES = "func.func(sdy-reshard-to-collectives)"
_DROP_RULES = "func.func(sdy-drop-sharding-rules)"
_MERGER = "func.func(sdy-constant-or-scalar-merger)"
_NON_DIVISIBLE = "sdy-update-non-divisible-input-output-shardings"
_SUB_AXES = "sdy-remove-sub-axes-in-input-output-shardings"

_PROPAGATION = (2, 1, 0.6)
_OTHERS = (2, 1.5, 1.5)

_ALL = ()
_CONSTANTS = ("sdy.constant", "stablehlo.constant", BROADCAST)
_CALLS = ("func.func", "func.call")
_MANUAL = ("sdy.manual_computation",)
_FLOWS = tuple(DATA_FLOW_OPS)

SUBJECTS = (
    Subject("sdy-lift-inlined-meshes", (2, 2, 2), "", _ALL),
    Subject(
        "sdy-remove-size-one-axes", _OTHERS, "symbol-dce,sdy-lift-inlined-meshes", ("sdy.mesh",)
    ),
    Subject("sdy-propagate-sharding-from-func-to-call", _OTHERS, _LIFTED, _CALLS),
    Subject("sdy-constant-or-scalar-splitter", (3, 3, 3), _LIFTED, _CONSTANTS),
    Subject("sdy-manual-axes-cleanup", _OTHERS, _SPLIT, _MANUAL),
    Subject("sdy-add-data-flow-edges", _OTHERS, _SPLIT, _FLOWS),
    Subject("sdy-apply-sharding-constraints", _OTHERS, _EDGES, ("sdy.sharding_constraint",)),
    Subject("sdy-sharding-group-import", _OTHERS, _EDGES, ("sdy.sharding_group",)),
    Subject("sdy-import-pipeline", 1.5),
    Subject("sdy-import-pipeline{dedup-functions-fully=true}", 1.5),
    Subject("sdy-user-priority-propagate", _PROPAGATION, "sdy-import-pipeline", _ALL),
    Subject("sdy-propagation-pipeline", _PROPAGATION),
    Subject(_MERGER, _OTHERS, _SPREAD, (*CONSTANTS, BROADCAST)),
    Subject(_SINK, _OTHERS, _SPREAD, _FLOWS),
    Subject("sdy-remove-sharding-groups", _OTHERS, f"{_SPREAD},{_SINK}", ("sdy.sharding_group",)),
    Subject(_TO_RESHARD, _OTHERS, f"{_SPREAD},{_SINK}", ("sdy.sharding_constraint",)),
    Subject(_NON_DIVISIBLE, _OTHERS, f"{_SPREAD},{_SINK}", (*_CALLS, *_MANUAL)),
    Subject(_SUB_AXES, _OTHERS, f"{_SPREAD},{_SINK}", ("func.func",)),
    Subject("sdy-close-shardings", _OTHERS, f"{_SPREAD},{_SINK}", _ALL, SHARDING),
    Subject(_RESHARDS, 1.5, PROPAGATED, _ALL),
    Subject(_COLLECTIVES, 1.5, f"{PROPAGATED},{_RESHARDS}", ("sdy.reshard",)),
    Subject(_DROP_RULES, _OTHERS, f"{PROPAGATED},{_RESHARDS}", _ALL, RULE),
    Subject("sdy-export-pipeline", 1.5, _SPREAD),
)
