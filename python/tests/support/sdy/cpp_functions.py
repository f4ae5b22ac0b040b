"""Functions of a module that C++ passes take: those that crash them, or that they refuse, are left out."""

from __future__ import annotations

import re

from sdykit.core import FUNC, symbol_name
from support.oracle import parse
from support.oracle_process import OracleProcess


def cpp_functions(
    oracle: OracleProcess, head: str, functions: list[str], pipeline: str
) -> dict[str, str]:
    """Return the texts that C++ makes of functions, by name; `head` is what stands before them."""
    if not functions:
        return {}
    oracle.ask(head + "".join(functions), [pipeline])
    (outcome,) = oracle.answers()
    if outcome is not None and outcome.text is not None:
        return texts(outcome.text)
    if len(functions) == 1:
        return {}
    half = len(functions) // 2
    return {
        **cpp_functions(oracle, head, functions[:half], pipeline),
        **cpp_functions(oracle, head, functions[half:], pipeline),
    }


def texts(module: str) -> dict[str, str]:
    """Return the texts of the functions of a module, by name, without locations."""
    parsed = parse(module)
    functions = [each for each in parsed.body.operations if each.operation.name == FUNC]
    return {
        symbol_name(each.operation): str(each.get_asm(use_local_scope=True)) for each in functions
    }


def name_of(function: str) -> str:
    """Return the name of the function of a text."""
    return re.findall(r"@(\w+)", function)[0]
