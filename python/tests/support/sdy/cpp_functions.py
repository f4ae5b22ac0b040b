"""Functions compared with what C++ passes make of them: those that crash or fail there are left out."""

from __future__ import annotations

import re

from sdykit.core import FUNC, symbol_name
from support.oracle import ours, parse
from support.oracle_process import OracleProcess


def compare(oracle: OracleProcess, head: str, functions: list[str], pipeline: str) -> int:
    """Compare the texts of functions after a pipeline; return the number of those that C++ takes."""
    expected = cpp_functions(oracle, head, functions, pipeline)
    taken = [each for each in functions if _name(each) in expected]
    found = ours(head + "".join(taken), pipeline)
    assert found.text is not None, found.errors
    made = _texts(found.text)
    for each in taken:
        assert made[_name(each)] == expected[_name(each)], head + each
    return len(taken)


def cpp_functions(
    oracle: OracleProcess, head: str, functions: list[str], pipeline: str
) -> dict[str, str]:
    """Return the texts that C++ makes of functions, by name; `head` is what stands before them."""
    if not functions:
        return {}
    oracle.ask(head + "".join(functions), [pipeline])
    (outcome,) = oracle.answers()
    if outcome is not None and outcome.text is not None:
        return _texts(outcome.text)
    if len(functions) == 1:
        return {}
    half = len(functions) // 2
    return {
        **cpp_functions(oracle, head, functions[:half], pipeline),
        **cpp_functions(oracle, head, functions[half:], pipeline),
    }


def _texts(module: str) -> dict[str, str]:
    """Return the texts of the functions of a module, by name, without locations."""
    parsed = parse(module)
    functions = [each for each in parsed.body.operations if each.operation.name == FUNC]
    return {
        symbol_name(each.operation): str(each.get_asm(use_local_scope=True)) for each in functions
    }


def _name(function: str) -> str:
    """Return the name of the function of a text."""
    return re.findall(r"@(\w+)", function)[0]
