"""The runtime of compiled programs: agents, transfers, semaphores, failures.

Programs call its functions; Python only links them and takes reports of errors.
"""

HAS_REPORT: int
"""The first word of a status whose second is the number of a report."""

def functions() -> dict[str, int]:
    """Return the address of each function that programs call, by name."""

def take_report(number: int) -> list[int]:
    """Return the report with a number and forget it; empty if there is none."""
