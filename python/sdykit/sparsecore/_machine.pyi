"""The runtime of compiled programs: agents, transfers, semaphores, failures.

Programs call its functions; Python only links them and takes reports of errors.
"""

HAS_REPORT: int
"""The first word of a status whose second is the number of a report."""

NO_MEMORY: int
"""The first word of the status of a run that had no memory for its agents; the second is their number."""

def stacks_made() -> int:
    """Return how many stacks of agents the process has made, in use or not."""

def functions() -> dict[str, int]:
    """Return the address of each function that programs call, by name."""

def take_report(number: int) -> list[int]:
    """Return the report with a number and forget it; empty if there is none."""
