"""Running MPMD programs: an interpreter, with XLA's CPU client underneath.

    from sdykit.mpmd import interpret

    results = interpret(module, [x, w])

Beside `sdykit.bridge` the only package that imports jax.
"""

import jax  # noqa: F401  # First: it quiets the log of jaxlib, which is read when that is loaded.

from sdykit.mpmd._errors import InterpretError
from sdykit.mpmd.interpreter import interpret

__all__ = ["InterpretError", "interpret"]
