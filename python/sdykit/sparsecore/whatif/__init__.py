"""What another system would give: chips, devices, batches, widths, limits, beside each other.

    model = model_of(features, batches)          # or model_of_run("run/"), drawn_model(...)
    found = compare(model, choices(batch=[4096], chip=["v5p", "v6e"], devices=[1, 16, 256]))
    found.fastest.times.step                     # an Estimate: seconds, low, high
    least_devices(model, [Choice(batch=4096)], seconds=5e-3)
    best_limits(model, Choice(batch=4096, devices=16))

Ids of a recorded batch are counted again for each system, exactly, and without anything that is of the size
of the system squared: `sorting`, `minibatches` and `cells`. Other batches are estimated from how often ids
occur, with a range that holds what is counted in at least 90% of cases: `frequencies`, `maxima` and
`batch`. Times are those of `sdykit.sparsecore.cost`, memory that of `sdykit.sparsecore.memory`.

Read `choice` first, then `evaluate`, which goes from a choice to its result; `model` and `drawn` say where
ids come from, `compare` has the searches.
"""

from sdykit.sparsecore.whatif.choice import Choice, choices
from sdykit.sparsecore.whatif.compare import answer_of, best_limits, compare, least_devices
from sdykit.sparsecore.whatif.drawn import IdStatistics, drawn_model, read_id_statistics
from sdykit.sparsecore.whatif.model import Measured, Model, model_of, model_of_run
from sdykit.sparsecore.whatif.results import Comparison, Memory, Result, StackResult, Times

__all__ = [
    "Choice",
    "Comparison",
    "IdStatistics",
    "Measured",
    "Memory",
    "Model",
    "Result",
    "StackResult",
    "Times",
    "answer_of",
    "best_limits",
    "choices",
    "compare",
    "drawn_model",
    "least_devices",
    "model_of",
    "model_of_run",
    "read_id_statistics",
]
