"""Attributes that keep parts of a program that MLIR has no place for, for the way back."""

from __future__ import annotations

IMPLIED = "hlo.implied"
"""Of a `tuple` or `get_tuple_element` that HLO has no instruction for: it packs or unpacks a
tuple that is one value in HLO and several in MLIR."""

TUPLE_OF_ONE = "hlo.tuple_of_one"
"""Of a function: its one result is the element of a tuple."""

ROOT = "hlo.root"
"""Of the op, or the argument, that is the root in a function without results."""

NAME = "hlo.name"
"""Of a function: the name of the computation, if the symbol differs."""

EMPTY_BARRIER = "hlo.opt_barrier"
"""Of a `copy` that stands for the `opt-barrier` of a tuple without arrays."""

CALLED = "hlo.to_apply"
"""Of an op with a region: the function of the computation that the region is a copy of."""

HEADER = "hlo.header"
"""Of the module: the attributes of the header, as text."""

SECTIONS = "hlo.sections"
"""Of the module: the tables after the header, row by row."""

THREAD = "execution_thread"
"""Of a function: its thread, under jaxlib's name for it."""

CALLEE = "called_computation"
"""Of the ops of an asynchronous chain: the wrapped function, under jaxlib's name for it."""

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
"""The attributes of the header, in the order in which XLA prints them."""

COUNTS = {"replica_count": "mhlo.num_replicas", "num_partitions": "mhlo.num_partitions"}
"""Attributes of the header that jaxlib has an attribute of the module for."""
