"""The features of random programs, each of which can be switched off."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Features:
    """The features of a program. All are on by default, except the last two."""

    oracle: bool = True
    """Whether to leave out what the clean-up passes of the C++ export pipeline would change."""

    large: bool = True
    """Many meshes and types; fragments of several operands, ops and results; transfers in a
    row."""
    cpu_meshes: bool = True
    """Meshes such as `m1/cpu`, besides the one they belong to."""
    uneven_meshes: bool = True
    """Meshes of different shapes in one topology."""
    elements: bool = True
    """Elements other than f32, and ops that convert between them."""
    shardings: bool = True
    """Shardings on types, with their `sdy.mesh` ops."""
    host_types: bool = True
    """Types with a memory kind."""

    transfers: bool = True
    inferred: bool = True
    """Fragments without origin that compute something."""
    reshards: bool = True
    """Inferred fragments that return their argument."""
    repeated: bool = True
    """Fragments with the body of an earlier one."""
    tokens: bool = True
    """Token operands and results of fragments."""
    manual: bool = True
    """Manual computations in bodies; none without `shardings`."""

    shapes: bool = True
    """Ops that change shapes, and matrix products."""
    loops: bool = True
    """While loops."""
    barriers: bool = True
    """Optimization barriers."""
    placements: bool = True
    """Custom calls that place a value on the host or device."""
    custom_calls: bool = True
    """Other custom calls: those that partition, and unknown ones."""
    host_compute: bool = True
    """`_xla_compute_type` on ops of bodies."""
    calls: bool = True
    """Calls of functions in bodies."""

    origins: bool = True
    """Several origins on one fragment."""
    transposes: bool = True
    stages: bool = True
    call_counters: bool = True
    remat: bool = True
    reserved_bytes: bool = True
    """Reserved bytes on fragments, from an earlier run."""
    fragment_attributes: bool = True
    """Attributes of single arguments and results on fragments."""

    donation: bool = True
    """Donated and aliased arguments of functions."""
    layouts: bool = True
    """Layout modes of arguments and results of functions."""
    memory_kinds: bool = True
    """Memory kinds of arguments and results of functions, as attributes."""
    locations: bool = True
    """Locations with names, of parameters among them."""
    helpers: bool = True
    """Private functions with a topology."""
    extra_functions: bool = True
    """Functions that nobody calls."""

    placed_transfers: bool = False
    """Transfers of what a fragment puts into host memory: the verifier rejects them as soon as
    it is marked, so no pass runs alone on such a program."""
    mistakes: bool = False
    """Input that a pass rejects, such as conflicts between layouts or memory kinds."""


OPTIONAL = tuple(field.name for field in fields(Features) if field.name != "oracle")[:-2]
"""The names of the features that are on unless switched off."""

EXECUTABLE = dict.fromkeys(("custom_calls", "manual", "placements", "tokens"), False)
"""Without these, all bodies consist of ops with a meaning of their own."""
