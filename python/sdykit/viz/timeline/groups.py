"""The groups of tracks of a timeline."""

from typing import Final

SIMULATED: Final = "simulated"
"""The name of the group with the time on the chip."""
MEASURED: Final = "measured"
"""The name of the group with the time on the CPU."""
