"""Run MPMD programs on this machine, op by op; `interpret` in `running` is where to start.

`program` finds functions and meshes, `pieces` splits a body into runs of ops that are compiled
together, `one_device` turns such a run into StableHLO for one device (with `manual` and `clone`),
and `sdykit.spmd.devices.client` compiles and runs it. `values` checks inputs; `buffers` and `marks` check donation and
aliasing.
"""

from sdykit.mpmd.interpreter.running import interpret

__all__ = ["interpret"]
