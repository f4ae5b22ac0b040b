"""The program that XLA makes of a module for several CPU devices, which need not exist.

XLA compiles in a child process: what it cannot partition may end the process.
"""

from __future__ import annotations

import re

from sdykit.bridge.child_process import ChildEnded, answer, ask
from sdykit.bridge.errors import BridgeError

_LOG = re.compile(r"^[IWEF]\d{4} |^WARNING: All log messages")


def compiled_hlo(module: str, devices: int) -> str:
    """Return the HLO text of the partitioned program that XLA compiles a module to.

    XLA propagates the shardings and partitions; arguments and results without a sharding get that of
    the propagation, as in `jax.jit`. Nothing runs.

    Args:
        module: the module in StableHLO and sdy, as text with locations: names of locations become
            names of ops in the metadata.
        devices: the number of devices of its mesh.

    Raises:
        BridgeError: XLA rejects the module, or ends its process; the text is XLA's.
    """
    try:
        succeeded, text = ask(__name__, (module, devices), {"JAX_PLATFORMS": "cpu"})
    except ChildEnded as error:
        raise BridgeError(f"XLA ended its process: {_last_words(str(error))}") from None
    if not succeeded:
        raise BridgeError(f"XLA does not compile the program: {text}")
    return text


def _last_words(stderr: str) -> str:
    """Return why a process ended, by what it wrote."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    checks = [line for line in lines if "Check failed" in line]
    others = [line for line in lines if not _LOG.match(line)]
    return (checks or others or lines or ["it wrote no message"])[-1].strip()


def _compiled(module: str, devices: int) -> str:
    import jax  # noqa: F401  (registers the custom calls of its library)
    import numpy as np
    from jaxlib import xla_client

    client = xla_client.make_cpu_client(num_devices=devices)
    options = xla_client.CompileOptions()
    build = options.executable_build_options
    options.num_replicas = build.num_replicas = 1
    options.num_partitions = build.num_partitions = devices
    build.use_spmd_partitioning = True
    build.use_shardy_partitioner = True
    build.allow_spmd_sharding_propagation_to_parameters = [True]
    build.allow_spmd_sharding_propagation_to_output = [True]
    build.device_assignment = xla_client.DeviceAssignment.create(np.arange(devices)[None])
    local = xla_client.DeviceList(tuple(client.local_devices()))
    executable = client.compile_and_load(module, local, options)
    return executable.hlo_modules()[0].to_string()


def _answer(request: tuple[str, int]) -> tuple[bool, str]:
    """Return whether XLA compiles a module, and its program or XLA's error."""
    from jax.errors import JaxRuntimeError

    try:
        return True, _compiled(*request)
    except (JaxRuntimeError, ValueError) as error:
        return False, str(error).strip().splitlines()[0]


if __name__ == "__main__":
    answer(_answer)
