"""Small tile programs, run with passes over them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdykit.core import run_pipeline
from sdykit.mlir import ir, make_context
from sdykit.sparsecore.codegen import compile_module, run
from support.tile.tile_cases import message_of

Arrays = Sequence[np.ndarray]
_PROGRAM = """\
#rows = strided<[2, 1], offset: ?>
func.func @entry({arguments}) attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {{
    {body}
  }}
  return
}}
"""


def program(arguments: Sequence[str], body: str) -> str:
    """Return a program of one phase; its arguments are written `name: type`."""
    pairs = [each.split(": ", 1) for each in arguments]
    texts = [f'%{name}: {type_} {{sparsecore.name = "{name}"}}' for name, type_ in pairs]
    return _PROGRAM.format(arguments=", ".join(texts), body=body)


def run_checked(text: str, arrays: Arrays, pipeline: str) -> str:
    """Run a program after passes that add a status to it; the arrays are changed.

    Returns:
        The message of the status, `ok` without an error.
    """
    module = ir.Module.parse(text, make_context())
    run_pipeline(module, pipeline)
    status = np.zeros(8, np.int64)
    run(compile_module(module, cache=None), [*arrays, status])
    return message(module, status)


def message(module: ir.Module, status: np.ndarray) -> str:
    """Return the message of the status of a program."""
    attribute = module.body.operations[0].operation.attributes["sparsecore.messages"]
    return message_of([ir.StringAttr(each).value for each in ir.ArrayAttr(attribute)], status)
