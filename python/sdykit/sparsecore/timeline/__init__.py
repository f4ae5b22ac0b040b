"""Timelines: what host, TensorCore, SparseCores, sequencers and tiles do, and when.

    run = read_run("run/")
    measured(run)                          # as it was: calls on the CPU, and the host's work
    simulated(run, Cut(first=10, last=20)) # as on the chip: by the cost model

Both return spans of time on tracks that are named as on the chip, such as `TPU:0 SparseCore 1 tile 3`,
with arrows from lookups to the TensorCore to updates. `sdykit.viz.timeline` writes them for Perfetto,
for xprof, and as pages. `spans` has the spans and tracks, `cut` the part of a run that is shown,
`schedule` when the parts of simulated steps run, and `units` what SparseCores do meanwhile, from the
`costs` of their programs.
"""

from sdykit.sparsecore.timeline.cut import DEFAULT_SPANS, Cut, step_ranges
from sdykit.sparsecore.timeline.measured import measured, of_recording
from sdykit.sparsecore.timeline.schedule import StepStarts, StepTimes, schedule
from sdykit.sparsecore.timeline.simulated import simulated
from sdykit.sparsecore.timeline.spans import Place, Span, by_track, place_of

__all__ = [
    "DEFAULT_SPANS",
    "Cut",
    "Place",
    "Span",
    "StepStarts",
    "StepTimes",
    "by_track",
    "measured",
    "of_recording",
    "place_of",
    "schedule",
    "simulated",
    "step_ranges",
]
