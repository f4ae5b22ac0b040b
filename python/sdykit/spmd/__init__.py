"""Partitioned programs, run device by device on one machine.

`run` in `running` is where to start: `partitioning` makes the program of one device, with the room
`local`, and `devices` splits arrays, runs the program on simulated devices and joins the results.
In `local`, `program` walks the ops; `by_rule` runs most of them on parts as their sharding rules allow
(`factors`), `ops` says how each kind does it, `collectives` and `moving` what devices send each other;
`emit` and `sending` make ops.
"""

from sdykit.spmd.checking import Check, check
from sdykit.spmd.errors import SpmdError
from sdykit.spmd.inserting import Collectives
from sdykit.spmd.partitioning import Partitioned
from sdykit.spmd.running import partition, random_inputs, run, run_partitioned

__all__ = [
    "Check",
    "Collectives",
    "Partitioned",
    "SpmdError",
    "check",
    "partition",
    "random_inputs",
    "run",
    "run_partitioned",
]
