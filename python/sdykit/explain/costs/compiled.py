"""The collectives of the program that XLA compiles, led back to the lines of the module."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

from sdykit.errors import SdykitError
from sdykit.explain.costs.amounts import moved_bytes
from sdykit.explain.costs.model import CompiledCollective, Kind
from sdykit.explain.model import Explanation
from sdykit.explain.source import position_of
from sdykit.hlo import Computation, Instruction, Module, parse_shape, read
from sdykit.mlir import ir, make_context

_KINDS: dict[str, Kind] = {
    "all-gather": "all_gather",
    "all-reduce": "all_reduce",
    "all-to-all": "all_to_all",
    "collective-broadcast": "collective_broadcast",
    "collective-permute": "collective_permute",
    "ragged-all-to-all": "all_to_all",
    "reduce-scatter": "reduce_scatter",
}
_LINE = re.compile(r"sdykit\.(\d+)")
_OP_NAME = re.compile(r'op_name="([^"]*)"')
_BITS = re.compile(r"\d+")
_GROUPS = re.compile(r"\{(\{[\d,]*\})?")
_IOTA_GROUPS = re.compile(r"\[\d+,(\d+)\]<=")
_MESH_GROUPS = re.compile(r"mesh\[([^\]]*)\][^{]*\{([^}]*)\}")
_MESH_AXIS = re.compile(r"'([^']+)'(?:=(\d+)|:\(\d+\)(\d+))?")


def compiled_collectives(explanation: Explanation) -> tuple[CompiledCollective, ...]:
    """Return the collectives of the program that XLA compiles for the devices of the mesh, on CPU.

    Raises:
        SdykitError: there is no mesh, or there are meshes of several sizes; or XLA cannot compile it.
    """
    from sdykit.bridge.compiled_program import compiled_hlo

    sizes = {math.prod(mesh.values()) for mesh in explanation.meshes.values() if mesh}
    if len(sizes) != 1:
        found = (
            "no mesh" if not sizes else f"meshes of {' and '.join(map(str, sorted(sizes)))} devices"
        )
        raise SdykitError(
            f"{explanation.name} has {found}; expected one mesh, to compile the program for"
        )
    (devices,) = sizes
    text = compiled_hlo(_numbered(explanation), devices)
    return tuple(collectives_in(read(text, "compiled.hlo"), devices))


def _numbered(explanation: Explanation) -> str:
    """Return the program with its lines as names of locations, which XLA keeps as names of ops."""
    with make_context():
        module = ir.Module.parse("\n".join(explanation.lines))

        def name(op: ir.Operation) -> ir.WalkResult:
            position = position_of(op.location)
            if position is not None:
                op.location = ir.Location.name(f"sdykit.{position.line}")
            return ir.WalkResult.ADVANCE

        module.operation.walk(name)
        return str(module.operation.get_asm(enable_debug_info=True))


def collectives_in(module: Module, devices: int) -> Iterator[CompiledCollective]:
    """Yield the collectives of a program in HLO; one that XLA has combined of several as these.

    Args:
        module: the program.
        devices: the number of devices.
    """
    runs = _Runs(module)
    for computation in module:
        for op in computation:
            kind = _KINDS.get(op.opcode.removesuffix("-start"))
            if kind is not None:
                yield from _parts(op, kind, devices, *runs.of(computation))


def _parts(
    op: Instruction, kind: Kind, devices: int, runs: int, is_in_unknown_loop: bool
) -> Iterator[CompiledCollective]:
    group = _group(op, devices)
    sizes = [_bytes(operand.shape) for operand in op.operands]
    lines = _lines(op)
    if len(lines) != len(sizes):
        # Of an all_to_all the operands are the parts of one array.
        sizes, lines = [sum(sizes)], lines[:1]
    for size, line in zip(sizes, lines, strict=True):
        moved = moved_bytes(kind, size, group)
        yield CompiledCollective(kind, op.name, line, group, size, moved, runs, is_in_unknown_loop)


def _lines(op: Instruction) -> list[int | None]:
    """Return the line of the module that each part of a collective comes from."""
    found = _OP_NAME.search(op.attributes.get("metadata", ""))
    if found is None:
        return [None]
    # Combined: `(a:b)`. In an inlined call: `call/op`.
    names = found[1].removeprefix("(").removesuffix(")").split(":")
    lines = [_LINE.findall(name) for name in names]
    return [int(each[-1]) if each else None for each in lines]


def _bytes(shape: str) -> int:
    """Return the size of an array, or of all arrays of a tuple."""
    parsed = parse_shape(shape)
    if parsed.elements is not None:
        return sum(_bytes(each.text) for each in parsed.elements)
    kind = parsed.element_type or ""
    found = _BITS.search(kind)
    bits = 8 if kind == "pred" else int(found[0]) if found is not None else 0
    count = math.prod(int(each.removeprefix("<=")) for each in parsed.dimensions)
    return -(-count * bits // 8)


def _group(op: Instruction, devices: int) -> int:
    """Return the number of devices in a group."""
    text = op.attributes.get("replica_groups", "{}")
    iota = _IOTA_GROUPS.match(text)
    if iota is not None:
        return int(iota[1])
    mesh = _MESH_GROUPS.match(text)
    if mesh is not None:
        sizes = {name: int(size) for name, size, _ in _MESH_AXIS.findall(mesh[1])}
        axes = _MESH_AXIS.findall(mesh[2])
        return math.prod(int(part) if part else sizes[name] for name, _, part in axes)
    listed = _GROUPS.match(text)
    first = listed[1] if listed is not None else None
    return devices if not first else first.count(",") + 1


class _Runs:
    """Tells how often computations run."""

    def __init__(self, module: Module) -> None:
        self._callers = module.callers()
        self._of: dict[Computation, tuple[int, bool]] = {}

    def of(self, computation: Computation) -> tuple[int, bool]:
        """Return how often a computation runs, and whether it is in a loop of unknown trip count too."""
        if computation not in self._of:
            self._of[computation] = self._found(computation)
        return self._of[computation]

    def _found(self, computation: Computation) -> tuple[int, bool]:
        callers = self._callers[computation]
        if not callers:
            return 1, False
        count, is_unknown = 0, False
        for op in callers:
            assert op.parent is not None
            runs, is_in_unknown_loop = self.of(op.parent)
            trips = _trip_count(op) if op.opcode == "while" else 1
            count += runs * (trips or 1)
            is_unknown |= is_in_unknown_loop or trips is None
        return count, is_unknown


def _trip_count(loop: Instruction) -> int | None:
    """Return how often a loop runs, as XLA has found out; None if it has not."""
    try:
        config = json.loads(loop.attributes.get("backend_config", "{}"))
        return int(config["known_trip_count"]["n"])
    except (ValueError, KeyError, TypeError):
        return None
