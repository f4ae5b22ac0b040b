"""The arguments of `sdykit.sparsecore.configure` besides the settings, from its source.

The function is in a module that imports jax, which is not needed to read what it says.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

import sdykit
from sdykit.sparsecore.explain import Explained

_SOURCE: Final = Path(sdykit.__file__).parent / "bridge" / "settings.py"
_VALUES: Final = {
    "chip": "the name of a chip, the name of a file that describes one, or None",
    "counters": "true or false",
    "execute": "cpu or chip",
    "pallas": "check, fast, reference or off",
}


def configure_arguments() -> dict[str, Explained]:
    """Return the arguments of `configure` that are no settings, by name."""
    tree = ast.parse(_SOURCE.read_text(encoding="utf-8"))
    (function,) = (
        each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "configure"
    )
    texts = _texts(ast.get_docstring(function) or "")
    names, defaults = function.args, [*function.args.defaults, *function.args.kw_defaults]
    return {
        each.arg: Explained(
            each.arg,
            "" if default is None else ast.unparse(default),
            _VALUES[each.arg],
            texts[each.arg],
            "configure()",
        )
        for each, default in zip([*names.args, *names.kwonlyargs], defaults, strict=True)
    }


def _texts(docstring: str) -> dict[str, str]:
    """Return the descriptions of the arguments in a docstring, each as one line."""
    arguments = docstring.partition("\nArgs:\n")[2].partition("\n\n")[0]
    parts = re.split(r"^ {4}(\w+): ", arguments, flags=re.MULTILINE)[1:]
    return {
        name: _sentence(" ".join(text.split()))
        for name, text in zip(parts[::2], parts[1::2], strict=True)
    }


def _sentence(text: str) -> str:
    """Return a text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]
