"""Run MPMD programs on this machine, op by op; `interpret` in `running` is where to start.

`program` finds functions and meshes, `pieces` cuts a body into what runs at once, `one_device`
turns it into StableHLO for one device (`manual` and `clone` help it), and `xla` compiles and
runs that. `values` checks what goes in; `buffers` and `marks` check donation and aliasing.
"""

from sdykit.mpmd.interpreter.running import interpret

__all__ = ["interpret"]
