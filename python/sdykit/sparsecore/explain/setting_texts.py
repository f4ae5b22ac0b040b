"""The settings, as the docstrings of `SparsecoreConfig` describe them."""

from __future__ import annotations

import ast
import inspect
import itertools
from dataclasses import dataclass
from functools import cache
from typing import Final

from sdykit.sparsecore.config import (
    FLAGS,
    SETTINGS,
    VARIABLES,
    SparsecoreConfig,
    sparsecore_config,
)
from sdykit.sparsecore.explain.error_texts import ERRORS, ErrorText

_FIELD: Final = "SparsecoreConfig, configure()"
_FLAG: Final = f"{_FIELD}, {', '.join(VARIABLES)}, command line; a later one counts"


@dataclass(frozen=True)
class Explained:
    """What there is to know about a setting."""

    name: str
    """Its name, without dashes."""
    default: str
    """The default, as Python writes it."""
    values: str
    """The values that it can have, in words."""
    effect: str
    """What it does."""
    set_in: str
    """The places where it can be set, in words."""


def explained(name: str) -> Explained:
    """Return what there is to know about a setting.

    Raises:
        KeyError: there is no setting of this name.
    """
    return Explained(
        name,
        repr(getattr(SparsecoreConfig, name)),
        SETTINGS[name].expected(),
        _effects()[name],
        _FLAG if name in FLAGS else _FIELD,
    )


def setting_named(word: str) -> str | None:
    """Return the name of the setting that a word is of, or None.

    The word may be as on a command line: `--xla_sc_detect_nan=true`, `--noxla_sc_detect_nan`.
    """
    name = word.lstrip("-").partition("=")[0]
    if name not in SETTINGS and name.removeprefix("no") in FLAGS:
        name = name.removeprefix("no")
    return name if name in SETTINGS else None


def errors_of(setting: str) -> list[ErrorText]:
    """Return the errors that a setting has to do with."""
    return [each for each in ERRORS if setting in each.settings]


@cache
def _effects() -> dict[str, str]:
    """Return the docstring below each field of `SparsecoreConfig`, as one line, by its name."""
    tree = ast.parse(inspect.getsource(sparsecore_config))
    (body,) = (
        each.body
        for each in tree.body
        if isinstance(each, ast.ClassDef) and each.name == SparsecoreConfig.__name__
    )
    found = {}
    for field, text in itertools.pairwise(body):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        assert isinstance(text, ast.Expr)
        found[field.target.id] = " ".join(str(ast.literal_eval(text.value)).split())
    return found
