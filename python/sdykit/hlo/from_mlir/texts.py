"""What the reader of MLIR has to know of ops and functions, as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.hlo.attributes import COMMON_ATTRIBUTES
from sdykit.hlo.mlir.fields import integers
from sdykit.hlo.mlir.strings import OF_MLIR, carried, of_string
from sdykit.hlo.mlir.types import shape_of
from sdykit.hlo.model import Computation, Instruction
from sdykit.hlo.shape import tuple_shape, without_layouts
from sdykit.mlir import ir

LAYOUTS = frozenset({"result_layout", "source_layout"})
"""Attributes that jaxlib's importer gives to `copy` and `bitcast`."""

_VALUE = re.compile(r"value = (dense<.*?> : tensor<.*?>)\}>", re.DOTALL)
_SYMBOL = re.compile(r'@(?:([\w.$\-]+)|("(?:[^"\\]|\\.)*"))')


@dataclass(frozen=True)
class Signature:
    """What a caller has to know of a function."""

    name: str
    """Of its computation."""
    results: tuple[str, ...]
    """Their types."""
    tuple_of_one: bool = False

    @property
    def is_tuple(self) -> bool:
        """Whether the computation gives a tuple, of what the function gives."""
        return self.tuple_of_one or len(self.results) != 1

    @property
    def shape(self) -> str:
        """What the computation gives."""
        shapes = [shape_of(each) for each in self.results]
        return tuple_shape(shapes) if self.is_tuple else shapes[0]


Regions = list[tuple[Instruction, str, Computation]]
"""Instructions with the computations they call, and the names those should have."""


def attributes_of(op: ir.Operation) -> dict[str, str]:
    """Give the attributes of an op as text."""
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
    """Give what makes two computations the same but for names and comments."""
    numbers = {op: at for at, op in enumerate(computation.instructions)}
    return (
        numbers[computation.root],
        *[
            (
                op.opcode,
                without_layouts(op.shape),
                op.literal,
                tuple([numbers[operand] for operand in op.operands]),
                tuple([each for each in op.attributes.items() if _counts(op, each[0])]),
            )
            for op in computation
        ],
    )


def _counts(op: Instruction, attribute: str) -> bool:
    # The arguments of a region have no attributes.
    common = attribute in COMMON_ATTRIBUTES
    return attribute != "metadata" and not (common and op.opcode == "parameter")


def carry_of(op: ir.Operation) -> dict[str, str]:
    """Give the common attributes that an op carries."""
    return carried({name: str(op.attributes[name]) for name in OF_MLIR if name in op.attributes})


def symbols(text: str) -> list[str]:
    """Give the symbols in a text."""
    return [plain or of_string(quoted_) for plain, quoted_ in _SYMBOL.findall(text)]


def check_layouts(attributes: Mapping[str, str]) -> None:
    """Refuse layouts, of an op that depends on them, that are not the default."""
    for name in LAYOUTS & attributes.keys():
        axes = integers(attributes[name])
        if axes != list(range(len(axes) - 1, -1, -1)):
            raise ValueError(f"it depends on {name}, and layouts are left out")
