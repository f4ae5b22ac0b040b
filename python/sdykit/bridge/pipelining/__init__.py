"""Pipelining of TensorCore and SparseCores: training steps in which both work at the same time.

Start with `pipeline`, which has the steps. `state` is what they pass on, `checks` has the errors of their
arguments. `overlap` makes one program of the work of both, for which `halves` splits the work of
SparseCores at the start of their tile programs, and `ordering` is the call that keeps the two apart.
`schedule` is the same step as asynchronous HLO.
"""

from sdykit.bridge.pipelining.pipeline import Pipeline, pipelined
from sdykit.bridge.pipelining.schedule import asynchronous_hlo
from sdykit.bridge.pipelining.state import PipelineState

__all__ = ["Pipeline", "PipelineState", "asynchronous_hlo", "pipelined"]
