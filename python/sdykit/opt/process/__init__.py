"""What happens around the work of a command, whatever the work is.

`guard` does the work in a child process, so that a crash of MLIR becomes a message; `streams`
turns exceptions into messages and exit codes, and writes to stdout; `lazy_numpy` keeps numpy out
of the start-up.
"""

from sdykit.opt.process.streams import prepare_streams, reporting, write_stdout

__all__ = ["prepare_streams", "reporting", "write_stdout"]
