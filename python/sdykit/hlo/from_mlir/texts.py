"""Properties of ops, functions and computations, as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.hlo.attributes import COMMON_ATTRIBUTES
from sdykit.hlo.mlir.fields import integers
from sdykit.hlo.mlir.strings import OF_MLIR, decode_carried, of_string
from sdykit.hlo.mlir.types import shape_of
from sdykit.hlo.model import Computation, Instruction
from sdykit.hlo.shape import tuple_shape, without_layouts
from sdykit.mlir import ir

LAYOUTS = frozenset({"result_layout", "source_layout"})
"""Attributes that jaxlib's importer sets on `copy` and `bitcast`."""

_VALUE = re.compile(r"value = (dense<.*?> : tensor<.*?>)\}>", re.DOTALL)
_SYMBOL = re.compile(r'@(?:([\w.$\-]+)|("(?:[^"\\]|\\.)*"))')


@dataclass(frozen=True)
class Signature:
    """The properties of a function that its callers depend on."""

    name: str
    """The name of its computation."""
    results: tuple[str, ...]
    """The types of its results."""
    tuple_of_one: bool = False
    """Whether its one result is the element of a tuple in HLO."""

    @property
    def is_tuple(self) -> bool:
        """Whether the root of the computation is a tuple of the results."""
        return self.tuple_of_one or len(self.results) != 1

    @property
    def shape(self) -> str:
        """The shape of the root of the computation."""
        shapes = [shape_of(each) for each in self.results]
        return tuple_shape(shapes) if self.is_tuple else shapes[0]


Regions = list[tuple[Instruction, str, Computation]]
"""Instructions, the names of the computations that they call, and these computations."""


def attributes_of(op: ir.Operation) -> dict[str, str]:
    """Return the attributes of an op as text."""
    found = dict[str, str]()
    for name in op.attributes.keys():  # noqa: SIM118 - without it the values are made as well
        try:
            found[name] = str(op.attributes[name])
        except TypeError:  # The bindings have no class for literals of complex numbers.
            text = str(op.get_asm(print_generic_op_form=True, use_local_scope=True))
            value = _VALUE.search(text)
            found[name] = value[1] if value is not None else ""
    return found


def content(computation: Computation) -> tuple[object, ...]:
    """Return a key that is equal for computations equal but for names and metadata."""
    numbers = {op: at for at, op in enumerate(computation.instructions)}
    return (numbers[computation.root], *[_content_of(op, numbers) for op in computation])


def _content_of(op: Instruction, numbers: Mapping[Instruction, int]) -> tuple[object, ...]:
    return (
        op.opcode,
        without_layouts(op.shape),
        op.literal,
        tuple([numbers[operand] for operand in op.operands]),
        tuple([each for each in op.attributes.items() if _counts(op, each[0])]),
    )


def _counts(op: Instruction, attribute: str) -> bool:
    # The arguments of a region have no attributes.
    common = attribute in COMMON_ATTRIBUTES
    return attribute != "metadata" and not (common and op.opcode == "parameter")


def carry_of(op: ir.Operation) -> dict[str, str]:
    """Return the common attributes that an op carries."""
    return decode_carried(
        {name: str(op.attributes[name]) for name in OF_MLIR if name in op.attributes}
    )


def symbols(text: str) -> list[str]:
    """Return the names of the symbols in a text."""
    return [plain or of_string(quoted_) for plain, quoted_ in _SYMBOL.findall(text)]


def check_layouts(attributes: Mapping[str, str]) -> None:
    """Check that an op that depends on layouts has the default ones.

    Raises:
        ValueError: it has others.
    """
    for name in LAYOUTS & attributes.keys():
        axes = integers(attributes[name])
        if axes != list(range(len(axes) - 1, -1, -1)):
            raise ValueError(f"it depends on {name}, and layouts are left out")
