"""What the passes ask of an MPMD program: its functions, their attributes, its meshes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdykit.core import FUNC, fail, ops_named
from sdykit.dialects import mpmd
from sdykit.mlir import ir

FRAGMENT = "mpmd.fragment"
FRAGMENT_CALL = "mpmd.fragment_call"
TRANSFER = "mpmd.transfer"

TOPOLOGY = "topology"
"""On a function over several meshes: which, with their names."""
MESH_SHAPE = "mesh_shape"
"""On a function over a single mesh, such as the body of a fragment."""
ARG_ATTRS = "arg_attrs"
RES_ATTRS = "res_attrs"
"""A dictionary for each argument or result of a function or fragment."""

MEMORY_KIND = "mhlo.memory_kind"
LAYOUT_MODE = "mhlo.layout_mode"
PINNED_HOST = "pinned_host"
BUFFER_DONOR = "jax.buffer_donor"
ALIASING_OUTPUT = "tf.aliasing_output"

_CPU_MESH = "/cpu"
"""At the end of the name of a mesh: its devices are CPUs."""

Attributes = dict[str, ir.Attribute]
"""The attributes of an argument or result, by name."""


def functions_with(root: ir.Operation | ir.OpView, *names: str) -> list[ir.Operation]:
    """List the functions that have a body and one of the attributes, in program order."""
    return [
        func
        for func in ops_named(root, FUNC)
        if func.regions[0].blocks and any(name in func.attributes for name in names)
    ]


def is_public(func: ir.Operation) -> bool:
    """Tell whether a function can be called from outside its module."""
    visibility = func.attributes.get("sym_visibility")
    return visibility is None or ir.StringAttr(visibility).value == "public"


def is_entry_point(func: ir.Operation) -> bool:
    """Tell whether a function is a program of its own: it is public and has a topology."""
    return TOPOLOGY in func.attributes and is_public(func)


def is_inferred(fragment: ir.Operation) -> bool:
    """Tell whether the compiler made a fragment: no computation of the user is in it."""
    return len(ir.ArrayAttr(fragment.attributes["origin"])) == 0


def topology_of(func: ir.Operation) -> mpmd.TopologyAttr | None:
    """Give the topology of a function, if it has one."""
    attribute = func.attributes.get(TOPOLOGY)
    if attribute is None:
        return None
    try:
        return mpmd.TopologyAttr.of(attribute)
    except TypeError:
        fail(func, f"{TOPOLOGY} must be a #mpmd.topology, found {attribute}")


def is_cpu_mesh(name: str) -> bool:
    """Tell from the name of a mesh whether its devices are CPUs."""
    return name.endswith(_CPU_MESH)


def body_of(op: ir.Operation) -> ir.Block:
    """Give the block of a function or fragment: a program is one sequence of ops."""
    blocks = op.regions[0].blocks
    if len(blocks) != 1:
        fail(op, f"must have one block to be an MPMD program, found {len(blocks)}")
    return blocks[0]


def terminator(block: ir.Block) -> ir.Operation:
    """Give the last op of a block."""
    return block.operations[len(block.operations) - 1].operation


def parent_of(op: ir.Operation) -> ir.Operation:
    """Give the op around an op in a module."""
    parent = op.parent
    assert parent is not None
    return parent.operation


def enclosing(op: ir.Operation, name: str) -> ir.Operation:
    """Give the innermost op of a name around an op, or the op itself."""
    while op.name != name:
        op = parent_of(op)
    return op


def string(op: ir.Operation, name: str) -> str:
    """Give the value of a string attribute that the verifier demands."""
    return ir.StringAttr(op.attributes[name]).value


def attributes_of(op: ir.Operation, name: str, count: int) -> list[Attributes]:
    """Give the dictionaries in `arg_attrs` or `res_attrs`; `count` empty ones if there are none.

    The verifier does not look at them where they are no part of the dialect.
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
        f"{name} must be an array of {count}, a dictionary for each {values}; found {attribute}",
    )


def pinned_host_marks(op: ir.Operation, name: str, count: int) -> list[bool]:
    """Tell of each argument or result whether it is marked to be in host memory."""
    if name not in op.attributes:
        return [False] * count
    marks = _dictionaries(op, name, count)
    return [MEMORY_KIND in own and is_pinned_host(own[MEMORY_KIND]) for own in marks]


def set_attributes(
    op: ir.Operation, name: str, attributes: Sequence[Mapping[str, ir.Attribute]]
) -> None:
    """Set the dictionaries in `arg_attrs` or `res_attrs`, one for each argument or result."""
    op.attributes[name] = ir.ArrayAttr.get([ir.DictAttr.get(dict(each)) for each in attributes])


def is_marked_pinned_host(attributes: Attributes) -> bool:
    """Tell whether an argument or result is marked to be in host memory."""
    return is_pinned_host(attributes.get(MEMORY_KIND))


def is_pinned_host(kind: ir.Attribute | None) -> bool:
    """Tell whether a memory kind is that of the host."""
    return isinstance(kind, ir.StringAttr) and kind.value == PINNED_HOST


def spelled(attribute: ir.Attribute | None) -> str:
    """Give an attribute, which may be absent, as diagnostics show it."""
    return "<<NULL ATTRIBUTE>>" if attribute is None else str(attribute)


def is_true(attribute: ir.Attribute | None) -> bool:
    """Tell whether an attribute is there, and is the boolean `true`."""
    return isinstance(attribute, ir.BoolAttr) and attribute.value
