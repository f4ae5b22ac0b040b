"""From a compiled tile program to the kernel that the FFI handler runs."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.bridge import _native
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.codegen import Argument, Interface, Program
from sdykit.sparsecore.codegen.compiled import ALIGNMENT

DEFAULT_SERIAL_BYTES = 1 << 20
"""Below about this much memory traffic a second thread costs more than it saves: measured
break-even 0.25 to 2 MiB, by kernel."""

_ELEMENT_BYTES = {
    "i1": 1,
    "i8": 1,
    "i16": 2,
    "bf16": 2,
    "i32": 4,
    "f32": 4,
    "i64": 8,
    "f64": 8,
    "index": 8,
}


def build(
    program: Program,
    arrays: tuple[int, int],
    aliases: Sequence[tuple[int, int]],
    *,
    counters: int | None,
    returns_status: bool,
    where: str,
) -> _native.Kernel:
    """Make the kernel of a call.

    Args:
        program: what it runs.
        arrays: how many operands and results the call has.
        aliases: pairs of an operand and a result of the call that are one buffer.
        counters: number of the argument in which the program counts; None: in none.
        returns_status: whether the call has one more result, the status.
        where: what messages begin with, before a colon; "": with nothing.

    Raises:
        BridgeError: the program may write to an operand that no result aliases, or has no status
            to return; or there is no memory for its scratch.
    """
    interface = program.interface
    if returns_status and interface.status is None:
        raise BridgeError(
            f"@{interface.entry}: returns_status is True, and the program has no status; expected "
            "an argument with the attribute sparsecore.status"
        )
    own = [at for at in (interface.status, counters) if at is not None]
    _check_written(interface, arrays, {operand for operand, _ in aliases}, own)
    serial_bytes = interface.serial_bytes
    try:
        return _native.Kernel(
            interface.entry,
            [(phase.address, phase.size_address) for phase in program.phases],
            _arguments(interface.arguments),
            aliases=aliases,
            status=interface.status,
            counters=counters,
            messages=[f"{where}: {text}" if where else text for text in interface.messages],
            scratch_bytes=interface.scratch_bytes,
            serial_bytes=DEFAULT_SERIAL_BYTES if serial_bytes is None else serial_bytes,
            returns_status=returns_status,
        )
    except MemoryError:
        raise BridgeError(
            f"@{interface.entry}: no memory for {interface.scratch_bytes} bytes of scratch"
        ) from None


def _check_written(
    interface: Interface, arrays: tuple[int, int], aliased: set[int], own: Sequence[int]
) -> None:
    """Refuse to change what JAX takes for constant; some arguments are the handler's own."""
    operands, results = arrays
    given = [(at, each) for at, each in enumerate(interface.arguments) if at not in own]
    if operands + results - len(aliased) != len(given):
        return  # A call with other arrays than the program has: the handler says so.
    for operand, (at, argument) in enumerate(given[:operands]):
        if argument.written and operand not in aliased:
            name = f" '{argument.name}'" if argument.name else ""
            raise BridgeError(
                f"@{interface.entry}: argument {at}{name} (operand {operand}) is written by the "
                "program; expected a result that aliases it"
            )


def _arguments(arguments: Sequence[Argument]) -> list[_native.Argument]:
    # A program that tells what its work depends on tells all of it.
    is_told = any(each.work is not None for each in arguments)

    def argument(each: Argument) -> _native.Argument:
        own = 0 if is_told or each.is_status else _ELEMENT_BYTES[each.dtype]
        return _native.Argument(
            each.name,
            each.dtype,
            [-1 if size is None else size for size in each.shape],
            alignment=ALIGNMENT if each.aligned else 1,
            work=own if each.work is None else each.work,
        )

    return [argument(each) for each in arguments]
