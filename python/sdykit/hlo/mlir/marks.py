"""Attributes that keep what MLIR has no place for, so that a program comes back as it was."""

from __future__ import annotations

IMPLIED = "hlo.implied"
"""Of a `tuple` or `get_tuple_element` that no instruction stands for: it takes apart or puts
together the tuple that is one value in HLO and several in MLIR."""

TUPLE_OF_ONE = "hlo.tuple_of_one"
"""Of a function: its one result is the element of a tuple."""

ROOT = "hlo.root"
"""Of the op, or argument, that is the root of a function without results."""

NAME = "hlo.name"
"""Of a function: the name of the computation, if the symbol differs."""

EMPTY_BARRIER = "hlo.opt_barrier"
"""Of a `copy` that stands for the `opt-barrier` of a tuple without arrays."""

CALLED = "hlo.to_apply"
"""Of an op with a region: the function of the computation that the region was made from."""

HEADER = "hlo.header"
"""Of the module: the attributes of the header, as text."""

SECTIONS = "hlo.sections"
"""Of the module: the tables behind the header, row by row."""

THREAD = "execution_thread"
"""Of a function, as jaxlib has it."""

CALLEE = "called_computation"
"""Of the ops of an asynchronous chain, as jaxlib has it."""

MAIN = "main"

HEADER_ORDER = (
    "is_scheduled",
    "input_output_alias",
    "buffer_donor",
    "alias_passthrough_params",
    "entry_computation_layout",
    "allow_spmd_sharding_propagation_to_parameters",
    "allow_spmd_sharding_propagation_to_output",
    "replica_count",
    "num_partitions",
    "frontend_attributes",
)
"""In which order XLA prints the attributes of the header."""

COUNTS = {"replica_count": "mhlo.num_replicas", "num_partitions": "mhlo.num_partitions"}
"""Attributes of the header that jaxlib has a name for."""
