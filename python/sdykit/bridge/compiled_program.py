"""The program that XLA makes of a module for several CPU devices, which need not exist.

XLA compiles in a child process: what it cannot partition may end the process.
"""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import sdykit
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
    environment = {**os.environ, "PYTHONPATH": _python_path(), "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-m", __name__],
        input=pickle.dumps((module, devices)),
        capture_output=True,
        env=environment,
        check=False,
    )
    if done.returncode:
        raise BridgeError(f"XLA ended its process: {_last_words(done.stderr)}")
    succeeded, answer = pickle.loads(done.stdout)
    if not succeeded:
        raise BridgeError(f"XLA does not compile the program: {answer}")
    return answer


def _python_path() -> str:
    """Return a search path that finds this package first, wherever it was imported from."""
    own = str(Path(sdykit.__file__).parents[1])
    return os.pathsep.join([own, *filter(None, [os.environ.get("PYTHONPATH")])])


def _last_words(stderr: bytes) -> str:
    """Return why a process ended, by what it wrote."""
    lines = [line for line in stderr.decode(errors="replace").splitlines() if line.strip()]
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


def main() -> None:
    """Answer the one request on stdin."""
    # Only the answer goes to the parent's pipe: XLA writes logs to the standard output, too.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    module, devices = pickle.loads(sys.stdin.buffer.read())
    from jax.errors import JaxRuntimeError

    try:
        answer = True, _compiled(module, devices)
    except (JaxRuntimeError, ValueError) as error:
        answer = False, str(error).strip().splitlines()[0]
    with answers:
        answers.write(pickle.dumps(answer))


if __name__ == "__main__":
    main()
