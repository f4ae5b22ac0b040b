"""MPMD programs: made from JAX functions, and run on this machine.

    from sdykit.mpmd import from_jax, interpret, named_computation

    text = from_jax(fn, x, w, topology={"m1": {"x": 2}}, assignment={"f1": "m1"})
    results = interpret(text, [x, w])

Two rooms: `partitioning` makes programs (start with its `jax_programs`), `interpreter` runs them
(start with its `running`); `errors` has the errors of both. Beside `sdykit.bridge` the only
package that imports jax.
"""

import jax  # noqa: F401  # First: it quiets the log of jaxlib, which is read when that is loaded.

from sdykit.mpmd.errors import InterpretError, PartitionError
from sdykit.mpmd.interpreter import interpret
from sdykit.mpmd.partitioning import Schedule, call, from_jax, named_computation

__all__ = [
    "InterpretError",
    "PartitionError",
    "Schedule",
    "call",
    "from_jax",
    "interpret",
    "named_computation",
]
