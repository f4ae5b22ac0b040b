"""Processes that run a program of JAX together."""

from __future__ import annotations

import os
import socket
import subprocess
import sys


def run_processes(
    program: str, processes: int, *arguments: str, devices: int = 1, timeout: float = 7200
) -> list[str]:
    """Return what each process prints.

    Args:
        program: the path of a Python program. Its arguments are the number of the process, that of
            processes and the address at which they meet; then those that are given.
        processes: the number of processes.
        devices: the number of devices of each.
        timeout: the maximum number of seconds that they may take.

    Raises:
        AssertionError: one ended with an error; the text is what it printed to stderr.
    """
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    environment = {name: value for name, value in os.environ.items() if name != "NPROC"}
    environment["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"
    running = [
        subprocess.Popen(
            [sys.executable, program, str(number), str(processes), address, *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    try:
        texts: list[str] = []
        for each in running:
            out, errors = each.communicate(timeout=timeout)
            assert each.returncode == 0, errors
            texts.append(out)
        return texts
    finally:
        for each in running:
            each.kill()
