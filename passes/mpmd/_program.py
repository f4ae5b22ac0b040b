"""What the passes ask of an MPMD program: its functions, their attributes, its meshes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdykit.core import FUNC, ops_named
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
    return None if attribute is None else mpmd.TopologyAttr.of(attribute)


def body_of(op: ir.Operation) -> ir.Block:
    """Give the only block of a function or fragment."""
    return op.regions[0].blocks[0]


def string(op: ir.Operation, name: str) -> str:
    """Give the value of a string attribute that the verifier demands."""
    return ir.StringAttr(op.attributes[name]).value


def attributes_of(op: ir.Operation, name: str, count: int) -> list[Attributes]:
    """Give the dictionaries in `arg_attrs` or `res_attrs`; `count` empty ones if there are none."""
    if name not in op.attributes:
        return [{} for _ in range(count)]
    array = ir.ArrayAttr(op.attributes[name])
    return [{each.name: each.attr for each in ir.DictAttr(attributes)} for attributes in array]


def pinned_host_marks(op: ir.Operation, name: str, count: int) -> list[bool]:
    """Tell of each argument or result whether it is marked to be in host memory."""
    if name not in op.attributes:
        return [False] * count
    array = map(ir.DictAttr, ir.ArrayAttr(op.attributes[name]))
    return [MEMORY_KIND in each and _is_pinned_host(each[MEMORY_KIND]) for each in array]


def set_attributes(
    op: ir.Operation, name: str, attributes: Sequence[Mapping[str, ir.Attribute]]
) -> None:
    """Set the dictionaries in `arg_attrs` or `res_attrs`, one for each argument or result."""
    op.attributes[name] = ir.ArrayAttr.get([ir.DictAttr.get(dict(each)) for each in attributes])


def is_marked_pinned_host(attributes: Attributes) -> bool:
    """Tell whether an argument or result is marked to be in host memory."""
    return MEMORY_KIND in attributes and _is_pinned_host(attributes[MEMORY_KIND])


def _is_pinned_host(kind: ir.Attribute) -> bool:
    return isinstance(kind, ir.StringAttr) and kind.value == PINNED_HOST


def is_true(attribute: ir.Attribute | None) -> bool:
    """Tell whether an attribute is there, and is the boolean `true`."""
    return isinstance(attribute, ir.BoolAttr) and attribute.value


LastUses = dict[ir.Value, tuple[int, int]]
"""For each value that is used: the position of the op that uses it last, and which operand."""


def last_uses(ops: Sequence[ir.Operation]) -> LastUses:
    """Find the last use of every value that a sequence of ops reads."""
    return {
        value: (position, number)
        for position, op in enumerate(ops)
        for number, value in enumerate(op.operands)
    }


def first_user(op: ir.Operation) -> ir.Operation | None:
    """Give the first op of the block, in program order, that reads a result of `op`.

    An op that reads it in one of its regions counts.
    """
    block, first = op.block, None
    for use in (use for result in op.results for use in result.uses):
        user = _ancestor_in(block, use.owner.operation)
        if first is None or user.is_before_in_block(first):
            first = user
    return first


def _ancestor_in(block: ir.Block, op: ir.Operation) -> ir.Operation:
    while op.block != block:
        parent = op.parent
        assert parent is not None
        op = parent
    return op
