"""Run exported MPMD programs on CPU devices; `Executable` in `executable` is where to start.

`devices` gives each mesh its devices, and `shardings` each value its place on them (`values`). `plan` turns
the ops of a program into `steps`, with `fragments` for the module that XLA compiles of a fragment
call (`xla`), and `moving` for transfers; `loops` unrolls loops before. `workers` runs the steps: those of different meshes at the
same time. `jitted` is all of it, from a JAX function on.
"""

from sdykit.mpmd.execution.executable import Executable, run
from sdykit.mpmd.execution.jitted import Jitted, jit
from sdykit.mpmd.execution.workers import Span

__all__ = ["Executable", "Jitted", "Span", "jit", "run"]
