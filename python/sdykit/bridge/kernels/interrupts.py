"""Ctrl-C ends kernels that are running, and not only the program that waits for them."""

from __future__ import annotations

import signal

from sdykit.bridge import _native
from sdykit.sparsecore import _machine


def watch_interrupts() -> None:
    """Let kernels that run on any thread end at an interrupt, if that raises KeyboardInterrupt.

    A program that handles the signal in another way decides by itself what ends.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _machine.set_interrupted(_native.is_interrupted_address())
        _native.watch_interrupts()
