"""The native module: C++ against the XLA FFI headers of jaxlib."""

from collections.abc import Callable, Sequence
from typing import Any

INTERFACE: str
"""The digest of this file when the module was built: see `sdykit.native_modules`."""

def xla_ffi_api_version() -> tuple[int, int]:
    """Return the version (major, minor) of the XLA FFI API that this module was compiled against."""

def handlers() -> dict[str, Any]:
    """Return the stages of the handler as capsules, for jax.ffi.register_ffi_target."""

def ordering() -> Any:
    """Return the handler of a call that orders others as a capsule, for jax.ffi.register_ffi_target."""

def set_compiler(compiler: Callable[[str], Kernel] | None) -> None:
    """Set the function that compiles a spec to a Kernel, or None."""

def set_runner(
    runner: Callable[
        [int, list[tuple[memoryview, str, tuple[int, ...]]]], tuple[list[int], list[int]] | None
    ]
    | None,
) -> None:
    """Set the function that runs a kernel of Python, or None.

    It is called with the number of the kernel, and of each array with its memory, the name of its
    dtype and its shape: operands, then results that alias none of them. It returns the counts of the
    run and the times of its scopes, or None if the kernel does not count.
    """

def set_describer(describer: Callable[[int, list[int]], str] | None) -> None:
    """Set the function that makes the text of an error, or None.

    It is called with the number of a kernel that is `described`, and the 8 words of its status.
    """

def watch_interrupts() -> bool:
    """Count interrupts (SIGINT) from now on, so that programs end early; return whether it does."""

def is_interrupted_address() -> int:
    """Return the address of the function that says whether the run of a thread is to end."""

def python_kernel(name: str, *, aliases: Sequence[tuple[int, int]]) -> Kernel:
    """Return a kernel that the runner runs; `aliases` are pairs of an operand and its result."""

def set_record_reader(reader: Callable[[], None] | None) -> None:
    """Set the function that takes the records of all kernels when they take much memory, or None."""

def keep_freed_memory() -> bool:
    """Make the C library keep freed memory; return whether it can."""

def start_recording(max_runs: int, max_sample_bytes: int) -> None:
    """Record the runs of all programs from now on, and the inputs of some.

    Raises:
        RuntimeError: a recording is on already.
    """

def stop_recording() -> tuple[
    bytes, int, int, list[tuple[bytes, list[int], list[bytes]]], list[tuple[bytes, bytes]]
]:
    """End the recording; runs that have not ended are left out.

    Returns:
        The runs as `RecordedRun` of `recorder.h`, with times of `time.perf_counter_ns`, how many runs and samples there was no room for, and
        of each sample its run, the dynamic sizes of all arguments, and the sampled arguments; then runs
        with the times of their scopes, int64.

    Raises:
        RuntimeError: no recording is on.
    """

def first_bad_sample(samples: object, weights: object, last_id: int | None) -> int:
    """Return the position of the first sample that needs a closer look, or -1.

    It is not an int32 vector, its weights are not a float32 vector of its length, or an id is outside
    `[0, last_id]`. Samples, and weights if not None, are object arrays of one dimension, lists or
    tuples. Samples may also be an int32 matrix in row-major order: then 0 is returned if any id is
    outside, and weights are ignored.

    Raises:
        TypeError: samples or weights are something else.
        ValueError: there are not as many weights as samples.
    """

class Argument:
    """The expected type of an argument of a program."""

    def __init__(
        self,
        name: str,
        element: str,
        sizes: Sequence[int],
        alignment: int = 1,
        work: int = 0,
        sampled: bool = False,
    ) -> None: ...

class Record:
    """What is recorded of a run."""

    @property
    def device(self) -> int:
        """The number of the device."""

    def arrays(self) -> list[bytes]:
        """Return the bytes of what was recorded: figures, or each operand."""

class FigurePlan:
    """How figures follow from the entries of a run; see `native/figures.h`."""

    def __init__(
        self,
        *,
        devices: int,
        cores: int,
        samples_per_core: int,
        tiles: int,
        pointers: int,
        minibatches: bool,
        is_counted: bool,
        words: int | None,
        parts: int | None,
    ) -> None: ...

class SharedRun:
    """How one run is for several devices of the process; see `native/rendezvous.h`."""

    def __init__(
        self,
        *,
        devices: int,
        place: int,
        offsets: int,
        workspaces: Sequence[tuple[int, Sequence[int], int]],
    ) -> None: ...

class Kernel:
    """A compiled program."""

    def __init__(
        self,
        name: str,
        phases: Sequence[tuple[int, int]],
        arguments: Sequence[Argument],
        *,
        aliases: Sequence[tuple[int, int]],
        status: int | None,
        counters: int | None = None,
        scope_times: int | None = None,
        launch: int | None = None,
        settings: int | None = None,
        machine_settings: Sequence[int] = (0, 0, 0, 0),
        shared: SharedRun | None = None,
        recorded: int = 0,
        figures: FigurePlan | None = None,
        messages: Sequence[str],
        scratch_bytes: int,
        serial_bytes: int,
        returns_status: bool = False,
        asynchronous: bool = False,
        described: bool = False,
    ) -> None: ...
    @property
    def number(self) -> int:
        """Its number among all kernels of the process."""

    def counts(self) -> dict[int, tuple[int, list[int]]]:
        """Return the counts: device -> number of runs, and the sum of each counter."""

    def forget_counts(self) -> None:
        """Set all counts to 0, and forget the records."""

    def take_records(self) -> list[Record]:
        """Return and forget the records of all runs."""
