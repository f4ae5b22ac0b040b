"""Programs that were translated to MLIR and back, and their comparison with the originals."""

from __future__ import annotations

import importlib
import re
from typing import Any

from sdykit import hlo
from sdykit.hlo.from_mlir import from_mlir
from sdykit.hlo.shape import without_layouts
from sdykit.hlo.to_mlir import to_mlir
from sdykit.hlo.verify import check
from sdykit.mlir import ir, make_context

_hlo: Any = importlib.import_module("jaxlib._hlo")
_jax: Any = importlib.import_module("jaxlib._jax")

LAYOUT_COMMENT = re.compile(r"/\*index=\d+\*/")


def plain(shape: str) -> str:
    """Return a shape without layouts and spaces."""
    return LAYOUT_COMMENT.sub("", without_layouts(shape)).replace(" ", "")


def described(computation: hlo.Computation) -> object:
    """Return a key of all of a computation but names of instructions and layouts."""
    numbers = {op: at for at, op in enumerate(computation)}
    instructions = [
        (
            op.opcode,
            plain(op.shape),
            op.literal,
            [numbers[operand] for operand in op.operands],
            {name: text.replace("%", "") for name, text in op.attributes.items()},
        )
        for op in computation
    ]
    return (
        computation.name,
        computation.execution_thread,
        computation.is_entry,
        numbers[computation.root],
        instructions,
    )


def same_program(found: hlo.Module, wanted: hlo.Module) -> None:
    """Assert that two programs are equal but for names of instructions and layouts."""
    assert found.name == wanted.name
    assert found.attributes == wanted.attributes
    assert found.sections == wanted.sections
    assert [each.name for each in found] == [each.name for each in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert described(one) == described(other)


def round_trip(text: str) -> hlo.Module:
    """Translate to MLIR and back, also through text; assert that the program stays the same."""
    wanted = hlo.read(text)
    context = make_context()
    module = to_mlir(wanted, context)
    assert module.operation.verify()
    printed = str(module.operation.get_asm(enable_debug_info=True))
    found = from_mlir(module)
    same_program(found, wanted)
    # The same through the text of MLIR, and of HLO.
    again = from_mlir(ir.Module.parse(printed, context))
    assert hlo.to_text(again) == hlo.to_text(found)
    same_program(hlo.read(hlo.to_text(found, syntax_sugar=False)), wanted)
    return found


def imported(text: str) -> str:
    """Return the MLIR of a program from jaxlib's importer."""
    check(hlo.read(text))  # XLA's parser ends the process at some invalid programs.
    module = _hlo.hlo_module_from_text(text)
    computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    with make_context():
        return str(ir.Module.parse(_jax.mlir.xla_computation_to_mlir_module(computation)))
