"""The marks of a fragment's arguments and results, and checks of what they promise."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core.mpmd.program import (
    ALIASING_OUTPUT,
    ARG_ATTRS,
    BUFFER_DONOR,
    MEMORY_KIND,
    RES_ATTRS,
    Attributes,
)
from sdykit.dialects import mpmd, sdy
from sdykit.mlir import ir
from sdykit.mpmd.errors import describe, fail_at

_DEVICE = "device"


@dataclass(frozen=True)
class Marks:
    """The attributes of each argument and result of a fragment or function."""

    op: ir.Operation
    """The op with the marks: a fragment, or the function that a fragment call calls."""
    arguments: list[Attributes]
    """The attributes of each argument, by name."""
    results: list[Attributes]
    """The attributes of each result, by name."""

    def consumes(self, index: int) -> bool:
        """Return whether the buffer of an argument is consumed."""
        return self._is_donor(index) or ALIASING_OUTPUT in self.arguments[index]

    def aliased_result(self, index: int) -> int | None:
        """Return the number of the result that takes over the buffer of an argument, or None."""
        mark = self.arguments[index].get(ALIASING_OUTPUT)
        if mark is None or self._is_donor(index):
            return None  # XLA ignores the alias of a donor, too.
        if not isinstance(mark, ir.IntegerAttr):
            fail_at(
                self.op,
                f"{ALIASING_OUTPUT} of argument #{index} must be the number of a result,"
                f" found {mark}",
            )
        return mark.value

    def memory_kind(self, attributes: Attributes) -> str:
        """Return the memory kind among attributes; `"device"` if it is absent."""
        mark = attributes.get(MEMORY_KIND)
        if mark is None:
            return _DEVICE
        if not isinstance(mark, ir.StringAttr):
            fail_at(self.op, f"{MEMORY_KIND} must be a string, found {mark}")
        return mark.value

    def _is_donor(self, index: int) -> bool:
        mark = self.arguments[index].get(BUFFER_DONOR)
        if mark is None:
            return False
        if not isinstance(mark, ir.BoolAttr):
            fail_at(
                self.op, f"{BUFFER_DONOR} of argument #{index} must be true or false, found {mark}"
            )
        return mark.value


def marks_of(op: ir.Operation, arguments: int, results: int) -> Marks:
    """Read `arg_attrs` and `res_attrs` of a fragment or function.

    Raises:
        ExecutionError: they are malformed, which the verifier does not check on fragments.
    """
    return Marks(
        op,
        _dictionaries(op, ARG_ATTRS, arguments),
        _dictionaries(op, RES_ATTRS, results),
    )


def _dictionaries(op: ir.Operation, name: str, count: int) -> list[Attributes]:
    if name not in op.attributes:
        return [{}] * count
    array = op.attributes[name]
    entries = list(array) if isinstance(array, ir.ArrayAttr) else None
    if entries is None or not all(isinstance(entry, ir.DictAttr) for entry in entries):
        fail_at(op, f"{name} must be an array of dictionaries, found {array}")
    if len(entries) != count:
        fail_at(op, f"{name} must have {count} entries, found {len(entries)}: {array}")
    return [{each.name: each.attr for each in ir.DictAttr(entry)} for entry in entries]


def check_aliasing(op: ir.Operation, marks: Marks, topology: mpmd.TopologyAttr) -> None:
    """Check that aliased arguments and results of a fragment can share their buffers.

    Raises:
        ExecutionError: an alias is not the number of a result, or is that of a result with
            another alias; or the types on a device or the memory kinds differ.
    """
    mesh = mesh_of(op, topology)
    taken: dict[int, int] = {}
    for index in range(len(marks.arguments)):
        result = marks.aliased_result(index)
        if result is None:
            continue
        pair = f"argument #{index} of {describe(op)} is aliased with result #{result}"
        if not 0 <= result < len(op.results):
            fail_at(op, f"{pair}, but there are {len(op.results)} results")
        if result in taken:
            fail_at(op, f"{pair}, which is aliased with argument #{taken[result]} already")
        taken[result] = index
        types = [_local_type(op, each, mesh) for each in (op.operands[index], op.results[result])]
        if types[0] != types[1]:
            fail_at(op, f"{pair}, but their types on a device differ: {types[0]} and {types[1]}")
        kinds = [
            marks.memory_kind(marks.arguments[index]),
            marks.memory_kind(marks.results[result]),
        ]
        if kinds[0] != kinds[1]:
            fail_at(op, f'{pair}, but one is in "{kinds[0]}" and the other in "{kinds[1]}"')


def _local_type(op: ir.Operation, value: ir.Value, mesh: sdy.MeshAttr) -> str:
    """Return the type that an operand or result of a fragment has on each device."""
    if not is_mesh_tensor(value.type):
        return str(value.type)
    try:
        return mpmd.MeshTensorType.of(value.type).local_type(mesh)
    except (LookupError, ValueError) as error:
        fail_at(op, f"{value.type} has no type on a device: {error}")


def mesh_of(op: ir.Operation, topology: mpmd.TopologyAttr) -> sdy.MeshAttr:
    """Return the mesh that a fragment or fragment call runs on.

    Raises:
        ExecutionError: the topology lacks it.
    """
    name = ir.StringAttr(op.attributes["mesh_name"]).value
    for each in topology.meshes:
        if each.name == name:
            return each.mesh
    names = ", ".join(f'"{each.name}"' for each in topology.meshes)
    fail_at(op, f'the topology has no mesh "{name}"; it has {names}')


def is_mesh_tensor(mlir_type: ir.Type) -> bool:
    """Return whether a type is a `!mpmd.mesh_tensor`."""
    return str(mlir_type).startswith("!mpmd.mesh_tensor")
