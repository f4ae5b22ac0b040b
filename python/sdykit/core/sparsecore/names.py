"""The names of the attributes of tile programs."""

from __future__ import annotations

from typing import Final

# On the entry function.
ENTRY: Final = "sparsecore.entry"
"""Marks the entry function of a program."""
MESSAGES: Final = "sparsecore.messages"
"""The error message of each status that a program can end with."""
LOCATIONS: Final = "sparsecore.locations"
"""The source lines that reports of failures name by number."""
SERIAL_BYTES: Final = "sparsecore.serial_bytes"
"""The memory traffic in bytes below which one thread is enough."""
TILE_MEMORY: Final = "sparsecore.tile_memory_bytes"
"""The size of a tile's SPMEM."""
SIZES: Final = "sparsecore.sizes"
"""The limits, widths and numbers that sizes of buffers follow from, by name."""
LIMITS_OF_PARTITIONS: Final = "sparsecore.limits_of_partitions"
"""The limits that differ from partition to partition, by name: each is a list of them, and the largest
is in `SIZES`."""
HAS_INDEX: Final = "sparsecore.has_index"
"""Marks a lookup whose caller passes an index of the entries by sample to a CPU."""
COUNTED: Final = "sparsecore.counted"
"""The names of a program's counters."""
COUNTED_LOOPS: Final = "sparsecore.counted_loops"
"""The axes of each nest of counted loops, in the order of the counters' rows."""

# On a function without a body.
STOPS: Final = "sparsecore.stops"
"""Marks a function whose call ends a phase for the thread: what has failed is in the status."""
RUNTIME: Final = "sparsecore.runtime"
"""The name of the function of the runtime that calls of this function are calls of."""

# On an argument of the entry function.
NAME: Final = "sparsecore.name"
"""The name of a buffer; on an allocation, too."""
STATUS: Final = "sparsecore.status"
"""Marks the argument in which the program reports errors."""
LAUNCH: Final = "sparsecore.launch"
"""Marks the argument in which the caller passes the id of the launch: of one execution on all devices."""
SETTINGS: Final = "sparsecore.settings"
"""Marks the argument in which the caller passes the settings of the machine that runs agents."""
PLACE: Final = "sparsecore.place"
"""Marks the argument in which a device passes the number of its group of devices, and its own in the group,
to a program that runs for all devices of a group."""
OFFSETS: Final = "sparsecore.offsets"
"""Marks the argument with the distances of the arrays of each device: for each argument that is an array of
the caller and each device, by how many elements the device's begins after that of the first device."""
WORKSPACE: Final = "sparsecore.workspace"
"""Marks an argument whose memory the caller provides to the run, for the program alone."""
WORK: Final = "sparsecore.work"
"""The memory traffic in bytes that an element stands for."""
NOALIAS: Final = "sparsecore.noalias"
"""Marks an argument that shares memory with no other one."""
ALIGNED: Final = "sparsecore.aligned"
"""Marks an argument that begins at a multiple of 64 bytes."""
QUANTIZE: Final = "sparsecore.quantize"
"""How elements that are read from the argument are quantized."""

# On a phase.
TOGETHER: Final = "sparsecore.together"
"""Marks a phase whose iterations are agents, which may wait for each other: an array with the number of
each agent's core."""
APART: Final = "sparsecore.apart"
"""Marks a phase of agents none of which ever waits for another, and which writes no argument whose
contents it also gets from the caller: if accesses are compared, threads share the agents."""
SEMAPHORES: Final = "sparsecore.semaphores"
"""The number of semaphores that each agent has."""
PASSED_SEMAPHORES: Final = "sparsecore.passed_semaphores"
"""Semaphores whose counts are arguments, i32: for each such array the first of an agent's semaphores, how
many there are, the argument with the counts at the start and the one for those at the end, or -1."""

# On a step.
STEP: Final = "sparsecore.step"
"""The name of a step; see `sdykit.core.sparsecore.steps`."""
READS: Final = "sparsecore.reads"
"""The names of the buffers that a step reads."""
WRITES: Final = "sparsecore.writes"
"""The names of the buffers that a step writes."""

# On a loop.
JOINED: Final = "sparsecore.joined"
"""On a loop: the names of the steps that were joined to it."""
AXES: Final = "sparsecore.axes"
"""The names of the dimensions that a loop counts by, such as `tile`."""

TOTAL: Final = "sparsecore.total"
"""The figure of a batch that is the number of a loop's iterations, or how often the first branch of an
`scf.if` is taken, added up over the loops around it that are neither counted apart nor over columns."""
COLUMNS: Final = "sparsecore.columns"
"""Marks a loop over groups of columns, whose iterations do the same for other columns."""
COUNTS: Final = "sparsecore.counts"
"""The counter that each iteration of a loop adds 1 to, such as `sort: passes`."""

# On an allocation.
SHARED: Final = "sparsecore.shared"
"""Marks an allocation in a phase of agents: there is one for each core, and its agents share it; with
the value `device` there is one, and all agents share it."""
DEVICE: Final = "device"
"""The value of `sparsecore.shared` for memory of all agents."""
SIZE: Final = "sparsecore.size"
"""The size of each dimension, as an expression; see `sdykit.core.sparsecore.sizes`."""
TILES: Final = "sparsecore.tiles"
"""The number of tiles that hold a buffer together, each an even share."""
GATHER_OPERAND: Final = "sparsecore.gather_operand"
"""Where a buffer is to be: `spmem`, `hbm`, or with `auto` in HBM if SPMEM is too small."""
OFFSET: Final = "sparsecore.offset"
"""The offset of a buffer in SPMEM, in bytes."""
SPMEM_BYTES: Final = "sparsecore.spmem_bytes"
"""On a phase: the bytes of SPMEM that it takes of each tile."""

# On any op.
STATISTIC: Final = "sparsecore.statistic"
"""The figure of a batch that the op's result is; see `sdykit.sparsecore.counts`."""
OPERATION: Final = "sparsecore.operation"
"""Marks an `scf.if` that computes one operation in one of several ways: it is counted as one."""
CHECK: Final = "sparsecore.check"
"""Marks an op that only checks input: it is not counted, as a chip has no such op."""
OR_FIRST: Final = "sparsecore.or_first"
"""Marks an `scf.if` that is also taken in the first iteration that a thread runs."""
