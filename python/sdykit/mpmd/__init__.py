"""MPMD programs: made from JAX functions, and run on this machine.

    from sdykit.mpmd import from_jax, interpret, jit, named_computation, run

    step = jit(fn, topology={"m1": {"x": 2}}, assignment={"f1": "m1"})
    result = step(x, w)  # on the devices of the meshes

    text = from_jax(fn, x, w, topology={"m1": {"x": 2}}, assignment={"f1": "m1"})
    results = run(text, [x, w])  # the same in two steps
    results = interpret(text, [x, w])  # op by op, on one device

Three rooms: `partitioning` makes programs (start with its `jax_programs`), `execution` runs them on
the devices of their meshes (start with its `executable`), and `interpreter` runs them op by op on
one (start with its `running`). They share what is beside them: the `program`, its `tensors`, `marks`
and `bodies`, `buffers` that can be donated once, and the `errors`. Beside `sdykit.bridge` the only
package that imports jax.
"""

import jax  # noqa: F401  # First: it quiets the log of jaxlib, which is read when that is loaded.

from sdykit.mpmd.errors import ExecutionError, PartitionError
from sdykit.mpmd.execution import Executable, Jitted, Span, jit, run
from sdykit.mpmd.interpreter import interpret
from sdykit.mpmd.partitioning import Schedule, call, from_jax, named_computation

__all__ = [
    "Executable",
    "ExecutionError",
    "Jitted",
    "PartitionError",
    "Schedule",
    "Span",
    "call",
    "from_jax",
    "interpret",
    "jit",
    "named_computation",
    "run",
]
