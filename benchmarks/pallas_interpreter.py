"""Time one of the kernels of `benchmarks.pallas` in JAX's own interpreter, without sdykit's plugin.

    SDYKIT_PLUGIN=off python -m benchmarks.pallas_interpreter INDEX

prints one line: the milliseconds of the second call, or why there are none.
"""

from __future__ import annotations

import sys

import jax
import numpy as np
from jax._src.pallas.mosaic import tpu_info
from jax.experimental.pallas import tpu as pltpu

from benchmarks.pallas import Case, cases, once


def call_cpu_a_7x() -> None:
    """Let JAX take the CPU for a 7x when a mesh asks for the numbers of the chip."""
    tpu_info.registry["cpu"] = lambda: tpu_info.get_tpu_info_for_chip(
        tpu_info.ChipVersion.TPU_7X, 1
    )


def outcome(case: Case) -> str:
    """Return the time of the second call, in milliseconds, or what JAX says instead."""
    function = jax.jit(case.kernel)
    try:
        with pltpu.force_tpu_interpret_mode():
            result = np.asarray(function(*case.small))
            took = once(function, case.small)
    except Exception as error:  # whatever it is, it is what a user would see
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    if not np.allclose(result, case.plain(*case.small)):
        return "wrong result"
    return f"{took:,.2f}"


if __name__ == "__main__":
    call_cpu_a_7x()
    print(outcome(cases()[int(sys.argv[1])]))
