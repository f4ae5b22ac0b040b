"""Read types and marks of the values of an MPMD program as data to draw."""

from __future__ import annotations

from collections.abc import Mapping

from sdykit.core import fail
from sdykit.core.mpmd.program import (
    ALIASING_OUTPUT,
    BUFFER_DONOR,
    LAYOUT_MODE,
    MEMORY_KIND,
    Attributes,
    is_true,
)
from sdykit.dialects import mpmd, sdy
from sdykit.mlir import ir
from sdykit.viz.mpmd_view.model import Marks, ValueType

_MESH_TENSOR = mpmd.MeshTensorType.NAME + "<"
_WITH_FIELDS = (BUFFER_DONOR, ALIASING_OUTPUT, LAYOUT_MODE, MEMORY_KIND, "sdy.sharding")
_MAX_CHARACTERS = 400
"""The maximum number of characters of an attribute that are shown."""


class Types:
    """Reads types; each is read once."""

    def __init__(self, meshes: Mapping[str, sdy.MeshAttr]) -> None:
        self._meshes = meshes
        """The meshes that shardings refer to."""
        self._known: dict[ir.Type, ValueType] = {}

    def of(self, value: ir.Value) -> ValueType:
        """Return the type of a value."""
        kind = value.type
        if kind not in self._known:
            text = str(kind)
            is_on_mesh = text.startswith(_MESH_TENSOR)
            self._known[kind] = self._on_mesh(kind) if is_on_mesh else ValueType(text, text)
        return self._known[kind]

    def _on_mesh(self, kind: ir.Type) -> ValueType:
        tensor = mpmd.MeshTensorType.of(kind)
        sharding = tensor.sharding
        mesh = None
        if sharding is not None:
            named = sharding.mesh_or_ref
            mesh = self._meshes.get(named) if isinstance(named, str) else named
        local = size = None
        try:
            local = tensor.local_type(mesh)
            size = tensor.size_in_bytes(mesh)
        except (LookupError, ValueError):
            pass  # Unknown: a dynamic shape, an unknown element type, or a missing mesh.
        return ValueType(
            text=str(kind),
            tensor=tensor.ranked_tensor_type,
            lane=tensor.mesh_name,
            sharding=None if sharding is None else sharding.print_body(),
            memory_kind=tensor.memory_kind,
            local=local,
            bytes=size,
        )


def marks_of(op: ir.Operation, attributes: Attributes, port: str) -> Marks:
    """Read the attributes of an argument or result.

    Args:
        op: the fragment or function with the attributes, for errors.
        attributes: the attributes by name.
        port: the name of the argument or result for errors, such as `argument #0`.

    Raises:
        PassFailure: an attribute is of the wrong kind; a located error has been emitted.
    """
    alias = attributes.get(ALIASING_OUTPUT)
    if alias is not None and not isinstance(alias, ir.IntegerAttr):
        fail(op, f"{ALIASING_OUTPUT} of {port} must be the number of a result, found {alias}")
    return Marks(
        donated=is_true(attributes.get(BUFFER_DONOR)),
        aliases=None if alias is None else alias.value,
        layout=_string(op, attributes, LAYOUT_MODE, port),
        memory_kind=_string(op, attributes, MEMORY_KIND, port),
        others=tuple(
            (name, shown(attribute))
            for name, attribute in attributes.items()
            if name not in _WITH_FIELDS or (name == BUFFER_DONOR and not is_true(attribute))
        ),
    )


def _string(op: ir.Operation, attributes: Attributes, name: str, port: str) -> str | None:
    attribute = attributes.get(name)
    if attribute is None:
        return None
    if not isinstance(attribute, ir.StringAttr):
        fail(op, f"{name} of {port} must be a string, found {attribute}")
    return attribute.value


def shown(attribute: ir.Attribute) -> str:
    """Return the text of an attribute, cut if it is long; for constants only the type."""
    if isinstance(attribute, ir.DenseElementsAttr | ir.DenseResourceElementsAttr):
        return f"dense<...> : {attribute.type}"
    text = str(attribute)
    return text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "…"
