"""Small tile programs, run with passes over them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdykit.core import run_pipeline
from sdykit.mlir import ir, make_context
from sdykit.sparsecore.codegen import compile_module, run

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
    """Make a program of one phase; arguments are written `name: type`."""
    pairs = [each.split(": ", 1) for each in arguments]
    texts = [f'%{name}: {type_} {{sparsecore.name = "{name}"}}' for name, type_ in pairs]
    return _PROGRAM.format(arguments=", ".join(texts), body=body)


def run_checked(text: str, arrays: Arrays, pipeline: str) -> str:
    """Run a program with passes that give it a status.

    Returns:
        The message, `ok` if nothing was wrong. The arrays are changed.
    """
    module = ir.Module.parse(text, make_context())
    run_pipeline(module, pipeline)
    status = np.zeros(8, np.int64)
    run(compile_module(module, cache=None), [*arrays, status])
    return message(module, status)


def message(module: ir.Module, status: np.ndarray) -> str:
    """Read a status."""
    attribute = module.body.operations[0].operation.attributes["sparsecore.messages"]
    found = ir.StringAttr(ir.ArrayAttr(attribute)[int(status[0])]).value
    for number in range(1, 8):
        found = found.replace(f"{{{number}}}", str(status[number]))
    return found
