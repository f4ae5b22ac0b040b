"""The functions, fragments and meshes of an MPMD program, and the attributes on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdykit.core import FUNC, fail, ops_named
from sdykit.dialects import mpmd
from sdykit.mlir import ir

FRAGMENT = "mpmd.fragment"
FRAGMENT_CALL = "mpmd.fragment_call"
TRANSFER = "mpmd.transfer"

TOPOLOGY = "topology"
"""The attribute of a function over several meshes that lists them by name."""
MESH_SHAPE = "mesh_shape"
"""The attribute of a function over a single mesh, such as the body of a fragment."""
ARG_ATTRS = "arg_attrs"
RES_ATTRS = "res_attrs"
"""Arrays with a dictionary for each argument or result of a function or fragment."""

MEMORY_KIND = "mhlo.memory_kind"
LAYOUT_MODE = "mhlo.layout_mode"
PINNED_HOST = "pinned_host"
BUFFER_DONOR = "jax.buffer_donor"
ALIASING_OUTPUT = "tf.aliasing_output"

CPU_SUFFIX = "/cpu"
"""The end of the name of a mesh whose devices are CPUs."""

Attributes = dict[str, ir.Attribute]
"""The attributes of an argument or result, by name."""


def functions_with(root: ir.Operation | ir.OpView, *names: str) -> list[ir.Operation]:
    """List the functions with a body and at least one of the attributes, in program order."""
    return [
        func
        for func in ops_named(root, FUNC)
        if func.regions[0].blocks and any(name in func.attributes for name in names)
    ]


def is_public(func: ir.Operation) -> bool:
    """Return whether a function can be called from outside its module."""
    visibility = func.attributes.get("sym_visibility")
    return visibility is None or ir.StringAttr(visibility).value == "public"


def is_entry_point(func: ir.Operation) -> bool:
    """Return whether a function is a program of its own: public, with a topology."""
    return TOPOLOGY in func.attributes and is_public(func)


def is_inferred(fragment: ir.Operation) -> bool:
    """Return whether the compiler made a fragment: it holds no computation of the user."""
    return len(ir.ArrayAttr(fragment.attributes["origin"])) == 0


def topology_of(func: ir.Operation) -> mpmd.TopologyAttr | None:
    """Return the topology of a function, or None."""
    attribute = func.attributes.get(TOPOLOGY)
    if attribute is None:
        return None
    try:
        return mpmd.TopologyAttr.of(attribute)
    except TypeError:
        fail(func, f"{TOPOLOGY} must be a #mpmd.topology, found {attribute}")


def is_cpu_mesh(name: str) -> bool:
    """Return whether the devices of a mesh are CPUs, according to its name."""
    return name.endswith(CPU_SUFFIX)


def body_of(op: ir.Operation) -> ir.Block:
    """Return the only block of a function or fragment."""
    blocks = op.regions[0].blocks
    if len(blocks) != 1:
        fail(op, f"must have one block to be an MPMD program, found {len(blocks)}")
    return blocks[0]


def terminator(block: ir.Block) -> ir.Operation:
    """Return the last op of a block."""
    return block.operations[len(block.operations) - 1].operation


def parent_of(op: ir.Operation) -> ir.Operation:
    """Return the parent of an op inside a module."""
    parent = op.parent
    assert parent is not None
    return parent.operation


def enclosing(op: ir.Operation, name: str) -> ir.Operation:
    """Return the innermost op of a name around an op, or the op itself."""
    while op.name != name:
        op = parent_of(op)
    return op


def string(op: ir.Operation, name: str) -> str:
    """Return the value of a string attribute that the verifier requires."""
    return ir.StringAttr(op.attributes[name]).value


def attributes_of(op: ir.Operation, name: str, count: int) -> list[Attributes]:
    """Return the dictionaries in `arg_attrs` or `res_attrs`; `count` empty ones without them.

    Fails if there is not one dictionary for each, which the verifier does not check on fragments.
    """
    if name not in op.attributes:
        return [{} for _ in range(count)]
    return [{each.name: each.attr for each in own} for own in _dictionaries(op, name, count)]


def _dictionaries(op: ir.Operation, name: str, count: int) -> list[ir.DictAttr]:
    attribute = op.attributes[name]
    if isinstance(attribute, ir.ArrayAttr):
        dictionaries = [each for each in attribute if isinstance(each, ir.DictAttr)]
        if len(dictionaries) == len(attribute) == count:
            return dictionaries
    values = "argument" if name == ARG_ATTRS else "result"
    fail(
        op,
        f"{name} must be an array of length {count}, with a dictionary for each {values}; found {attribute}",
    )


def pinned_host_marks(op: ir.Operation, name: str, count: int) -> list[bool]:
    """Return for each argument or result whether it is marked to be in host memory."""
    if name not in op.attributes:
        return [False] * count
    marks = _dictionaries(op, name, count)
    return [MEMORY_KIND in own and is_pinned_host(own[MEMORY_KIND]) for own in marks]


def set_attributes(
    op: ir.Operation, name: str, attributes: Sequence[Mapping[str, ir.Attribute]]
) -> None:
    """Set `arg_attrs` or `res_attrs` to a dictionary for each argument or result."""
    op.attributes[name] = ir.ArrayAttr.get([ir.DictAttr.get(dict(each)) for each in attributes])


def is_marked_pinned_host(attributes: Attributes) -> bool:
    """Return whether an argument or result is marked to be in host memory."""
    return is_pinned_host(attributes.get(MEMORY_KIND))


def is_pinned_host(kind: ir.Attribute | None) -> bool:
    """Return whether a memory kind is that of the host."""
    return isinstance(kind, ir.StringAttr) and kind.value == PINNED_HOST


def spelled(attribute: ir.Attribute | None) -> str:
    """Return the text of an attribute as C++ diagnostics print it, also if it is absent."""
    return "<<NULL ATTRIBUTE>>" if attribute is None else str(attribute)


def is_true(attribute: ir.Attribute | None) -> bool:
    """Return whether an attribute is present, and is the boolean `true`."""
    return isinstance(attribute, ir.BoolAttr) and attribute.value
