"""What holds for all tests."""

from __future__ import annotations

import signal

# A process that was started in the background may ignore interrupts. The programs that tests start and
# interrupt would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
