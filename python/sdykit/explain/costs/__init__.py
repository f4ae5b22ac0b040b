"""What a partitioned program communicates: its collectives, their bytes, and why each is needed.

`model` has what is found; `costs_of` finds it. `program` runs the passes after propagation, `collecting`
reads the collectives off, `amounts` has the formulas, `loops` how often each runs, `chains` and `causes`
why it is there, `bandwidths` how long it takes; `uncounted` are ops that exchange data without one.
`compiled` has the collectives of XLA's own program, `comparing` puts them beside ours. `sentences` and
`answers` put all of it into words.
"""

from sdykit.explain.costs.finding import costs_of
from sdykit.explain.costs.model import Cause, Collective, CompiledCollective, Costs, Uncounted

__all__ = ["Cause", "Collective", "CompiledCollective", "Costs", "Uncounted", "costs_of"]
