"""Recording a training loop: `with sdykit.sparsecore.record("run/"):`.

`session` is the recording itself: it begins, collects, and writes a run at the end. `batches` collects what
preprocessing counts, `programs` what was compiled and ran, `samples` makes figures of the inputs of a
few runs, and `tables` describes the tables. `sdykit.sparsecore.run` has the format of runs.
"""

from sdykit.bridge.recording.session import record

__all__ = ["record"]
