"""From a compiled tile program to the kernel that the FFI handler runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import jax

from sdykit.bridge import _native
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.kernels.agents import describe
from sdykit.bridge.kernels.in_python import (
    DescribedProgram,
    PythonProgram,
    build_in_python,
    register_describer,
)
from sdykit.bridge.kernels.specs import Call, Compiled
from sdykit.native_modules import check_interface
from sdykit.sparsecore.codegen import Argument, Interface, Program
from sdykit.sparsecore.codegen.compiled import ALIGNMENT
from sdykit.sparsecore.codegen.emission.types import ELEMENTS

DEFAULT_SERIAL_BYTES = 1 << 20
"""Memory traffic in bytes below which a second thread costs more than it saves: the measured
break-even is 0.25 to 2 MiB, by kernel."""

SAMPLED = frozenset(
    (
        *("device", "row_pointers", "embedding_ids", "sample_ids", "num_minibatches", "ids"),
        *("splits", "sample_rows", "observed", "place"),
    )
)
"""The names of the arguments that recordings keep of some runs: those that counters follow from."""


def build(
    compiled: Compiled, call: Call, counters: int | None, scope_times: int | None
) -> _native.Kernel:
    """Return the kernel of a call.

    Args:
        compiled: the compiled tile program, or the function of Python.
        call: the numbers of its operands and results, and how it runs the program.
        counters: the number of the argument in which the program counts; None: it does not count.
        scope_times: the number of that in which it notes when scopes begin and end; None: it does not.

    Raises:
        BridgeError: the program may write to an operand that no result aliases, has no status to
            return, or no argument that figures are computed from; or there is not enough memory for its
            scratch.
        SdykitError: the native module was built for another interface.
    """
    check_interface(_native)
    if isinstance(compiled, PythonProgram):
        return build_in_python(compiled, call)
    if isinstance(compiled, DescribedProgram):
        kernel = _build(compiled.program, call, counters, scope_times, described=True)
        register_describer(kernel, compiled.describe)
        return kernel
    if compiled.interface.calls_runtime:
        described = DescribedProgram(compiled, partial(describe, compiled))
        return build(described, call, counters, scope_times)
    return _build(compiled, call, counters, scope_times)


def _build(
    program: Program,
    call: Call,
    counters: int | None,
    scope_times: int | None,
    *,
    described: bool = False,
) -> _native.Kernel:
    interface = program.interface
    if call.returns_status and interface.status is None:
        raise BridgeError(
            f"@{interface.entry}: returns_status is True, and the program has no status; expected "
            "an argument with the attribute sparsecore.status"
        )
    handed = (interface.status, interface.launch, interface.settings, counters, scope_times)
    own = [at for at in (*handed, interface.offsets) if at is not None]
    own += interface.workspaces
    _check_written(interface, call, own)
    serial_bytes = interface.serial_bytes
    try:
        return _native.Kernel(
            interface.entry,
            [(phase.address, phase.size_address) for phase in program.phases],
            _arguments(interface.arguments),
            aliases=call.aliases,
            status=interface.status,
            counters=counters,
            scope_times=scope_times,
            launch=interface.launch,
            settings=interface.settings,
            machine_settings=program.settings.words,
            shared=_shared_run(interface, call),
            recorded=call.recorded,
            figures=_figure_plan(interface, call),
            messages=[
                f"{call.where}: {text}" if call.where else text for text in interface.messages
            ],
            scratch_bytes=interface.scratch_bytes,
            serial_bytes=DEFAULT_SERIAL_BYTES if serial_bytes is None else serial_bytes,
            returns_status=call.returns_status,
            asynchronous=call.asynchronous,
            described=described,
        )
    except MemoryError:
        raise BridgeError(
            f"@{interface.entry}: there is no memory for {interface.scratch_bytes} bytes of scratch; "
            "expected a smaller program, or more memory"
        ) from None


def _shared_run(interface: Interface, call: Call) -> _native.SharedRun | None:
    """Return how a run is for several devices; None: it is for one."""
    if interface.place is None or interface.offsets is None:
        return None
    numbers = interface.workspaces
    if len(numbers) != len(call.workspaces):
        raise BridgeError(
            f"@{interface.entry}: the call has sizes of {len(call.workspaces)} workspaces; expected "
            f"{len(numbers)}, those of the program"
        )
    workspaces = [
        (number, sizes, math.prod(sizes) * ELEMENTS[interface.arguments[number].dtype].bytes)
        for number, sizes in zip(numbers, call.workspaces, strict=True)
    ]
    devices = interface.arguments[interface.offsets].shape[1] or 0
    here, processes = len(jax.local_devices(backend="cpu")), jax.process_count()
    # Of several processes, nothing here tells which one has the devices: they might wait for each other.
    if devices > here or processes > 1:
        found = f"this process has {here}" if processes == 1 else f"there are {processes} processes"
        raise BridgeError(
            f"@{interface.entry}: the program runs once for {devices} devices, in the memory of one "
            f"process, and {found}; expected a program that is traced, or exported, "
            "where jax.process_count() is that of the processes it runs on"
        )
    return _native.SharedRun(
        devices=devices,
        place=interface.place,
        offsets=interface.offsets,
        workspaces=workspaces,
    )


def _figure_plan(interface: Interface, call: Call) -> _native.FigurePlan | None:
    """Return how the figures of a run are computed, with the numbers of arguments that are named."""
    if call.figures is None:
        return None
    fields, names = dict(call.figures), [argument.name for argument in interface.arguments]
    for field in ("words", "parts"):
        name = fields.get(field)
        if name is None:
            continue
        if name not in names:
            raise BridgeError(
                f"@{interface.entry}: figures are computed from argument {name!r}; expected one of "
                f"{', '.join(map(repr, names))}"
            )
        fields[field] = names.index(name)
    return _native.FigurePlan(**fields)


def _check_written(interface: Interface, call: Call, own: Sequence[int]) -> None:
    """Check that the program writes to no operand that JAX takes for constant.

    `own` are the numbers of the arguments that the handler itself passes.

    Raises:
        BridgeError: it writes to an operand that no result aliases.
    """
    aliased = {operand for operand, _ in call.aliases}
    given = [(at, each) for at, each in enumerate(interface.arguments) if at not in own]
    if call.operands + call.results - len(aliased) != len(given):
        return  # The call has other arrays than the program: the handler reports it.
    for operand, (at, argument) in enumerate(given[: call.operands]):
        if argument.written and operand not in aliased:
            name = f" '{argument.name}'" if argument.name else ""
            raise BridgeError(
                f"@{interface.entry}: argument {at}{name} (operand {operand}) is written by the "
                "program; expected a result that aliases it"
            )


def _arguments(arguments: Sequence[Argument]) -> list[_native.Argument]:
    # If any argument has a note of the work that it causes, those without one cause none.
    has_notes = any(each.work is not None for each in arguments)

    def argument(each: Argument) -> _native.Argument:
        own = 0 if has_notes or _is_handed(each) else ELEMENTS[each.dtype].bytes
        return _native.Argument(
            each.name,
            each.dtype,
            [-1 if size is None else size for size in each.shape],
            alignment=ALIGNMENT if each.aligned else 1,
            work=own if each.work is None else each.work,
            sampled=each.name in SAMPLED,
        )

    return [argument(each) for each in arguments]


def _is_handed(argument: Argument) -> bool:
    """Return whether the handler passes an argument by itself."""
    return (
        argument.is_status
        or argument.is_launch
        or argument.is_settings
        or argument.is_offsets
        or argument.is_workspace
    )
