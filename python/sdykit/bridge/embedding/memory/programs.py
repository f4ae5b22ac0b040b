"""The ledger of a compiled JAX program."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import jax

from sdykit.bridge.embedding.memory.calls import (
    Call,
    calls_in,
    is_in_scope,
    name_of,
    origin_of,
    parameter_of,
)
from sdykit.bridge.embedding.primitives.on_chip import CHIP_ORDER
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.settings import current
from sdykit.hlo import Instruction, Module, parse_shape, read
from sdykit.hlo.shape import leaves, without_layouts
from sdykit.sparsecore.chip import chip as find_chip
from sdykit.sparsecore.memory import Entry, Kind, Ledger, ledger_of
from sdykit.sparsecore.memory.programs import INDEX, KEPT
from sdykit.sparsecore.tile.spec import Reading

_BITS = {"pred": 8, "s4": 4, "u4": 4, "bf16": 16, "c64": 64, "c128": 128, "token": 0, "opaque": 0}
"""Bits of element types whose name does not tell."""


def program_ledger(compiled: jax.stages.Compiled) -> Ledger:
    """Return what a compiled program needs of the HBM of each device: arguments, results, the rest.

    Args:
        compiled: the program: `jax.jit(function).lower(...).compile()`.

    Returns:
        The ledger. Arguments have the names that they have in Python: tables, slots and buffers, if
        a lookup or an update reads them, else weights. Results that are in the buffers of donated
        arguments need no room. What the simulator needs stands apart from what is left of the
        temporaries that XLA allocates.

    Raises:
        BridgeError: the argument is not a compiled program, or programs in it are for different
            chips.
    """
    memory = compiled.memory_analysis() if isinstance(compiled, jax.stages.Compiled) else None
    if memory is None:
        raise BridgeError(
            f"program_ledger: compiled is a {type(compiled).__name__}; expected a program that is "
            "compiled for CPUs: jax.jit(function).lower(...).compile()"
        )
    module = read(compiled.as_text() or "", "the program")
    calls = list(calls_in(module))
    chips = {each.spec.chip: None for each in calls} or {current().chip: None}
    if len(chips) > 1:
        raise BridgeError(
            f"program_ledger: lookups and updates are for the chips {', '.join(chips)}; expected one"
        )
    entries = [*_arguments(module, calls), *_constants(module)]
    # Lookups or updates of one table in several places run one after another.
    of_calls: dict[tuple[Instruction | None, Entry], Reading] = {}
    for call in calls:
        table = _table(call)
        of_calls |= {(table, each): call.spec.reading for each in _of_call(call)}
    entries += [each for _, each in of_calls]
    results = memory.output_size_in_bytes - memory.alias_size_in_bytes
    entries.append(_other("results", results))
    own = sum(each.bytes for (_, each), reading in of_calls.items() if _is_allocated(each, reading))
    entries.append(_other("temporaries of XLA", max(memory.temp_size_in_bytes - own, 0)))
    serialized = current().config.xla_sc_num_serialized_tables_to_optimize_hbm
    held = tuple(each for each in entries if each.bytes)
    return Ledger(find_chip(next(iter(chips))), held, serialized)


_TEMPORARIES = ("simulator", "temporary")


def _is_allocated(entry: Entry, reading: Reading) -> bool:
    """Return whether an entry of a call is among the temporaries that XLA allocates for it."""
    return entry.kind in _TEMPORARIES and (reading == "chip" or entry.name not in KEPT)


def _other(name: str, size: int) -> Entry:
    return Entry(kind="other", owner="", name=name, bytes=size)


def _table(call: Call) -> Instruction | None:
    """Return the table of a call, as it was first; None if the call has none."""
    tables = (operand for argument, operand in call.operands if argument.name == "table")
    return next(map(origin_of, tables), None)


def _of_call(call: Call) -> Iterator[Entry]:
    """Yield what a lookup or an update needs besides arguments and results."""
    for entry in ledger_of(call.spec, call.sizes, owner=call.owner).entries:
        if entry.phase and entry.kind != "activations":
            yield entry
    for argument, operand in call.operands:
        if argument.name == "table" and is_in_scope(operand, CHIP_ORDER):
            yield Entry(
                kind="simulator",
                owner=call.owner,
                name="table in a chip's order",
                bytes=_bytes(operand.shape),
                phase="lookup",
                note=without_layouts(operand.shape),
            )


def _arguments(module: Module, calls: list[Call]) -> Iterator[Entry]:
    uses: dict[Instruction, tuple[Kind, str]] = {}
    for call in calls:
        for argument, operand in call.operands:
            parameter = parameter_of(operand)
            if parameter is None or not argument.shape:
                continue
            kind: Kind = "input"
            if argument.name == "table" or argument.role == "in_place":
                kind = "table" if argument.name == "table" else "slot"
            elif argument.name == "gradients":
                kind = "activations"
            elif argument.name in INDEX:
                kind = "simulator"
            uses.setdefault(parameter, (kind, call.owner))
    for parameter in module.entry.parameters:
        kind, owner = uses.get(parameter, ("weights", ""))
        note = without_layouts(parameter.shape)
        size = _bytes(parameter.shape)
        yield Entry(kind=kind, owner=owner, name=name_of(parameter), bytes=size, note=note)


def _constants(module: Module) -> Iterator[Entry]:
    found = [op for each in module for op in each if op.opcode == "constant"]
    size = sum(_bytes(op.shape) for op in found)
    yield Entry(kind="constant", owner="", name=f"{len(found)} constants", bytes=size)


def _bytes(shape: str) -> int:
    """Return the bytes of an array or tuple, as XLA spells its shape."""
    return sum(_array_bytes(leaf) for leaf in leaves(shape).values())


def _array_bytes(text: str) -> int:
    shape = parse_shape(text)
    element = shape.element_type or "opaque"
    digits = "".join(filter(str.isdigit, element.partition("e")[0]))
    bits = _BITS.get(element, int(digits) if digits else 0)
    sizes = (int(size.removeprefix("<=")) for size in shape.dimensions)
    return -(-prod(sizes) * bits // 8)
