"""The native module: C++ against the XLA FFI headers of jaxlib."""

from collections.abc import Callable, Sequence
from typing import Any

def xla_ffi_api_version() -> tuple[int, int]:
    """Version (major, minor) of the XLA FFI API that this module was compiled against."""

def handlers() -> dict[str, Any]:
    """The handler's stages as capsules, for jax.ffi.register_ffi_target."""

def set_compiler(compiler: Callable[[str], Kernel] | None) -> None:
    """Set what gives the Kernel of a spec; None: nothing does."""

def keep_freed_memory() -> bool:
    """Let the C library keep freed memory; False: it cannot be told so."""

def first_bad_sample(samples: object, weights: object, last_id: int | None) -> int:
    """Return the place of the first sample that needs a closer look; -1 without one.

    It is no int32 vector, its weights are no float32 vector of its length, or an id is outside
    `[0, last_id]`. Samples, and weights if not None, are object arrays of one dimension, lists or
    tuples. Samples may also be an int32 matrix in row-major order: then the place is 0 if any id is
    outside, and weights are not looked at.

    Raises:
        TypeError: they are something else.
        ValueError: there are not as many weights as samples.
    """

class Argument:
    """What an argument of a program must be."""

    def __init__(
        self,
        name: str,
        element: str,
        sizes: Sequence[int],
        alignment: int = 1,
        work: int = 0,
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
        messages: Sequence[str],
        scratch_bytes: int,
        serial_bytes: int,
        returns_status: bool = False,
    ) -> None: ...
    def counts(self) -> dict[int, tuple[int, list[int]]]:
        """What has been counted: device -> runs, and the sums of counters."""

    def forget_counts(self) -> None:
        """Begin to count anew."""
