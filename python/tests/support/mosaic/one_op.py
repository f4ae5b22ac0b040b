"""Meanings of single ops, written as MLIR's generic form."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from sdykit.mlir import ir, make_context, register_tpu_dialect
from sdykit.sparsecore.mosaic.reference.meanings import bind


@cache
def context() -> ir.Context:
    """Return a context with the tpu dialect."""
    made = make_context()
    register_tpu_dialect(made)
    return made


@cache
def parsed(
    name: str, operands: tuple[str, ...], results: tuple[str, ...], properties: str
) -> ir.Module:
    """Return a module with a function of one op."""
    arguments = ", ".join(f"%a{k}: {type_}" for k, type_ in enumerate(operands))
    names = ", ".join(f"%a{k}" for k in range(len(operands)))
    count = f":{len(results)}" if len(results) > 1 else ""
    inherent = f"<{{{properties}}}>" if properties else ""
    text = f"""func.func @f({arguments}) attributes {{tpu.core_type = #tpu.core_type<sc_vector_subcore>}} {{
      %0{count} = "{name}"({names}) {inherent} : ({", ".join(operands)}) -> ({", ".join(results)})
      return
    }}"""
    return ir.Module.parse(text, context())


def meaning(
    name: str, operands: list[str], results: str | list[str], properties: str = ""
) -> Callable[..., Any]:
    """Return the meaning of an op of these types.

    Args:
        name: the op's name.
        operands: the types of its operands.
        results: the type of its result, or of its results.
        properties: what is between `<{` and `}>`.
    """
    results = [results] if isinstance(results, str) else results
    module = parsed(name, tuple(operands), tuple(results), properties)
    function = module.body.operations[0]
    run = bind(function.regions[0].blocks[0].operations[0])

    def quiet(*values: Any) -> Any:
        with np.errstate(all="ignore"):
            return run(*values)

    return quiet
