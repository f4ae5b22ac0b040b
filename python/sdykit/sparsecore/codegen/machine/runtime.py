"""Where the functions of the runtime are that programs call."""

from __future__ import annotations

from sdykit.errors import SdykitError
from sdykit.sparsecore.codegen.runtime_functions import FUNCTIONS, RuntimeFunction


def runtime_addresses() -> dict[str, int]:
    """Return the address of each function that programs may call, by name.

    Raises:
        SdykitError: the native module does not have them as these Python files know them, since it was
            built from other sources.
    """
    from sdykit.sparsecore import _machine

    found: dict[str, tuple[int, int]] = _machine.functions()
    for name, function in FUNCTIONS.items():
        if name not in found or found[name][1] != _arguments(function):
            raise SdykitError(
                f"{_machine.__file__} was built from other sources than the Python files beside it: "
                f"expected a function '{name}' of {_arguments(function)} arguments; install sdykit "
                "again, in a checkout with `make -B setup`"
            )
    return {name: address for name, (address, _) in found.items()}


def _arguments(function: RuntimeFunction) -> int:
    """Return how many arguments machine code passes: the arena, operands, an array and its size."""
    more = 0 if function.more is None else 2
    return int(function.is_of_agents) + len(function.operands) + more
