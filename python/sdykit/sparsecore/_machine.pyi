"""The runtime of compiled programs: agents, transfers, semaphores, failures.

Programs call its functions; Python only links them and takes reports of errors.
"""

from collections.abc import Mapping, Sequence

_Memory = tuple[int, int, Sequence[tuple[int, int]], int, Sequence[int]]
_Finding = tuple[int, int, int, int, int, int, int, int, int]

INTERFACE: str
"""The digest of this file when the module was built: see `sdykit.native_modules`."""

HAS_REPORT: int
"""The first word of a status whose second is the number of a report."""

NO_MEMORY: int
"""The first word of the status of a run that had no memory for its agents; the second is their number."""

HAS_WARNINGS: int
"""The first word of the status of a run that ended well; the second is the number of a list of reports
of races, each after the number of its integers."""

def load(objects: Sequence[bytes], symbols: Sequence[str], known: Mapping[str, int]) -> list[int]:
    """Load object files and return the addresses of symbols, in order; empty if LLVM has to link them.

    `known` has the addresses of functions that they call, by name; others are those of libm and the C
    library.
    """

def processor() -> list[int]:
    """Return the numbers by which LLVM knows the processor; empty if they are not known here."""

def stacks_made() -> int:
    """Return how many stacks of agents the process has made, in use or not."""

def set_interrupted(address: int) -> None:
    """Set the function that says whether the run of a thread is to end; 0: none is."""

def is_interrupted() -> bool:
    """Return whether the run of the calling thread is to end."""

def functions() -> dict[str, tuple[int, int]]:
    """Return the address and the number of arguments of each function that programs call, by name."""

def take_report(number: int) -> list[int]:
    """Return the report with a number and forget it; empty if there is none."""

class Checks:
    """The checks of a run of a kernel, by its events: those of the reference's class of this name.

    Memory is (owner, address, sizes and strides, bytes of an element, where rows begin); the owner is
    an agent or -1. A finding is (kind, agent, place, action, transfer, other agent, its place, its
    action, address); each pair of lines is found once.
    """

    access_count: int
    """How many accesses are remembered."""

    def __init__(self, agents: int, most: int) -> None:
        """`most`: how much is remembered before what can no longer conflict is forgotten, at first."""

    def enqueue(
        self,
        agent: int,
        place: int,
        semaphore: int,
        amount: int,
        source: _Memory,
        target: _Memory,
        action: int,
        offsets: _Memory | None,
        same: bytes | None,
        source_semaphore: int | None,
        source_amount: int,
        remote: bool,
    ) -> list[_Finding]:
        """Start a transfer; `same` has a byte for each of the target, not 0 if it stays as it is."""

    def touch(self, agent: int, place: int, memory: _Memory, action: int) -> list[_Finding]: ...
    def signal(self, agent: int, semaphore: int) -> None: ...
    def add_earlier(self, semaphore: int, amount: int) -> None: ...
    def wait(self, agent: int, semaphore: int, amount: int) -> None: ...
    def barrier(self, agents: Sequence[int]) -> None: ...
    def fetch_and_add(self, agent: int, place: int, word: int) -> list[_Finding]: ...
    def touch_word(self, agent: int, place: int, word: int, action: int) -> list[_Finding]: ...

class ParallelLoop:
    """A loop whose iterations are compared: the reference's class of this name."""

    def __init__(self, place: int) -> None: ...
    def next(self) -> None: ...
    def forget(self, begin: int, end: int) -> None:
        """Forget bytes that the iteration has made for itself."""

    def touch(self, begin: int, end: int, place: int, action: int) -> list[tuple[int, int, int]]:
        """Return iteration, line and action of each access that one to these bytes conflicts with."""
