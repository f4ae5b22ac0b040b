"""The calls of tile programs in a program of XLA, and the parameters that they are passed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sdykit.bridge.ffi import TARGET
from sdykit.bridge.kernels.specs import OF_CALLS, WHERE
from sdykit.hlo import Instruction, Module, parse_shape
from sdykit.hlo.attributes import entries_in, parse_aliases
from sdykit.hlo.mlir.strings import of_string
from sdykit.sparsecore.tile.arguments import TileArgument, passed_arrays, sizes_of_all
from sdykit.sparsecore.tile.build import arguments_of
from sdykit.sparsecore.tile.spec import (
    CustomUpdateSpec,
    LookupSpec,
    TileSpec,
    UpdateSpec,
    spec_from_fields,
)

_COPIES = (
    "all-gather",
    "all-to-all",
    "bitcast",
    "concatenate",
    "copy",
    "copy-done",
    "copy-start",
    "reshape",
    "slice",
    "transpose",
)
_KINDS = (LookupSpec.kind, UpdateSpec.kind, CustomUpdateSpec.kind)


@dataclass(frozen=True)
class Call:
    """A lookup or an update that a program calls.

    Attributes:
        spec: the spec of the tile program.
        where: what calls it, and for which table.
        operands: the operands that arrays are passed by, with the arguments of the tile program.
    """

    spec: TileSpec
    where: str
    operands: tuple[tuple[TileArgument, Instruction], ...]

    @property
    def owner(self) -> str:
        """What is known of the table: the label of the spec, or what the prefix of errors says."""
        return self.spec.label or self.where.partition(": ")[2]

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that the shapes of arguments name."""
        sizes: dict[str, int] = {}
        for argument, operand in self.operands:
            dimensions = parse_shape(operand.shape).dimensions
            pairs = zip(argument.shape, dimensions, strict=True)
            sizes |= {size: int(found) for size, found in pairs if isinstance(size, str)}
            if argument.name == "ids":
                sizes["entries"] = math.prod(map(int, dimensions))
        return sizes_of_all(self.spec, sizes)


def calls_in(module: Module) -> Iterator[Call]:
    """Yield the lookups and updates of a program, in the order of its text."""
    for computation in module:
        for op in computation:
            fields = _spec_of(op)
            if fields.get("kind") in _KINDS:
                yield _call(op, fields)


def _spec_of(op: Instruction) -> dict[str, Any]:
    if op.attributes.get("custom_call_target", "").strip('"') != TARGET:
        return {}
    (_, _, text) = op.attributes["backend_config"].strip("{}").partition("=")
    return json.loads(of_string(text.strip()))


def _call(op: Instruction, fields: dict[str, Any]) -> Call:
    own = {name: value for name, value in fields.items() if name not in OF_CALLS}
    spec = spec_from_fields(own)
    passed = passed_arrays(arguments_of(spec))
    arguments = [each for each in passed if each.role != "output"]
    pairs = tuple(zip(arguments, op.operands, strict=True))
    return Call(spec, fields.get(WHERE, ""), pairs)


def parameter_of(op: Instruction) -> Instruction | None:
    """Return the parameter of the program that an array is, or is copied from; None if it is none."""
    origin = origin_of(op)
    is_parameter = origin.opcode == "parameter" and origin.parent and origin.parent.is_entry
    return origin if is_parameter else None


def origin_of(op: Instruction) -> Instruction:
    """Return what an array is, or is copied or updated from: a parameter, or what computes it."""
    seen = {op: None}
    while (source := _source(op)) is not None and source not in seen:
        seen[source] = None
        op = source
    return op


def _source(op: Instruction) -> Instruction | None:
    """Return what an array is a copy of, or updated from; None if it is computed."""
    if op.opcode in _COPIES:
        return op.operands[0]
    if op.opcode == "fusion":
        return op.called()[0].root
    if op.opcode == "parameter":
        return _passed(op)
    if op.opcode != "get-tuple-element":
        return _aliased(op, ())
    return _element(op.operands[0], int(op.attributes["index"]))


def _element(tuple_: Instruction, number: int) -> Instruction | None:
    """Return what an element of a tuple is a copy of, or updated from."""
    if tuple_.opcode == "tuple":
        return tuple_.operands[number]
    if tuple_.opcode == "all-to-all":
        return tuple_.operands[0]
    if tuple_.opcode == "while":
        return _element(tuple_.operands[0], number)
    if tuple_.opcode == "parameter":
        passed = _passed(tuple_)
        return None if passed is None else _element(passed, number)
    return _aliased(tuple_, (number,))


def _aliased(op: Instruction, output: tuple[int, ...]) -> Instruction | None:
    """Return the operand whose buffer an output is in."""
    aliases = parse_aliases(op.attributes.get("output_to_operand_aliasing", "{}")) or []
    return next((op.operands[each.operand] for each in aliases if each.output == output), None)


def _passed(parameter: Instruction) -> Instruction | None:
    """Return the operand of the instruction that calls the computation of a parameter."""
    computation = parameter.parent
    module = computation.module if computation is not None else None
    if computation is None or module is None or computation.is_entry:
        return None
    number = int(parameter.literal or 0)
    callers = [op for each in module for op in each if computation in op.called()]
    if len(callers) != 1:
        return None
    (caller,) = callers
    if caller.opcode == "conditional":
        return caller.operands[1 + caller.called().index(computation)]
    return caller.operands[number] if number < len(caller.operands) else None


def name_of(parameter: Instruction) -> str:
    """Return the name of a parameter: the argument in Python, if it is known."""
    return _op_name(parameter) or parameter.name


def is_in_scope(op: Instruction, scope: str) -> bool:
    """Return whether an instruction was traced in a `jax.named_scope`."""
    return scope in _op_name(op).split("/")


def _op_name(op: Instruction) -> str:
    """Return what JAX calls an instruction; empty: it is not known."""
    quoted = entries_in(op.attributes.get("metadata", "{}")).get("op_name", "")
    return of_string(f'"{quoted}"')
