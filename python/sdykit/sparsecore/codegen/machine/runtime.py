"""Where the functions of the runtime are that programs call."""

from __future__ import annotations

from sdykit.native_modules import check_interface, stale
from sdykit.sparsecore.codegen.runtime_functions import FUNCTIONS, RuntimeFunction


def runtime_addresses() -> dict[str, int]:
    """Return the address of each function that programs may call, by name.

    Raises:
        SdykitError: the native module does not have them as these Python files know them, since it was
            built from other sources.
    """
    from sdykit.sparsecore import _machine

    check_interface(_machine)
    found = _machine.functions()
    for name, function in FUNCTIONS.items():
        count = _arguments(function)
        if name not in found or found[name][1] != count:
            raise stale(_machine, f"a function '{name}' of {count} arguments")
    return {name: address for name, (address, _) in found.items()}


def _arguments(function: RuntimeFunction) -> int:
    """Return how many arguments machine code passes: the arena, operands, an array and its size."""
    more = 0 if function.more is None else 2
    return int(function.is_of_agents) + len(function.operands) + more
